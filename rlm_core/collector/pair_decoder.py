"""x̃ from a set of pairs (code, label): the mean record of D₁ that would have sent it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.types import FloatArray, finite, positive


def pair_pictures(members: ArrayLike, *, epsilon: float, frequencies: ArrayLike, prototypes: ArrayLike) -> FloatArray:
    """Σ_c p(c | S)·(mean record of code c), with p(c | S) ∝ π_c·(K + (e^ε − 1)·m_c).

    m_c is how many of the K pairs of code c are in the set: the likelihood of S for code c, averaged over labels that
    are all equally likely. Post-processing.

    Args:
        members: (n, k·K) true for the pairs in each set; pair c·K + y.
        epsilon: of the channel.
        frequencies: (k,) π, how often each code occurs in D₁.
        prototypes: (k, ...) mean records.

    >>> pair_pictures([[True, False, False, False]], epsilon=1e3, frequencies=[0.5, 0.5], prototypes=[[1.0], [5.0]])
    array([[1.]])
    """
    sets, prior, means = np.asarray(members, dtype=np.bool_), finite("frequencies", frequencies), np.asarray(prototypes)
    if sets.ndim != 2 or sets.shape[1] % len(prior) or len(means) != len(prior):
        raise ValueError(f"Expected sets of pairs of {len(prior)} codes, got shape {sets.shape}.")
    classes = sets.shape[1] // len(prior)
    found = sets.reshape(len(sets), len(prior), classes).sum(axis=2)  # (n, k): m_c
    outside = math.exp(-positive("epsilon", epsilon))  # in units of e^ε, so that nothing overflows
    weights = prior * (classes * outside + (1.0 - outside) * found)
    weights = weights / weights.sum(axis=1, keepdims=True)
    pictures: FloatArray = np.tensordot(weights, means.astype(np.float64), axes=1)
    return pictures
