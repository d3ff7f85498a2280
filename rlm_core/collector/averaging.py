"""What a collector learns who asks the same person again and again."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.types import FloatArray, finite


@dataclass(frozen=True, kw_only=True, eq=False)
class RunningAverage:
    """After each of n reports: the mean so far (n,), and its standard deviation (n,) around the secret."""

    mean: FloatArray
    deviation: FloatArray


def running_average(reports: ArrayLike, *, scale: float) -> RunningAverage:
    """Means of the first 1, 2, …, n reports z + Laplace(0, b), and their deviation b·√(2/n).

    Independent noise averages out: the mean is unbiased for z, and its deviation falls without
    end. That is why n reports cost n·ε, and why a mechanism must not be asked twice for free.

    >>> running_average([1.0, 3.0], scale=2.0).mean
    array([1., 2.])
    """
    reports = finite("reports", reports)
    if reports.ndim != 1 or not reports.size:
        raise ValueError(f"Expected at least one report in one axis, got shape {reports.shape}.")
    if not scale >= 0:
        raise ValueError(f"Expected scale >= 0, got scale={scale!r}.")
    count = np.arange(1, reports.size + 1)
    return RunningAverage(mean=np.cumsum(reports) / count, deviation=scale * np.sqrt(2.0 / count))
