"""The bound from counted guesses: exact, so nothing here is random."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom, binomtest

from rlm_core.audit.bound import log_odds_low, proportion_low


@pytest.mark.parametrize(("hits", "trials"), [(0, 10), (1, 10), (7, 10), (10, 10), (450, 1_000), (99_990, 100_000)])
@pytest.mark.parametrize("alpha", [0.05, 1e-3, 1e-9])
def test_proportion_low_agrees_with_scipy(hits: int, trials: int, alpha: float) -> None:
    interval = binomtest(hits, trials, alternative="greater").proportion_ci(1 - alpha, method="exact")
    assert float(proportion_low(hits, trials, alpha=alpha)) == pytest.approx(interval.low, rel=1e-6)


@pytest.mark.parametrize("epsilon", [0.0, 0.5, 2.0, 5.0])
@pytest.mark.parametrize("guesses", [1, 20, 500, 20_000])
@pytest.mark.parametrize("confidence", [0.5, 0.9, 0.999])
def test_the_bound_exceeds_epsilon_no_more_often_than_stated(epsilon: float, guesses: int, confidence: float) -> None:
    """Summed over all outcomes, for guesses that are right as often as an ε-LDP mechanism allows."""
    correct = np.arange(guesses + 1)
    too_high = log_odds_low(correct, guesses - correct, confidence=confidence) > epsilon
    chance = binom.pmf(correct, guesses, 1 / (1 + math.exp(-epsilon)))
    assert float(chance[too_high].sum()) <= 1 - confidence + 1e-12


def test_the_bound_is_tight() -> None:
    """10 million guesses at ε = 1: within a hundredth."""
    correct = round(1e7 / (1 + math.exp(-1.0)))
    assert 0.99 < float(log_odds_low(correct, 10**7 - correct, confidence=0.999)) < 1.0


def test_the_bound_grows_with_right_and_falls_with_wrong_guesses() -> None:
    assert (np.diff(log_odds_low(np.arange(1, 200), 20, confidence=0.99)) > 0).all()
    assert (np.diff(log_odds_low(200, np.arange(200), confidence=0.99)) < 0).all()


def test_no_guess_and_no_right_guess_prove_nothing() -> None:
    assert log_odds_low([0, 0], [0, 50], confidence=0.999).tolist() == [-math.inf, -math.inf]


@pytest.mark.parametrize("confidence", [0.0, 1.0, -1.0, 2.0, math.nan])
def test_bad_confidences_are_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="Expected 0 < confidence < 1, got confidence="):
        log_odds_low(1, 1, confidence=confidence)
