"""From randomised answers back to the shares of a population.

Warner's survey (1965) for two answers, k-ary randomised response for more. The collector
knows how answers are randomised, not whose was: p(ỹ = k) = κ·s_k + q, where s_k is the true share,
q the probability of one particular wrong answer, and κ = p − q how much likelier the true one is.
So ŝ_k = (observed share − q)/κ, without bias.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.collector.wilson import wilson
from rlm_core.types import FloatArray, finite


@dataclass(frozen=True, kw_only=True, eq=False)
class Shares:
    """Estimated shares (K,) with an interval for each.

    ``estimate`` is unbiased, so it can leave [0, 1] by chance; it is kept raw, and sums to 1.
    Each interval holds its own share with ``confidence``, not all of them together.
    """

    estimate: FloatArray
    low: FloatArray
    high: FloatArray
    confidence: float
    people: int

    @property
    def displayed(self) -> FloatArray:
        """The estimates inside [0, 1], for a page or a plot."""
        return np.clip(self.estimate, 0.0, 1.0)


def estimate_shares(counts: ArrayLike, *, transition_matrix: ArrayLike, confidence: float = 0.95) -> Shares:
    """ŝ = (counts/n − q)/κ, with Wilson's interval for counts/n mapped by the same line.

    Args:
        counts: (K,) how often each answer was reported.
        transition_matrix: (K, K) of a randomised response: p on the diagonal, q < p elsewhere.
        confidence: of each interval.

    >>> estimate_shares([65, 35], transition_matrix=[[0.75, 0.25], [0.25, 0.75]]).estimate
    array([0.8, 0.2])
    """
    counts, matrix = finite("counts", counts), finite("transition_matrix", transition_matrix)
    answers = counts.size
    if counts.ndim != 1 or answers < 2 or counts.min() < 0 or not counts.sum() > 0:
        raise ValueError(f"Expected at least two counts >= 0 with a positive sum, got {counts.tolist()}.")
    truth, lie = float(matrix[0, 0]), float(matrix[0, -1])
    expected = np.full((answers, answers), lie) + (truth - lie) * np.eye(answers)
    if matrix.shape != expected.shape or not np.allclose(matrix, expected) or not truth > lie:
        raise ValueError("Expected the transition matrix of a randomised response with epsilon > 0.")
    people = round(float(counts.sum()))  # expected counts need not be whole, and their sum may be just below
    low, high = wilson(counts / people, people, confidence=confidence)

    def unmix(share: FloatArray) -> FloatArray:
        return (share - lie) / (truth - lie)

    return Shares(
        estimate=unmix(counts / people), low=unmix(low), high=unmix(high), confidence=confidence, people=people
    )
