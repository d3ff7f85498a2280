"""What may be spent, how it is divided, and what has been spent already."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction

from rlm_core.types import positive


@dataclass(frozen=True, kw_only=True)
class Budget:
    """ε = εx + εy with εx = λε for the features and εy = (1 − λ)ε for the label.

    Edge cases: λ = 1 leaves the label no budget (it is then not sent, or pure noise), λ = 0
    the features none. ε = ∞ gives ∞ to both, unless λ says that one gets nothing.

    >>> Budget(epsilon=10.0, lam=0.75)
    Budget(epsilon=10.0, lam=0.75)
    >>> Budget(epsilon=10.0, lam=0.75).epsilon_y
    2.5
    """

    epsilon: float
    lam: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon, allow_infinite=True))
        if isinstance(self.lam, bool) or not isinstance(self.lam, int | float):
            raise TypeError(f"Expected a number for lam, got lam={self.lam!r}.")
        if not 0.0 <= self.lam <= 1.0:
            raise ValueError(f"Expected 0 <= lam <= 1, got lam={self.lam:g}.")

    @property
    def epsilon_x(self) -> float:
        """Spent on the features."""
        return 0.0 if self.lam == 0.0 else self.lam * self.epsilon

    @property
    def epsilon_y(self) -> float:
        """Spent on the label. The remainder, rounded down: both never add up to more than ε, not even by a unit."""
        if self.lam == 1.0:
            return 0.0
        if math.isinf(self.epsilon):
            return math.inf
        rest = self.epsilon - self.epsilon_x
        above = Fraction(self.epsilon_x) + Fraction(rest) > Fraction(self.epsilon)
        return math.nextafter(rest, 0.0) if above else rest


@dataclass(frozen=True, kw_only=True)
class Release:
    """One entry of the ledger: what was released for which record, and what it cost."""

    record: str
    mechanism: str
    epsilon_x: float
    epsilon_y: float

    def __post_init__(self) -> None:
        for name in ("epsilon_x", "epsilon_y"):
            if not getattr(self, name) >= 0.0:
                raise ValueError(f"Expected {name} >= 0, got {name}={getattr(self, name)!r}.")

    @property
    def epsilon(self) -> float:
        """εx + εy: sequential composition of the features and the label."""
        return self.epsilon_x + self.epsilon_y


@dataclass
class Ledger:
    """Every release, in order. n releases of one record cost the sum of their ε.

    Guarantee: sequential composition. Releases of *different* records do not add up for
    either of them, so totals are per record. Optionally a ``limit`` per record: a release
    that would pass it raises before anything is drawn.

    >>> ledger = Ledger()
    >>> for _ in range(3): ledger.spend(Release(record="me", mechanism="V-RLM", epsilon_x=1.5, epsilon_y=0.5))
    >>> ledger.spent("me"), ledger.spent("somebody else")
    (6.0, 0.0)
    """

    limit: float = math.inf
    releases: list[Release] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.limit = positive("limit", self.limit, allow_infinite=True)

    def spend(self, release: Release) -> None:
        """Enter a release. Call it before drawing, so that a refused release draws nothing."""
        total = self.spent(release.record) + release.epsilon
        if total > self.limit:
            raise ValueError(
                f"Expected a total of at most {self.limit:g} for the record {release.record!r}; "
                f"this release would bring it to {total:g}."
            )
        self.releases.append(release)

    def spent(self, record: str) -> float:
        """Σ ε over the releases of one record; the sum is rounded once (``fsum``)."""
        return math.fsum(release.epsilon for release in self.of(record))

    def of(self, record: str) -> Iterator[Release]:
        """The releases of one record, oldest first."""
        return (release for release in self.releases if release.record == record)
