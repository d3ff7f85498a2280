"""PrivUnit2: calibration against 40-digit arithmetic, draws against the exact law.

Every test that uses the operating system's source fails by chance below 1e-6.
"""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.special import betainc
from scipy.stats import kstest

from rlm_core.baselines import PrivUnit2
from rlm_core.baselines.privunit2 import GRID
from rlm_core.baselines.randomness_source import SYSTEM, Simulated
from rlm_core.types import BoolArray, FloatArray

CASES = [(1, 1.0), (2, 0.1), (2, 20.0), (3, 4.0), (16, 1.0), (16, 8.0), (784, 0.5), (784, 4.0), (3072, 10.0)]


def axis(dimension: int, count: int = 1) -> FloatArray:
    return np.tile(np.eye(1, dimension), (count, 1))


def share_above(dimension: int, w: float) -> float:
    """P(⟨V, u⟩ ≥ w) for a uniform V, naively: the area of a cap by numerical integration."""
    if dimension == 1:
        return 0.5

    def density(theta: mpmath.mpf) -> mpmath.mpf:  # of the angle between V and u
        return mpmath.sin(theta) ** (dimension - 2)

    return mpmath.quad(density, [0, mpmath.acos(w)]) / mpmath.quad(density, [0, mpmath.pi / 2, mpmath.pi])


def second_moment(dimension: int, epsilon: float, gamma: float) -> float:
    """1/m² at a given γ, from the formulas of the docstring."""
    alpha = (dimension - 1) / 2
    q = 0.5 * betainc(alpha, 0.5, 1 - gamma**2)
    p = math.exp(epsilon) * q / (math.exp(epsilon) * q + 1 - q)
    c = math.exp(math.lgamma(dimension / 2) - math.lgamma(alpha)) / math.sqrt(math.pi)  # 1/B(1/2, alpha)
    mean = c * (1 - gamma**2) ** alpha / (2 * alpha)
    return float((mean * (p / q - (1 - p) / (1 - q))) ** -2)


@pytest.mark.parametrize(("dimension", "epsilon"), CASES)
def test_the_cap_has_the_mass_it_claims(dimension: int, epsilon: float) -> None:
    cap = PrivUnit2(epsilon=epsilon, dimension=dimension).cap
    with mpmath.workdps(30):
        exact = share_above(dimension, mpmath.sqrt(1 - mpmath.mpf(cap.square)))
        assert abs(cap.mass / exact - 1) < 1e-11


@pytest.mark.parametrize(("dimension", "epsilon"), CASES)
def test_the_density_ratio_is_e_to_the_epsilon_and_never_more(dimension: int, epsilon: float) -> None:
    cap = PrivUnit2(epsilon=epsilon, dimension=dimension).cap
    with mpmath.workdps(40):
        alpha, square = mpmath.mpf(dimension - 1) / 2, mpmath.mpf(cap.square)
        exact = mpmath.betainc(alpha, 0.5, 0, square, regularized=True) / 2 if dimension > 1 else mpmath.mpf(0.5)
        p = mpmath.mpf(cap.probability.numerator) / cap.probability.denominator
        spent = mpmath.log(p / exact / ((1 - p) / (1 - exact)))
        assert epsilon - 2e-10 <= spent <= epsilon
    assert cap.log_inside - cap.log_outside == pytest.approx(epsilon)


@pytest.mark.parametrize(("dimension", "epsilon"), [case for case in CASES if case[0] > 1])
def test_no_other_gamma_does_better(dimension: int, epsilon: float) -> None:
    mechanism = PrivUnit2(epsilon=epsilon, dimension=dimension)
    assert mechanism.second_moment == pytest.approx(second_moment(dimension, epsilon, mechanism.cap.gamma), rel=1e-6)
    gammas = np.linspace(0.0, min(0.9999, 3.0 * mechanism.cap.gamma), 500)
    best = min(second_moment(dimension, epsilon, float(gamma)) for gamma in gammas)
    assert mechanism.second_moment <= best * (1 + 1e-6)


def test_second_moment_of_a_picture() -> None:
    assert PrivUnit2(epsilon=4.0, dimension=784).second_moment <= 345.0


