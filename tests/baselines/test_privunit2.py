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
from rlm_core.baselines.privunit2 import GRID, MEAN_ERROR
from rlm_core.baselines.randomness_source import SYSTEM, Simulated, SystemSource
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


class Recorded(SystemSource):
    """The system's source with a seed, which remembers the uniform numbers that it has given."""

    def __init__(self, seed: int) -> None:
        self.generator, self.given, self.insides = np.random.default_rng(seed), [], []

    def bernoulli(self, probability: Fraction, count: int) -> BoolArray:
        self.insides.append(self.generator.random(count) < float(probability))
        return self.insides[-1]

    def uniform(self, count: int) -> FloatArray:
        self.given.append((self.generator.integers(2**53, size=count) + 1.0) * 2.0**-53)
        return self.given[-1].copy()


def real_draw(mechanism: PrivUnit2, u: FloatArray, source: Recorded, start: float) -> list[mpmath.mpf]:
    """V in real arithmetic (34 digits) from real uniform numbers, of which the source gave the first 53 bits."""

    def refined(values: FloatArray) -> list[mpmath.mpf]:
        return [
            mpmath.mpf(a) - mpmath.mpf(b) * mpmath.mpf(2) ** -53
            for a, b in zip(values.tolist(), source.generator.random(len(values)).tolist(), strict=True)
        ]

    dimension, alpha, mass = (
        mechanism.dimension,
        mpmath.mpf(mechanism.dimension - 1) / 2,
        mpmath.mpf(mechanism.cap.mass),
    )
    (height,) = refined(source.given[-2])
    tail = height * mass if source.insides[-1][0] else 1 - height * (1 - mass)  # P(W ≥ w)

    def survival(w: mpmath.mpf) -> mpmath.mpf:
        half = mpmath.betainc(alpha, 0.5, 0, 1 - w * w, regularized=True) / 2
        return half if w >= 0 else 1 - half

    w, beta = mpmath.mpf(start), mpmath.beta(mpmath.mpf(1) / 2, alpha)
    for _ in range(4):  # Newton's steps, from 15 digits on
        step = w + (survival(w) - tail) * beta * (1 - w * w) ** (1 - alpha)
        w = step if abs(step) < 1 else (w + mpmath.sign(step)) / 2
    uniform = refined(source.given[-1])
    half = len(uniform) // 2
    lengths = [mpmath.sqrt(-2 * mpmath.log(each)) for each in uniform[:half]]
    angles = [2 * mpmath.pi * each for each in uniform[half:]]
    pairs = list(zip(lengths, angles, strict=True))
    normal = [a * mpmath.cos(b) for a, b in pairs] + [a * mpmath.sin(b) for a, b in pairs]
    direction = [mpmath.mpf(each) for each in u.tolist()]
    norm = mpmath.sqrt(sum(each * each for each in direction))
    direction = [each / norm for each in direction]
    along = sum(a * b for a, b in zip(normal, direction, strict=False))
    rest = [a - along * b for a, b in zip(normal[:dimension], direction, strict=True)]
    length = mpmath.sqrt(sum(each * each for each in rest))
    side = mpmath.sqrt(1 - w * w) / length
    return [w * b + side * a for a, b in zip(rest, direction, strict=True)]


@pytest.mark.parametrize(
    ("dimension", "epsilon", "draws"),
    [(2, 0.5, 60), (2, 4.0, 150), (3, 4.0, 80), (8, 12.0, 40), (40, 8.0, 12), (784, 4.0, 1)],
)
def test_the_mean_error_behind_delta(
    dimension: int, epsilon: float, draws: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whole releases against real arithmetic, in low dimensions too, where one draw in a million had lost 17 bits."""
    mechanism, source = PrivUnit2(epsilon=epsilon, dimension=dimension), Recorded(dimension)
    monkeypatch.setattr("rlm_core.baselines.randomness_source.standard_uniform", source.uniform)
    errors = []
    with mpmath.workdps(34):
        for _ in range(draws):
            u = source.generator.standard_normal(dimension)
            u /= np.linalg.norm(u)
            computed = mechanism._draw(u[None], source)[0]
            exact = real_draw(mechanism, u, source, float(computed @ u))
            errors.append([float(abs(a - mpmath.mpf(b))) for a, b in zip(exact, computed.tolist(), strict=True)])
    assert np.mean(errors) < MEAN_ERROR / 4 and np.max(errors) < 2.0**-44


@pytest.mark.parametrize("dimension", [2, 3])
def test_a_short_direction_is_drawn_again(dimension: int) -> None:
    """Nearly parallel to u: what is left after the projection has few digits, and d = 2 shows it as 2⁻³⁶."""
    calls = 0

    class Nearly(Simulated):
        def normal(self, shape: tuple[int, ...]) -> FloatArray:
            nonlocal calls
            calls += 1
            return axis(dimension, shape[0]) + (1e-3 if calls == 1 else super().normal(shape))

    PrivUnit2(epsilon=1.0, dimension=dimension).draw(axis(dimension, 1), Nearly(np.random.default_rng(5)))
    assert calls > 1


@pytest.mark.parametrize(("epsilon", "dimension"), [(0.1, 2), (4.0, 8), (10.0, 784), (15.0, 784)])
def test_delta_is_the_formula(epsilon: float, dimension: int) -> None:
    found = PrivUnit2(epsilon=epsilon, dimension=dimension).delta
    assert found == pytest.approx((1 + math.exp(epsilon)) * dimension * 2.0**-32)


def test_delta_is_one_where_nothing_is_guaranteed_and_zero_where_the_draw_is_exact() -> None:
    assert PrivUnit2(epsilon=17.0, dimension=784).delta == PrivUnit2(epsilon=400.0, dimension=2).delta == 1.0
    assert PrivUnit2(epsilon=17.0, dimension=1).delta == 0.0


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
