"""``rlm data``: list the datasets, get them, or run the trunk over CIFAR-10."""

from __future__ import annotations

from collections.abc import Sequence


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    if arguments and arguments[0] == "features":  # by the trunk, which is above the data
        from rlm_core.training.crlm.features import main as make_features

        return make_features(arguments[1:])
    from rlm_core.data.__main__ import main as run

    return run(arguments)
