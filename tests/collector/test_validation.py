"""Private accuracy. The simulations are seeded; the release path's one fails by chance below 1e-6."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import binom

from rlm_core.collector.validation import flip_probability, private_accuracy
from rlm_core.owner.labels import RandomisedResponse


@pytest.mark.parametrize("epsilon", [1e-9, 0.5, 1.0, 5.0, 800.0, math.inf])
def test_flip_probability_is_that_of_two_class_randomised_response(epsilon: float) -> None:
    lie = RandomisedResponse(epsilon=epsilon, classes=2).transition_matrix[0, 1]
    assert flip_probability(epsilon) == pytest.approx(lie, rel=1e-9, abs=1e-300)
    if epsilon < 700:
        assert flip_probability(epsilon) == pytest.approx(1 / (math.exp(epsilon) + 1), rel=1e-12)


def test_the_estimate_inverts_the_flips() -> None:
    # The expected share of ones for an accuracy of 0.8, put in as if it had been observed.
    epsilon = math.log(3.0)  # p = 1/4
    bits = np.repeat([1, 0], [13, 7])  # 0.8 * 3/4 + 0.2 * 1/4 = 0.65
    assert private_accuracy(bits, epsilon=epsilon).estimate == pytest.approx(0.8)


def test_the_interval_is_wilsons_mapped_by_the_same_line() -> None:
    bits, z = np.repeat([1, 0], [30, 10]), 1.959963984540054
    n, share = 40, 0.75
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2)) / (1 + z**2 / n)
    p = 1 / (math.exp(2.0) + 1)
    result = private_accuracy(bits, epsilon=2.0)
    assert result.low == pytest.approx((centre - half - p) / (1 - 2 * p))
    assert result.high == pytest.approx((centre + half - p) / (1 - 2 * p))
    assert (result.people, result.epsilon, result.confidence) == (40, 2.0, 0.95)


@pytest.mark.parametrize("truth", [0.5, 0.9, 0.99])
@pytest.mark.parametrize("people", [50, 1_000])
def test_the_interval_covers_the_truth_as_often_as_it_says(truth: float, people: int) -> None:
    """Exactly, by summing over all outcomes; Wilson's interval is nominal on average, here within 2.5 %."""
    p = flip_probability(1.0)
    share = truth * (1 - p) + (1 - truth) * p
    covered = 0.0
    for ones in range(people + 1):
        weight = binom.pmf(ones, people, share)
        if weight > 1e-12:
            result = private_accuracy(np.repeat([1, 0], [ones, people - ones]), epsilon=1.0)
            covered += weight * (result.low <= truth <= result.high)
    assert 0.925 < covered < 0.975


def test_end_to_end_with_released_bits() -> None:
    people, truth, epsilon = 100_000, 0.9, 1.0
    correct = (np.arange(people) < truth * people).astype(np.int64)
    reported = RandomisedResponse(epsilon=epsilon, classes=2).privatise(correct)
    result = private_accuracy(reported, epsilon=epsilon, confidence=1 - 1e-7)
    assert result.low < truth < result.high
    assert result.high - result.low < 0.04
    assert not result.low < 0.85 < result.high  # it has power


def test_the_estimate_is_unbiased_and_stays_raw() -> None:
    generator = np.random.default_rng(0)
    response = RandomisedResponse(epsilon=0.5, classes=2)
    estimates = [
        private_accuracy(response.simulate(np.ones(20, dtype=np.int64), generator=generator), epsilon=0.5)
        for _ in range(2_000)
    ]
    values = np.array([each.estimate for each in estimates])
    assert abs(values.mean() - 1.0) < 5 * values.std() / math.sqrt(values.size)
    assert values.max() > 1.0  # it leaves [0, 1] by chance, and is not clamped
    assert all(0.0 <= each.displayed <= 1.0 for each in estimates)
    assert np.mean([each.displayed for each in estimates]) < 0.9  # which is why clamping comes last


def test_limits() -> None:
    exact = private_accuracy([1, 1, 0, 1], epsilon=math.inf)
    assert exact.estimate == 0.75 and 0.0 < exact.low < 0.75 < exact.high < 1.0
    tiny = private_accuracy([1, 0, 1], epsilon=1e-20)  # 1 − 2p vanishes in floating point, not here
    assert math.isfinite(tiny.estimate) and tiny.low < tiny.high
    assert private_accuracy([True, False], epsilon=1.0).estimate == pytest.approx(0.5)
    assert private_accuracy(np.ones(3), epsilon=1.0).people == 3


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan])
def test_bad_epsilons_are_refused(epsilon: float) -> None:
    with pytest.raises(ValueError, match="Expected epsilon > 0"):
        private_accuracy([1], epsilon=epsilon)


@pytest.mark.parametrize("bits", [[2], [0.5], [-1], [math.nan]])
def test_only_bits_are_counted(bits: list[float]) -> None:
    with pytest.raises(ValueError, match="Expected bits"):
        private_accuracy(bits, epsilon=1.0)


@pytest.mark.parametrize("bits", [[], [[1, 0]], 1])
def test_bits_come_in_one_row(bits: object) -> None:
    with pytest.raises(ValueError, match="at least one bit in one axis"):
        private_accuracy(bits, epsilon=1.0)  # type: ignore[arg-type]


@pytest.mark.parametrize("confidence", [0.0, 1.0, math.nan])
def test_bad_confidences_are_refused(confidence: float) -> None:
    with pytest.raises(ValueError, match="Expected 0 < confidence < 1"):
        private_accuracy([1], epsilon=1.0, confidence=confidence)
