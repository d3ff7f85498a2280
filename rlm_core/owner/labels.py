"""k-ary randomised response: how a label leaves the device."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.owner.randomness import bernoulli, floor64, uniform_below
from rlm_core.types import FloatArray, IntArray, positive

_ROUND_DOWN = Context(prec=80, rounding=ROUND_FLOOR)
_ROUND_UP = Context(prec=80, rounding=ROUND_CEILING)


@dataclass(frozen=True, kw_only=True)
class RandomisedResponse:
    """k-RR: P(ỹ = y) = e^ε/(e^ε + K − 1), any other label 1/(e^ε + K − 1).

    A release is exactly ε-LDP. It keeps y with probability κ = (e^ε − 1)/(e^ε + K − 1),
    rounded *down* to a multiple of 2⁻⁶⁴ (:attr:`keep_probability`), and otherwise draws one
    of all K labels uniformly. So a wrong label has probability (1 − κ)/K, the true one κ more,
    and their ratio 1 + Kκ/(1 − κ) lies between 1 and e^ε, whatever was rounded.

    Edge cases: ε = 0 gives every label the same probability; ε = ∞ tells the truth.
    Source: Warner 1965 (K = 2); Kairouz, Bonawitz and Ramage 2016.

    >>> RandomisedResponse(epsilon=0.0, classes=4).transition_matrix[0]
    array([0.25, 0.25, 0.25, 0.25])
    """

    epsilon: float
    classes: int

    def __post_init__(self) -> None:
        if isinstance(self.classes, bool) or not isinstance(self.classes, int | np.integer):
            raise TypeError(f"Expected an integer for classes, got classes={self.classes!r}.")
        if not 2 <= self.classes <= 2**31:
            raise ValueError(f"Expected 2 <= classes <= 2**31, got classes={self.classes}.")
        if self.epsilon != 0.0:
            object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon, allow_infinite=True))

    @property
    def keep_probability(self) -> Fraction:
        """κ = (1 − e^{−ε})/(1 + (K−1)e^{−ε}), as the release path uses it: rounded down to a multiple of 2⁻⁶⁴."""
        if math.isinf(self.epsilon):
            return Fraction(1)
        # κ falls as e^{−ε} rises. exp rounds to nearest at 80 digits; the next number above is never too small.
        inverse = _ROUND_UP.next_plus(_ROUND_UP.exp(Decimal(-self.epsilon)))
        above = max(Decimal(0), _ROUND_DOWN.subtract(Decimal(1), inverse))
        below = _ROUND_UP.fma(Decimal(self.classes - 1), inverse, Decimal(1))
        return floor64(_ROUND_DOWN.divide(above, below))

    @property
    def truth_probability(self) -> Fraction:
        """P(ỹ = y) = κ + (1 − κ)/K, exactly as the release path has it."""
        return self.keep_probability + (1 - self.keep_probability) / self.classes

    @property
    def transition_matrix(self) -> FloatArray:
        """p(ỹ | y) with the true label y in rows and the reported one in columns: (K, K)."""
        other = 0.0 if math.isinf(self.epsilon) else 1.0 / (math.expm1(min(self.epsilon, 700.0)) + self.classes)
        matrix = np.full((self.classes, self.classes), other)
        np.fill_diagonal(matrix, 1.0 - other * (self.classes - 1))
        return matrix

    def privatise(self, y: ArrayLike) -> IntArray:
        """Release each label. Randomness: the operating system's; no seed."""
        y = self.check(y)
        keep = bernoulli(self.keep_probability, y.shape)
        return np.where(keep, y, uniform_below(self.classes, y.shape))

    def simulate(self, y: ArrayLike, *, generator: np.random.Generator) -> IntArray:
        """Reproducible labels for experiments. NOT private: never release them."""
        y = self.check(y)
        keep = generator.random(y.shape) < float(self.keep_probability)
        return np.where(keep, y, generator.integers(self.classes, size=y.shape))

    def log_density_pairs(self, y_private: ArrayLike, y: ArrayLike) -> FloatArray:
        """log p(ỹₙ | yₘ) for every pair: (n,) and (m,) to (n, m)."""
        with np.errstate(divide="ignore"):
            return np.log(self.transition_matrix.T[np.ix_(self.check(y_private), self.check(y))])

    def check(self, y: ArrayLike) -> IntArray:
        """Labels as an int64 array of at least one axis; raise on anything that is not a known label."""
        y = np.asarray(y)
        if y.dtype.kind not in "iu":
            raise TypeError(f"Expected integer labels, got dtype {y.dtype}.")
        if y.size and not (0 <= y.min() and y.max() < self.classes):
            wrong = y[(y < 0) | (y >= self.classes)].flat[0]
            raise ValueError(f"Expected labels from 0 to {self.classes - 1}, got the label {wrong}.")
        return np.atleast_1d(y.astype(np.int64))
