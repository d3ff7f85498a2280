"""The two formulas: against the paper's table, 1,600-digit arithmetic, their limits and each other."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest

from rlm_core.owner.labels import RandomisedResponse
from rlm_core.theory import krr_cap, vertex_accuracy, vertex_accuracy_closed_form, vertex_accuracy_odd

INF = float("inf")
EPSILONS = [0.0, 1e-6, 1e-3, 0.1, 0.7, 1.4, 2.8, 4.2, 5.6, 7.0, 10.0, 20.0, 40.0, 79.9, 80.1, 100.0]


def paper_formula(epsilon: float, classes: int) -> mpmath.mpf:
    """The paper's sum with enough digits to survive its cancellation of about 2^(K/2)."""
    with mpmath.workdps(int(0.302 * classes / 2) + 50):
        eps, m = mpmath.mpf(epsilon), classes // 2 - 1
        q = mpmath.exp(-eps / 2)
        total, binomial, power = mpmath.mpf(0), 1, mpmath.mpf(1)  # binomial stays an exact integer
        for j in range(m + 1):
            if j != 1:
                total += (-1) ** j * binomial * (power / (1 + j) - q / 2) / (1 - j)
            binomial = binomial * (m - j) // (j + 1)
            power *= q
        return total - (eps + 1) / 8 * (classes - 2) * q


def definition(epsilon: float, classes: int) -> mpmath.mpf:
    """The integral over z_1 as it stands in the module's docstring, by adaptive quadrature."""
    with mpmath.workdps(30):
        b, m = 2 / mpmath.mpf(epsilon), classes // 2 - 1

        def integrand(t: mpmath.mpf) -> mpmath.mpf:
            return mpmath.exp(-abs(1 - t) / b) / (2 * b) * (1 - mpmath.exp(-t / b)) ** m

        return mpmath.quad(integrand, [0, 0.5, 1, 1 + b, 1 + 5 * b, 1 + 20 * b, 1 + 80 * b])


@pytest.mark.parametrize(
    ("epsilon", "percent"), [(7.0, 80.7), (5.6, 69.3), (4.2, 53.8), (2.8, 36.0), (1.4, 20.0), (0.7, 14.2)]
)
def test_reproduces_the_papers_maximum_row(epsilon: float, percent: float) -> None:
    assert round(100 * vertex_accuracy(epsilon, 10), 1) == percent
    assert round(100 * vertex_accuracy_closed_form(epsilon, 10), 1) == percent


@pytest.mark.parametrize("classes", [2, 4, 6, 10, 100, 1000])
def test_matches_high_precision(classes: int) -> None:
    exact = np.array([float(paper_formula(epsilon, classes)) for epsilon in EPSILONS])
    np.testing.assert_allclose(vertex_accuracy(EPSILONS, classes), exact, rtol=1e-12, atol=0)


@pytest.mark.slow
@pytest.mark.parametrize("epsilon", [0.0, 1e-6, 1.0, 14.0, 24.0, 30.0, 100.0])
def test_matches_high_precision_for_ten_thousand_classes(epsilon: float) -> None:
    assert vertex_accuracy(epsilon, 10_000) == pytest.approx(float(paper_formula(epsilon, 10_000)), rel=1e-12, abs=0)


@pytest.mark.parametrize("classes", [2, 4, 10, 30])
@pytest.mark.parametrize("epsilon", [0.5, 4.0, 12.0])
def test_matches_the_defining_integral(epsilon: float, classes: int) -> None:
    assert vertex_accuracy(epsilon, classes) == pytest.approx(float(definition(epsilon, classes)), rel=1e-12, abs=0)


def test_closed_form_is_good_for_few_classes_and_breaks_down_for_many() -> None:
    epsilons = np.linspace(0, 20, 201)
    for classes in (2, 4, 10, 20):
        stable = vertex_accuracy(epsilons, classes)
        np.testing.assert_allclose(vertex_accuracy_closed_form(epsilons, classes), stable, rtol=1e-12, atol=0)
    assert np.abs(vertex_accuracy_closed_form(epsilons, 120)).max() > 1  # the reason for the stable one


def test_two_classes_have_the_textbook_formula() -> None:
    epsilons = np.linspace(0, 50, 101)
    np.testing.assert_allclose(vertex_accuracy(epsilons, 2), 1 - np.exp(-epsilons / 2) / 2, rtol=1e-13)


@pytest.mark.parametrize("classes", [2, 4, 10, 100, 10_000])
def test_limits_are_chance_and_certainty(classes: int) -> None:
    assert vertex_accuracy(0.0, classes) == pytest.approx(1 / classes, rel=1e-13)
    assert vertex_accuracy(INF, classes) == pytest.approx(1.0, abs=1e-13)
    assert vertex_accuracy(INF, classes) <= 1
    assert vertex_accuracy(1e300, classes) == vertex_accuracy(INF, classes)
    assert krr_cap(0.0, classes) == pytest.approx(1 / classes, rel=1e-15)
    assert krr_cap(INF, classes) == 1
    assert krr_cap(1e300, classes) == 1


