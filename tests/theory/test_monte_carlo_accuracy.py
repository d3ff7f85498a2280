"""Simulation against the formulas.

Every comparison allows 5.73 standard errors, which a right simulation exceeds with probability 1e-8;
with fewer than 50 comparisons the file fails by chance less than once in a million seeds. A noise scale
off by a factor of 0.9 or 1.1 must be rejected by the same test.
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from rlm_core.owner.clip import L1Clip
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.theory import (
    Estimate,
    krr_cap,
    monte_carlo_accuracy,
    simulation,
    vertex_accuracy,
    vertex_accuracy_odd,
    vertices,
)
from rlm_core.theory.checks import laplace_scale

Z = float(norm.isf(0.5e-8))
SAMPLES = 200_000


def agrees(estimate: Estimate, expected: float) -> bool:
    return abs(estimate.accuracy - expected) <= Z * estimate.standard_error


@pytest.mark.parametrize(
    ("classes", "dimension", "epsilon", "radius"),
    [(2, 1, 2.0, 1.0), (4, 2, 4.0, 1.0), (4, 5, 4.0, 3.0), (10, 5, 7.0, 1.0), (10, 8, 2.8, 0.1), (40, 20, 9.0, 1.0)],
)
def test_agrees_with_the_formula_and_rejects_a_wrong_scale(
    classes: int, dimension: int, epsilon: float, radius: float
) -> None:
    rng = np.random.default_rng(21)
    positions = vertices(classes, dimension, radius)
    estimate = monte_carlo_accuracy(positions, epsilon, samples=SAMPLES, generator=rng, radius=radius)
    assert agrees(estimate, vertex_accuracy(epsilon, classes))
    for factor in (0.9, 1.1):  # noise of 0.9 and 1.1 times the scale
        wrong = monte_carlo_accuracy(positions, epsilon / factor, samples=SAMPLES, generator=rng, radius=radius)
        assert not agrees(wrong, vertex_accuracy(epsilon, classes))


@pytest.mark.parametrize(("classes", "dimension"), [(3, 2), (3, 3), (5, 3), (9, 6)])
def test_agrees_with_the_formula_for_odd_classes(classes: int, dimension: int) -> None:
    rng = np.random.default_rng(22)
    estimate = monte_carlo_accuracy(vertices(classes, dimension), 4.0, samples=SAMPLES, generator=rng)
    assert agrees(estimate, vertex_accuracy_odd(4.0, classes))
    assert not agrees(estimate, vertex_accuracy(4.0, classes + 1))


@pytest.mark.parametrize("along", [0.25, 0.5, 0.75])
def test_third_class_may_sit_anywhere_on_the_opposite_edge(along: float) -> None:
    """K = 3, d = 2: vertices are optimal but not alone; the whole edge from -e_1 to -e_2 ties."""
    positions = [[1.0, 0.0], [0.0, 1.0], [-along, along - 1]]
    estimate = monte_carlo_accuracy(positions, 4.0, samples=SAMPLES, generator=np.random.default_rng(23))
    assert agrees(estimate, vertex_accuracy_odd(4.0, 3))


def test_opposite_vertices_beat_neighbouring_ones() -> None:
    """Two classes on neighbouring vertices: 1/K (1 + total variation) from a plain 2-D sum."""
    rng = np.random.default_rng(24)
    neighbours = monte_carlo_accuracy(np.eye(2), 4.0, samples=SAMPLES, generator=rng)
    assert neighbours.accuracy + Z * neighbours.standard_error < vertex_accuracy(4.0, 2)
    edges = np.linspace(-7, 8, 1501)  # the density beyond is below e^-14
    z = (edges[:-1] + edges[1:]) / 2
    here, there = np.exp(-2 * np.abs(z - 1)), np.exp(-2 * np.abs(z))  # scale b = 1/2, density e^(-|z|/b) / 2b
    total = np.maximum(np.outer(here, there), np.outer(there, here)).sum() * (edges[1] - edges[0]) ** 2
    assert abs(neighbours.accuracy - total / 2) <= Z * neighbours.standard_error + 1e-4


def test_no_placement_beats_the_cap() -> None:
    rng = np.random.default_rng(25)
    for classes, dimension, epsilon in ((2, 2, 0.5), (3, 1, 2.0), (5, 3, 4.0), (8, 2, 8.0)):
        positions = rng.uniform(-1, 1, size=(classes, dimension))
        positions /= np.abs(positions).sum(axis=1, keepdims=True)
        estimate = monte_carlo_accuracy(positions, epsilon, samples=50_000, generator=rng)
        assert estimate.accuracy <= krr_cap(epsilon, classes) + Z * estimate.standard_error


def test_standard_error_is_the_spread_of_repeated_runs() -> None:
    """The spread over 400 runs is chi distributed: within 5.73 of its own relative errors 1/sqrt(800)."""
    rng = np.random.default_rng(26)
    runs = [monte_carlo_accuracy(vertices(4, 2), 4.0, samples=2000, generator=rng) for _ in range(400)]
    spread = np.std([run.accuracy for run in runs], ddof=1)
    claimed = np.mean([run.standard_error for run in runs])
    assert abs(spread / claimed - 1) < Z / np.sqrt(800)


def test_limits_and_coinciding_classes() -> None:
    rng = np.random.default_rng(27)
    sure = monte_carlo_accuracy(vertices(4, 2), float("inf"), samples=1000, generator=rng)
    assert sure.accuracy == 1
    assert sure.standard_error > 0
    together = monte_carlo_accuracy([[0.5, 0.0], [0.5, 0.0]], 3.0, samples=1000, generator=rng)
    assert together.accuracy == 0.5  # one class is always answered, the other never
    nearly_blind = monte_carlo_accuracy(vertices(4, 2), 1e-6, samples=SAMPLES, generator=rng)
    assert agrees(nearly_blind, 0.25)


def test_is_reproducible_and_independent_of_the_blocks(monkeypatch: pytest.MonkeyPatch) -> None:
    def run() -> Estimate:
        return monte_carlo_accuracy(vertices(3, 2), 3.0, samples=1000, generator=np.random.default_rng(28))

    first = run()
    assert run() == first
    monkeypatch.setattr(simulation, "_BLOCK", 64)
    assert run() == first
    assert first.samples == 1000


def test_scale_is_that_of_the_mechanism() -> None:
    for epsilon, radius in ((0.5, 1.0), (7.0, 3.0), (float("inf"), 2.0)):
        assert laplace_scale(epsilon, radius) == LaplaceNoise(epsilon=epsilon, clip=L1Clip(radius=radius)).scale


def test_refuses_bad_input() -> None:
    rng = np.random.default_rng(29)
    with pytest.raises(ValueError, match="Expected generators with l1 norm <= 1, got 1.1 in row 1"):
        monte_carlo_accuracy([[1.0, 0.0], [0.6, 0.5]], 1.0, samples=10, generator=rng)
    for epsilon in (0.0, -1.0, float("nan")):
        with pytest.raises(ValueError, match="Expected epsilon > 0, got epsilon="):
            monte_carlo_accuracy(vertices(2, 1), epsilon, samples=10, generator=rng)
    with pytest.raises(ValueError, match="Expected samples >= 4, got samples=3"):
        monte_carlo_accuracy(vertices(4, 2), 1.0, samples=3, generator=rng)
    with pytest.raises(ValueError, match="radius"):
        monte_carlo_accuracy(vertices(2, 1), 1.0, samples=10, generator=rng, radius=-1.0)
    with pytest.raises(ValueError, match="Expected at least 2 generators, got 1"):
        monte_carlo_accuracy([[0.0]], 1.0, samples=10, generator=rng)
    with pytest.raises(ValueError, match="finite numbers in generators"):
        monte_carlo_accuracy([[0.0], [float("nan")]], 1.0, samples=10, generator=rng)
    with pytest.raises(TypeError, match="Expected an integer for samples"):
        monte_carlo_accuracy(vertices(2, 1), 1.0, samples=10.0, generator=rng)  # type: ignore[arg-type]
