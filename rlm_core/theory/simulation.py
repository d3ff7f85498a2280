"""The accuracy of any placement of the classes, by simulation.

The formula in ``accuracy`` covers vertices; this covers everything else, and checks the formula.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.theory.checks import checked_count, checked_generators, laplace_scale
from rlm_core.theory.voronoi import l1_voronoi

_BLOCK = 1 << 20  # coordinates drawn at once


@dataclass(frozen=True, kw_only=True)
class Estimate:
    """A simulated accuracy.

    Attributes:
        accuracy: The estimate, unbiased.
        standard_error: Its standard error. Every class's hit rate enters it as (hits+1)/(n+2), so
            a run without a single miss does not claim to be certain.
        samples: Simulated reports behind it, all classes together.
    """

    accuracy: float
    standard_error: float
    samples: int


def monte_carlo_accuracy(
    generators: ArrayLike,
    epsilon: float,
    *,
    samples: int,
    generator: np.random.Generator,
    radius: float = 1.0,
) -> Estimate:
    """Simulate A = 1/K sum_k P(c_k + Laplace(0, 2l/epsilon) is nearest to c_k).

    Every class gets the same number of reports (to within one), and the K hit rates are averaged:
    stratified, so the class draw adds no variance. Nearest is l1, ties by l2 (``l1_voronoi``).

    Args:
        generators: (K, d), K >= 2, rows inside the l1 ball of ``radius``. Equal rows are allowed:
            one of the classes is then never answered.
        epsilon: Budget > 0; inf means no noise.
        samples: Total number of reports, at least K.
        generator: Source of the noise. This simulates; it releases nothing.
        radius: l of the ball the noise is calibrated for.

    Returns:
        The estimate with its standard error; drawn in blocks, so memory stays bounded.

    Raises:
        ValueError: A generator lies outside the ball (the noise would not give epsilon).
    """
    scale = laplace_scale(epsilon, radius)
    positions = checked_generators(generators, radius)  # (K, d)
    classes, dimension = positions.shape
    samples = checked_count("samples", samples, classes)
    rows = max(1, _BLOCK // dimension)
    rates, variances = np.empty(classes), np.empty(classes)
    for k, position in enumerate(positions):
        n = samples // classes + (k < samples % classes)
        hits = 0
        for start in range(0, n, rows):
            count = min(rows, n - start)
            reports = position + generator.laplace(scale=scale, size=(count, dimension))  # (count, d)
            hits += int(np.count_nonzero(l1_voronoi(reports, positions).nearest == k))
        smoothed = (hits + 1) / (n + 2)
        rates[k], variances[k] = hits / n, smoothed * (1 - smoothed) / n
    return Estimate(
        accuracy=float(rates.mean()), standard_error=float(np.sqrt(variances.sum()) / classes), samples=samples
    )
