"""Encoders of own data: one linear layer, fitted in seconds, that any device can run.

    numbers: h = (x − mean)·Cᵀ/deviation    the first d principal components, each with variance 1
    codes:   h_c = 2·m_c·x − ‖m_c‖²         the nearest of k centres has the highest score

A linear layer is an ``MLPEncoder`` without hidden layers, so the same file runs wherever that does.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rlm_core.baselines.pca import PCAEncoder, fit_pca_mechanism
from rlm_core.mechanism import rows
from rlm_core.types import FloatArray, finite

FIT_ROWS = 20_000
"""Public rows that an encoder is fitted on; of more, the first so many of a random order."""

CENTRE_NUMBERS = 16
"""Codes are the clusters of so many principal components, not of the row itself: the rest is mostly noise."""

SAME = 1e-6
"""Entries of a component are of nearly one size if they differ by so little of the largest."""

BLOCK = 512
"""Rows that are encoded at a time: they stay in the cache, so that processes side by side do not wait for memory."""


class Encoder(Protocol):
    """From encoded rows to h: what of a mechanism is fitted."""

    @property
    def input_dim(self) -> int:
        """p."""

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """The weights by name, as they are stored."""

    def __call__(self, x: ArrayLike) -> FloatArray:
        """(n, p) to h (n, d)."""


@dataclass(frozen=True, kw_only=True, eq=False)
class LinearEncoder:
    """h = x·Wᵀ + b, in float64, each row by itself: (n, p) to (n, d).

    A row's h is the same to the last bit alone and in any batch: the sum over p is taken in the same
    order for every row (BLAS would choose another order for another number of rows, numpy for another
    order of memory).
    """

    weight: NDArray[np.float32] = field(repr=False)
    bias: NDArray[np.float32] = field(repr=False)

    @property
    def input_dim(self) -> int:
        """p."""
        return int(self.weight.shape[1])

    def tensors(self) -> dict[str, NDArray[np.float32]]:
        """Weights as an ``MLPEncoder`` without hidden layers names them."""
        return {"0.weight": self.weight, "0.bias": self.bias}

    def __call__(self, x: ArrayLike) -> FloatArray:
        """h for each row."""
        inputs = rows("x", x, self.weight.shape[1])
        weight = self.weight.astype(np.float64)
        h: FloatArray = np.empty((len(inputs), len(weight)))  # (n, d)
        for start in range(0, len(inputs), BLOCK):
            some = np.ascontiguousarray(inputs[start : start + BLOCK])
            products = np.empty_like(some)
            for number, each in enumerate(weight):
                np.multiply(some, each, out=products).sum(axis=1, out=h[start : start + BLOCK, number])
        h += self.bias.astype(np.float64)
        return h


def principal_components(x: ArrayLike, size: int, *, generator: np.random.Generator) -> LinearEncoder:
    """The first ``size`` principal components (fewer if x has fewer), each with variance 1 in x."""
    x = _sample(x, generator)
    projection = _pca(x, size)
    deviation = projection(x).std(axis=0)
    used = deviation > 1e-6 * max(float(deviation.max()), 1e-30)
    if not used.any():
        raise ValueError("Expected public rows that differ, got rows that are all alike.")
    weight = _with_sign(projection.components[used]) / deviation[used, None]
    return _linear(weight, -weight @ projection.mean)


def nearest_centres(x: ArrayLike, size: int, *, generator: np.random.Generator) -> LinearEncoder:
    """Scores of ``size`` codes (fewer if x has fewer different rows): k-means among principal components."""
    from sklearn.cluster import KMeans

    x = _sample(x, generator)
    projection = _pca(x, CENTRE_NUMBERS)
    projected = projection(x)
    different = len(np.unique(projected.round(9), axis=0))
    if different < 2:
        raise ValueError("Expected public rows that differ, got rows that are all alike.")
    seed = int(generator.integers(2**31))
    fitted = KMeans(min(size, different), n_init=3, random_state=seed).fit(projected)
    centres: FloatArray = np.asarray(fitted.cluster_centers_, dtype=np.float64)  # (k, e)
    weight = 2.0 * centres @ projection.components  # (k, p)
    return _linear(weight, -weight @ projection.mean - (centres**2).sum(axis=1))


def _pca(x: FloatArray, size: int) -> PCAEncoder:
    most = max(1, min(size, x.shape[1], len(x) - 1))
    encoder = fit_pca_mechanism(x, dimension=most, radius=1.0, epsilon=1.0).encoder
    assert isinstance(encoder, PCAEncoder)
    return encoder


def _with_sign(components: FloatArray) -> FloatArray:
    """Each with the sign that makes its largest entry positive; of entries of nearly one size, the first.

    The two columns of a yes or no have one size, and which is larger by rounding differs from processor to processor.
    """
    size = np.abs(components)
    first = (size >= (1.0 - SAME) * size.max(axis=1, keepdims=True)).argmax(axis=1)
    signs: FloatArray = np.sign(components[np.arange(len(components)), first])
    return components * signs[:, None]


def _sample(x: ArrayLike, generator: np.random.Generator) -> FloatArray:
    x = finite("x", x)
    if len(x) < 2:
        raise ValueError("Expected at least two public rows to fit, got one sample.")
    return x if len(x) <= FIT_ROWS else x[np.sort(generator.permutation(len(x))[:FIT_ROWS])]


def _linear(weight: FloatArray, bias: FloatArray) -> LinearEncoder:
    # In float32 from the start, as it will be stored: a loaded encoder computes the same h.
    return LinearEncoder(weight=weight.astype(np.float32), bias=bias.astype(np.float32))
