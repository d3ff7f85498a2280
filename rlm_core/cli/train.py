"""``rlm train``: train mechanisms by the names of their presets."""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    from rlm_core.training.__main__ import main as run

    return run(arguments)
