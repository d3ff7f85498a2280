"""Widgets whose value is in the page's address, so that a copied link opens the same view."""

from __future__ import annotations

from typing import Any


def in_address(key: str) -> dict[str, Any]:
    """Arguments of a widget that is called ``key`` in the address and keeps its value from page to page.

    >>> in_address("eps")
    {'key': 'eps', 'bind': 'query-params', 'persist_state': 'session'}
    """
    return {"key": key, "bind": "query-params", "persist_state": "session"}
