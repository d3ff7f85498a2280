"""A lower bound on ε from counted guesses: one exact binomial limit.

Somebody tosses a fair coin, releases x or x′ accordingly, and we guess which it was from the
output, or abstain. If the mechanism is ε-LDP, then whatever the guessing rule A ⊂ outputs
for "x" and B for "x′",

    P(right) = ½P(A | x) + ½P(B | x′) ≤ e^ε·(½P(A | x′) + ½P(B | x)) = e^ε·P(wrong).

So each guess that is made is right with a probability c for which ln(c/(1−c)) ≤ ε. Given how
many guesses were made, the number of right ones is binomial, and Clopper and Pearson's
exact limit for c bounds ε from below, without any assumption about the mechanism. (Bounding
P(A | x) and P(A | x′) apart, each with half of the error probability, loses twice as much.)
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike
from scipy.special import betaincinv

from rlm_core.types import FloatArray


def proportion_low(hits: ArrayLike, trials: ArrayLike, *, alpha: float) -> FloatArray:
    """Clopper and Pearson's lower limit: P(limit > p) ≤ α for every p. Zero hits give 0.

    >>> float(proportion_low([0], [10], alpha=0.05)[0])
    0.0
    >>> round(float(proportion_low([100], [100], alpha=0.05)[0]), 4)  # near the "rule of three", 1 - 3/n
    0.9705
    """
    hits, trials = np.asarray(hits, dtype=np.float64), np.asarray(trials, dtype=np.float64)
    inner = betaincinv(np.maximum(hits, 1.0), trials - hits + 1.0, alpha)
    return np.where(hits > 0, inner, 0.0)


def log_odds_low(correct: ArrayLike, wrong: ArrayLike, *, confidence: float) -> FloatArray:
    """ln(c/(1−c)) at the lower limit of c: at most ε with the stated confidence; −∞ without a right guess.

    It can be negative; since ε ≥ 0 always holds, the bound to report is max(0, ·).

    >>> log_odds_low([1000, 0], [0, 0], confidence=0.999).round(3)  # 1,000 right guesses prove no more than this
    array([4.972,  -inf])
    """
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"Expected 0 < confidence < 1, got confidence={confidence!r}.")
    correct, wrong = np.asarray(correct, dtype=np.float64), np.asarray(wrong, dtype=np.float64)
    low = proportion_low(correct, correct + wrong, alpha=1.0 - confidence)
    with np.errstate(divide="ignore"):
        bound: FloatArray = np.log(low) - np.log1p(-low)
    return bound
