"""Rows of a table, numbers and categories mixed: a share of ε for each feature."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.baselines.bounds import Bounds, Rescaled
from rlm_core.baselines.duchi import Duchi
from rlm_core.baselines.laplace import PerFeatureLaplace
from rlm_core.mechanism import Mechanism, rows
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.types import FloatArray, IntArray, positive


@dataclass(frozen=True, kw_only=True)
class TableMechanism(ABC):
    """Numbers by one mechanism with ε·k/n of the budget, each of n − k categoricals by k-RR with ε/n.

    A row has the layout of an encoded table: ``categories`` gives (start, stop) of every
    one-hot block, all other columns are numbers, whose public bounds are ``low`` and
    ``high``, in order. A report has the same layout: numbers privatised, one-hot blocks of
    the reported category.

    Guarantee: ε-LDP by sequential composition over the parts; each part's ε is rounded down,
    so the sum is at most ε. See the parts for what they guarantee.

    Edge cases: a categorical with one level tells nothing and costs nothing. A block of zeros
    stands for an unknown category and is reported as any of them, all equally likely (what
    k-RR makes of a uniform category, so the guarantee stays); other blocks that are not
    one-hot raise. Rows of numbers alone or of categoricals alone are fine.
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
        _ = self.numbers, self.responses  # so that a budget too small for a part raises here

    @property
    def input_dim(self) -> int:
        """Columns of an encoded row."""
        return len(self.low) + sum(stop - start for start, stop in self.categories)

    @property
    def output_dim(self) -> int:
        """The same columns."""
        return self.input_dim

    @cached_property
    def number_columns(self) -> IntArray:
        """The columns that hold numbers."""
        taken = {column for start, stop in self.categories for column in range(start, stop)}
        return np.array([column for column in range(self.input_dim) if column not in taken], dtype=np.int64)

    @property
    def features(self) -> int:
        """n: the features that share ε, numbers and categoricals with at least two levels."""
        return max(1, len(self.low) + sum(stop - start > 1 for start, stop in self.categories))

    @property
    @abstractmethod
    def numbers(self) -> Mechanism | None:
        """How the numbers are released; None if there are none."""

    @cached_property
    def responses(self) -> tuple[RandomisedResponse | None, ...]:
        """How each categorical is released; None for one with a single level."""
        epsilon = share(self.epsilon, 1, self.features)
        return tuple(
            RandomisedResponse(epsilon=epsilon, classes=stop - start) if stop - start > 1 else None
            for start, stop in self.categories
        )

    def represent(self, x: ArrayLike) -> FloatArray:
        """The row with its numbers clipped to their bounds. NOT private."""
        x = rows("x", x, self.input_dim).copy()
        for start, stop in self.categories:
            codes("x", x, start, stop)
        if self.numbers is not None:
            x[:, self.number_columns] = self.numbers.represent(x[:, self.number_columns])
        return x

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Release each row. Randomness: the operating system's; no seed."""
        return self._draw(x, None)

    def simulate(self, x: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """Reproducible draws for experiments. NOT private."""
        return self._draw(x, generator)

    def _draw(self, x: ArrayLike, generator: np.random.Generator | None) -> FloatArray:
        z = self.represent(x)
        if self.numbers is not None:
            part = z[:, self.number_columns]
            z[:, self.number_columns] = (
                self.numbers.privatise(part) if generator is None else self.numbers.simulate(part, generator=generator)
            )
        for (start, stop), response in zip(self.categories, self.responses, strict=True):
            true = codes("x", z, start, stop)
            if response is None:
                z[:, start:stop] = 1.0
                continue
            any_of = (true.shape, stop - start)
            if generator is None:
                said, any_one = response.privatise(np.maximum(true, 0)), uniform_below(any_of[1], any_of[0])
            else:
                said = response.simulate(np.maximum(true, 0), generator=generator)
                any_one = generator.integers(any_of[1], size=any_of[0])
            z[:, start:stop] = np.where(true == UNKNOWN, any_one, said)[:, None] == np.arange(stop - start)
        return z


@dataclass(frozen=True, kw_only=True)
class LaplaceTable(TableMechanism):
    """Numbers by :class:`PerFeatureLaplace`, so every feature gets ε/n.

    >>> table = LaplaceTable(epsilon=3.0, low=[0.0, 0.0], high=[1.0, 9.0], categories=[(2, 5)])
    >>> table.numbers.epsilon, table.responses[0].epsilon
    (2.0, 1.0)
    """

    name: str = "Laplace table"

    @cached_property
    def numbers(self) -> PerFeatureLaplace | None:
        """ε/n for each number."""
        if not len(self.low):
            return None
        return PerFeatureLaplace(
            epsilon=share(self.epsilon, len(self.low), self.features), low=self.low, high=self.high
        )

    def log_density_pairs(self, z_private: ArrayLike, z: ArrayLike) -> FloatArray:
        """log p(z̃ₙ | zₘ), the sum over the parts: (n, m)."""
        left, right = rows("z_private", z_private, self.output_dim), rows("z", z, self.output_dim)
        total = np.zeros((len(left), len(right)))
        if self.numbers is not None:
            columns = self.number_columns
            total += self.numbers.log_density_pairs(left[:, columns], right[:, columns])
        for (start, stop), response in zip(self.categories, self.responses, strict=True):
            if response is not None:
                total += response.log_density_pairs(
                    codes("z_private", left, start, stop), codes("z", right, start, stop)
                )
        return total


@dataclass(frozen=True, kw_only=True)
class DuchiTable(TableMechanism):
    """Numbers by :class:`Duchi` on their bounds, all in one release. It has no tractable density."""

    name: str = "Duchi table"

    @cached_property
    def numbers(self) -> Rescaled | None:
        """ε·k/n for the k numbers together."""
        count = len(self.low)
        if not count:
            return None
        duchi = Duchi(epsilon=share(self.epsilon, count, self.features), dimension=count)
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


def codes(name: str, x: FloatArray, start: int, stop: int) -> IntArray:
    """The category of each row in the one-hot columns start, …, stop − 1; raise on anything else."""
    block = x[:, start:stop]
    wrong = np.flatnonzero(~(((block == 0.0) | (block == 1.0)).all(axis=1) & (block.sum(axis=1) == 1.0)))
    if wrong.size:
        raise ValueError(
            f"Expected one 1 and otherwise 0 in the columns {start} to {stop - 1} of {name}, "
            f"got something else in {wrong.size} rows, first in row {wrong[0]}."
        )
    category: IntArray = block.argmax(axis=1)
    return category
