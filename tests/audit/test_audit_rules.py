"""Scores and rules: what is looked at in an output."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rlm_core.audit.rules import Rule, Score, bit_keys, promising_rules, row_keys, scores
from rlm_core.mechanism import Mechanism
from rlm_core.registry import REGISTRY

FIRST = Score(name="first number", of=lambda rows: rows[:, 0])


def by_name(found: list[Score]) -> dict[str, Score]:
    return {score.name: score for score in found}


def learn(mechanism: Mechanism, x: np.ndarray, x_other: np.ndarray, samples: int = 2_000) -> list[Score]:
    generator = np.random.default_rng(0)
    outputs = (mechanism.simulate(np.tile(row, (samples, 1)), generator=generator) for row in (x, x_other))
    z, z_other = mechanism.represent(np.stack([x, x_other]))
    return scores(mechanism, z, z_other, *outputs)


def test_a_rule_guesses_beyond_its_thresholds_and_abstains_between() -> None:
    rule = Rule(score=FIRST, upper=2.0, lower=-1.0)
    assert rule.guess(np.array([3.0, 2.0, 1.9, -0.9, -1.0, -5.0])).tolist() == [1, 1, 0, 0, -1, -1]
    assert str(rule) == "first number >= 2 or <= -1"
    assert str(Rule(score=FIRST, upper=2.0, lower=-math.inf)) == "first number >= 2"
    assert str(Rule(score=FIRST, upper=math.inf, lower=0.5)) == "first number <= 0.5"


@pytest.mark.parametrize("name", [name for name in REGISTRY if name != "PrivUnit"])
def test_the_likelihood_ratio_lies_within_epsilon(name: str) -> None:
    mechanism = REGISTRY[name].make(1.5, REGISTRY[name].dimension)
    x, x_other = REGISTRY[name].worst_pair(mechanism)
    found = by_name(learn(mechanism, x, x_other))
    if not hasattr(mechanism, "log_density_pairs"):
        assert "log-likelihood ratio" not in found
        return
    outputs = mechanism.simulate(np.tile(x, (500, 1)), generator=np.random.default_rng(1))
    ratio = found["log-likelihood ratio"].of(outputs)
    assert np.abs(ratio).max() == pytest.approx(1.5, rel=1e-6)


def test_impossible_outputs_give_finite_scores() -> None:
    mechanism = REGISTRY["k-RR"].make(math.inf, 4)
    ratio = by_name(learn(mechanism, np.array([0.0]), np.array([1.0])))["log-likelihood ratio"]
    assert np.sign(ratio.of(np.array([[0.0], [1.0], [2.0]]))).tolist() == [1.0, -1.0, 0.0]
    assert np.isfinite(ratio.of(np.array([[0.0], [1.0], [2.0]]))).all()


def test_learnt_scores_tell_frequent_atoms_from_rare_ones_and_ignore_new_ones() -> None:
    mechanism = REGISTRY["k-RR"].make(2.0, 4)
    atoms = by_name(learn(mechanism, np.array([0.0]), np.array([1.0])))["learnt ratio of atoms"]
    yes, no, neither, new = atoms.of(np.array([[0.0], [1.0], [2.0], [9.0]]))
    assert 1.5 < yes < 2.5 and -2.5 < no < -1.5 and abs(neither) < 0.6 and new == 0.0


def test_row_keys_are_equal_for_equal_rows_only() -> None:
    rows = np.random.default_rng(0).normal(size=(5_000, 3))
    keys = row_keys(rows)
    assert np.unique(keys).size == 5_000 and (row_keys(rows.copy()) == keys).all()
    assert np.unique(row_keys(rows[:, [1, 0, 2]])).size == 5_000 and not (row_keys(rows[:, [1, 0, 2]]) == keys).any()
    assert row_keys(np.array([[-0.0, 1.0]])) == row_keys(np.array([[0.0, 1.0]]))
    corners = np.array(np.meshgrid(*[[-3.25, 3.25]] * 10)).reshape(10, -1).T
    assert np.unique(row_keys(corners)).size == 1024


def test_bit_keys_see_sign_exponent_and_trailing_zeros() -> None:
    values = np.array([1.0, -1.0, 2.0, 1.5, 1.0 + 2.0**-52, 0.0, 5e-324, 1e308])
    assert np.unique(bit_keys(values)).size == values.size
    assert bit_keys(np.array([1.0 + 2.0**-52])) == bit_keys(np.array([1.5 + 2.0**-52]))  # only the end counts
    assert bit_keys(np.array([-0.0])) == bit_keys(np.array([0.0]))


def test_low_bits_betray_a_float_sum() -> None:
    """5 + noise is a multiple of 2**-50 where it is small; noise alone is not."""
    generator = np.random.default_rng(0)
    noise = generator.laplace(0.0, 5.0, 200_000)
    small = [values[np.abs(values) < 0.5] for values in (noise, 5.0 + noise)]
    trailing = [bit_keys(values) & np.uint64(63) for values in small]
    assert (trailing[0] == 0).mean() > 0.3 and (trailing[1] == 0).mean() < 0.01


def test_promising_rules_finds_the_separating_threshold() -> None:
    generator = np.random.default_rng(0)
    outputs, other = generator.uniform(0.0, 1.0, (4_000, 1)), generator.uniform(0.0, 1.0, (4_000, 1)) ** 4
    gain, rule = max(promising_rules([FIRST], outputs, other, confidence=0.99), key=lambda each: each[0])
    # P(u⁴ ≤ t) / P(u ≤ t) = t^{−3/4} is largest at small t; the other side gives at most 4 at t near 1.
    assert rule.upper == math.inf and rule.lower < 0.05 and gain > 1.5


def test_promising_rules_never_guesses_both_at_once() -> None:
    generator = np.random.default_rng(0)
    for shift in (0.0, 0.1, 5.0):
        pair = generator.normal(size=(500, 1)) + shift, generator.normal(size=(500, 1))
        for _, rule in promising_rules([FIRST], *pair, confidence=0.99):
            assert rule.upper > rule.lower


def test_a_constant_score_promises_nothing() -> None:
    constant = Score(name="constant", of=lambda rows: np.zeros(len(rows)))
    found = promising_rules([constant], np.zeros((100, 1)), np.zeros((100, 1)), confidence=0.99)
    assert found and all(gain <= 0.0 for gain, _ in found)
