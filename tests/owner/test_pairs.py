"""Code and label as one symbol: what is sent, with which probability, and what it costs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rlm_core.collector.codes import PairSets, expectation_maximisation
from rlm_core.owner import PairSelection


def test_pairs_are_numbered_code_by_code() -> None:
    pairs = PairSelection(epsilon=1.0, codes=3, classes=4)
    found = [pairs.symbols([c], [y])[0] for c in range(3) for y in range(4)]
    assert found == list(range(12)) and pairs.channel.symbols == 12


def test_any_two_pairs_are_epsilon_apart_and_no_more() -> None:
    """The probability of every set under every pair, from the channel's own density."""
    pairs = PairSelection(epsilon=0.8, codes=2, classes=2)
    density = pairs.channel.log_density_pairs(pairs.channel.vector(np.eye(4, dtype=bool)), np.eye(4))
    assert pairs.channel.size == 1
    assert np.ptp(density, axis=1).max() == pytest.approx(0.8, abs=1e-9)


def test_the_release_path_holds_the_true_pair_as_often_as_it_should() -> None:
    """20,000 releases; 5 standard errors: a right channel fails in 1 of 2 million runs, p ± 0.02 is always seen."""
    pairs = PairSelection(epsilon=2.0, codes=5, classes=3)
    rng = np.random.default_rng(0)
    c, y = rng.integers(5, size=20_000), rng.integers(3, size=20_000)
    sent = pairs.privatise(c, y)
    p = pairs.channel.inside
    rate = sent[np.arange(len(c)), c * 3 + y].mean()
    assert abs(rate - p) < 5 * math.sqrt(p * (1 - p) / len(c))
    assert (sent.sum(axis=1) == pairs.channel.size).all()


def test_the_collector_learns_the_labels_of_codes_from_released_pairs() -> None:
    rng = np.random.default_rng(1)
    c = rng.integers(4, size=20_000)
    y = np.where(rng.random(len(c)) < 0.8, c % 2, 1 - c % 2)
    sent = PairSelection(epsilon=2.0, codes=4, classes=2).privatise(c, y)
    fitted = expectation_maximisation(PairSets(members=sent, epsilon=2.0, codes=4, classes=2), np.ones(4))
    assert np.abs(fitted.table[:, 1] - np.array([0.2, 0.8, 0.2, 0.8])).max() < 0.1  # 10 standard errors


@pytest.mark.parametrize(("codes", "classes", "epsilon"), [(0, 2, 1.0), (3, 1, 1.0), (3, 2, 0.0), (3, 2, math.nan)])
def test_bad_settings(codes: int, classes: int, epsilon: float) -> None:
    with pytest.raises(ValueError, match="Expected"):
        PairSelection(epsilon=epsilon, codes=codes, classes=classes)


def test_as_many_labels_as_codes() -> None:
    with pytest.raises(ValueError, match="as many"):
        PairSelection(epsilon=1.0, codes=3, classes=2).privatise([0, 1], [0])
