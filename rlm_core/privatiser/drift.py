"""Do the people look like the public rows? What reports of bits tell of it, without anybody's label.

A report of :class:`~rlm_core.owner.joint_bits.JointBits` says which of m bits agree with the label. Let sᵢ = ±1 say
so of coordinate i. In a product of two of them the label cancels, since (2y − 1)² = 1:

    E[sᵢ·sₖ] = κ·E[φᵢ·φₖ]        κ: how often k-RR keeps a symbol; φ of the last coordinate is 1

The right side is known of the public rows, the covariance of the products too: of two pairs that share a coordinate
E[sᵢsₖ·sᵢsₗ] = κ·E[φₖ·φₗ], of others κ times the average of all four. So with D the difference of both sides over
all pairs that a report can hold, and Σ its covariance (of the reports, and of the public rows, who are a sample
as well), Dᵀ·Σ⁻¹·D is chi-square if the people are like the public rows. With one bit a report there are no pairs.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2

from rlm_core.owner.joint_bits import JointBits
from rlm_core.types import FloatArray, IntArray

FALSE_ALARM = 1e-6
"""How often people like the public rows are said to differ."""

FEWEST_REPORTS = 30
"""Pairs in fewer reports than this are left out: their averages are not normal."""


def pairs_differ(coordinates: IntArray, symbols: IntArray, joint: JointBits, phi: FloatArray) -> str | None:
    """What to say if products of the reports' bits are not those of public rows φ (r, d + 1), or None."""
    statistic, freedom = pair_statistic(coordinates, symbols, joint, phi)
    if not freedom or statistic <= chi2.isf(FALSE_ALARM, freedom):
        return None
    return (
        f"The people do not look like the public rows: products of the bits in their reports have a chi-square of "
        f"{statistic:.0f}, expected about {freedom}. What was learnt may not fit either of them."
    )


def pair_statistic(coordinates: IntArray, symbols: IntArray, joint: JointBits, phi: FloatArray) -> tuple[float, int]:
    """The chi-square of all pairs of neighbouring coordinates, and its degrees of freedom (0: nothing to compare)."""
    size, keep, rows = joint.coordinates, joint.keep, len(phi)
    signs = 2.0 * ((symbols[:, None] >> np.arange(joint.width)) & 1) - 1.0  # (n, m)
    first, second = np.triu_indices(size, 1)  # all pairs of coordinates, numbered
    number = np.zeros((size, size), dtype=np.int64)
    number[first, second] = number[second, first] = np.arange(len(first))
    left, right = np.triu_indices(joint.width, 1)  # all pairs of bits
    moments = phi.T @ phi / rows  # (d + 1, d + 1)
    sums, counts = np.zeros(len(first)), np.zeros(len(first))
    noise = np.zeros((len(first), len(first)))
    for start in range(size):
        held = signs[coordinates == start]
        i, k = (start + left) % size, (start + right) % size
        at = number[i, k]
        sums[at] += (held[:, left] * held[:, right]).sum(axis=0)
        counts[at] += len(held)
        noise[np.ix_(at, at)] += len(held) * _covariance(i, k, phi, moments, keep)
    seen = np.flatnonzero(counts >= FEWEST_REPORTS)
    if not len(seen):
        return 0.0, 0
    often, products = keep * counts[seen], phi[:, first[seen]] * phi[:, second[seen]]
    expected = products.mean(axis=0)
    spread = products - expected
    covariance = noise[np.ix_(seen, seen)] / np.outer(often, often) + spread.T @ spread / rows**2
    covariance += (2 / rows) ** 2 * np.eye(len(seen))  # a difference of one public row cannot be seen
    difference = sums[seen] / often - expected
    return float(difference @ np.linalg.solve(covariance, difference)), len(seen)


def _covariance(i: IntArray, k: IntArray, phi: FloatArray, moments: FloatArray, keep: float) -> FloatArray:
    """Of the products sᵢ·sₖ in one report, for the pairs (i, k) that it holds: (pairs, pairs)."""
    products = phi[:, i] * phi[:, k]
    together = products.T @ products / len(phi)  # of four different coordinates
    for one, other in ((i, k), (k, i)):
        for same, last in ((i, k), (k, i)):
            together = np.where(one[:, None] == same, moments[other[:, None], last], together)
    expected = keep * products.mean(axis=0)
    covariance: FloatArray = keep * together - np.outer(expected, expected)
    np.fill_diagonal(covariance, 1.0 - expected**2)  # sᵢ² = 1, kept or not
    return covariance
