"""The Bayesian observer against a naive copy of its formula, its limits, and the e^ε guarantee."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rlm_core.collector.inference import infer, label_log_likelihood, nearest_log_likelihood, posterior_limit
from rlm_core.owner import L1Clip, LaplaceNoise, RandomisedResponse


@pytest.fixture
def world() -> dict[str, np.ndarray]:
    generator = np.random.default_rng(7)
    clip = L1Clip(radius=2.0)
    return {"z": clip(generator.normal(size=(60, 3))), "y": generator.integers(0, 4, size=60), "clip": clip}


def naive(log_z: np.ndarray, y: np.ndarray, channel: np.ndarray, reported: int, classes: int) -> list[float]:
    joint = [math.exp(a) * channel[label, reported] for a, label in zip(log_z, y, strict=True)]
    return [sum(w for w, label in zip(joint, y, strict=True) if label == k) / sum(joint) for k in range(classes)]


def test_equals_the_formula_written_out(world) -> None:
    noise = LaplaceNoise(epsilon=3.0, clip=world["clip"])
    labels = RandomisedResponse(epsilon=1.0, classes=4)
    z_private = np.array([0.4, -1.0, 2.5])
    log_z = noise.log_density_pairs(z_private[None], world["z"])[0]
    posterior = infer(
        log_z, world["y"], classes=4, log_label_likelihood=label_log_likelihood(2, labels.transition_matrix)
    )
    np.testing.assert_allclose(posterior.classes, naive(log_z, world["y"], labels.transition_matrix, 2, 4))
    assert posterior.records.sum() == pytest.approx(1.0)
    np.testing.assert_allclose(posterior.prior, np.bincount(world["y"]) / 60)


@settings(max_examples=50, deadline=None)
@given(seed=st.integers(0, 2**32 - 1), epsilon=st.floats(0.1, 12.0), lam=st.floats(0.1, 0.9))
def test_odds_never_change_by_more_than_e_to_the_epsilon(seed: int, epsilon: float, lam: float) -> None:
    generator = np.random.default_rng(seed)
    clip = L1Clip(radius=1.0)
    z, y = clip(generator.normal(scale=3.0, size=(40, 2))), np.arange(40) % 5
    noise = LaplaceNoise(epsilon=lam * epsilon, clip=clip)
    labels = RandomisedResponse(epsilon=(1 - lam) * epsilon, classes=5)
    z_private = noise.simulate(z[:1], generator=generator)
    reported = labels.simulate(y[:1], generator=generator)
    posterior = infer(
        noise.log_density_pairs(z_private, z)[0],
        y,
        classes=5,
        log_label_likelihood=label_log_likelihood(reported, labels.transition_matrix),
    )
    rounding = 1 + 1e-9
    assert posterior.odds_factor <= math.exp(epsilon) * rounding
    assert (posterior.classes <= posterior_limit(posterior.prior, epsilon) * rounding).all()
    assert posterior.records.max() <= posterior.records.min() * math.exp(epsilon) * rounding


def test_a_report_without_the_factor_two_would_break_the_bound() -> None:
    # Opposite vertices of the ball, noise of half the right scale, an output at one of them: the
    # test above has the power to see it.
    clip = L1Clip(radius=1.0)
    z = np.array([[1.0, 0.0], [-1.0, 0.0]])
    too_little = LaplaceNoise(epsilon=4.0, clip=clip)  # claimed: 2
    posterior = infer(too_little.log_density_pairs(z[:1], z)[0], [0, 1], classes=2)
    assert posterior.odds_factor == pytest.approx(math.exp(4.0))
    assert posterior.odds_factor > math.exp(2.0)


def test_no_information_leaves_the_prior_and_the_odds(world) -> None:
    posterior = infer(np.zeros(60), world["y"], classes=4)
    np.testing.assert_allclose(posterior.classes, posterior.prior)
    assert posterior.odds_factor == pytest.approx(1.0)


def test_several_reports_add_up(world) -> None:
    noise = LaplaceNoise(epsilon=1.0, clip=world["clip"])
    draws = noise.simulate(np.repeat(world["z"][:1], 4000, axis=0), generator=np.random.default_rng(3))
    one = infer(noise.log_density_pairs(draws[:1], world["z"])[0], world["y"], classes=4)
    many = infer(noise.log_density_pairs(draws, world["z"]).sum(axis=0), world["y"], classes=4)
    assert many.nearest(1)[0] == 0 and many.records[0] > 0.9 > one.records[0]


def test_rank_and_nearest() -> None:
    posterior = infer(np.log([0.5, 0.1, 0.4]), [0, 1, 2], classes=4)
    assert [posterior.rank(k) for k in range(4)] == [1, 3, 2, 4]
    assert posterior.nearest(2).tolist() == [0, 2]
    assert posterior.nearest(99).tolist() == [0, 2, 1]
    assert posterior.prior[3] == 0.0 and math.isfinite(posterior.odds_factor)


def test_underflow_does_not_hide_the_change_of_odds() -> None:
    posterior = infer([0.0, -2000.0], [0, 1], classes=2)
    assert posterior.classes.tolist() == [1.0, 0.0]
    assert posterior.odds_factor == math.inf  # e^2000 is beyond float64, and says so without a warning
    assert infer([0.0, -700.0], [0, 1], classes=2).odds_factor == pytest.approx(math.exp(700.0))


def test_without_noise_all_mass_is_on_the_nearest_records() -> None:
    z = np.array([[0.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    posterior = infer(nearest_log_likelihood([0.1, 0.8], z), [0, 1, 2], classes=3)
    assert posterior.classes.tolist() == [0.5, 0.5, 0.0]
    assert posterior.odds_factor == math.inf


def test_limit_matches_the_cap_of_randomised_response() -> None:
    for epsilon in (0.0, 0.5, 7.0):
        truth = RandomisedResponse(epsilon=epsilon, classes=10).transition_matrix[0, 0]
        assert posterior_limit(0.1, epsilon) == pytest.approx(truth)
    assert posterior_limit([0.0, 0.3], math.inf).tolist() == [0.0, 1.0]


@pytest.mark.parametrize(
    ("arguments", "options", "message"),
    [
        (([0.0, 0.0], [0]), {"classes": 2}, "one log-likelihood and one label"),
        (([], np.array([], dtype=np.int64)), {"classes": 2}, "one log-likelihood and one label"),
        (([0.0], [2]), {"classes": 2}, "labels from 0 to 1"),
        (([0.0], [0.5]), {"classes": 2}, "labels from 0 to 1"),
        (([-np.inf], [0]), {"classes": 2}, "finite log-likelihood"),
        (([np.nan], [0]), {"classes": 2}, "finite log-likelihood"),
        (([0.0], [0]), {"classes": 2, "log_label_likelihood": [0.0]}, "2 label log-likelihoods"),
    ],
)
def test_bad_arguments(arguments, options, message) -> None:
    with pytest.raises(ValueError, match=message):
        infer(*arguments, **options)


@pytest.mark.parametrize(("prior", "epsilon"), [(0.5, -1.0), (0.5, math.nan), (1.5, 1.0), (-0.1, 1.0)])
def test_bad_limits(prior: float, epsilon: float) -> None:
    with pytest.raises(ValueError, match="Expected"):
        posterior_limit(prior, epsilon)
