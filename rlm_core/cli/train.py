"""``rlm train``: train mechanisms by the names of their presets."""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Run the command; presets of codes (Q-RLM) have a training of their own."""
    from rlm_core.training.codes.code_presets import QRLM_PRESETS

    if not QRLM_PRESETS.keys().isdisjoint(arguments):
        from rlm_core.training.codes.__main__ import main as train_codes

        train_codes(list(arguments))
        return 0
    from rlm_core.training.__main__ import main as train

    train(list(arguments))
    return 0
