"""Wilson's interval for a proportion: how far a counted share may be from the true one."""

from __future__ import annotations

from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.types import FloatArray


def wilson(share: ArrayLike, people: int, *, confidence: float) -> tuple[FloatArray, FloatArray]:
    """Lower and upper limit for the proportion behind each observed ``share`` of ``people``.

    (p̂ + q²/2n ± q·√(p̂(1−p̂)/n + q²/4n²)) / (1 + q²/n), with the normal quantile q. It keeps its
    coverage for small groups and for shares near 0 or 1, where the plain normal interval
    collapses to a point. Source: Wilson 1927.

    >>> low, high = wilson(0.75, 40, confidence=0.95)
    >>> round(float(low), 4), round(float(high), 4)
    (0.5981, 0.8581)
    """
    if not people >= 1:
        raise ValueError(f"Expected people >= 1, got people={people!r}.")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"Expected 0 < confidence < 1, got confidence={confidence!r}.")
    seen: FloatArray = np.asarray(share, dtype=np.float64)
    if not (np.all(seen >= 0.0) and np.all(seen <= 1.0)):
        raise ValueError(f"Expected shares in [0, 1], got {share!r}.")
    quantile = NormalDist().inv_cdf(0.5 + confidence / 2)
    shrink = 1.0 + quantile**2 / people
    centre = (seen + quantile**2 / (2 * people)) / shrink
    half = quantile / shrink * np.sqrt(seen * (1.0 - seen) / people + quantile**2 / (4 * people**2))
    return centre - half, centre + half
