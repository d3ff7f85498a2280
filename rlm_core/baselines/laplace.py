"""The Laplace mechanism, feature by feature: the plainest way to release a bounded vector."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.baselines.bounds import Bounds
from rlm_core.baselines.randomness_source import batches
from rlm_core.mechanism import rows
from rlm_core.owner.randomness import LOG2_SCALE, discrete_laplace
from rlm_core.types import FloatArray, l1_distances, positive


@dataclass(frozen=True, kw_only=True)
class PerFeatureLaplace:
    """x̃ⱼ = xⱼ + Laplace(0, bⱼ) with bⱼ = (highⱼ − lowⱼ)·d/ε, for x clipped to public bounds.

    Every feature gets ε/d, where d counts the features with low < high; a constant feature
    tells nothing, costs nothing and is reported as it is.

    **What a release guarantees.** :meth:`privatise` is exactly ε′-LDP with
    ε′ = :attr:`epsilon_release` = d·G·2⁻³⁰ ≤ ε, where G = ⌊ε·2³⁰/d⌋.

    Proof. Round the place of xⱼ between low and high to an integer kⱼ in {0, …, G}, checked
    in integers. Add independent noise with P(n) ∝ e^{−|n|/2³⁰}, drawn exactly (see
    ``owner/randomness.py``). For any two records and any output o,

        P(o | k) / P(o | k′) ≤ exp(Σⱼ |kⱼ − k′ⱼ|/2³⁰) ≤ exp(d·G/2³⁰) = e^{ε′}.

    Bringing o back to the units of x in floating point is post-processing. ∎

    Edge cases: ε = ∞ adds nothing and returns the clipped x. Non-finite input raises.
    Source: Dwork et al. 2006; the paper's "Laplace" benchmark.

    >>> PerFeatureLaplace(epsilon=4.0, low=[0.0, 0.0], high=[1.0, 10.0]).scale
    array([0.5, 5. ])
    """

    epsilon: float
    low: tuple[float, ...]
    high: tuple[float, ...]
    name: str = "Laplace"

    def __post_init__(self) -> None:
        bounds = Bounds(low=self.low, high=self.high)
        object.__setattr__(self, "low", bounds.low)
        object.__setattr__(self, "high", bounds.high)
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon, allow_infinite=True))
        if not (1e-6 <= self.epsilon / self._varying <= 1e6 or math.isinf(self.epsilon)):
            raise ValueError(
                f"Expected 1e-6 <= epsilon per feature <= 1e6 or epsilon=inf, "
                f"got epsilon={self.epsilon:g} for {self._varying} features."
            )

    @cached_property
    def bounds(self) -> Bounds:
        """The public bounds."""
        return Bounds(low=self.low, high=self.high)

    @property
    def input_dim(self) -> int:
        """Numbers in a record, constant ones included."""
        return self.bounds.dimension

    @property
    def output_dim(self) -> int:
        """As many as come in."""
        return self.input_dim

    @property
    def scale(self) -> FloatArray:
        """bⱼ, zero for a constant feature and for ε = ∞: (input_dim,)."""
        return self.bounds.width * (self._varying / self.epsilon)

    @cached_property
    def grid_steps(self) -> int:
        """G: the number of grid steps from low to high, the same for every feature."""
        return math.floor(Fraction(self.epsilon) * (1 << LOG2_SCALE) / self._varying)

    @property
    def epsilon_release(self) -> float:
        """The ε that a release spends exactly; never above ``epsilon``."""
        if math.isinf(self.epsilon):
            return self.epsilon
        return float(Fraction(self._varying * self.grid_steps, 2**LOG2_SCALE))

    def represent(self, x: ArrayLike) -> FloatArray:
        """x, clipped to the bounds. NOT private."""
        return self.bounds.clip(x)

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Release each row of x, in its own units. Randomness: the operating system's; no seed."""
        x = self.represent(x)
        if math.isinf(self.epsilon):
            return x
        varying = self.bounds.width > 0.0
        step = self.bounds.width / self.grid_steps
        result = np.empty_like(x)
        for batch in batches(*x.shape):
            steps = np.rint(self.bounds.fraction(x[batch]) * self.grid_steps).astype(np.int64)
            if steps.size and not (0 <= steps.min() and steps.max() <= self.grid_steps):
                raise AssertionError("A row lies outside the bounds; nothing was released.")
            steps[:, varying] += discrete_laplace((len(steps), int(varying.sum())))
            result[batch] = steps * step + np.asarray(self.low)
        return result

    def simulate(self, x: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """Reproducible float noise for experiments. NOT private."""
        x = self.represent(x)
        return x if math.isinf(self.epsilon) else x + generator.laplace(0.0, 1.0, size=x.shape) * self.scale

    def log_density_pairs(self, z_private: ArrayLike, z: ArrayLike) -> FloatArray:
        """log p(z̃ₙ | zₘ) = Σⱼ −|z̃ₙⱼ − zₘⱼ|/bⱼ − ln 2bⱼ over the features that vary: (n, m)."""
        left, right = rows("z_private", z_private, self.output_dim), rows("z", z, self.output_dim)
        if math.isinf(self.epsilon):
            return np.where((left[:, None] == right[None]).all(axis=-1), 0.0, -np.inf)
        varying = self.bounds.width > 0.0
        scale = self.scale[varying]
        distance = l1_distances(left[:, varying] / scale, right[:, varying] / scale)
        return -distance - float(np.log(2.0 * scale).sum())

    @property
    def _varying(self) -> int:
        """d: how many features share ε; at least 1, so that all-constant rows need no special case."""
        return max(1, sum(low < high for low, high in zip(self.low, self.high, strict=True)))
