"""The card of a mechanism by its name: of a folder, or cut from a dataset's finest codes."""

from __future__ import annotations

from pathlib import Path

from rlm_core.types import quote
from rlm_core.zoo.cards import Card, is_name, names, stored_card
from rlm_core.zoo.code_tree import cut_card


def card(name: str | Path) -> Card:
    """The card of one mechanism, by its name or, as a ``Path``, by its folder; reads no weights."""
    if isinstance(name, Path):
        if not (name / "card.json").is_file():
            raise ValueError(f"Expected a folder with a card.json, got {quote(str(name))}.")
        return Card.read(name / "card.json")
    found = (stored_card(name) or cut_card(name)) if is_name(name) else None
    if found is None:
        raise ValueError(
            f"Expected a shipped mechanism in {', '.join(names())}, or a folder as a Path, got name={quote(name)}."
        )
    return found
