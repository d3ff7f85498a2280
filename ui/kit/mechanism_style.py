"""One colour and one mark per mechanism, the same on every page; variants of one are shades of its colour."""

from __future__ import annotations

from collections.abc import Iterable

from ui.kit.colours import NEUTRAL, OWNER

Look = tuple[str, str]
"""Colour, and the mark's name in a figure: told apart without colours too."""

KNOWN: dict[str, Look] = {
    "V-RLM": (OWNER, "circle"),
    "C-RLM": (OWNER, "circle"),
    "Q-RLM": ("#7B4FB5", "star"),
    "PrivUnit": ("#009E73", "square"),
    "Duchi": ("#E69F00", "diamond"),
    "Laplace": ("#CC79A7", "triangle-up"),
    "PCA": ("#56B4E9", "cross"),
    "k-RR": ("#6B7A2A", "hexagon"),
    "clean features only": (NEUTRAL, "x"),
}
SHADES = (OWNER, "#4FA3D8", "#00436B", "#93C9EA", "#2F6F8F")
SPARE = ("#A65628", "#8C8C00", "#5E3C99", "#00796B", "#B0457B")
MARKS = ("circle", "square", "diamond", "triangle-up", "cross", "star", "hexagon")

CLASSES = ("#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#7B4FB5", "#9A8B00")
"""Classes of a geometric picture: none of them is blue or vermilion, the colours of the two sides."""


def looks(names: Iterable[str]) -> dict[str, Look]:
    """The look of each mechanism of a chart; unknown ones get spare colours in their order.

    >>> looks(["V-RLM", "Duchi"])["Duchi"]
    ('#E69F00', 'diamond')
    >>> looks(["V-RLM eta=0.75", "V-RLM eta=0.50"])["V-RLM eta=0.50"]
    ('#4FA3D8', 'square')
    """
    found: dict[str, Look] = {}
    variants = others = 0
    for name in names:
        if name in KNOWN:
            found[name] = KNOWN[name]
        elif name.startswith(("V-RLM ", "C-RLM ")):
            found[name] = SHADES[variants % len(SHADES)], MARKS[variants % len(MARKS)]
            variants += 1
        else:
            found[name] = SPARE[others % len(SPARE)], MARKS[-1 - others % len(MARKS)]
            others += 1
    return found
