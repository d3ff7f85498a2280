"""Read what a page shows, in tests that drive the app without a browser."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from streamlit.testing.v1 import AppTest

from rlm_core import Ledger

Open = Callable[..., AppTest]


def healthy(app: AppTest) -> AppTest:
    """No exception and no apology on the page."""
    assert not app.exception, [each.value for each in app.exception]
    assert not app.error, [each.value for each in app.error]
    return app


def words(app: AppTest) -> str:
    """All text and HTML of the page, for searching."""
    texts: list[Any] = [*app.markdown, *app.caption, *app.title, *app.header, *app.info, *app.warning]
    return "\n".join(str(each.value) for each in [*texts, *app.main.get("html")])


def charts(app: AppTest) -> list[dict[str, Any]]:
    """What is given to each chart of the page: its figure, its words, and the name of the file that it is saved as."""
    found = [json.loads(each.proto.json) for each in app.main.get("bidi_component")]
    return [each for each in found if isinstance(each, dict) and "figure" in each]


def ledger(app: AppTest) -> Ledger:
    """What this visit has released."""
    found: Ledger = app.session_state["releases"].ledger
    return found


def piece(app: AppTest, mark: str) -> str:
    """The one piece of HTML that has this class."""
    (found,) = [each.value for each in app.main.get("html") if f'class="{mark}' in each.value]
    return str(found)
