"""The mean of numbers that left as levels: no bias, intervals that keep their word, the best channel. Seeded."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rlm_core.baselines.scalar_dp import ScalarDP
from rlm_core.collector.means import estimate_mean, worst_deviation
from rlm_core.collector.tally import Tally
from rlm_core.types import FloatArray

EPSILONS = [0.05, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0, 8.0, 12.0]


def levels(channel: ScalarDP, x: FloatArray, generator: np.random.Generator) -> np.ndarray:
    """What people with the numbers x report."""
    below = channel.probabilities(x).cumsum(axis=1) < generator.random(len(x))[:, None]
    return np.minimum(below.sum(axis=1), channel.k)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_scalar_dp_beats_laplace_and_duchi_in_the_worst_case(epsilon: float) -> None:
    """On [0, 1]: Laplace has 2/ε², Duchi's one-dimensional mechanism ¼·coth²(ε/2), which is ScalarDP of one level."""
    ours = ScalarDP(epsilon=epsilon, radius=1.0).worst_squared_error
    duchi = 0.25 / math.tanh(epsilon / 2) ** 2
    assert ScalarDP(epsilon=epsilon, radius=1.0, levels=1).worst_squared_error == pytest.approx(duchi)
    assert ours <= 2 / epsilon**2 and ours <= duchi * (1 + 1e-12)


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 4.0])
def test_the_estimate_is_right_on_average(epsilon: float) -> None:
    """200,000 people: within 6 standard deviations; a tenth of the range off would be seen."""
    generator = np.random.default_rng(1)
    channel = ScalarDP(epsilon=epsilon, radius=5.0)
    x = 5.0 * generator.beta(1.0, 3.0, size=200_000)
    found = estimate_mean(Tally.empty(channel.k + 1).add(levels(channel, x, generator)), channel)
    slack = 6 * worst_deviation(channel) / math.sqrt(len(x))
    assert slack < 0.25 and found.estimate == pytest.approx(x.mean(), abs=slack)


POPULATIONS = {
    "uniform": (lambda n, g: g.random(n), 0.5),
    "skewed": (lambda n, g: g.beta(0.5, 3.0, n), 0.5 / 3.5),
    "everybody at zero": (lambda n, g: np.zeros(n), 0.0),
    "half at each end": (lambda n, g: (g.random(n) < 0.5).astype(float), 0.5),
    "one in twenty at the end": (lambda n, g: (g.random(n) < 0.05).astype(float), 0.05),
}


@pytest.mark.slow
@pytest.mark.parametrize("people", [30, 300])
@pytest.mark.parametrize("epsilon", [1.0, 2.0, 4.0])
@pytest.mark.parametrize("population", POPULATIONS)
def test_intervals_cover_as_often_as_they_say(population: str, epsilon: float, people: int) -> None:
    """1,000 rooms: 95 % less 5 standard deviations (3.4 points) is 91.6 %; an 86 % interval would fail."""
    draw, truth = POPULATIONS[population]
    generator = np.random.default_rng(11)
    channel = ScalarDP(epsilon=epsilon, radius=1.0)
    rooms = 1000
    reported = levels(channel, draw(rooms * people, generator), generator).reshape(rooms, people)
    found = [estimate_mean(Tally.empty(channel.k + 1).add(room), channel) for room in reported]
    assert np.mean([each.low <= truth <= each.high for each in found]) > 0.916
    assert all(each.low <= each.estimate <= each.high for each in found)


@pytest.mark.parametrize("epsilon", [1.0, 4.0])
def test_the_worst_deviation_is_the_worst(epsilon: float) -> None:
    """Over populations of people at two levels: never above, and attained by people at both ends."""
    channel = ScalarDP(epsilon=epsilon, radius=1.0)
    values, squares = np.arange(channel.k + 1) / channel.k, channel.second_moments
    weights = np.linspace(0, 1, 201)
    variances = [
        ((1 - w) * squares[i] + w * squares[j]) - ((1 - w) * values[i] + w * values[j]) ** 2
        for i in range(channel.k + 1)
        for j in range(channel.k + 1)
        for w in weights
    ]
    assert worst_deviation(channel) ** 2 == pytest.approx(max(variances), rel=1e-3)


def test_bad_input_is_refused_and_one_person_is_enough() -> None:
    for epsilon in (1.0, 4.0):
        channel = ScalarDP(epsilon=epsilon, radius=1.0)
        with pytest.raises(ValueError, match="at least one report"):
            estimate_mean(Tally.empty(channel.k + 1), channel)
        with pytest.raises(ValueError, match=f"{channel.k + 1} levels"):
            estimate_mean(Tally.empty(channel.k + 2).add([0]), channel)
        found = estimate_mean(Tally.empty(channel.k + 1).add([0]), channel)
        assert found.high - found.low > 1.0 and found.people == 1
