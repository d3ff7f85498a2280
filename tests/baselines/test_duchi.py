"""Duchi's mechanism against enumeration of all corners. Chance failures: below 1e-6 for each test."""

from __future__ import annotations

import math
from decimal import Decimal, localcontext
from fractions import Fraction
from itertools import product

import numpy as np
import pytest
from scipy.stats import chi2

from rlm_core.baselines import Duchi
from rlm_core.baselines.duchi import half_spaces

EPSILONS = [1e-6, 0.5, 1.0, 4.0, 40.0]
Corner = tuple[int, ...]


def corners(dimension: int) -> list[Corner]:
    return list(product((-1, 1), repeat=dimension))


def dot(t: Corner, v: Corner) -> int:
    return sum(a * b for a, b in zip(t, v, strict=True))


def given_corner(mechanism: Duchi, v: Corner) -> dict[Corner, Fraction]:
    """P(t | v), from the three steps of the algorithm, by enumeration."""
    everywhere = corners(mechanism.dimension)
    plus = [t for t in everywhere if dot(t, v) >= 0]
    minus = [t for t in everywhere if dot(t, v) < 0]
    p = mechanism.probability
    return {t: p / len(plus) for t in plus} | {t: (1 - p) / len(minus) for t in minus}


def closed_half_spaces(mechanism: Duchi, v: Corner) -> dict[Corner, float]:
    """The algorithm as printed: corners with t·v = 0 belong to both sides."""
    everywhere = corners(mechanism.dimension)
    plus = [t for t in everywhere if dot(t, v) >= 0]
    minus = [t for t in everywhere if dot(t, v) <= 0]
    p = math.exp(mechanism.epsilon) / (math.exp(mechanism.epsilon) + 1)
    result = dict.fromkeys(everywhere, 0.0)
    for t in plus:
        result[t] += p / len(plus)
    for t in minus:
        result[t] += (1 - p) / len(minus)
    return result


def given_record(mechanism: Duchi, x: list[float], table: object = given_corner) -> dict[Corner, float]:
    """P(t | x), the mixture over v."""
    result = dict.fromkeys(corners(len(x)), 0.0)
    for v in corners(len(x)):
        chance = math.prod((1 + a * b) / 2 for a, b in zip(v, x, strict=True))
        for t, value in table(mechanism, v).items():
            result[t] += chance * float(value)
    return result


def chi_square_p_value(reports: np.ndarray, expected: dict[Corner, float]) -> float:
    signs = [tuple(row) for row in np.sign(reports).astype(int).tolist()]
    counts = {t: 0 for t in expected}
    for t in signs:
        counts[t] += 1
    n = len(signs)
    statistic = sum((counts[t] - n * p) ** 2 / (n * p) for t, p in expected.items())
    return float(chi2.sf(statistic, len(expected) - 1))


@pytest.mark.parametrize("dimension", range(1, 7))
def test_half_spaces_are_counted_rightly(dimension: int) -> None:
    v = (1,) * dimension
    plus = sum(dot(t, v) >= 0 for t in corners(dimension))
    assert half_spaces(dimension) == (plus, 2**dimension - plus)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("dimension", range(1, 7))
def test_the_likelihood_ratio_is_e_to_the_epsilon_and_never_more(dimension: int, epsilon: float) -> None:
    mechanism = Duchi(epsilon=epsilon, dimension=dimension)
    tables = [given_corner(mechanism, v) for v in corners(dimension)]
    for table in tables:
        assert sum(table.values()) == 1
    ratio = max(max(table[t] for table in tables) / min(table[t] for table in tables) for t in tables[0])
    with localcontext() as context:
        context.prec = 60
        exact = Decimal(epsilon).exp()
        measured = Decimal(ratio.numerator) / Decimal(ratio.denominator)
        assert measured <= exact
        # Below by what rounding p down to a multiple of 2**-64 costs, no more.
        assert measured >= exact * (1 - Decimal(4 * 2.0**-64) * (1 + exact))


@pytest.mark.parametrize("dimension", [2, 4, 6])
def test_closed_half_spaces_are_not_private_for_even_dimensions(dimension: int) -> None:
    mechanism = Duchi(epsilon=1.0, dimension=dimension)
    tables = [closed_half_spaces(mechanism, v) for v in corners(dimension)]
    ratio = max(max(table[t] for table in tables) / min(table[t] for table in tables) for t in tables[0])
    assert math.log(ratio) == pytest.approx(math.log(math.e + 1))  # 1.31, where 1 was claimed


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("dimension", range(1, 7))
def test_unbiased_by_enumeration(dimension: int, epsilon: float) -> None:
    mechanism = Duchi(epsilon=epsilon, dimension=dimension)
    for v in corners(dimension)[:3]:
        table = given_corner(mechanism, v)
        mean = [sum(p * t[j] for t, p in table.items()) for j in range(dimension)]
        np.testing.assert_allclose([float(m) * mechanism.magnitude for m in mean], v, rtol=1e-9)


