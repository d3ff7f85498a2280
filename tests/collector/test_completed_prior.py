"""A prior that lacks a group: what the reports tell about it, on a ball in two dimensions."""

from __future__ import annotations

import numpy as np
import pytest

from rlm_core.collector.classifier import NoiseAwareClassifier, posterior_weights
from rlm_core.collector.completed_prior import complete
from rlm_core.mechanism import RLM
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.registry import identity

CORNERS = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
NOVEL = 3


def records(count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Near the corners of the ball; half of all are of the last."""
    generator = np.random.default_rng(seed)
    corner = np.where(generator.random(count) < 0.5, NOVEL, generator.integers(0, NOVEL, count))
    return L1Clip(radius=1.0)(CORNERS[corner] + generator.normal(0.0, 0.1, (count, 2))), corner


def mechanism(epsilon: float) -> RLM:
    noise = LaplaceNoise(epsilon=epsilon, clip=L1Clip(radius=1.0))
    return RLM(name="V-RLM", encoder=identity, noise=noise, input_dim=2, output_dim=2)


def collected(epsilon: float = 6.0) -> tuple[RLM, np.ndarray, np.ndarray, np.ndarray]:
    """A mechanism, reports, their corners, and a prior of records without the novel corner."""
    people, corner = records(4_000, seed=1)
    known, its_corner = records(800, seed=2)
    channel = mechanism(epsilon)
    reports = channel.simulate(people, generator=np.random.default_rng(3))
    return channel, reports, corner, known[its_corner != NOVEL]


def test_the_shares_find_the_missing_group() -> None:
    channel, reports, corner, known = collected()
    prior = complete(known, reports, channel.log_density_pairs)
    near = (np.abs(prior.points - CORNERS[NOVEL]).sum(1) < 0.6) @ prior.shares
    assert near == pytest.approx((corner == NOVEL).mean(), abs=0.12)  # 0.5; even shares would give 0.08
    assert prior.shares.sum() == pytest.approx(1.0) and prior.shares.min() >= 0.0


def test_no_mixture_of_the_points_is_much_likelier() -> None:
    channel, reports, _, known = collected()
    prior = complete(known, reports, channel.log_density_pairs, steps=500)
    densities = np.exp(channel.log_density_pairs(reports, prior.points))

    def value(shares: np.ndarray) -> float:
        return float(np.log(densities @ shares).mean())

    generator = np.random.default_rng(4)
    for _ in range(50):
        other = 0.8 * prior.shares + 0.2 * generator.dirichlet(np.full(len(prior.points), 0.1))
        assert value(other) < value(prior.shares) + 1e-4
    # The gradient's largest entry bounds what any other mixture could gain (Lindsay 1983).
    gain = (densities / (densities @ prior.shares)[:, None]).mean(0).max() - 1.0
    assert gain < 0.05


def test_posterior_weights_are_bayes_rule_with_the_shares() -> None:
    channel, reports, _, known = collected()
    prior = complete(known, reports, channel.log_density_pairs)
    weights = posterior_weights(reports[:5], prior.points, prior.log_joint).double().numpy()
    naive = prior.shares * np.exp(channel.log_density_pairs(reports[:5], prior.points))
    expected = naive / naive.sum(1, keepdims=True)
    np.testing.assert_allclose(weights / len(prior.points), expected, atol=1e-4)


def test_denoising_with_it_recognises_the_group_that_the_plain_prior_hides() -> None:
    channel, reports, corner, known = collected()
    is_novel = (corner == NOVEL).astype(np.int64)
    test, its_corner = records(2_000, seed=5)
    prior = complete(known, reports, channel.log_density_pairs)
    scores = []
    for points, density in ((known, channel.log_density_pairs), (prior.points, prior.log_joint)):
        classifier = NoiseAwareClassifier(classes=2, hidden=(16,), learning_rate=1e-2)
        classifier.fit(reports, is_novel, transition=np.eye(2), log_density=density, prior=points)
        scores.append(classifier.score(test, its_corner == NOVEL))
    assert scores[1] > 0.97 and scores[1] > scores[0] + 0.01


def test_the_points_are_as_long_as_records() -> None:
    channel, reports, _, known = collected()
    points = complete(3.0 * known, reports, channel.log_density_pairs).points
    lengths, longest = np.abs(points).sum(1), np.abs(3.0 * known).sum(1).max()
    assert points.shape == known.shape and lengths.max() == pytest.approx(longest)


def test_bad_arguments_raise() -> None:
    channel, reports, _, known = collected()
    prior = complete(known, reports, channel.log_density_pairs, steps=2)
    with pytest.raises(ValueError, match="which the shares belong to"):
        prior.log_joint(reports, prior.points[:-1])
    with pytest.raises(ValueError, match="prior"):
        complete(known[:, :1], reports, channel.log_density_pairs)
    with pytest.raises(ValueError, match="M >= 2"):
        complete(known[:1], reports, channel.log_density_pairs)
    with pytest.raises(ValueError, match="n >= 1"):
        complete(known, reports[:0], channel.log_density_pairs)
    with pytest.raises(ValueError, match="is there noise"):
        complete(known, reports, lambda z, points: np.full((len(z), len(points)), -np.inf))
    with pytest.raises(ValueError, match="z_private"):
        complete(known, np.full((3, 2), np.nan), channel.log_density_pairs)
