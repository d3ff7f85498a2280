"""PCA + clip + Laplace: what remains of the RLM when its encoder is only linear."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.mechanism import RLM, rows
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.types import FloatArray, finite


@dataclass(frozen=True, kw_only=True, eq=False)
class PCAEncoder:
    """h = (x − mean) Cᵀ with orthonormal rows in C: (n, p) to (n, d)."""

    mean: FloatArray = field(repr=False)
    components: FloatArray = field(repr=False)

    def __call__(self, x: ArrayLike) -> FloatArray:
        """Project each row of x."""
        projected: FloatArray = (rows("x", x, len(self.mean)) - self.mean) @ self.components.T  # (n, d)
        return projected


@dataclass(frozen=True, kw_only=True, eq=False)
class PCADecoder:
    """x̃ = z̃ C + mean: the collector's way back, post-processing of the report: (n, d) to (n, p)."""

    mean: FloatArray = field(repr=False)
    components: FloatArray = field(repr=False)

    @classmethod
    def of(cls, mechanism: RLM) -> PCADecoder:
        """The decoder that belongs to a mechanism of :func:`fit_pca_mechanism`."""
        encoder = mechanism.encoder
        if not isinstance(encoder, PCAEncoder):
            raise TypeError(f"Expected a mechanism with a PCAEncoder, got a {type(encoder).__name__}.")
        return cls(mean=encoder.mean, components=encoder.components)

    def decode(self, z_private: ArrayLike) -> FloatArray:
        """The record that z̃ stands for."""
        decoded: FloatArray = rows("z_private", z_private, len(self.components)) @ self.components + self.mean
        return decoded


def fit_pca_mechanism(x: ArrayLike, *, dimension: int, radius: float, epsilon: float) -> RLM:
    """An RLM whose encoder is PCA, fitted on auxiliary records x (n, p).

    The guarantee is the RLM's: ε-LDP for any encoder, and x must not be the records that are
    released. Choose ``radius`` from auxiliary data too: the components keep the scale of x.
    Source: Mansbridge et al., appendix "Comparison with Simpler Dimensionality-Reduction Approaches".

    >>> mechanism = fit_pca_mechanism(np.diag([3.0, 2.0, 1.0]), dimension=1, radius=2.0, epsilon=4.0)
    >>> mechanism.privatise(np.eye(3)).shape
    (3, 1)
    """
    from sklearn.decomposition import PCA  # here: importing scikit-learn takes longer than all the rest

    x = finite("x", x)
    if x.ndim != 2 or not 1 <= dimension <= min(x.shape):
        raise ValueError(f"Expected 1 <= dimension <= min of x.shape, got dimension={dimension}, shape {x.shape}.")
    fitted = PCA(n_components=dimension, random_state=0).fit(x)  # the state matters for wide x only
    mean, components = (np.array(array, dtype=np.float64) for array in (fitted.mean_, fitted.components_))
    mean.flags.writeable = components.flags.writeable = False
    return RLM(
        name="PCA",
        encoder=PCAEncoder(mean=mean, components=components),
        noise=LaplaceNoise(epsilon=epsilon, clip=L1Clip(radius=radius)),
        input_dim=x.shape[1],
        output_dim=dimension,
    )
