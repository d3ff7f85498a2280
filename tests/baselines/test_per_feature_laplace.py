"""Per-feature Laplace. Every test that uses the operating system's source fails by chance below 1e-6."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import kstest, laplace

from rlm_core.baselines import PerFeatureLaplace

MIXED = {"low": (0.0, -5.0, 3.0), "high": (1.0, 15.0, 3.0)}


@pytest.mark.parametrize("path", ["privatise", "simulate"])
def test_noise_has_the_scale_of_the_formula_and_no_other(path: str) -> None:
    mechanism = PerFeatureLaplace(epsilon=3.0, **MIXED)
    x = np.tile([0.25, 4.0, 3.0], (40_000, 1))
    if path == "privatise":
        reported = mechanism.privatise(x)
    else:
        reported = mechanism.simulate(x, generator=np.random.default_rng(0))
    for feature, scale in ((0, 1.0 * 2 / 3.0), (1, 20.0 * 2 / 3.0)):  # width * d / epsilon: two features vary
        noise = reported[:, feature] - x[:, feature]
        assert kstest(noise, laplace(scale=scale).cdf).pvalue > 1e-7
        assert kstest(noise, laplace(scale=0.9 * scale).cdf).pvalue < 1e-7
        assert kstest(noise, laplace(scale=1.1 * scale).cdf).pvalue < 1e-7
    assert abs(np.corrcoef(reported[:, 0], reported[:, 1])[0, 1]) < 5.0 / 200.0
    np.testing.assert_array_equal(reported[:, 2], 3.0)


@pytest.mark.parametrize("epsilon", [1e-3, 0.1, 1.0, 7.3, 200.0])
@pytest.mark.parametrize("dimension", [1, 3, 784])
def test_the_release_spends_exactly_what_it_says_and_never_more(epsilon: float, dimension: int) -> None:
    mechanism = PerFeatureLaplace(epsilon=epsilon, low=np.zeros(dimension), high=np.ones(dimension))
    # The integers that a release adds noise to lie in {0, ..., G}: that is what is paid for.
    assert Fraction(mechanism.grid_steps * dimension, 2**30) <= Fraction(epsilon)
    assert Fraction((mechanism.grid_steps + 1) * dimension, 2**30) > Fraction(epsilon)
    assert mechanism.epsilon_release <= epsilon
    assert mechanism.epsilon_release == pytest.approx(epsilon, rel=1e-2)


def test_reports_lie_on_the_public_grid() -> None:
    mechanism = PerFeatureLaplace(epsilon=2.0, low=(0.0,), high=(1.0,))
    steps = mechanism.privatise(np.random.default_rng(0).random((1000, 1))) * mechanism.grid_steps
    assert np.abs(steps - np.rint(steps)).max() < 1e-4  # steps are up to 1e10 here: 1e-4 is float64's rounding


def test_represent_clips_and_infinite_epsilon_adds_nothing() -> None:
    mechanism = PerFeatureLaplace(epsilon=math.inf, **MIXED)
    x = [[2.0, -9.0, 0.0], [0.5, 0.0, 3.0]]
    np.testing.assert_array_equal(mechanism.represent(x), [[1.0, -5.0, 3.0], [0.5, 0.0, 3.0]])
    np.testing.assert_array_equal(mechanism.privatise(x), mechanism.represent(x))
    np.testing.assert_array_equal(mechanism.simulate(x, generator=np.random.default_rng(0)), mechanism.represent(x))
    assert mechanism.epsilon_release == math.inf
    density = mechanism.log_density_pairs(mechanism.represent(x), mechanism.represent(x))
    np.testing.assert_array_equal(density, [[0.0, -np.inf], [-np.inf, 0.0]])


def test_log_density_is_the_naive_sum() -> None:
    mechanism = PerFeatureLaplace(epsilon=3.0, **MIXED)
    generator = np.random.default_rng(1)
    z = mechanism.represent(generator.normal(size=(5, 3)) * 10)
    z_private = mechanism.privatise(generator.normal(size=(7, 3)))
    naive = np.zeros((7, 5))
    for n in range(7):
        for m in range(5):
            for j, width in ((0, 1.0), (1, 20.0)):
                scale = width * 2 / 3.0
                naive[n, m] += -abs(z_private[n, j] - z[m, j]) / scale - math.log(2 * scale)
    np.testing.assert_allclose(mechanism.log_density_pairs(z_private, z), naive)


def test_the_density_ratio_reaches_epsilon_and_stays_below() -> None:
    mechanism = PerFeatureLaplace(epsilon=1.0, low=(0.0, 0.0), high=(1.0, 4.0))
    ends = np.array([mechanism.low, mechanism.high])
    log_p = mechanism.log_density_pairs(mechanism.privatise(np.tile(ends[0], (200, 1))), ends)
    ratio = log_p[:, 0] - log_p[:, 1]
    assert np.abs(ratio).max() <= 1.0 + 1e-9
    assert ratio.max() > 1.0 - 1e-9  # all noise below zero: a quarter of the reports


def test_only_constants_need_no_noise() -> None:
    mechanism = PerFeatureLaplace(epsilon=1.0, low=(2.0, 3.0), high=(2.0, 3.0))
    np.testing.assert_array_equal(mechanism.privatise([[0.0, 9.0]]), [[2.0, 3.0]])
    np.testing.assert_array_equal(mechanism.simulate([[0.0, 9.0]], generator=np.random.default_rng(0)), [[2.0, 3.0]])


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, 1e-9, 1e9])
def test_bad_epsilon_raises(epsilon: float) -> None:
    with pytest.raises(ValueError, match="Expected"):
        PerFeatureLaplace(epsilon=epsilon, low=(0.0,), high=(1.0,))


@pytest.mark.parametrize("x", [[[math.nan, 0.0, 0.0]], [[0.0, 0.0]], [0.0, 0.0, 0.0], [[math.inf, 0.0, 0.0]]])
def test_bad_records_raise(x: list[list[float]]) -> None:
    with pytest.raises(ValueError, match="Expected"):
        PerFeatureLaplace(epsilon=1.0, **MIXED).privatise(x)


def test_no_rows_and_one_feature() -> None:
    mechanism = PerFeatureLaplace(epsilon=1.0, low=(0.0,), high=(1.0,))
    assert mechanism.privatise(np.empty((0, 1))).shape == (0, 1)
    assert mechanism.privatise([[0.5]]).shape == (1, 1)
