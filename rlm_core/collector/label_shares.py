"""How frequent the classes are, from labels that went through a channel; and scores that agree with that."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import softmax

from rlm_core.types import FloatArray, finite

LEAST = 1e-3
"""Of an equal share: no class is ruled out."""

STEPS = 500


def label_shares(counts: ArrayLike, transition: ArrayLike) -> FloatArray:
    """Shares of the classes among the people: (K,), from how often each label was reported.

    π̂ = T⁻ᵀ·(counts/n) is right on average; of what it departs from equal shares the part that noise explains is taken
    away: π̂ − 1/K times s²/(s² + v), where v is the noise's variance and s² the rest, as far as shares can differ
    (empirical Bayes). With little noise it is π̂, with much it is 1/K: the noise of a strong channel would say that
    some class is everybody's.

    Args:
        counts: (K,) of reported labels.
        transition: (K, K) T, p(ỹ | y) with the true label in rows.

    >>> label_shares([900, 100], np.eye(2)).round(2)
    array([0.9, 0.1])
    >>> label_shares([52, 48], [[0.51, 0.49], [0.49, 0.51]]).round(2)
    array([0.5, 0.5])
    """
    reported, channel = finite("counts", counts), finite("transition", transition)
    people, classes = reported.sum(), len(channel)
    if reported.shape != (classes,) or not people > 0:
        raise ValueError(f"Expected counts of {classes} labels, one at least, got {reported!r}.")
    back, seen = np.linalg.inv(channel.T), reported / people
    estimate = back @ seen
    noise = np.trace(back @ (np.diag(seen) - np.outer(seen, seen)) @ back.T) / people / classes
    most = (classes - 1) / classes**2  # everybody of one class
    apart = min(most, max(0.0, float(((estimate - 1 / classes) ** 2).mean()) - noise))
    shares = 1 / classes + (estimate - 1 / classes) * (apart / (apart + noise) if apart + noise > 0 else 0.0)
    shares = np.maximum(shares, LEAST / classes)
    result: FloatArray = shares / shares.sum()
    return result


def with_shares(scores: ArrayLike, intercept: ArrayLike, shares: ArrayLike) -> FloatArray:
    """The intercepts b with which softmax(scores + b) has these shares on average: (K,).

    >>> b = with_shares([[2.0, 0.0], [0.0, 1.0]], [0.0, 0.0], [0.3, 0.7])
    >>> softmax(np.array([[2.0, 0.0], [0.0, 1.0]]) + b, axis=1).mean(axis=0).round(6)
    array([0.3, 0.7])
    """
    g, b, target = finite("scores", scores), finite("intercept", intercept).copy(), finite("shares", shares)
    for _ in range(STEPS):
        step = np.log(target) - np.log(np.maximum(softmax(g + b, axis=1).mean(axis=0), 1e-300))
        b += step
        if np.abs(step).max() < 1e-9:
            break
    return b
