"""k-RR. Tests on the operating system's source fail by chance below 1e-6 each."""

from __future__ import annotations

import math
from decimal import ROUND_CEILING, Context, Decimal, localcontext
from fractions import Fraction
from inspect import signature

import numpy as np
import opendp.prelude as dp
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import chi2

from rlm_core.owner import labels
from rlm_core.owner.labels import RandomisedResponse

CEILING = Context(prec=400, rounding=ROUND_CEILING)
ALPHA = 1e-7
EPSILONS = st.one_of(st.just(0.0), st.floats(0.0, 800.0), st.floats(0.0, 1e-9), st.floats(20.0, 80.0))
CLASSES = st.one_of(st.integers(2, 20), st.integers(2, 2**31))


def exp_above(epsilon: float) -> Fraction:
    """e^ε, from above by less than a relative 1e-390."""
    return Fraction(CEILING.next_plus(CEILING.exp(Decimal(epsilon))))


def chi_square_accepts(reported: np.ndarray, probabilities: np.ndarray) -> bool:
    counts = np.bincount(reported, minlength=len(probabilities))
    expected = counts.sum() * probabilities
    return bool(chi2.sf(float(((counts - expected) ** 2 / expected).sum()), len(counts) - 1) > ALPHA)


# --- the guarantee, exactly ------------------------------------------------------------------------------------


@settings(deadline=None, derandomize=True, max_examples=300)
@given(epsilon=EPSILONS, classes=CLASSES)
@example(epsilon=0.0, classes=3)  # 1/3 is no multiple of 2**-64
@example(epsilon=5e-324, classes=10)
@example(epsilon=70.0, classes=2)  # e^-70 is lost beside 1 in 28 digits
@example(epsilon=300.0, classes=2)  # and e^-300 in 80
@example(epsilon=1e-12, classes=2**31)
def test_the_ratio_of_a_release_lies_between_one_and_e_to_the_epsilon(epsilon: float, classes: int) -> None:
    response = RandomisedResponse(epsilon=epsilon, classes=classes)
    keep, truth = response.keep_probability, response.truth_probability
    assert 0 <= keep < 1 and (keep * 2**64).denominator == 1
    other = (1 - truth) / (classes - 1)
    assert truth == keep + (1 - keep) / classes and other == (1 - keep) / classes
    assert 1 <= truth / other <= exp_above(epsilon)


@settings(deadline=None, derandomize=True)
@given(epsilon=st.floats(1e-6, 30.0), classes=st.integers(2, 1000))
def test_rounding_down_costs_next_to_nothing(epsilon: float, classes: int) -> None:
    response = RandomisedResponse(epsilon=epsilon, classes=classes)
    exact = exp_above(epsilon) / (exp_above(epsilon) + classes - 1)
    assert exact - Fraction(1, 2**63) <= response.truth_probability <= exact


def test_epsilon_is_taken_exactly() -> None:
    """κ·2⁶⁴ = 8 − 2⁻¹²¹ here; with ε rounded to 28 digits it would come out as 8, and the ratio above e^ε."""
    assert RandomisedResponse(epsilon=2.0**-60, classes=2).keep_probability == Fraction(7, 2**64)


def test_the_callers_decimal_precision_does_not_matter() -> None:
    expected = RandomisedResponse(epsilon=1.0, classes=3).keep_probability
    with localcontext(prec=3):
        assert RandomisedResponse(epsilon=1.0, classes=3).keep_probability == expected


# --- the matrix ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.0, 0.1, 1.0, 4.0, 20.0])
@pytest.mark.parametrize("classes", [2, 3, 10, 1000])
def test_transition_matrix_equals_the_naive_copy(epsilon: float, classes: int) -> None:
    naive = np.ones((classes, classes)) + np.eye(classes) * (math.exp(epsilon) - 1.0)
    naive /= math.exp(epsilon) + classes - 1.0
    matrix = RandomisedResponse(epsilon=epsilon, classes=classes).transition_matrix
    np.testing.assert_allclose(matrix, naive, rtol=1e-9)
    np.testing.assert_allclose(matrix.sum(axis=1), 1.0, rtol=1e-12)


def test_transition_matrix_agrees_with_what_a_release_does() -> None:
    response = RandomisedResponse(epsilon=1.5, classes=7)
    assert response.transition_matrix[3, 3] == pytest.approx(float(response.truth_probability), rel=1e-14)


def test_two_classes_are_warners_coin() -> None:
    matrix = RandomisedResponse(epsilon=math.log(3.0), classes=2).transition_matrix
    np.testing.assert_allclose(matrix, [[0.75, 0.25], [0.25, 0.75]])


def test_log_density_pairs_looks_up_the_matrix() -> None:
    response = RandomisedResponse(epsilon=1.0, classes=4)
    log_p = response.log_density_pairs([0, 3], [3, 1, 0])
    expected = np.log(response.transition_matrix)[[3, 1, 0]][:, [0, 3]].T
    np.testing.assert_allclose(log_p, expected)


# --- the distribution ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("epsilon", "classes"), [(0.0, 3), (0.5, 2), (1.0, 10), (4.0, 5)])
def test_reports_follow_the_matrix_and_not_another_epsilon(epsilon: float, classes: int) -> None:
    response = RandomisedResponse(epsilon=epsilon, classes=classes)
    y = np.full(200_000, classes - 1)
    for reported in (response.privatise(y), response.simulate(y, generator=np.random.default_rng(0))):
        assert chi_square_accepts(reported, response.transition_matrix[-1])
        for wrong in (0.9 * epsilon, 1.1 * epsilon) if epsilon else (0.1,):
            other = RandomisedResponse(epsilon=wrong, classes=classes).transition_matrix[-1]
            assert not chi_square_accepts(reported, other)


