"""PrivUnit: a vector of bounded length as a private direction times a private length."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.baselines.privunit2 import PrivUnit2
from rlm_core.baselines.randomness_source import SYSTEM, Simulated, Source, batches
from rlm_core.baselines.scalar_dp import ScalarDP
from rlm_core.mechanism import rows
from rlm_core.types import FloatArray, positive


@dataclass(frozen=True, kw_only=True)
class PrivUnit:
    """x with ‖x‖₂ ≤ r to an unbiased estimate: PrivUnit₂'s direction times ScalarDP's length.

    ``share`` of ε goes to the direction, the rest to the length, and the two compose:
    (ε, δ)-LDP with the direction's small δ (:attr:`delta`, see :class:`PrivUnit2`). They are
    drawn independently, so the product is unbiased. With ``fixed_norm`` every record has the public length r; then the
    direction gets all of ε.

    The share is a field since Bhowmick et al. 2019 leave it to the user. By default it is the
    one (in steps of 1/32) with the least worst-case E‖x̃‖², which is the product of the two
    second moments: nothing about the records enters.

    Edge cases: longer x are scaled to length r; x = 0 has no direction, so it gets a uniform
    one (and, with ``fixed_norm``, a report that is uniform). ε = ∞ returns the represented x.
    Source: Bhowmick et al. 2019; the paper's "PrivUnit" benchmark.

    >>> PrivUnit(epsilon=4.0, dimension=784, fixed_norm=True).direction.epsilon
    4.0
    """

    epsilon: float
    dimension: int
    radius: float = 1.0
    share: float | None = None
    fixed_norm: bool = False
    name: str = "PrivUnit"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon, allow_infinite=True))
        if not (1e-4 <= self.epsilon <= 500.0 or math.isinf(self.epsilon)):
            raise ValueError(f"Expected 1e-4 <= epsilon <= 500 or inf, got epsilon={self.epsilon:g}.")
        object.__setattr__(self, "radius", positive("radius", self.radius))
        if not 1e-100 <= self.radius <= 1e100:
            raise ValueError(f"Expected 1e-100 <= radius <= 1e100, got radius={self.radius:g}.")
        if self.share is not None and self.fixed_norm:
            raise ValueError(f"Expected no share with fixed_norm: all of epsilon is the direction's, got {self.share}.")
        if self.share is not None and not 0.01 <= self.share <= 0.99:
            raise ValueError(f"Expected 0.01 <= share <= 0.99, got share={self.share:g}.")
        PrivUnit2(epsilon=1.0, dimension=self.dimension)  # checks the dimension, also for ε = ∞

    @property
    def input_dim(self) -> int:
        """d."""
        return self.dimension

    @property
    def output_dim(self) -> int:
        """d."""
        return self.dimension

    @property
    def direction_share(self) -> float:
        """The part of ε for the direction."""
        if self.fixed_norm:
            return 1.0
        return best_share(self.epsilon, self.dimension) if self.share is None else self.share

    @cached_property
    def direction(self) -> PrivUnit2:
        """How the direction is released (for a finite ε)."""
        return PrivUnit2(epsilon=self.direction_share * self.epsilon, dimension=self.dimension)

    @cached_property
    def length(self) -> ScalarDP | None:
        """How the length is released; None if it is public or ε = ∞."""
        if self.fixed_norm or math.isinf(self.epsilon):
            return None
        return ScalarDP(epsilon=self.epsilon - self.direction.epsilon, radius=self.radius)

    @property
    def delta(self) -> float:
        """δ of a release: the direction's, since the length is exactly ε-LDP; 0 for ε = ∞, which promises nothing."""
        return 0.0 if math.isinf(self.epsilon) else self.direction.delta

    @property
    def second_moment(self) -> float:
        """The largest E‖x̃‖² over the ball: 1/m² times the length's second moment."""
        length = self.radius**2 if self.length is None else self.length.worst_second_moment
        return self.direction.second_moment * length

    def represent(self, x: ArrayLike) -> FloatArray:
        """x, scaled into the ball (with ``fixed_norm``: onto the sphere; zero stays zero). NOT private."""
        u, norm = self._polar(rows("x", x, self.dimension))
        return u * norm[:, None]

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Release each row of x. Randomness: the operating system's; no seed."""
        send = self.length.privatise if self.length is not None else _unchanged
        return self._draw(x, SYSTEM, send)

    def simulate(self, x: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """Reproducible draws for experiments. NOT private."""
        send = partial(self.length.simulate, generator=generator) if self.length is not None else _unchanged
        return self._draw(x, Simulated(generator), send)

    def log_density_pairs(self, z_private: ArrayLike, z: ArrayLike) -> FloatArray:
        """ln p(z̃ₙ | zₘ) relative to uniform directions and counted lengths: (n, d) and (m, d) to (n, m).

        The report is V·ŝ/m. Its length tells |ŝ|, one of k + 1 known values, and so V, up to the
        sign where two of them have nearly the same |ŝ|; then both readings are added.
        """
        z_private, z = rows("z_private", z_private, self.dimension), rows("z", z, self.dimension)
        if math.isinf(self.epsilon):
            return np.where((z_private[:, None] == z[None]).all(axis=-1), 0.0, -np.inf)
        u, norm = self._polar(z)
        reported = np.sqrt(np.vecdot(z_private, z_private))  # (n,)
        v = z_private / np.where(reported > 0.0, reported, 1.0)[:, None]
        towards = self._log_direction(v, u)  # (n, m)
        if self.length is None:
            return towards
        away = self._log_direction(-v, u)
        estimates = self.length.estimates  # (k + 1,)
        distance = np.abs(reported[:, None] * self.direction.cap.shrink - np.abs(estimates))  # (n, k + 1)
        read = distance <= distance.min(axis=1, keepdims=True) + 1e-4 * np.abs(estimates)
        chance = self.length.probabilities(norm).T  # (k + 1, m)
        plus, minus = ((read & side) @ chance for side in (estimates >= 0.0, estimates < 0.0))  # (n, m)
        with np.errstate(divide="ignore"):
            joint: FloatArray = np.logaddexp(np.log(plus) + towards, np.log(minus) + away)
        return joint

    def _log_direction(self, v: FloatArray, u: FloatArray) -> FloatArray:
        """The direction's part; uniform, so 0, given a record without direction."""
        return np.where(u.any(axis=1), self.direction.log_density_pairs(v, u), 0.0)

    def _polar(self, x: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Unit rows (zero where x is) and lengths in [0, r]; dividing by the largest entry avoids overflow."""
        largest = np.abs(x).max(axis=1, initial=0.0)
        u = x / np.where(largest > 0.0, largest, 1.0)[:, None]
        norm = np.sqrt(np.vecdot(u, u))
        u /= np.where(norm > 0.0, norm, 1.0)[:, None]
        if self.fixed_norm:
            return u, np.full(len(x), self.radius)
        with np.errstate(over="ignore"):
            return u, np.minimum(largest * norm, self.radius)

    def _draw(self, x: ArrayLike, source: Source, send: Callable[[FloatArray], FloatArray]) -> FloatArray:
        if math.isinf(self.epsilon):
            return self.represent(x)
        x = rows("x", x, self.dimension)
        result = np.empty_like(x)
        for batch in batches(*x.shape):
            u, norm = self._polar(x[batch])
            nowhere = np.flatnonzero(~u.any(axis=1))
            if nowhere.size:
                random = source.normal((nowhere.size, self.dimension))
                u[nowhere] = random / np.sqrt(np.vecdot(random, random))[:, None]
            v = self.direction.draw(u, source)
            np.multiply(v, (send(norm) / self.direction.cap.shrink)[:, None], out=result[batch])
        return result


def _unchanged(length: FloatArray) -> FloatArray:
    return length


@lru_cache(maxsize=256)
def best_share(epsilon: float, dimension: int) -> float:
    """The share for the direction with the least worst-case E‖x̃‖², in steps of 1/32."""

    def second_moment(share: float) -> float:
        length = ScalarDP(epsilon=epsilon - share * epsilon, radius=1.0)
        return PrivUnit2(epsilon=share * epsilon, dimension=dimension).second_moment * length.worst_second_moment

    return min((step / 32 for step in range(1, 32)), key=second_moment)
