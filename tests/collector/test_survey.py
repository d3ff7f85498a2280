"""Shares from randomised answers, Wilson's interval, and the average of repeated reports. Seeded."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rlm_core.collector.averaging import running_average
from rlm_core.collector.survey import estimate_shares
from rlm_core.collector.validation import private_accuracy
from rlm_core.collector.wilson import wilson
from rlm_core.owner.labels import RandomisedResponse


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
def test_two_answers_are_the_private_accuracy(epsilon: float) -> None:
    bits = np.repeat([0, 1], [40, 160])
    matrix = RandomisedResponse(epsilon=epsilon, classes=2).transition_matrix
    shares = estimate_shares([40, 160], transition_matrix=matrix)
    single = private_accuracy(bits, epsilon=epsilon)
    assert shares.estimate[1] == pytest.approx(single.estimate)
    assert (shares.low[1], shares.high[1]) == (pytest.approx(single.low), pytest.approx(single.high))
    assert shares.people == 200


@pytest.mark.parametrize("classes", [2, 3, 10])
def test_estimates_invert_the_channel_and_sum_to_one(classes: int) -> None:
    truth = np.arange(1, classes + 1) / (classes * (classes + 1) / 2)
    matrix = RandomisedResponse(epsilon=1.0, classes=classes).transition_matrix
    expected_counts = 1e6 * truth @ matrix
    shares = estimate_shares(expected_counts, transition_matrix=matrix)
    np.testing.assert_allclose(shares.estimate, truth, atol=1e-9)
    assert estimate_shares([5] + [1] * (classes - 1), transition_matrix=matrix).estimate.sum() == pytest.approx(1.0)


def test_intervals_cover_as_often_as_they_say() -> None:
    """95 % intervals for 1,500 shares: within 5 standard deviations (0.028) of 95 %; 90 % ones would fail."""
    channel = RandomisedResponse(epsilon=1.0, classes=3)
    generator = np.random.default_rng(3)
    truth = np.array([0.6, 0.3, 0.1])
    answers = np.repeat([0, 1, 2], [300, 150, 50])
    hits, narrow = [], []
    for _ in range(500):
        counts = np.bincount(channel.simulate(answers, generator=generator), minlength=3)
        for confidence, covered in ((0.95, hits), (0.9, narrow)):
            shares = estimate_shares(counts, transition_matrix=channel.transition_matrix, confidence=confidence)
            covered.extend(((shares.low <= truth) & (truth <= shares.high)).tolist())
    # People are fixed here, only the noise is random: Wilson's interval, made for both, is a little wide.
    assert 0.95 - 0.028 < np.mean(hits) <= 1.0
    assert np.mean(narrow) < np.mean(hits)


def test_displayed_shares_stay_inside() -> None:
    shares = estimate_shares([100, 0], transition_matrix=[[0.6, 0.4], [0.4, 0.6]])
    assert shares.estimate.tolist() == pytest.approx([3.0, -2.0]) and shares.displayed.tolist() == [1.0, 0.0]


@pytest.mark.parametrize("counts", [[1], [-1, 2], [0, 0], [math.nan, 1]])
def test_bad_counts_are_refused(counts: list[float]) -> None:
    with pytest.raises(ValueError, match="Expected"):
        estimate_shares(counts, transition_matrix=[[0.6, 0.4], [0.4, 0.6]])


@pytest.mark.parametrize("matrix", [[[0.5, 0.5], [0.5, 0.5]], [[0.6, 0.4], [0.3, 0.7]], np.eye(3)])
def test_other_channels_are_refused(matrix: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="randomised response"):
        estimate_shares([1, 2], transition_matrix=matrix)


def test_wilson_refuses_what_is_no_share() -> None:
    for share, people, confidence in ((1.1, 5, 0.9), (math.nan, 5, 0.9), (0.5, 0, 0.9), (0.5, 5, 1.0)):
        with pytest.raises(ValueError, match="Expected"):
            wilson(share, people, confidence=confidence)


def test_the_running_average_closes_in_as_it_says() -> None:
    """Of 4,000 means of 25 reports the spread is b·√(2/25) within 5 standard deviations (6 %)."""
    scale = 3.0
    draws = 1.5 + np.random.default_rng(5).laplace(0.0, scale, size=(4_000, 25))
    last = np.array([running_average(row, scale=scale).mean[-1] for row in draws])
    predicted = running_average(draws[0], scale=scale).deviation[-1]
    assert predicted == pytest.approx(scale * math.sqrt(2 / 25))
    assert last.std() == pytest.approx(predicted, rel=0.06)
    assert last.std() != pytest.approx(1.1 * predicted, rel=0.04)  # a wrong scale would be seen
    assert running_average([4.0], scale=0.0).deviation.tolist() == [0.0]


def test_bad_reports_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one report"):
        running_average([], scale=1.0)
    with pytest.raises(ValueError, match="scale >= 0"):
        running_average([1.0], scale=math.nan)
