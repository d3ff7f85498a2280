"""ScalarDP: a number in [0, r], rounded to a few levels and sent through randomised response."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.baselines.randomness_source import SYSTEM, Simulated, Source
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.types import FloatArray, IntArray, finite, positive

MAX_LEVELS = 1024


@dataclass(frozen=True, kw_only=True)
class ScalarDP:
    """s in [0, r] to an unbiased estimate of it, one of k + 1 values.

    1. J = ⌊ks/r⌋ or the next integer, at random, so that E[J] = ks/r.
    2. Ĵ = J through randomised response with k + 1 classes.
    3. Report a·(Ĵ − b), a = (r/k)/(p − (1 − p)/k), b = (1 − p)(k + 1)/2, with p = P(Ĵ = J).

    Guarantee: exactly ε-LDP, since step 2 is (:class:`RandomisedResponse`), whatever the
    rounding of step 1, and step 3 is post-processing. E[Ĵ | J] = J·(p − (1 − p)/k) + b makes
    it unbiased, for the p in use. The estimate may be negative.

    Differs from Bhowmick et al. 2019: their k = ⌈e^{ε/3}⌉ has the
    right order; by default k is the one with the least worst-case mean squared error,
    at most 1024.

    Edge cases: numbers outside [0, r] are clipped. ε = ∞ belongs to :class:`PrivUnit`.

    >>> ScalarDP(epsilon=1.0, radius=5.0).k, ScalarDP(epsilon=12.0, radius=5.0).k
    (1, 63)
    """

    epsilon: float
    radius: float
    levels: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        object.__setattr__(self, "radius", positive("radius", self.radius))
        if not 1e-6 <= self.epsilon <= 500.0:
            raise ValueError(f"Expected 1e-6 <= epsilon <= 500, got epsilon={self.epsilon:g}.")
        if self.levels is not None and not 1 <= self.levels <= MAX_LEVELS:
            raise ValueError(f"Expected 1 <= levels <= {MAX_LEVELS}, got levels={self.levels}.")

    @property
    def k(self) -> int:
        """Levels above zero: ``levels``, or the best number of them."""
        return best_levels(self.epsilon) if self.levels is None else self.levels

    @cached_property
    def response(self) -> RandomisedResponse:
        """Step 2."""
        return RandomisedResponse(epsilon=self.epsilon, classes=self.k + 1)

    @cached_property
    def estimates(self) -> FloatArray:
        """a·(Ĵ − b) for Ĵ = 0, …, k: (k + 1,)."""
        p, k = self.response.truth_probability, self.k
        unit = self.radius / k / float(p - (1 - p) / k)
        return unit * (np.arange(k + 1, dtype=np.float64) - float((1 - p) * (k + 1) / 2))

    @property
    def second_moments(self) -> FloatArray:
        """E[estimate² | J] for J = 0, …, k; between two levels it is linear in s: (k + 1,)."""
        return self.response.transition_matrix @ self.estimates**2

    @property
    def worst_second_moment(self) -> float:
        """The largest E[estimate²] over s in [0, r]."""
        return float(self.second_moments.max())

    @property
    def worst_squared_error(self) -> float:
        """The largest E[(estimate − s)²] over s in [0, r], exactly: concave between any two levels."""
        moments, step = self.second_moments, self.radius / self.k
        start, rise = step * np.arange(self.k), np.diff(moments)
        inside = np.clip(rise / (2.0 * step**2) - start / step, 0.0, 1.0)  # where the derivative is zero
        return float((moments[:-1] + inside * rise - (start + inside * step) ** 2).max())

    def privatise(self, s: ArrayLike) -> FloatArray:
        """Release each number. Randomness: the operating system's; no seed."""
        return self.estimates[self.response.privatise(self._round(s, SYSTEM))]

    def simulate(self, s: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """Reproducible draws for experiments. NOT private."""
        return self.estimates[self.response.simulate(self._round(s, Simulated(generator)), generator=generator)]

    def probabilities(self, s: ArrayLike) -> FloatArray:
        """P(Ĵ = j | s): (m,) to (m, k + 1)."""
        below, share = self._place(s)
        matrix, share = self.response.transition_matrix, share[:, None]
        return (1.0 - share) * matrix[below] + share * matrix[below + 1]

    def _place(self, s: ArrayLike) -> tuple[IntArray, FloatArray]:
        """The level below s, at most k − 1, and the chance to be rounded up from it."""
        place = np.clip(finite("s", s), 0.0, self.radius) / self.radius * self.k
        below = np.minimum(place.astype(np.int64), self.k - 1)
        return below, place - below

    def _round(self, s: ArrayLike, source: Source) -> IntArray:
        below, share = self._place(s)
        return below + (source.uniform(below.size).reshape(below.shape) <= share)


@lru_cache(maxsize=1024)
def best_levels(epsilon: float) -> int:
    """The k with the least worst-case squared error, up to twice Bhowmick et al.'s ⌈e^{ε/3}⌉.

    Searched in ever coarser steps: near its minimum the error hardly depends on k.
    """
    largest = min(2.0 * math.exp(min(epsilon / 3.0, 100.0)), MAX_LEVELS)
    candidates = sorted({round(1.05**power) for power in range(1 + math.ceil(math.log(largest, 1.05)))})
    candidates = [k for k in candidates if k <= MAX_LEVELS]
    return min(candidates, key=lambda k: ScalarDP(epsilon=epsilon, radius=1.0, levels=k).worst_squared_error)
