"""Logistic regression from averages: the plain one where there is no noise, and a small one where there is."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from rlm_core.collector.moments import MomentClassifier, Moments, moments_of_numbers, moments_of_sets, signed_bits

GENERATOR = np.random.default_rng(0)
PHI = np.concatenate([GENERATOR.normal(size=(3_000, 3)), np.ones((3_000, 1))], axis=1)


def labels(weights: list[list[float]]) -> np.ndarray:
    scores = PHI @ np.array(weights).T + GENERATOR.gumbel(size=(len(PHI), len(weights)))
    return scores.argmax(axis=1)


@pytest.mark.parametrize("weights", [[[0, 0, 0, 0], [1, -1, 0.5, 0.3]], [[0, 0, 0, 1], [1, -1, 0, 0], [0, 1, 1, 0]]])
def test_exact_averages_of_the_same_rows_are_plain_logistic_regression(weights: list[list[float]]) -> None:
    y = labels(weights)
    one_hot = np.eye(len(weights))[y]
    moments = Moments(values=one_hot.T @ PHI / len(PHI), variance=np.zeros(4))
    ours = MomentClassifier.fit(moments, PHI)
    theirs = LogisticRegression(C=1e6, fit_intercept=False, max_iter=2_000).fit(PHI, y)
    assert np.abs(ours.predict_proba(PHI) - theirs.predict_proba(PHI)).max() < 0.01
    assert (ours.predict(PHI) == theirs.predict(PHI)).mean() > 0.99


def test_two_classes_need_the_signed_average_alone() -> None:
    y = labels([[0, 0, 0, 0], [2, 0, 0, 1]])
    signed = ((2 * y - 1)[:, None] * PHI).mean(axis=0)
    ours = MomentClassifier.fit(Moments.of_two(signed, np.zeros(4), PHI), PHI)
    direct = MomentClassifier.fit(Moments(values=np.eye(2)[y].T @ PHI / len(PHI), variance=np.zeros(4)), PHI)
    assert np.allclose(ours.weights, direct.weights, atol=1e-3)


def test_noise_shrinks_all_but_the_constant() -> None:
    y = labels([[0, 0, 0, 0], [1, 1, 1, 2]])
    signed = ((2 * y - 1)[:, None] * PHI).mean(axis=0)
    norms = []
    for variance in (0.0, 0.01, 1.0, 100.0):
        fitted = MomentClassifier.fit(Moments.of_two(signed, np.full(4, variance), PHI), PHI)
        norms.append(float(np.abs(fitted.weights[:, :-1]).sum()))
        assert fitted.weights[1, -1] > fitted.weights[0, -1]  # the commoner class stays the commoner
    assert norms == sorted(norms, reverse=True) and norms[-1] < 0.1 * norms[0]


def test_averages_of_numbers_and_of_sets() -> None:
    moments = moments_of_numbers(np.tile([0.5, 0.0, 0.0, 0.2], (10, 1)), 2.0, PHI)
    assert np.allclose(moments.values[1] - moments.values[0], [0.5, 0, 0, 0.2])
    assert moments.variance[0] == pytest.approx((8 + PHI[:, 0].var()) / 10 / 2)
    # Two classes; every report is about coordinate 0, half of them class 1 with the bit set, half class 0 without.
    vectors = np.array([[0.0, 0, 0, 1], [1, 0, 0, 0]] * 20)
    sets = moments_of_sets(np.zeros(40, dtype=int), vectors, 0.0, PHI)
    assert np.allclose(sets.values.sum(axis=0), PHI.mean(axis=0))  # what all have together is public
    assert sets.values[1, 0] - sets.values[0, 0] == pytest.approx(1.0)
    assert sets.values[:, -1] == pytest.approx([0.5, 0.5])


def test_shapes_are_checked() -> None:
    with pytest.raises(ValueError, match=r"moments \(K, d\) and d variances"):
        Moments(values=np.zeros((2, 3)), variance=np.zeros(2))
    with pytest.raises(ValueError, match=r"features \(m, 3\)"):
        MomentClassifier.fit(Moments(values=np.zeros((2, 3)), variance=np.zeros(3)), PHI)
    with pytest.raises(ValueError, match="coordinates from 0 to 3, got 0 to 4"):
        signed_bits([0, 4], [0, 1], bits=1, keep=0.5, features=4)
