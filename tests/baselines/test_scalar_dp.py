"""ScalarDP, exactly. Every test that uses the operating system's source fails by chance below 1e-6."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy.stats import chi2

from rlm_core.baselines import ScalarDP
from rlm_core.baselines.scalar_dp import MAX_LEVELS, best_levels

EPSILONS = [0.01, 0.5, 1.0, 2.0, 5.0, 9.0]


@pytest.mark.parametrize("levels", [None, 1, 2, 7])
@pytest.mark.parametrize("epsilon", EPSILONS)
def test_unbiased_for_every_number(epsilon: float, levels: int | None) -> None:
    mechanism = ScalarDP(epsilon=epsilon, radius=3.0, levels=levels)
    s = np.linspace(0.0, 3.0, 101)
    probabilities = mechanism.probabilities(s)
    np.testing.assert_allclose(probabilities.sum(axis=1), 1.0)
    np.testing.assert_allclose(probabilities @ mechanism.estimates, s, atol=1e-9 * np.abs(mechanism.estimates).max())


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_ratio_is_e_to_the_epsilon(epsilon: float) -> None:
    probabilities = ScalarDP(epsilon=epsilon, radius=1.0).probabilities(np.linspace(0.0, 1.0, 101))
    assert math.log((probabilities.max(axis=0) / probabilities.min(axis=0)).max()) == pytest.approx(epsilon)


@pytest.mark.parametrize("levels", [1, 2, 5])
def test_estimates_are_the_published_ones(levels: int) -> None:
    epsilon, radius = 1.3, 4.0
    e = math.exp(epsilon)
    a = (e + levels) / (e - 1) * radius / levels
    b = levels * (levels + 1) / (2 * (e + levels))
    naive = [a * (j - b) for j in range(levels + 1)]
    np.testing.assert_allclose(ScalarDP(epsilon=epsilon, radius=radius, levels=levels).estimates, naive)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_worst_cases_by_brute_force(epsilon: float) -> None:
    mechanism = ScalarDP(epsilon=epsilon, radius=2.0)
    s = np.linspace(0.0, 2.0, 20_001)
    moments = mechanism.probabilities(s) @ mechanism.estimates**2
    assert mechanism.worst_second_moment == pytest.approx(moments.max(), rel=1e-6)
    assert mechanism.worst_squared_error == pytest.approx((moments - s**2).max(), rel=1e-6)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_the_number_of_levels_is_the_best(epsilon: float) -> None:
    errors = [ScalarDP(epsilon=epsilon, radius=1.0, levels=k).worst_squared_error for k in range(1, 81)]
    chosen = ScalarDP(epsilon=epsilon, radius=1.0).worst_squared_error
    assert chosen <= min(errors) * 1.002  # beyond 20 levels not every number is tried
    published = ScalarDP(epsilon=epsilon, radius=1.0, levels=math.ceil(math.exp(epsilon / 3)))
    assert chosen <= published.worst_squared_error
    assert best_levels(500.0) <= MAX_LEVELS


@pytest.mark.parametrize("path", ["privatise", "simulate"])
def test_reports_have_the_exact_probabilities_and_no_others(path: str) -> None:
    mechanism = ScalarDP(epsilon=1.0, radius=1.0, levels=3)
    s = np.full(200_000, 0.55)
    if path == "privatise":
        reports = mechanism.privatise(s)
    else:
        reports = mechanism.simulate(s, generator=np.random.default_rng(0))
    counts = np.array([(reports == value).sum() for value in mechanism.estimates])
    assert counts.sum() == len(s)

    def p_value(other: ScalarDP, number: float) -> float:
        expected = len(s) * other.probabilities([number])[0]
        return float(chi2.sf(((counts - expected) ** 2 / expected).sum(), len(counts) - 1))

    assert p_value(mechanism, 0.55) > 1e-7
    assert p_value(mechanism, 0.65) < 1e-7
    for wrong in (0.9, 1.1):
        assert p_value(ScalarDP(epsilon=wrong, radius=1.0, levels=3), 0.55) < 1e-7


def test_numbers_outside_are_clipped() -> None:
    mechanism = ScalarDP(epsilon=500.0, radius=2.0)  # so much that no report is wrong
    np.testing.assert_allclose(mechanism.privatise([-1.0, 0.0, 2.0, 9.0]), [0.0, 0.0, 2.0, 2.0], atol=1e-12)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf, 501.0])
def test_bad_epsilon_raises(epsilon: float) -> None:
    with pytest.raises(ValueError, match="epsilon"):
        ScalarDP(epsilon=epsilon, radius=1.0)


def test_other_bad_values_raise() -> None:
    with pytest.raises(ValueError, match="Expected radius > 0, got radius=0"):
        ScalarDP(epsilon=1.0, radius=0.0)
    with pytest.raises(ValueError, match="got levels=0"):
        ScalarDP(epsilon=1.0, radius=1.0, levels=0)
    with pytest.raises(ValueError, match="finite numbers in s"):
        ScalarDP(epsilon=1.0, radius=1.0).privatise([math.nan])
