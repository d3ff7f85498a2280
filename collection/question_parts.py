"""What all kinds of questions share: how an answer leaves the device, a line of the estimate, and checked texts."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass

from rlm_core.collector.survey import Shares
from rlm_core.owner.subset_selection import SubsetSelection


@dataclass(frozen=True, kw_only=True)
class Line:
    """One estimated quantity: a share from 0 to 1, or a mean in the question's units. Unbiased, so kept raw."""

    name: str
    estimate: float
    low: float
    high: float


@dataclass(frozen=True, kw_only=True)
class Mechanism:
    """How an answer leaves the device: one of ``symbols``, by a set of ``subset`` of them.

    ``payload`` is the report's field: "symbol" for k-RR, "set" otherwise. Where ``coordinates`` is not 0, a report
    also names one of so many coordinates, chosen without looking at the record.
    """

    name: str
    digest: str
    symbols: int
    subset: int
    payload: str
    coordinates: int = 0

    @property
    def cells(self) -> int:
        """How many counts a tally of such reports has: one for each (coordinate, symbol)."""
        return max(1, self.coordinates) * self.symbols


def set_mechanism(name: str, digest: str, channel: SubsetSelection) -> Mechanism:
    """Reports that are sets of symbols."""
    return Mechanism(name=name, digest=digest, symbols=channel.symbols, subset=channel.size, payload="set")


def share_lines(names: Iterable[str], shares: Shares) -> list[Line]:
    """A line for every share."""
    rows = zip(names, shares.estimate.tolist(), shares.low.tolist(), shares.high.tolist(), strict=True)
    return [Line(name=name, estimate=estimate, low=low, high=high) for name, estimate, low, high in rows]


def check_text(name: str, value: object, longest: int, *, empty: bool = False) -> None:
    """Printable text of a bounded length, for a wall and for other people's phones.

    What Python calls not printable is refused, so also characters without a width and those that turn the direction
    of writing; but for the joiner that some emoji are made with.
    """
    if not isinstance(value, str) or not (0 if empty else 1) <= len(_seen(value)) <= len(value) <= longest:
        raise ValueError(f"Expected 1 to {longest} characters for the {name}, got {str(value)[:40]!r}.")
    if not all(character.isprintable() or character == JOINER for character in value):
        raise ValueError(f"Expected printable characters in the {name}.")


def look_alike(texts: Iterable[str]) -> bool:
    """Whether two of them would be taken for each other: the same but for case, width, accents' spelling, spaces."""
    seen = [" ".join(unicodedata.normalize("NFKC", _seen(text)).casefold().split()) for text in texts]
    return len(set(seen)) != len(seen)


JOINER = "\u200d"


def _seen(text: str) -> str:
    return text.replace(JOINER, "").strip()
