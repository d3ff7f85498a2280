"""Shares from sets of symbols: the moments by enumeration, no bias, and intervals that keep their word. Seeded."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from rlm_core.collector.frequencies import (
    Moments,
    estimate_frequencies,
    group_moments,
    half_width,
    people_needed,
)
from rlm_core.collector.tally import Tally
from rlm_core.collector.wilson import wilson
from rlm_core.owner.subset_selection import SubsetSelection


def enumerated(channel: SubsetSelection, symbol: int, group: set[int]) -> tuple[float, float]:
    """E[M] and E[M²] from the definition: every set with its probability."""
    k, size, e = channel.symbols, channel.size, math.exp(channel.epsilon)
    sets = [set(s) for s in itertools.combinations(range(k), size)]
    weights = np.array([e if symbol in s else 1.0 for s in sets])
    m = np.array([len(s & group) for s in sets])
    weights /= weights.sum()
    return float(weights @ m), float(weights @ m**2)


@pytest.mark.parametrize(("epsilon", "symbols", "subset"), [(1.0, 6, 2), (0.3, 6, 3), (4.0, 4, 1), (1.0, 2, 1)])
def test_moments_are_those_of_the_definition(epsilon: float, symbols: int, subset: int) -> None:
    channel = SubsetSelection(epsilon=epsilon, symbols=symbols, subset=subset)
    for g in range(1, symbols):
        group, moments = set(range(g)), group_moments(channel, g)
        assert enumerated(channel, 0, group) == pytest.approx((moments.mean_1, moments.square_1))
        assert enumerated(channel, symbols - 1, group) == pytest.approx((moments.mean_0, moments.square_0))


def test_without_correction_and_for_one_answer_it_is_wilsons_interval() -> None:
    channel = SubsetSelection(epsilon=1.0, symbols=2)
    moments = group_moments(channel)
    for share in (0.0, 0.1, 0.5, 1.0):
        expected = moments.share(wilson(share, 30, confidence=0.95))
        assert np.array(moments.interval(share, 30, confidence=0.95, step=0.0)) == pytest.approx(expected)


def test_the_estimate_inverts_the_channel() -> None:
    """Counts as expected give the shares back, for answers and for groups of pairs."""
    channel = SubsetSelection(epsilon=1.0, symbols=12)
    truth = np.array([0.5, 0.3, 0.2])  # of three labels, each with four codes
    pairs = np.tile(truth, 4) / 4
    people = 10**12
    counts = np.rint(people * (channel.outside + (channel.inside - channel.outside) * pairs)).astype(np.int64)
    tally = Tally(people=people, counts=counts)
    np.testing.assert_allclose(estimate_frequencies(tally, channel).estimate, pairs, atol=1e-9)
    shares = estimate_frequencies(tally, channel, groups=3)
    np.testing.assert_allclose(shares.estimate, truth, atol=1e-9)
    assert (shares.low < truth).all() and (truth < shares.high).all() and (shares.high - shares.low < 1e-4).all()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("epsilon", "symbols", "groups"), [(1.0, 2, 2), (1.0, 10, 10), (4.0, 10, 10), (2.0, 40, 10), (4.0, 120, 10)]
)
@pytest.mark.parametrize("people", [30, 300])
def test_intervals_cover_as_often_as_they_say(epsilon: float, symbols: int, groups: int, people: int) -> None:
    """1,000 rooms: 95 % less 5 standard deviations (3.4 points) is 91.6 %; an 86 % interval would fail."""
    channel = SubsetSelection(epsilon=epsilon, symbols=symbols)
    generator = np.random.default_rng(7)
    truth = np.arange(1.0, groups + 1)
    truth /= truth.sum()
    covered = []
    for _ in range(1000):
        labels = generator.choice(groups, size=people, p=truth)
        codes = generator.integers(symbols // groups, size=people)
        sets = channel.simulate_symbols(codes * groups + labels, generator=generator)
        shares = estimate_frequencies(Tally.empty(symbols).add_sets(sets), channel, groups=groups)
        assert (shares.low <= shares.estimate).all() and (shares.estimate <= shares.high).all()
        covered.append((shares.low <= truth) & (truth <= shares.high))
    each = np.mean(covered, axis=0)
    assert each.min() > 0.916
    assert people < 300 or np.mean(covered) < 0.975


def test_how_many_people_are_needed() -> None:
    moments = group_moments(SubsetSelection(epsilon=1.0, symbols=2))
    needed = people_needed(moments.worst_deviation, within=0.05)
    assert half_width(moments.worst_deviation, needed) <= 0.05 < half_width(moments.worst_deviation, needed - 1)
    low, high = moments.interval(0.5, needed, confidence=0.95, step=1.0)
    assert (high - low) / 2 == pytest.approx(0.05, rel=0.02)  # what was promised is what comes
    shares = np.linspace(0, 1, 101)
    assert moments.worst_deviation == pytest.approx(max(moments.deviation(s) for s in shares))
    truthful = Moments(mean_0=0.0, mean_1=1.0, square_0=0.0, square_1=1.0)
    assert truthful.worst_deviation == 0.5


def test_bad_input_is_refused() -> None:
    channel = SubsetSelection(epsilon=1.0, symbols=4)
    one = Tally.empty(4).add([1])
    for tally, groups, message in (
        (Tally.empty(4), None, "at least one report"),
        (Tally.empty(3).add([1]), None, "tally of 4"),
        (one, 3, "evenly"),
        (one, 1, "evenly"),
    ):
        with pytest.raises(ValueError, match=message):
            estimate_frequencies(tally, channel, groups=groups)
    with pytest.raises(ValueError, match="confidence"):
        estimate_frequencies(one, channel, confidence=1.0)
    with pytest.raises(ValueError, match="group"):
        group_moments(channel, 4)
    with pytest.raises(ValueError, match="people"):
        half_width(1.0, 0)
    with pytest.raises(ValueError, match="within"):
        people_needed(1.0, within=0.0)