def test_one_dimension_is_randomised_response() -> None:
    cap = PrivUnit2(epsilon=1.0, dimension=1).cap
    assert float(cap.probability) == pytest.approx(math.e / (math.e + 1))
    assert cap.shrink == pytest.approx((math.e - 1) / (math.e + 1))
    v = PrivUnit2(epsilon=1.0, dimension=1).draw(np.ones((1000, 1)), SYSTEM)
    assert set(v.ravel()) == {-1.0, 1.0}


@pytest.mark.parametrize("source", [SYSTEM, Simulated(np.random.default_rng(0))], ids=["system", "simulated"])
@pytest.mark.parametrize("dimension", [2, 3, 12])
def test_draws_have_the_exact_law(dimension: int, source: Simulated) -> None:
    count = 60_000
    mechanism = PrivUnit2(epsilon=2.0, dimension=dimension)
    u = np.full((count, dimension), 1.0 / math.sqrt(dimension))
    v = mechanism.draw(u, source)
    w = np.vecdot(v, u)
    cap, p = mechanism.cap, float(mechanism.cap.probability)
    inside = w >= cap.gamma
    assert abs(inside.mean() - p) < 5.0 * math.sqrt(p * (1 - p) / count) + 1e-4  # 1e-4: the grid, at the rim
    for epsilon in (1.8, 2.2):  # a wrong epsilon would be noticed
        odds = math.exp(epsilon) * cap.mass / (1 - cap.mass)
        assert abs(inside.mean() - odds / (1 + odds)) > 5.0 * math.sqrt(p * (1 - p) / count)

    def above(values: FloatArray) -> FloatArray:
        tail = 0.5 * betainc((dimension - 1) / 2, 0.5, np.clip(1 - values**2, 0, 1))
        return np.where(values >= 0, tail, 1 - tail)

    clear = np.abs(w - cap.gamma) > 1e-4  # away from the rim, where the grid may move a point across
    assert kstest(w[inside & clear], lambda x: 1 - above(x) / cap.mass).pvalue > 1e-7
    assert kstest(w[~inside & clear], lambda x: (1 - above(x)) / (1 - cap.mass)).pvalue > 1e-7
    # Around u nothing is preferred: along any orthogonal axis, V/√(1 − w²) is uniform on the sphere of d − 1.
    orthogonal = np.zeros(dimension)
    orthogonal[:2] = [math.sqrt(0.5), -math.sqrt(0.5)]
    along = (v @ orthogonal / np.sqrt(np.maximum(1 - w**2, 1e-12)))[np.abs(w) < 0.999]
    if dimension > 2:
        alpha = (dimension - 2) / 2
        law = lambda x: np.where(  # noqa: E731
            x >= 0,
            1 - 0.5 * betainc(alpha, 0.5, np.clip(1 - x**2, 0, 1)),
            0.5 * betainc(alpha, 0.5, np.clip(1 - x**2, 0, 1)),
        )
        assert kstest(np.clip(along, -1, 1), law).pvalue > 1e-7
    else:
        assert abs((along > 0).mean() - 0.5) < 5.0 * 0.5 / math.sqrt(len(along))


def test_estimates_are_unbiased_and_a_wrong_factor_is_noticed() -> None:
    count, mechanism = 60_000, PrivUnit2(epsilon=4.0, dimension=8)
    u = np.array([3.0, -2.0, 1.0, 0.0, 0.0, 0.5, -1.0, 2.0])
    u /= np.linalg.norm(u)
    estimates = mechanism.draw(np.tile(u, (count, 1)), SYSTEM) / mechanism.cap.shrink
    error = (estimates.mean(axis=0) - u) / (estimates.std(axis=0) / math.sqrt(count))
    assert np.abs(error).max() < 5.5  # standard deviations, at 8 places
    along = estimates @ u
    deviation = 5.0 * along.std() / math.sqrt(count)
    assert abs(along.mean() - 1.0) < deviation < 0.05  # 0.9 and 1.1 of the factor would be 0.1 away
    assert np.vecdot(estimates, estimates).mean() == pytest.approx(mechanism.second_moment, rel=1e-3)


class Fixed:
    """A source whose draws are known in advance."""

    def __init__(self, inside: bool, uniform: float, normal: FloatArray) -> None:
        self.inside, self.value, self.draws = inside, uniform, normal

    def bernoulli(self, probability: Fraction, count: int) -> BoolArray:
        return np.full(count, self.inside)

    def uniform(self, count: int) -> FloatArray:
        return np.full(count, self.value)

    def normal(self, shape: tuple[int, ...]) -> FloatArray:
        return self.draws[None].copy()