def test_every_true_label_is_treated_alike() -> None:
    response = RandomisedResponse(epsilon=1.0, classes=4)
    y = np.tile(np.arange(4), 50_000)
    reported = response.privatise(y)
    for label in range(4):
        assert chi_square_accepts(reported[y == label], response.transition_matrix[label])


def test_agrees_with_opendp() -> None:
    dp.enable_features("contrib")
    response = RandomisedResponse(epsilon=1.0, classes=4)
    truth = float(response.truth_probability)
    oracle = dp.m.make_randomized_response(categories=list(range(4)), prob=truth)
    assert oracle.map(1) == pytest.approx(1.0, abs=1e-12)  # OpenDP's own accounting of this probability
    theirs = np.array([oracle(2) for _ in range(4_000)])
    ours = response.privatise(np.full(100_000, 2))
    counts = np.stack([np.bincount(sample, minlength=4) for sample in (ours, theirs)])  # (2, 4)

    def alike(table: np.ndarray) -> bool:
        expected = table.sum(axis=1, keepdims=True) * table.sum(axis=0) / table.sum()
        return bool(chi2.sf(float(((table - expected) ** 2 / expected).sum()), 3) > ALPHA)

    assert alike(counts)
    swapped = counts[:, [0, 2, 1, 3]]
    assert not alike(np.stack([counts[0], swapped[1]]))


# --- limits and errors -----------------------------------------------------------------------------------------


def test_infinite_epsilon_tells_the_truth() -> None:
    response = RandomisedResponse(epsilon=math.inf, classes=5)
    y = np.arange(1_000) % 5
    assert response.truth_probability == 1
    assert (response.privatise(y) == y).all()
    assert (response.simulate(y, generator=np.random.default_rng(0)) == y).all()
    np.testing.assert_array_equal(response.transition_matrix, np.eye(5))
    assert response.log_density_pairs([0], [0, 1]).tolist() == [[0.0, -math.inf]]


def test_a_finite_epsilon_never_promises_the_truth() -> None:
    for epsilon in (64.0, 65.0, 100.0, 1e4, 1e308):
        assert RandomisedResponse(epsilon=epsilon, classes=2).truth_probability < 1


def test_many_classes() -> None:
    response = RandomisedResponse(epsilon=1.0, classes=2**31)
    reported = response.privatise(np.full(10_000, 2**31 - 1))
    assert 0 <= reported.min() and reported.max() < 2**31
    assert np.unique(reported).size > 9_000  # practically uniform


def test_shapes_are_kept_and_a_single_label_works() -> None:
    response = RandomisedResponse(epsilon=1.0, classes=3)
    assert response.privatise([[0, 1], [2, 0]]).shape == (2, 2)
    assert response.privatise(np.int64(2)).shape == (1,)
    assert response.privatise(np.zeros((0,), dtype=np.int64)).shape == (0,)
    assert response.privatise(np.array([1], dtype=np.uint8)).dtype == np.int64


def test_release_takes_no_seed_and_simulation_repeats() -> None:
    assert list(signature(RandomisedResponse.privatise).parameters) == ["self", "y"]
    response = RandomisedResponse(epsilon=1.0, classes=10)
    y = np.zeros(100, dtype=np.int64)
    first, second = (response.simulate(y, generator=np.random.default_rng(5)) for _ in range(2))
    assert first.tobytes() == second.tobytes()
    assert (response.privatise(y) != response.privatise(y)).any()  # all equal: below 1e-50


@pytest.mark.parametrize("label", [-1, 3, 2**40])
def test_unknown_labels_are_refused_before_anything_is_drawn(label: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(labels, "bernoulli", lambda *_: pytest.fail("drew"))
    with pytest.raises(ValueError, match=f"labels from 0 to 2, got the label {label}"):
        RandomisedResponse(epsilon=1.0, classes=3).privatise([0, label])


@pytest.mark.parametrize("y", [[0.0], ["a"], [True], [math.nan]])
def test_labels_are_integers(y: list[object]) -> None:
    with pytest.raises(TypeError, match="integer labels"):
        RandomisedResponse(epsilon=1.0, classes=3).privatise(y)


@pytest.mark.parametrize("epsilon", [-1.0, math.nan, -math.inf])
def test_bad_epsilons_are_refused(epsilon: float) -> None:
    with pytest.raises(ValueError, match="epsilon"):
        RandomisedResponse(epsilon=epsilon, classes=3)


@pytest.mark.parametrize("classes", [1, 0, -5, 2**31 + 1])
def test_bad_numbers_of_classes_are_refused(classes: int) -> None:
    with pytest.raises(ValueError, match=f"got classes={classes}"):
        RandomisedResponse(epsilon=1.0, classes=classes)


@pytest.mark.parametrize("classes", [2.0, True, "3"])
def test_classes_are_counted_in_integers(classes: object) -> None:
    with pytest.raises(TypeError, match="classes"):
        RandomisedResponse(epsilon=1.0, classes=classes)  # type: ignore[arg-type]
