"""``rlm data``: list the datasets, or get them."""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    from rlm_core.data.__main__ import main as run

    return run(arguments)