def test_rises_with_epsilon_and_falls_with_classes() -> None:
    epsilons = np.linspace(0, 50, 201)
    rows = np.array([vertex_accuracy(epsilons, classes) for classes in (2, 4, 10, 50, 1000, 10_000)])
    assert np.all(np.diff(rows, axis=1) > 0)
    assert np.all(np.diff(rows[:, epsilons < 40], axis=0) < 0)  # beyond, the few-class rows all round to 1


@pytest.mark.parametrize("classes", [2, 4, 10, 1000, 10_000])
def test_stays_between_chance_and_the_cap(classes: int) -> None:
    epsilons = np.linspace(0.01, 30, 300)
    accuracy, cap = vertex_accuracy(epsilons, classes), krr_cap(epsilons, classes)
    assert np.all(accuracy > 1 / classes)
    assert np.all(accuracy < cap)


def test_the_papers_maximum_is_not_the_maximum_of_ldp() -> None:
    assert round(100 * krr_cap(7.0, 10), 1) == 99.2
    assert krr_cap(7.0, 10) > vertex_accuracy(7.0, 10) + 0.18


@pytest.mark.parametrize(("epsilon", "classes"), [(0.5, 2), (3.0, 7), (20.0, 100)])
def test_cap_is_the_diagonal_of_randomised_response(epsilon: float, classes: int) -> None:
    matrix = RandomisedResponse(epsilon=epsilon, classes=classes).transition_matrix
    assert krr_cap(epsilon, classes) == pytest.approx(matrix[0, 0], rel=1e-12)


@pytest.mark.parametrize("function", [vertex_accuracy, vertex_accuracy_closed_form, krr_cap])
def test_is_vectorised_over_epsilon(function) -> None:  # type: ignore[no-untyped-def]
    epsilons = np.linspace(0.1, 20, 12).reshape(3, 4)
    result = function(epsilons, 10)
    assert result.shape == (3, 4)
    np.testing.assert_allclose(result[1, 2], function(float(epsilons[1, 2]), 10), rtol=1e-13)
    assert isinstance(function(1, 10), float)
    assert function(np.array([]), 10).shape == (0,)


def test_odd_lies_between_its_neighbours_and_has_the_limits() -> None:
    epsilons = np.linspace(0.1, 20, 50)
    for classes in (3, 5, 9, 101):
        odd = vertex_accuracy_odd(epsilons, classes)
        assert np.all(odd < vertex_accuracy(epsilons, classes - 1))
        assert np.all(odd > vertex_accuracy(epsilons, classes + 1))
        assert vertex_accuracy_odd(0.0, classes) == pytest.approx(1 / classes, rel=1e-13)
        assert vertex_accuracy_odd(INF, classes) == pytest.approx(1.0, abs=1e-13)


@pytest.mark.parametrize("function", [vertex_accuracy, vertex_accuracy_closed_form, krr_cap, vertex_accuracy_odd])
@pytest.mark.parametrize("epsilon", [-1.0, float("nan"), [1.0, -2.0], [float("nan"), 1.0]])
def test_refuses_bad_epsilon(function, epsilon) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(ValueError, match="Expected epsilon >= 0, got epsilon=(-1|-2|nan)"):
        function(epsilon, 3 if function is vertex_accuracy_odd else 4)


def test_refuses_bad_classes_and_types() -> None:
    with pytest.raises(ValueError, match="Expected an even number of classes, got classes=5"):
        vertex_accuracy(1.0, 5)
    with pytest.raises(ValueError, match="Expected an even number of classes, got classes=5"):
        vertex_accuracy_closed_form(1.0, 5)
    with pytest.raises(ValueError, match="Expected an odd number of classes, got classes=4"):
        vertex_accuracy_odd(1.0, 4)
    with pytest.raises(ValueError, match="Expected classes >= 2, got classes=0"):
        vertex_accuracy(1.0, 0)
    with pytest.raises(ValueError, match="Expected classes >= 2, got classes=1"):
        krr_cap(1.0, 1)
    with pytest.raises(ValueError, match="Expected finite epsilon"):
        vertex_accuracy_closed_form(INF, 4)
    for classes in (4.0, "4", True, None):
        with pytest.raises(TypeError, match="Expected an integer for classes"):
            vertex_accuracy(1.0, classes)  # type: ignore[arg-type]
    for epsilon in ("1", True, None):
        with pytest.raises(TypeError, match="Expected numbers in epsilon"):
            vertex_accuracy(epsilon, 4)  # type: ignore[call-overload]
