"""A network fitted to sets of pairs: it finds what a table finds, and tells records of one code apart."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rlm_core.collector.code_network import CodeNetwork
from rlm_core.collector.codes import PairSets, expectation_maximisation
from rlm_core.owner.subset_selection import SubsetSelection


def world(count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A point on a line, its code (tenths), and its label: 1 from 0.45 on, in the middle of a code."""
    point = np.random.default_rng(seed).random((count, 1))
    return point, (point[:, 0] * 10).astype(np.int64), (point[:, 0] > 0.45).astype(np.int64)


def reports(epsilon: float, codes: np.ndarray, labels: np.ndarray) -> PairSets:
    channel = SubsetSelection(epsilon=epsilon, symbols=20)
    members = channel.simulate_symbols(codes * 2 + labels, generator=np.random.default_rng(1))
    return PairSets(members=members, epsilon=epsilon, codes=10, classes=2)


@pytest.mark.parametrize("epsilon", [4.0, math.inf])
def test_a_smooth_network_beats_the_table_where_a_code_is_mixed(epsilon: float) -> None:
    point, codes, labels = world(5_000, seed=0)
    sent = reports(epsilon, codes, labels)
    prior_point, prior_codes, _ = world(2_000, seed=2)
    frequencies = np.bincount(prior_codes, minlength=10)
    new_point, new_codes, new_labels = world(4_000, seed=3)
    table = expectation_maximisation(sent, frequencies).score(new_codes, new_labels)
    network = CodeNetwork(classes=2, steps=200, learning_rate=0.3).fit(sent, prior_point, prior_codes, frequencies)
    assert table < 0.97  # half of one code in ten is wrong
    assert network.score(new_point, new_labels) > 0.975
    assert network.log_likelihood_[-1] > network.log_likelihood_[0]
    np.testing.assert_allclose(network.predict_proba(new_point).sum(axis=1), 1.0, rtol=1e-6)


def test_the_fit_depends_on_its_seed_alone() -> None:
    point, codes, labels = world(300, seed=0)
    sent = reports(3.0, codes, labels)
    first, second = (
        CodeNetwork(classes=2, hidden=(4,), steps=5, max_prior=100).fit(sent, point, codes, np.ones(10))
        for _ in range(2)
    )
    np.testing.assert_array_equal(first.predict_proba(point), second.predict_proba(point))
    with pytest.raises(ValueError, match="features"):
        CodeNetwork(classes=2).fit(sent, point, codes[:-1], np.ones(10))
