"""The Laplace mechanism on the ℓ1 ball: an exact one for releases, a fast one for simulations."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.owner.clip import L1Clip
from rlm_core.owner.randomness import LOG2_SCALE, discrete_laplace
from rlm_core.types import FloatArray, IntArray, finite, l1_distances, positive


@dataclass(frozen=True, kw_only=True)
class LaplaceNoise:
    """z̃ = z + Laplace(0, b)ᵈ with b = 2l/ε, for z in the ℓ1 ball of radius l.

    **What a release guarantees.** :meth:`privatise` is exactly ε′-LDP with
    ε′ = :attr:`epsilon_release` = 2G·2⁻³⁰ ≤ ε, where G = ⌊ε·2²⁹⌋.

    Proof. Measure z in steps of l/G and truncate towards zero: an integer vector k with
    Σ|kᵢ| ≤ G, checked in integers. Add independent noise with P(n) ∝ e^{−|n|/2³⁰}, drawn
    exactly (see ``randomness.py``). For any two records and any output vector o,

        P(o | k) / P(o | k′) = Π exp((|oᵢ − k′ᵢ| − |oᵢ − kᵢ|)/2³⁰)
                             ≤ exp(‖k − k′‖₁/2³⁰) ≤ exp(2G/2³⁰) = e^{ε′}.

    Multiplying o by l/G in floating point is post-processing. ∎

    The noise in units of z has scale 2³⁰·l/G, which is b up to a relative 2⁻²⁹/ε.
    Adding float64 Laplace noise instead is *not* ε-LDP: its low bits tell z apart
    (Mironov 2012), which is why :meth:`simulate` must never be used for a release.

    Edge cases: ε = ∞ adds nothing and returns the clipped z (no privacy, said so by
    ``epsilon``). Non-finite input raises.

    >>> noise = LaplaceNoise(epsilon=2.0, clip=L1Clip(radius=5.0))
    >>> noise.scale
    5.0
    """

    epsilon: float
    clip: L1Clip

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon, allow_infinite=True))
        if not (1e-6 <= self.epsilon <= 1e6 or math.isinf(self.epsilon)):
            raise ValueError(f"Expected 1e-6 <= epsilon <= 1e6 or inf, got epsilon={self.epsilon:g}.")

    @property
    def scale(self) -> float:
        """b = 2l/ε, zero for ε = ∞."""
        return self.clip.l1_sensitivity / self.epsilon

    @property
    def grid_radius(self) -> int:
        """G: the number of grid steps from 0 to l."""
        return int(self.epsilon * 2 ** (LOG2_SCALE - 1))  # exact: a power of two times a float, then floor

    @property
    def epsilon_release(self) -> float:
        """The ε that a release spends exactly; never above ``epsilon``."""
        return self.epsilon if math.isinf(self.epsilon) else 2 * self.grid_radius / 2**LOG2_SCALE

    def privatise(self, z: ArrayLike) -> FloatArray:
        """Release each row of ``z`` (clipped first). Randomness: the operating system's; no seed."""
        z = self.clip(z)
        if math.isinf(self.epsilon):
            return z
        steps = self._to_grid(z)
        steps += discrete_laplace(z.shape)
        return steps.astype(np.float64) * (self.clip.radius / self.grid_radius)

    def simulate(self, z: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """Reproducible float noise for experiments. NOT private: never release its output."""
        z = self.clip(z)
        return z if math.isinf(self.epsilon) else z + generator.laplace(0.0, self.scale, size=z.shape)

    def log_density(self, z_private: ArrayLike, z: ArrayLike) -> FloatArray:
        """log p(z̃ | z) = −‖z̃ − z‖₁/b − d·ln(2b), broadcast over the leading axes."""
        z_private, z = finite("z_private", z_private), finite("z", z)
        distance = np.abs(z_private - z).sum(axis=-1)
        return self._log_density_of(distance, z.shape[-1])

    def log_density_pairs(self, z_private: ArrayLike, z: ArrayLike) -> FloatArray:
        """log p(z̃ₙ | zₘ) for every pair: (n, d) and (m, d) to (n, m)."""
        left, right = finite("z_private", z_private), finite("z", z)
        return self._log_density_of(l1_distances(left, right), right.shape[-1])

    def _log_density_of(self, distance: FloatArray, dimension: int) -> FloatArray:
        if math.isinf(self.epsilon):
            return np.where(distance == 0.0, 0.0, -np.inf)
        return -distance / self.scale - dimension * math.log(2.0 * self.scale)

    def _to_grid(self, z: FloatArray) -> IntArray:
        """Truncate to the grid; where rounding left the ball, take the excess off the largest entry."""
        grid = self.grid_radius
        scaled = z / self.clip.radius
        scaled *= grid
        steps = scaled.astype(np.int64)  # truncates; |scaled| is below 2⁵⁰
        rows = steps.reshape(-1, z.shape[-1])
        norms = np.einsum("nd->n", np.abs(rows))  # in integers
        for row in np.flatnonzero(norms > grid):
            largest = np.abs(rows[row]).argmax()
            rows[row, largest] -= np.sign(rows[row, largest]) * (norms[row] - grid)
            norms[row] = np.abs(rows[row]).sum()
        if int(norms.max(initial=0)) > grid:
            raise AssertionError("A row lies outside the l1 ball; nothing was released.")
        return steps