@pytest.mark.parametrize("dimension", [1, 3, 5])
def test_magnitude_is_the_published_one_for_odd_dimensions(dimension: int) -> None:
    c = 2 ** (dimension - 1) / math.comb(dimension - 1, (dimension - 1) // 2)
    expected = (math.exp(2.0) + 1) / (math.exp(2.0) - 1) * c
    assert Duchi(epsilon=2.0, dimension=dimension).magnitude == pytest.approx(expected)


@pytest.mark.parametrize("path", ["privatise", "simulate"])
@pytest.mark.parametrize("x", [[0.4], [1.0, -0.3], [0.2, -1.0, 0.7], [0.9, 0.0, -0.5, 1.0]])
def test_reports_have_the_enumerated_distribution(x: list[float], path: str) -> None:
    mechanism = Duchi(epsilon=1.0, dimension=len(x))
    records = np.tile(x, (40_000, 1))
    if path == "privatise":
        reports = mechanism.privatise(records)
    else:
        reports = mechanism.simulate(records, generator=np.random.default_rng(0))
    np.testing.assert_array_equal(np.abs(reports), mechanism.magnitude)
    assert chi_square_p_value(reports, given_record(mechanism, x)) > 1e-7
    if len(x) % 2 == 0:  # the test would notice closed half-spaces
        assert chi_square_p_value(reports, given_record(mechanism, x, closed_half_spaces)) < 1e-7


def test_the_toss_has_the_right_odds_and_no_other() -> None:
    reports = Duchi(epsilon=1.0, dimension=3).privatise(np.ones((80_000, 3)))
    share = (reports.sum(axis=1) > 0).mean()
    for epsilon, right in ((1.0, True), (0.9, False), (1.1, False)):
        p = float(Duchi(epsilon=epsilon, dimension=3).probability)
        assert bool(abs(share - p) < 5.0 * math.sqrt(p * (1 - p) / 80_000)) is right


def test_unbiased_in_many_dimensions() -> None:
    mechanism = Duchi(epsilon=4.0, dimension=100)
    x = np.linspace(-1.0, 1.0, 100)
    reports = mechanism.privatise(np.tile(x, (60_000, 1)))
    error = (reports.mean(axis=0) - x) / (mechanism.magnitude / math.sqrt(60_000))
    assert np.abs(error).max() < 6.0  # standard deviations, at 100 places
    slopes = reports @ x / (x @ x)
    deviation = 5.0 * slopes.std() / math.sqrt(60_000)
    assert abs(slopes.mean() - 1.0) < deviation < 0.05  # 0.9 and 1.1 of the magnitude would be 0.1 away


def test_clips_to_the_cube_and_infinite_epsilon_adds_nothing() -> None:
    mechanism = Duchi(epsilon=math.inf, dimension=3)
    x = [[2.0, -3.0, 0.5]]
    np.testing.assert_array_equal(mechanism.represent(x), [[1.0, -1.0, 0.5]])
    np.testing.assert_array_equal(mechanism.privatise(x), mechanism.represent(x))
    np.testing.assert_array_equal(mechanism.simulate(x, generator=np.random.default_rng(0)), mechanism.represent(x))


def test_wide_records_and_none_at_all() -> None:
    mechanism = Duchi(epsilon=1.0, dimension=3072)
    assert mechanism.privatise(np.zeros((3, 3072))).shape == (3, 3072)
    assert mechanism.privatise(np.empty((0, 3072))).shape == (0, 3072)
    assert 2**-64 < 1 - mechanism.probability < Fraction(1, 2)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, 1e-7, 501.0])
def test_bad_epsilon_raises(epsilon: float) -> None:
    with pytest.raises(ValueError, match="epsilon"):
        Duchi(epsilon=epsilon, dimension=2)


def test_bad_dimension_and_records_raise() -> None:
    with pytest.raises(ValueError, match="Expected 1 <= dimension <= 100000, got dimension=0"):
        Duchi(epsilon=1.0, dimension=0)
    with pytest.raises(TypeError, match="Expected an integer for dimension"):
        Duchi(epsilon=1.0, dimension=2.0)
    with pytest.raises(ValueError, match="finite numbers"):
        Duchi(epsilon=1.0, dimension=1).privatise([[math.nan]])
    with pytest.raises(ValueError, match=r"shape \(n, 2\)"):
        Duchi(epsilon=1.0, dimension=2).privatise([[0.0]])
