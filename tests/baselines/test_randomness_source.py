"""The draws of both sources. Every test that uses the operating system's source fails by chance below 1e-6."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from scipy.stats import kstest

from rlm_core.baselines import randomness_source
from rlm_core.baselines.randomness_source import SYSTEM, Simulated, Source, batches

SOURCES = [SYSTEM, Simulated(np.random.default_rng(0))]


@pytest.mark.parametrize("source", SOURCES, ids=["system", "simulated"])
def test_normal_draws_are_normal_and_a_wrong_scale_is_not(source: Source) -> None:
    draws = source.normal((200, 201)).ravel()
    assert kstest(draws, "norm").pvalue > 1e-7
    assert kstest(draws * 0.9, "norm").pvalue < 1e-7
    assert kstest(draws * 1.1, "norm").pvalue < 1e-7


@pytest.mark.parametrize("source", SOURCES, ids=["system", "simulated"])
def test_normal_draws_do_not_depend_on_each_other(source: Source) -> None:
    draws = source.normal((2, 40_001))  # the two numbers of one Box-Muller pair are 40,001 apart
    assert abs(np.mean(draws[0] * draws[1])) < 5.0 / np.sqrt(40_001)  # 5 standard deviations: 6e-7
    assert abs(np.corrcoef(draws[0] ** 2, draws[1] ** 2)[0, 1]) < 5.0 / np.sqrt(40_001)


def test_normal_is_box_muller_to_the_last_digits(monkeypatch: pytest.MonkeyPatch) -> None:
    uniform = np.array([2.0**-53, 0.3, 0.999, 0.1, 0.62, 1.0])
    monkeypatch.setattr(randomness_source, "standard_uniform", lambda count: uniform[:count].copy())
    draws = SYSTEM.normal((5,))
    with mpmath.workdps(40):
        for index in range(3):
            radius = mpmath.sqrt(-2 * mpmath.log(mpmath.mpf(uniform[index])))
            angle = 2 * mpmath.pi * mpmath.mpf(uniform[index + 3])
            assert abs(draws[index] - radius * mpmath.cos(angle)) < 2.0**-48
            if index < 2:
                assert abs(draws[index + 3] - radius * mpmath.sin(angle)) < 2.0**-48


@pytest.mark.parametrize("source", SOURCES, ids=["system", "simulated"])
def test_uniform_bytes_and_coins(source: Source) -> None:
    uniform = source.uniform(20_000)
    assert 0.0 < uniform.min() and uniform.max() <= 1.0
    assert kstest(uniform, "uniform").pvalue > 1e-7
    ones = np.unpackbits(source.bytes(10_000)).mean()
    assert abs(ones - 0.5) < 5.0 * 0.5 / np.sqrt(80_000)
    coins = source.bernoulli(Fraction(1, 4), 20_000)
    assert abs(coins.mean() - 0.25) < 5.0 * np.sqrt(0.25 * 0.75 / 20_000)
    assert source.bernoulli(Fraction(1), 3).all() and not source.bernoulli(Fraction(0), 3).any()


def test_a_simulation_repeats_itself() -> None:
    first, second = (Simulated(np.random.default_rng(3)) for _ in range(2))
    np.testing.assert_array_equal(first.normal((4,)), second.normal((4,)))
    np.testing.assert_array_equal(first.bytes(4), second.bytes(4))


@pytest.mark.parametrize(("count", "width"), [(0, 5), (1, 1), (1000, 784), (7, 10**6)])
def test_batches_cover_every_row_once(count: int, width: int) -> None:
    rows = [row for batch in batches(count, width) for row in range(count)[batch]]
    assert rows == list(range(count))
