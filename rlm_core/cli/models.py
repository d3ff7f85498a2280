"""``rlm models``: list the pretrained mechanisms, or ship those that were trained."""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    from rlm_core.zoo.__main__ import main as run

    return run(arguments)
