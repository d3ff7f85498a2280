"""``rlm audit``: audit the registered mechanisms."""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    from rlm_core.audit.__main__ import main as run

    return run(arguments)
