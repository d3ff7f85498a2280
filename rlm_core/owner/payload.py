"""What is sent for many records: one of the three forms that a report has, as columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.types import BoolArray, FloatArray, IntArray


class Encoding(Protocol):
    """What must be known of a mechanism to send its h and a label together."""

    @property
    def noise(self) -> object:
        """What would follow h without a label."""

    @property
    def output_dim(self) -> int:
        """Numbers in h."""


class Together(Protocol):
    """How h and the label leave as *one* report, with all of ε and nothing to divide: pairs and joint reports."""

    @property
    def epsilon(self) -> float:
        """All of it."""

    def check(self, mechanism: Encoding, y: ArrayLike) -> IntArray:
        """Labels as (n,), if they and the mechanism fit; raises before anything is charged."""

    def send(self, h: FloatArray, y: IntArray) -> Payload:
        """Draw what is sent for each row of h (n, output_dim) and its label."""

    def digest(self, mechanism: str) -> str:
        """Of the release, from the digest of the mechanism that makes h."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Payload:
    """Exactly one of ``numbers`` (n, d), ``members`` (n, k) and ``symbols`` (n,), a row for each record.

    ``channel`` is what drew the sets and knows how they are written as vectors; ``of`` is how many
    symbols there are; ``coordinates`` (n,) are public and chosen without looking at the record.
    """

    numbers: FloatArray | None = None
    members: BoolArray | None = None
    symbols: IntArray | None = None
    of: int | None = None
    channel: SubsetSelection | None = None
    coordinates: IntArray | None = None

    def __post_init__(self) -> None:
        if sum(each is not None for each in (self.numbers, self.members, self.symbols)) != 1:
            raise ValueError("Expected one of numbers, members and symbols.")
        if (self.members is None) != (self.channel is None) or (self.symbols is None) != (self.of is None):
            raise ValueError("Expected a channel with members, and of with symbols.")

    def __len__(self) -> int:
        column = next(each for each in (self.numbers, self.members, self.symbols) if each is not None)
        return len(column)

    @property
    def z_private(self) -> FloatArray:
        """z̃ of each row: the numbers, the vector that a set is written as, or the symbol itself: (n, d)."""
        if self.numbers is not None:
            return self.numbers
        if self.members is not None and self.channel is not None:
            return self.channel.vector(self.members)
        return np.asarray(self.symbols, dtype=np.float64)[:, None]

    def row(self, index: int) -> dict[str, Any]:
        """One record's payload, as the fields of a Report."""
        found: dict[str, Any]
        if self.numbers is not None:
            found = {"numbers": tuple(self.numbers[index].tolist())}
        elif self.members is not None:
            members = self.members[index]
            found = {"members": np.packbits(members).tobytes(), "of": members.size}
        else:
            found = {"symbol": int(np.asarray(self.symbols)[index]), "of": self.of}
        return found if self.coordinates is None else found | {"coordinate": int(self.coordinates[index])}

    @staticmethod
    def concatenate(parts: Sequence[Payload]) -> Payload:
        """The rows of several payloads of one mechanism, one after the other."""
        first = parts[0]
        columns: dict[str, Any] = {
            field.name: np.concatenate([getattr(part, field.name) for part in parts])
            if isinstance(getattr(first, field.name), np.ndarray)
            else getattr(first, field.name)
            for field in fields(Payload)
        }
        return first if len(parts) == 1 else Payload(**columns)
