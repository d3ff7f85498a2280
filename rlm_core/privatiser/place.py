"""Where a fitted LocalPrivatiser may be written: a new folder, an empty one, or one that it wrote before."""

from __future__ import annotations

import os
from pathlib import Path

from rlm_core.privatiser.card import CARD
from rlm_core.privatiser.folder import CLASSIFIER, ENCODER, PICTURES, PREPROCESSOR, PRIOR, SCHEMA
from rlm_core.zoo.cards import own_card

UNFINISHED = {SCHEMA, PREPROCESSOR, PICTURES, ENCODER, PRIOR, CLASSIFIER}
"""What a ``save`` that was interrupted may leave: the card comes last."""


def check_place(folder: Path) -> None:
    """Raise for a place that cannot be written, or has somebody else's files: before minutes of training too."""
    if folder.exists() and not folder.is_dir():
        raise ValueError(f"Expected a folder, got the file {folder.name!r}.")
    if folder.is_dir():
        names = {each.name for each in folder.iterdir() if not each.name.startswith(".")}
        unfinished = ENCODER in names and names <= UNFINISHED
        if names and not unfinished and own_card(folder / CARD) is None:
            raise ValueError(
                "Expected a new or empty folder, or one that LocalPrivatiser.save wrote, got "
                f"{folder.resolve().name!r}, which has other files: {', '.join(sorted(names)[:3])}."
            )
    check_writable(folder)


def check_writable(path: Path) -> None:
    """Raise unless something can be written there, with folders made as they are needed."""
    there = next(each for each in (path.absolute(), *path.absolute().parents) if each.exists())
    if not there.is_dir() and there != path.absolute():
        raise ValueError(f"Expected a folder, got the file {there.name!r} in the path {str(path)!r}.")
    if not os.access(there, os.W_OK):
        raise ValueError(f"Expected a place that can be written, got {str(path)!r}, which cannot.")
