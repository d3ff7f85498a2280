"""k-RR on a one-hot block: how one categorical of an encoded table leaves the device."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.mechanism import rows
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.randomness import uniform_below
from rlm_core.types import FloatArray, IntArray, positive

UNKNOWN = -1


@dataclass(frozen=True, kw_only=True)
class OneHotResponse:
    """A one-hot row (n, classes) to the one-hot row of the category that k-RR reports.

    Guarantee: ε-LDP, as exactly as :class:`RandomisedResponse`. A row of zeros stands for an
    unknown category and is reported as any of them, all equally likely: that is what k-RR
    makes of a uniformly drawn category, so the guarantee covers it.

    Edge cases: a single class tells nothing and is reported as it must be. ε = ∞ returns the
    row. Any other row raises.

    >>> OneHotResponse(epsilon=math.inf, classes=3).privatise([[0.0, 1.0, 0.0]])
    array([[0., 1., 0.]])
    """

    epsilon: float
    classes: int
    name: str = "k-RR, one-hot"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon, allow_infinite=True))
        if not self.classes >= 1:
            raise ValueError(f"Expected classes >= 1, got classes={self.classes}.")
        _ = self.response  # checks the rest

    @cached_property
    def response(self) -> RandomisedResponse | None:
        """The randomised response on category numbers; None for a single class."""
        return RandomisedResponse(epsilon=self.epsilon, classes=self.classes) if self.classes > 1 else None

    @property
    def input_dim(self) -> int:
        """One column a class."""
        return self.classes

    @property
    def output_dim(self) -> int:
        """One column a class."""
        return self.classes

    def represent(self, x: ArrayLike) -> FloatArray:
        """The row itself, checked. NOT private."""
        x = rows("x", x, self.classes)
        self._codes("x", x)
        return x

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Release each row. Randomness: the operating system's; no seed."""
        x = self.represent(x)
        if self.response is None or math.isinf(self.epsilon):
            return self._without_noise(x)
        codes = self._codes("x", x)
        reported = self.response.privatise(np.maximum(codes, 0))
        return self._one_hot(np.where(codes == UNKNOWN, uniform_below(self.classes, codes.shape), reported))

    def simulate(self, x: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """Reproducible draws for experiments. NOT private."""
        x = self.represent(x)
        if self.response is None or math.isinf(self.epsilon):
            return self._without_noise(x)
        codes = self._codes("x", x)
        reported = self.response.simulate(np.maximum(codes, 0), generator=generator)
        uniform = generator.integers(self.classes, size=codes.shape)
        return self._one_hot(np.where(codes == UNKNOWN, uniform, reported))

    def log_density_pairs(self, z_private: ArrayLike, z: ArrayLike) -> FloatArray:
        """log p(z̃ₙ | zₘ): one-hot (n, K) and (m, K) to (n, m)."""
        reported = self._codes("z_private", rows("z_private", z_private, self.classes))
        true = self._codes("z", rows("z", z, self.classes))
        if self.response is None:
            return np.zeros((len(reported), len(true)))
        if (reported == UNKNOWN).any():
            raise ValueError("Expected a category in every row of z_private, got a row of zeros.")
        density = self.response.log_density_pairs(reported, np.maximum(true, 0))
        return np.where(true == UNKNOWN, -math.log(self.classes), density)

    def _without_noise(self, x: FloatArray) -> FloatArray:
        return np.ones_like(x) if self.response is None else x

    def _one_hot(self, codes: IntArray) -> FloatArray:
        one_hot: FloatArray = (codes[:, None] == np.arange(self.classes)).astype(np.float64)
        return one_hot

    def _codes(self, name: str, x: FloatArray) -> IntArray:
        """The category of each row, or UNKNOWN for a row of zeros."""
        total = x.sum(axis=1)
        wrong = np.flatnonzero(~(((x == 0.0) | (x == 1.0)).all(axis=1) & (total <= 1.0)))
        if wrong.size:
            raise ValueError(
                f"Expected a one-hot block of {self.classes} columns in {name}, "
                f"got something else in {wrong.size} rows, first in row {wrong[0]}."
            )
        return np.where(total == 0.0, UNKNOWN, x.argmax(axis=1))