@pytest.mark.parametrize("inside", [True, False])
@pytest.mark.parametrize("uniform", [1e-9, 0.37, 0.535, 0.999, 1.0])
@pytest.mark.parametrize("dimension", [2, 3, 40, 784])
def test_a_draw_is_right_to_13_digits(dimension: int, uniform: float, inside: bool) -> None:
    """The claim behind δ: V in float64 differs from the V of real arithmetic by less than 2⁻⁴⁵."""
    generator = np.random.default_rng(dimension)
    u, normal = generator.standard_normal(dimension), generator.standard_normal(dimension)
    u /= np.linalg.norm(u)
    mechanism = PrivUnit2(epsilon=4.0, dimension=dimension)
    computed = mechanism._draw(u[None], Fixed(inside, uniform, normal))[0]
    with mpmath.workdps(40):
        cap, alpha = mechanism.cap, mpmath.mpf(dimension - 1) / 2
        tail = uniform * mpmath.mpf(cap.mass) if inside else 1 - uniform * (1 - mpmath.mpf(cap.mass))  # P(W ≥ w)

        def miss(w: mpmath.mpf) -> mpmath.mpf:
            half = mpmath.betainc(alpha, 0.5, 0, 1 - w * w, regularized=True) / 2
            return (half if w >= 0 else 1 - half) - tail

        start = float(computed @ u)
        low, high = max(start - 1e-6, -1.0), min(start + 1e-6, 1.0)
        w = mpmath.findroot(miss, (low, high), solver="illinois", tol=1e-50, maxsteps=200, verify=False)
        direction, noise = [mpmath.mpf(a) for a in u], [mpmath.mpf(a) for a in normal]
        along = sum(a * b for a, b in zip(noise, direction, strict=True))
        rest = [a - along * b for a, b in zip(noise, direction, strict=True)]
        length = mpmath.sqrt(sum(a * a for a in rest))
        exact = [w * b + mpmath.sqrt(1 - w * w) * a / length for a, b in zip(rest, direction, strict=True)]
        worst = max(abs(a - mpmath.mpf(b)) for a, b in zip(exact, computed, strict=True))
    assert worst < 2.0**-45


def test_reports_lie_on_the_grid() -> None:
    v = PrivUnit2(epsilon=4.0, dimension=30).draw(axis(30, 100), SYSTEM)
    np.testing.assert_array_equal(v / GRID, np.rint(v / GRID))
    np.testing.assert_allclose(np.linalg.norm(v, axis=1), 1.0, atol=1e-4)


def test_a_direction_that_vanishes_is_drawn_again() -> None:
    class Parallel(Simulated):
        calls = 0

        def normal(self, shape: tuple[int, ...]) -> FloatArray:
            Parallel.calls += 1
            return axis(3, shape[0]) if Parallel.calls == 1 else super().normal(shape)

    v = PrivUnit2(epsilon=1.0, dimension=3).draw(axis(3, 5), Parallel(np.random.default_rng(0)))
    assert Parallel.calls == 2
    np.testing.assert_allclose(np.linalg.norm(v, axis=1), 1.0, atol=1e-4)


def test_log_density_has_two_values() -> None:
    mechanism = PrivUnit2(epsilon=1.5, dimension=4)
    u = np.eye(4)
    v = mechanism.draw(axis(4, 50), SYSTEM)
    density = mechanism.log_density_pairs(v, u)
    cap, p = mechanism.cap, float(mechanism.cap.probability)
    for n in range(50):
        for m in range(4):
            towards = v[n, m] >= cap.gamma
            naive = math.log(p / cap.mass) if towards else math.log((1 - p) / (1 - cap.mass))
            assert density[n, m] == pytest.approx(naive)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, math.inf, 1e-7, 501.0])
def test_bad_epsilon_raises(epsilon: float) -> None:
    with pytest.raises(ValueError, match="epsilon"):
        PrivUnit2(epsilon=epsilon, dimension=2)


def test_bad_dimension_raises() -> None:
    with pytest.raises(ValueError, match="got dimension=0"):
        PrivUnit2(epsilon=1.0, dimension=0)
    with pytest.raises(TypeError, match="Expected an integer for dimension"):
        PrivUnit2(epsilon=1.0, dimension=True)
