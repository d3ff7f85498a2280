"""How accurate is a classifier on people whose labels nobody may see?

Appendix "Hyperparameter Tuning Under LDP": the classifier is sent to the members of a
validation group; each finds out on their own device whether it was right about them, and
returns that one bit through randomised response (Warner 1965).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.collector.wilson import wilson
from rlm_core.types import FloatArray, IntArray


@dataclass(frozen=True, kw_only=True)
class PrivateAccuracy:
    """An estimate of accuracy with its confidence interval.

    ``estimate`` is unbiased and so can leave [0, 1] by chance; it is kept raw. Clamp it for
    display only (:attr:`displayed`): clamping before averaging or comparing adds a bias.
    """

    estimate: float
    low: float
    high: float
    confidence: float
    people: int
    epsilon: float

    @property
    def displayed(self) -> float:
        """The estimate inside [0, 1], for a page or a plot."""
        return min(1.0, max(0.0, self.estimate))

    @property
    def flip_noise(self) -> float:
        """Two standard deviations of the estimate that come from the flipped bits alone; 0 without LDP."""
        p = flip_probability(self.epsilon)
        return 2 * math.sqrt(p * (1 - p) / self.people) / math.tanh(self.epsilon / 2)


def flip_probability(epsilon: float) -> float:
    """p = 1/(e^ε + 1): how often a correct-or-not bit is reported wrongly."""
    if not epsilon > 0:
        raise ValueError(f"Expected epsilon > 0, got epsilon={epsilon!r}.")
    return 0.0 if math.isinf(epsilon) else math.exp(-epsilon) / (1.0 + math.exp(-epsilon))


def private_accuracy(reported: ArrayLike, *, epsilon: float, confidence: float = 0.95) -> PrivateAccuracy:
    """A = (Ã − p)/(1 − 2p) from reported bits, with a Wilson interval for Ã mapped the same way.

    The Wilson interval keeps its coverage for small groups and for Ã near 0 or 1, where the
    normal one collapses to a point. The map from Ã to A is increasing, so coverage carries over.

    >>> private_accuracy([1, 1, 0, 1], epsilon=float("inf")).estimate
    0.75
    """
    bits = np.asarray(reported)
    if bits.ndim != 1 or bits.size == 0:
        raise ValueError(f"Expected at least one bit in one axis, got shape {bits.shape}.")
    if not np.isin(bits, (0, 1)).all():
        raise ValueError("Expected bits: every reported value must be 0 or 1.")
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"Expected 0 < confidence < 1, got confidence={confidence!r}.")
    p = flip_probability(epsilon)
    people = int(bits.size)
    share = float(bits.mean())
    low, high = (float(end) for end in wilson(share, people, confidence=confidence))

    def unflip(value: float) -> float:
        return (value - p) / math.tanh(epsilon / 2)  # = 1 − 2p, without cancellation for a small ε

    return PrivateAccuracy(
        estimate=unflip(share),
        low=unflip(low),
        high=unflip(high),
        confidence=confidence,
        people=people,
        epsilon=float(epsilon),
    )


Predict = Callable[[FloatArray], IntArray]
"""Clean inputs (n, d) to labels (n,)."""

Validate = Callable[[Predict], PrivateAccuracy]
"""Asks a group of people how often a classifier is right about them: every call costs each member one more ε."""
