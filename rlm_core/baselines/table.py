"""Rows of a table, numbers and categories mixed: a share of ε for each feature."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import cast

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.baselines.bounds import Bounds, Rescaled
from rlm_core.baselines.duchi import Duchi
from rlm_core.baselines.laplace import PerFeatureLaplace
from rlm_core.baselines.one_hot import OneHotResponse
from rlm_core.mechanism import HasDensity, Mechanism, rows
from rlm_core.types import FloatArray, IntArray, positive


@dataclass(frozen=True, kw_only=True)
class TableMechanism(ABC):
    """k numbers by one mechanism with ε·k/n of the budget, each of n − k categoricals by k-RR with ε/n.

    A row has the layout of an encoded table: ``categories`` gives (start, stop) of every
    one-hot block, all other columns are numbers, whose public bounds are ``low`` and
    ``high``, in order. A report has the same layout: numbers privatised, one-hot blocks of
    the reported category.

    Guarantee: ε-LDP by sequential composition over the parts; each part's ε is rounded down,
    so the sum is at most ε. See the parts for what they guarantee.

    Edge cases: a categorical with one level tells nothing and costs nothing; a block of zeros
    is an unknown category (:class:`OneHotResponse`). Rows of numbers alone or of categoricals
    alone are fine.
    Source: the paper's appendix "Benchmarks" (categoricals by a flip mechanism).
    """

    epsilon: float
    low: tuple[float, ...]
    high: tuple[float, ...]
    categories: tuple[tuple[int, int], ...] = ()
    name: str = "table"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon, allow_infinite=True))
        bounds = Bounds(low=self.low, high=self.high)
        object.__setattr__(self, "low", bounds.low)
        object.__setattr__(self, "high", bounds.high)
        blocks = tuple((int(start), int(stop)) for start, stop in self.categories)
        object.__setattr__(self, "categories", blocks)
        taken = sorted(column for start, stop in blocks for column in range(start, stop))
        if any(stop <= start for start, stop in blocks) or len(set(taken)) != len(taken):
            raise ValueError(f"Expected disjoint, non-empty blocks, got categories={blocks}.")
        if taken and not (taken[0] >= 0 and taken[-1] < self.input_dim):
            raise ValueError(f"Expected blocks within {self.input_dim} columns, got categories={blocks}.")
        if not self.input_dim:
            raise ValueError("Expected at least one feature, got none.")
        _ = self.parts  # so that a budget too small for a part raises here

    @property
    def input_dim(self) -> int:
        """Columns of an encoded row."""
        return len(self.low) + sum(stop - start for start, stop in self.categories)

    @property
    def output_dim(self) -> int:
        """The same columns."""
        return self.input_dim

    @property
    def features(self) -> int:
        """n: the features that share ε, numbers and categoricals with at least two levels."""
        return max(1, len(self.low) + sum(stop - start > 1 for start, stop in self.categories))

    @cached_property
    def number_columns(self) -> IntArray:
        """The columns that hold numbers."""
        taken = {column for start, stop in self.categories for column in range(start, stop)}
        return np.array([column for column in range(self.input_dim) if column not in taken], dtype=np.int64)

    @cached_property
    def numbers(self) -> Mechanism | None:
        """How the numbers are released; None if there are none."""
        if not self.low:
            return None
        return self._for_numbers(share(self.epsilon, len(self.low), self.features))

    @cached_property
    def responses(self) -> tuple[OneHotResponse, ...]:
        """How each categorical is released."""
        epsilon = share(self.epsilon, 1, self.features)
        return tuple(OneHotResponse(epsilon=epsilon, classes=stop - start) for start, stop in self.categories)

    @cached_property
    def parts(self) -> tuple[tuple[IntArray, Mechanism], ...]:
        """The columns of every part, and the mechanism that releases them."""
        parts: list[tuple[IntArray, Mechanism]] = []
        if self.numbers is not None:
            parts.append((self.number_columns, self.numbers))
        for (start, stop), response in zip(self.categories, self.responses, strict=True):
            parts.append((np.arange(start, stop), response))
        return tuple(parts)

    def represent(self, x: ArrayLike) -> FloatArray:
        """The row with its numbers clipped to their bounds. NOT private."""
        x = rows("x", x, self.input_dim)
        z = np.empty_like(x)
        for columns, part in self.parts:
            z[:, columns] = part.represent(x[:, columns])
        return z

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Release each row. Randomness: the operating system's; no seed."""
        x = self.represent(x)
        z_private = np.empty_like(x)
        for columns, part in self.parts:
            z_private[:, columns] = part.privatise(x[:, columns])
        return z_private

    def simulate(self, x: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """Reproducible draws for experiments. NOT private."""
        x = self.represent(x)
        z_private = np.empty_like(x)
        for columns, part in self.parts:
            z_private[:, columns] = part.simulate(x[:, columns], generator=generator)
        return z_private

    @abstractmethod
    def _for_numbers(self, epsilon: float) -> Mechanism:
        """The mechanism for all numbers together, with that much of ε."""


@dataclass(frozen=True, kw_only=True)
class LaplaceTable(TableMechanism):
    """Numbers by :class:`PerFeatureLaplace`, so every feature gets ε/n.

    >>> table = LaplaceTable(epsilon=3.0, low=(0.0, 0.0), high=(1.0, 9.0), categories=((2, 5),))
    >>> table.numbers.epsilon, table.responses[0].epsilon
    (2.0, 1.0)
    """

    name: str = "Laplace table"

    def log_density_pairs(self, z_private: ArrayLike, z: ArrayLike) -> FloatArray:
        """log p(z̃ₙ | zₘ), the sum over the parts: (n, m)."""
        left, right = rows("z_private", z_private, self.output_dim), rows("z", z, self.output_dim)
        total = np.zeros((len(left), len(right)))
        for columns, part in self.parts:
            density = cast(HasDensity, part).log_density_pairs  # PerFeatureLaplace and OneHotResponse have it
            total += density(left[:, columns], right[:, columns])
        return total

    def _for_numbers(self, epsilon: float) -> PerFeatureLaplace:
        return PerFeatureLaplace(epsilon=epsilon, low=self.low, high=self.high)


@dataclass(frozen=True, kw_only=True)
class DuchiTable(TableMechanism):
    """Numbers by :class:`Duchi` on their bounds, all in one release. It has no tractable density."""

    name: str = "Duchi table"

    def _for_numbers(self, epsilon: float) -> Rescaled:
        duchi = Duchi(epsilon=epsilon, dimension=len(self.low))
        return Rescaled(mechanism=duchi, bounds=Bounds(low=self.low, high=self.high))


def share(epsilon: float, part: int, whole: int) -> float:
    """ε·part/whole, rounded down: the shares of all parts never add up to more than ε.

    >>> share(1.0, 1, 3) + share(1.0, 2, 3) <= 1.0
    True
    """
    if math.isinf(epsilon):
        return epsilon
    exact = Fraction(epsilon) * part / whole
    nearest = float(exact)
    return nearest if Fraction(nearest) <= exact else math.nextafter(nearest, 0.0)
