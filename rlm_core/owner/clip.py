"""ν of the paper: bring a vector into the ℓ1 ball, so that the noise knows its sensitivity."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.types import FloatArray, finite, positive

if TYPE_CHECKING:
    from torch import Tensor

_UNIT = 2.0**-52
_BLOCK = 2**15  # numbers clipped at a time: they stay in the cache


@dataclass(frozen=True, kw_only=True)
class L1Clip:
    """ν(h) = h · min(1, l/‖h‖₁), row by row: a radial rescale, not a Euclidean projection.

    Guarantee: Σ|νᵢ| ≤ l holds in exact arithmetic, not only up to rounding, for every
    finite float32 or float64 input. So ‖ν(h) − ν(h′)‖₁ ≤ 2l for any two inputs, and this
    class owns that number: nobody passes a sensitivity by hand.

    Edge cases: a zero row stays zero; a row safely inside the ball is returned unchanged;
    a row on the surface may shrink by a relative 10⁻¹² (for 1,000 coordinates).

    Source: Mansbridge et al., section "Learning a Laplace Mechanism".

    >>> L1Clip(radius=1.0)([[3.0, -1.0], [0.25, 0.5]]).round(9)
    array([[ 0.75, -0.25],
           [ 0.25,  0.5 ]])
    """

    radius: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "radius", positive("radius", self.radius))
        if not 1e-100 <= self.radius <= 1e100:
            raise ValueError(f"Expected 1e-100 <= radius <= 1e100, got radius={self.radius:g}.")

    @property
    def l1_sensitivity(self) -> float:
        """max ‖ν(h) − ν(h′)‖₁ = 2l."""
        return 2.0 * self.radius

    def __call__(self, h: ArrayLike) -> FloatArray:
        """Clip each row (the last axis) of ``h``."""
        h = finite("h", h)
        if h.ndim == 0:
            raise ValueError("Expected h with at least one axis, got a single number.")
        rows = h.reshape(-1, h.shape[-1]) if h.size else h.reshape(0, h.shape[-1])
        result = np.empty_like(rows)
        together = max(1, _BLOCK // max(1, h.shape[-1]))
        for start in range(0, len(rows), together):
            self._clip(rows[start : start + together], result[start : start + together])
        return result.reshape(h.shape)

    def _clip(self, h: FloatArray, result: FloatArray) -> None:
        """Clip some rows into ``result``: (n, d)."""
        size = np.abs(h)
        # Dividing by the largest entry first keeps the sum finite for entries up to 1e308. Transposed: a maximum along
        # short rows is slow.
        largest = np.maximum(np.ascontiguousarray(size.T).max(axis=0, initial=1e-300), 1e-300)[:, None]
        # In units of `largest`; relative error < d units. At least 1, except where all of the row is below
        # 1e-300: there 1 stands in for it (the row lies inside any ball), so that nothing divides by zero.
        np.divide(h, largest, out=result)
        norm = np.maximum(np.abs(result, out=size).sum(axis=-1, keepdims=True), 1.0)
        slack = (h.shape[-1] + 8) * _UNIT
        inside = largest <= self.radius / (norm * (1.0 + slack))  # cannot overflow: norm >= 1
        result *= self.radius * (1.0 - 2.0 * slack) / norm
        np.copyto(result, h, where=inside)

    def differentiable(self, h: Tensor) -> Tensor:
        """The plain formula on tensors, for training; inside the ball only up to rounding."""
        norm = h.abs().sum(dim=-1, keepdim=True)
        return h * (self.radius / norm.clamp_min(1e-12)).clamp_max(1.0)
