"""Learning from joint reports: the truth is found, and noise is shrunk rather than followed.

Groups are far apart and reports many: a failure by chance would be many standard errors away (below 1e-6).
"""

from __future__ import annotations

import numpy as np
import pytest

from rlm_core.collector.joint import CoordinateDiscriminant, SignedDiscriminant, shrunk
from rlm_core.owner import JointLaplace, JointSelection


def groups(classes: int, count: int, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Classes around points on a circle, in three dimensions; the third says nothing."""
    rng = np.random.default_rng(seed)
    y = rng.integers(classes, size=count)
    angle = 2 * np.pi * y / classes
    means = np.stack([np.cos(angle), np.sin(angle), np.zeros(count)], axis=1)
    return means + 0.2 * rng.normal(size=(count, 3)) + np.array([0.5, 0.0, 0.0]), y


def test_two_classes_are_learnt_from_released_numbers() -> None:
    (h, y), (public, _), (new, truth) = groups(2, 40_000, 0), groups(2, 2_000, 1), groups(2, 2_000, 2)
    joint = JointLaplace(epsilon=1.0, radius=1.5, centre=tuple(public.mean(axis=0)), constant=0.1)
    fitted = SignedDiscriminant(variance=2 * joint.noise.scale**2).fit(
        joint.privatise(h, y), joint.noise.clip(joint.centred(public))
    )
    assert fitted.score(joint.centred(new), truth) > 0.95
    assert fitted.score(joint.centred(new), 1 - truth) < 0.05


def test_many_classes_are_learnt_from_one_bit_of_one_coordinate_each() -> None:
    (h, y), (public, _), (new, truth) = groups(5, 30_000, 0), groups(5, 2_000, 1), groups(5, 2_000, 2)
    joint = JointSelection(epsilon=2.0, classes=5, low=(-1.0, -1.0, 0.0), high=(2.0, 1.0, 0.0))
    coordinates, members = joint.privatise(h, y)
    fitted = CoordinateDiscriminant(classes=5, energy=joint.channel.energy).fit(
        coordinates, joint.channel.vector(members), joint.scaled(public)
    )
    assert fitted.coordinates_.tolist() == [0, 1]  # the third has no range and is never drawn
    assert fitted.score(joint.scaled(new), truth) > 0.9


def test_without_noise_the_weights_are_those_of_least_squares() -> None:
    (h, y), (new, _) = groups(2, 4_000, 0), groups(2, 500, 2)
    joint = JointLaplace(epsilon=float("inf"), radius=100.0, centre=(0.0, 0.0, 0.0), constant=1.0)
    a = joint.noise.clip(joint.centred(h))
    fitted = SignedDiscriminant(variance=0.0).fit(joint.privatise(h, y), a)
    naive = np.linalg.lstsq(a, 2.0 * y - 1.0)[0]
    agree = np.sign(fitted.decision(joint.centred(new))) == np.sign(joint.centred(new) @ naive)
    assert agree.mean() > 0.995


def test_means_that_are_noise_are_shrunk_away() -> None:
    rng = np.random.default_rng(0)
    covariance, noise = np.diag([1.0, 0.1]), 4.0
    found = rng.normal(0.0, 2.0, size=(2, 50))
    assert np.abs(shrunk(covariance, found, noise)).max() < 0.2 * np.abs(np.linalg.solve(covariance, found)).max()
    assert shrunk(covariance, found, 0.0) == pytest.approx(np.linalg.solve(covariance, found), rel=1e-6)


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match=r"reports \(n, 6\), got \(2,\) and \(2, 4\)"):
        CoordinateDiscriminant(classes=3, energy=1.0).fit([0, 0], np.zeros((2, 4)), np.zeros((5, 2)))
    with pytest.raises(ValueError, match="coordinates below 2, got 7"):
        CoordinateDiscriminant(classes=2, energy=1.0).fit([0, 7], np.zeros((2, 4)), np.zeros((5, 2)))
    with pytest.raises(ValueError, match="auxiliary of 3 columns, got 2"):
        SignedDiscriminant(variance=1.0).fit(np.zeros((2, 3)), np.zeros((5, 2)))
