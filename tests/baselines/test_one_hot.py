"""One categorical as a block of columns, and labels as rows. Chance failures: below 1e-6 for each test."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chi2

from rlm_core.baselines import LabelMechanism, OneHotResponse
from rlm_core.owner import RandomisedResponse


def p_value(counts: np.ndarray, probabilities: np.ndarray) -> float:
    expected = counts.sum() * probabilities
    return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), len(counts) - 1))


@pytest.mark.parametrize("path", ["privatise", "simulate"])
def test_reports_follow_randomised_response(path: str) -> None:
    mechanism = OneHotResponse(epsilon=1.0, classes=3)
    x = np.tile([0.0, 1.0, 0.0], (60_000, 1))
    unknown = np.zeros((60_000, 3))
    if path == "privatise":
        reports, nothing = mechanism.privatise(x), mechanism.privatise(unknown)
    else:
        generator = np.random.default_rng(0)
        reports, nothing = (mechanism.simulate(each, generator=generator) for each in (x, unknown))
    np.testing.assert_array_equal(reports.sum(axis=1), 1.0)
    right = RandomisedResponse(epsilon=1.0, classes=3).transition_matrix[1]
    assert p_value(reports.sum(axis=0), right) > 1e-7
    for wrong in (0.9, 1.1):
        other = RandomisedResponse(epsilon=wrong, classes=3).transition_matrix[1]
        assert p_value(reports.sum(axis=0), other) < 1e-7
    assert p_value(nothing.sum(axis=0), np.full(3, 1 / 3)) > 1e-7
    assert p_value(nothing.sum(axis=0), right) < 1e-7


def test_density_of_known_and_unknown_categories() -> None:
    mechanism = OneHotResponse(epsilon=1.0, classes=3)
    density = np.exp(mechanism.log_density_pairs(np.eye(3), [[1.0, 0.0, 0.0], [0.0, 0.0, 0.0]]))
    e = math.e
    np.testing.assert_allclose(density, [[e / (e + 2), 1 / 3], [1 / (e + 2), 1 / 3], [1 / (e + 2), 1 / 3]])
    with pytest.raises(ValueError, match="a category in every row of z_private"):
        mechanism.log_density_pairs(np.zeros((1, 3)), np.eye(3))


def test_limits() -> None:
    unlimited = OneHotResponse(epsilon=math.inf, classes=2)
    rows = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]])
    np.testing.assert_array_equal(unlimited.privatise(rows), rows)
    np.testing.assert_array_equal(unlimited.simulate(rows, generator=np.random.default_rng(0)), rows)
    constant = OneHotResponse(epsilon=1.0, classes=1)
    np.testing.assert_array_equal(constant.privatise([[1.0], [0.0]]), [[1.0], [1.0]])
    np.testing.assert_array_equal(constant.log_density_pairs([[1.0]], [[1.0], [0.0]]), [[0.0, 0.0]])


@pytest.mark.parametrize("row", [[1.0, 1.0], [0.5, 0.5], [2.0, 0.0], [-1.0, 1.0], [math.nan, 1.0]])
def test_rows_that_are_not_one_hot_raise(row: list[float]) -> None:
    with pytest.raises(ValueError, match="Expected"):
        OneHotResponse(epsilon=1.0, classes=2).privatise([[1.0, 0.0], row])


def test_bad_values_raise() -> None:
    with pytest.raises(ValueError, match="Expected classes >= 1, got classes=0"):
        OneHotResponse(epsilon=1.0, classes=0)
    with pytest.raises(ValueError, match="epsilon=-1"):
        OneHotResponse(epsilon=-1.0, classes=2)


def test_labels_as_rows() -> None:
    mechanism = LabelMechanism(epsilon=2.0, classes=5)
    labels = np.arange(5.0)[:, None]
    np.testing.assert_array_equal(mechanism.represent(labels), labels)
    assert set(mechanism.privatise(np.tile(labels, (200, 1))).ravel()) == {0.0, 1.0, 2.0, 3.0, 4.0}
    np.testing.assert_allclose(
        np.exp(mechanism.log_density_pairs(labels, labels)), mechanism.response.transition_matrix.T
    )
    first, second = (mechanism.simulate(labels, generator=np.random.default_rng(1)) for _ in range(2))
    np.testing.assert_array_equal(first, second)


@pytest.mark.parametrize("label", [-1.0, 5.0, 0.5, 1e300, math.nan])
def test_unknown_labels_raise(label: float) -> None:
    with pytest.raises(ValueError, match="Expected"):
        LabelMechanism(epsilon=2.0, classes=5).privatise([[label]])


def test_label_mechanism_checks_its_numbers() -> None:
    with pytest.raises(ValueError, match="classes=1"):
        LabelMechanism(epsilon=1.0, classes=1)
    with pytest.raises(ValueError, match="epsilon"):
        LabelMechanism(epsilon=math.nan, classes=3)
