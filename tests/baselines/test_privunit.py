"""PrivUnit whole: direction times length. Chance failures: below 1e-6 for each test."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from rlm_core.baselines import PrivUnit, PrivUnit2, ScalarDP
from rlm_core.baselines.privunit import best_share
from rlm_core.baselines.randomness_source import SYSTEM


def test_delta_is_the_directions() -> None:
    mechanism = PrivUnit(epsilon=4.0, dimension=16, share=0.75)
    assert mechanism.delta == PrivUnit2(epsilon=3.0, dimension=16).delta > 0.0
    assert PrivUnit(epsilon=math.inf, dimension=16).delta == 0.0


def test_the_parts_spend_epsilon_together() -> None:
    mechanism = PrivUnit(epsilon=4.0, dimension=16, share=0.75)
    assert mechanism.direction == PrivUnit2(epsilon=3.0, dimension=16)
    assert mechanism.length == ScalarDP(epsilon=1.0, radius=1.0)
    assert mechanism.direction.epsilon + mechanism.length.epsilon == mechanism.epsilon
    fixed = PrivUnit(epsilon=4.0, dimension=16, fixed_norm=True)
    assert fixed.direction.epsilon == 4.0 and fixed.length is None


@pytest.mark.parametrize("epsilon", [0.5, 4.0, 10.0])
def test_the_default_share_is_the_best(epsilon: float) -> None:
    chosen = PrivUnit(epsilon=epsilon, dimension=50).second_moment
    others = [
        PrivUnit(epsilon=epsilon, dimension=50, share=share).second_moment for share in np.arange(0.1, 0.95, 0.05)
    ]
    assert chosen <= min(others) * 1.02  # between two steps of 1/32 a little may be gained
    assert max(others) > 1.2 * chosen
    assert 0.4 < best_share(epsilon, 50) < 0.95


@pytest.mark.parametrize("path", ["privatise", "simulate"])
@pytest.mark.parametrize("scale", [0.3, 1.0])
def test_estimates_are_unbiased_and_a_wrong_factor_is_noticed(path: str, scale: float) -> None:
    count, mechanism = 60_000, PrivUnit(epsilon=8.0, dimension=6, radius=2.0)
    x = np.array([1.0, -1.0, 0.5, 0.0, 0.2, 1.0])
    x *= 2.0 * scale / np.linalg.norm(x)
    records = np.tile(x, (count, 1))
    if path == "privatise":
        reports = mechanism.privatise(records)
    else:
        reports = mechanism.simulate(records, generator=np.random.default_rng(0))
    error = (reports.mean(axis=0) - x) / (reports.std(axis=0) / math.sqrt(count))
    assert np.abs(error).max() < 5.5  # standard deviations, at 6 places
    along = reports @ x / (x @ x)
    deviation = 5.0 * along.std() / math.sqrt(count)
    assert abs(along.mean() - 1.0) < deviation < 0.05  # 0.9 and 1.1 of the factor would be 0.1 away


def test_second_moment_of_reports() -> None:
    mechanism = PrivUnit(epsilon=4.0, dimension=784, fixed_norm=True)
    x = np.random.default_rng(0).standard_normal((200, 784))
    reports = mechanism.privatise(x)
    np.testing.assert_allclose(np.vecdot(reports, reports), mechanism.second_moment, rtol=1e-3)
    assert np.vecdot(reports, reports).mean() <= 345.0


def test_represent_scales_into_the_ball_or_onto_the_sphere() -> None:
    x = [[3.0, 4.0], [0.3, 0.4], [0.0, 0.0]]
    ball = PrivUnit(epsilon=1.0, dimension=2, radius=2.0)
    np.testing.assert_allclose(ball.represent(x), [[1.2, 1.6], [0.3, 0.4], [0.0, 0.0]])
    sphere = dataclasses.replace(ball, fixed_norm=True)
    np.testing.assert_allclose(sphere.represent(x), [[1.2, 1.6], [1.2, 1.6], [0.0, 0.0]])


@pytest.mark.parametrize("x", [1e308, 1e-308, 5e-324, -1e200])
def test_extreme_numbers_have_a_direction(x: float) -> None:
    mechanism = PrivUnit(epsilon=1.0, dimension=3, radius=1.0)
    represented = mechanism.represent([[x, x, 0.0]])
    assert np.linalg.norm(represented) <= 1.0 + 1e-12
    assert np.isfinite(mechanism.privatise([[x, x, 0.0]])).all()


@pytest.mark.parametrize("fixed_norm", [False, True])
def test_the_zero_record_points_nowhere(fixed_norm: bool) -> None:
    count, mechanism = 20_000, PrivUnit(epsilon=3.0, dimension=3, fixed_norm=fixed_norm)
    reports = mechanism.privatise(np.zeros((count, 3)))
    error = reports.mean(axis=0) / (reports.std(axis=0) / math.sqrt(count))
    assert np.abs(error).max() < 5.3  # standard deviations, at 3 places
    density = mechanism.log_density_pairs(reports[:50], np.zeros((1, 3)))
    if fixed_norm:
        np.testing.assert_array_equal(density, 0.0)  # as uniform as it gets
    assert np.isfinite(density).all()


def test_infinite_epsilon_adds_nothing() -> None:
    for fixed_norm in (False, True):
        mechanism = PrivUnit(epsilon=math.inf, dimension=2, fixed_norm=fixed_norm)
        x = [[3.0, 4.0], [0.1, 0.0], [0.0, 0.0]]
        np.testing.assert_array_equal(mechanism.privatise(x), mechanism.represent(x))
        np.testing.assert_array_equal(mechanism.simulate(x, generator=np.random.default_rng(0)), mechanism.represent(x))
        density = mechanism.log_density_pairs(mechanism.represent(x)[:2], mechanism.represent(x)[:2])
        assert density[0, 0] == 0.0 and density[1, 1] == 0.0
        assert fixed_norm or density[1, 0] == -np.inf


def test_log_density_is_the_product_of_the_parts() -> None:
    mechanism = PrivUnit(epsilon=6.0, dimension=5, radius=2.0, share=0.5)
    generator = np.random.default_rng(0)
    z = generator.standard_normal((4, 5))
    z *= (np.array([0.1, 0.9, 1.7, 2.0]) / np.linalg.norm(z, axis=1))[:, None]
    u, cap = z / np.linalg.norm(z, axis=1, keepdims=True), mechanism.direction.cap
    v = mechanism.direction.draw(u, SYSTEM)
    levels = mechanism.length.probabilities(np.linalg.norm(z, axis=1))  # (4, k + 1)
    assert len(mechanism.length.estimates) > 2
    for level, estimate in enumerate(mechanism.length.estimates):
        density = mechanism.log_density_pairs(v * estimate / cap.shrink, z)
        for n in range(4):
            for m in range(4):
                inside = v[n] @ u[m] / np.linalg.norm(v[n]) >= cap.gamma
                naive = math.log(levels[m, level]) + (cap.log_inside if inside else cap.log_outside)
                assert density[n, m] == pytest.approx(naive)


def test_densities_fit_the_reports() -> None:
    """E[p(z̃|z′)/p(z̃|z)] = 1 over reports of z; the ratio lies in [e^−ε, e^ε]."""
    count, mechanism = 40_000, PrivUnit(epsilon=1.0, dimension=4)
    z = np.array([[0.9, 0.0, 0.1, 0.0], [-0.2, 0.1, 0.0, 0.0]])
    log_p = mechanism.log_density_pairs(mechanism.privatise(np.tile(z[0], (count, 1))), z)
    ratio = np.exp(log_p[:, 1] - log_p[:, 0])
    assert np.abs(np.log(ratio)).max() <= 1.0 + 1e-6
    deviation = 5.0 * ratio.std() / math.sqrt(count)
    assert abs(ratio.mean() - 1.0) < deviation < 0.02


def test_one_dimension() -> None:
    mechanism = PrivUnit(epsilon=2.0, dimension=1)
    reports = mechanism.privatise(np.linspace(-1.0, 1.0, 50)[:, None])
    known = np.abs(mechanism.length.estimates) / mechanism.direction.cap.shrink
    assert all(np.isclose(abs(report), known).any() for report in reports.ravel())
    assert mechanism.privatise(np.empty((0, 1))).shape == (0, 1)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"epsilon": 0.0}, "Expected epsilon > 0, got epsilon=0"),
        ({"epsilon": math.nan}, "epsilon=nan"),
        ({"epsilon": 1e-5}, "Expected 1e-4 <= epsilon"),
        ({"dimension": 0}, "got dimension=0"),
        ({"radius": -1.0}, "Expected radius > 0"),
        ({"radius": 1e200}, "radius <= 1e100"),
        ({"share": 1.0}, "Expected 0.01 <= share <= 0.99, got share=1"),
        ({"share": math.nan}, "share=nan"),
        ({"share": 0.5, "fixed_norm": True}, "Expected no share with fixed_norm"),
    ],
)
def test_bad_values_raise(changes: dict[str, float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        PrivUnit(**({"epsilon": 1.0, "dimension": 3} | changes))


def test_bad_records_raise() -> None:
    with pytest.raises(ValueError, match="finite numbers"):
        PrivUnit(epsilon=1.0, dimension=1).privatise([[math.inf]])
    with pytest.raises(ValueError, match=r"shape \(n, 2\)"):
        PrivUnit(epsilon=1.0, dimension=2).privatise([[0.0]])
