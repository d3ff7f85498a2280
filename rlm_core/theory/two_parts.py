"""What dividing ε between a record and its label costs, in the smallest case: a yes-or-no feature and label.

The collector wants the agreement E[xy] of two answers x, y in {−1, 1}. Reports keep a share of it, and the number of
people that it takes for the same error grows with the inverse square of that share:

    apart, by randomised response with εx = λε and εy = (1 − λ)ε     share = tanh(εx/2)·tanh(εy/2)
    as one of four symbols, by k-RR with all of ε                     share = (e^ε − 1)/(e^ε + 3)

The first is symmetric in λ and largest at λ = ½.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.types import FloatArray, positive


def kept_apart(epsilon: float, lam: ArrayLike) -> FloatArray:
    """The share of E[xy] that two reports keep, with λ of ε for the feature.

    >>> kept_apart(1.0, [0.2, 0.5, 0.8]).round(4)
    array([0.0379, 0.06  , 0.0379])
    """
    epsilon, share = positive("epsilon", epsilon), np.asarray(lam, dtype=np.float64)
    if not ((share >= 0) & (share <= 1)).all():
        raise ValueError(f"Expected 0 <= lam <= 1, got lam={lam!r}.")
    kept: FloatArray = np.tanh(share * epsilon / 2) * np.tanh((1 - share) * epsilon / 2)
    return kept


def kept_together(epsilon: float) -> float:
    """The share of E[xy] that one report of the pair keeps.

    >>> round(kept_together(1.0), 4)
    0.3005
    """
    epsilon = positive("epsilon", epsilon)
    # Divided by e^ε: no overflow.
    return float(-np.expm1(-epsilon) / (1.0 + 3.0 * np.exp(-epsilon)))


def people_factor(kept: ArrayLike) -> FloatArray:
    """How many times as many people as without privacy: 1/share².

    >>> people_factor(0.5)
    array(4.)
    """
    factor: FloatArray = np.asarray(1.0 / np.square(np.maximum(np.asarray(kept, dtype=np.float64), 1e-300)))
    return factor
