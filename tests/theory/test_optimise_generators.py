"""The search over placements: its parts exactly, its findings within stated tolerances.

Tolerances: a position counts as a vertex within 0.02 (radius 1); an accuracy may miss the formula by
0.001 (the search's own resolution) plus 5.73 standard errors of the fresh samples (1e-8 each).
"""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import norm

from rlm_core.theory import (
    Optimum,
    monte_carlo_accuracy,
    optimise_generators,
    vertex_accuracy,
    vertex_accuracy_odd,
    vertices,
)
from rlm_core.theory.optimisation import accuracy_and_gradient, project_to_l1_ball, symmetric_noise

Z = float(norm.isf(0.5e-8))


def close_to(optimum: Optimum, expected: float) -> bool:
    return abs(optimum.accuracy.accuracy - expected) <= 0.001 + Z * optimum.accuracy.standard_error


def at_vertices(positions: np.ndarray) -> np.ndarray | None:
    """The vertices (K, d) the rows sit on, or None if one is further than 0.02 from all of them."""
    rounded = np.round(positions)
    on_vertices = np.abs(positions - rounded).max() <= 0.02 and np.all(np.abs(rounded).sum(axis=1) == 1)
    return rounded if on_vertices else None


@pytest.mark.slow
@pytest.mark.parametrize(("classes", "dimension"), [(2, 2), (4, 2), (2, 3), (4, 3), (6, 3)])
def test_vertices_win_opposite_ones_first(classes: int, dimension: int) -> None:
    optimum = optimise_generators(classes, dimension, 4.0, generator=np.random.default_rng(31))
    assert close_to(optimum, vertex_accuracy(4.0, classes))
    found = at_vertices(optimum.positions)
    assert found is not None
    assert len(np.unique(found, axis=0)) == classes
    assert {tuple(row) for row in found} == {tuple(-row) for row in found}  # every vertex with its opposite


@pytest.mark.slow
@pytest.mark.parametrize(("classes", "dimension"), [(3, 2), (3, 3), (5, 3)])
def test_odd_classes_reach_the_vertex_accuracy_and_not_more(classes: int, dimension: int) -> None:
    optimum = optimise_generators(classes, dimension, 4.0, generator=np.random.default_rng(32))
    assert close_to(optimum, vertex_accuracy_odd(4.0, classes))


@pytest.mark.slow
def test_a_fifth_class_in_the_plane_takes_the_centre() -> None:
    """Four vertices for five classes: the centre beats doubling a vertex, by a clear margin."""
    optimum = optimise_generators(5, 2, 8.0, generator=np.random.default_rng(33))
    inner = np.abs(optimum.positions).sum(axis=1).argmin()
    assert np.abs(optimum.positions[inner]).sum() < 0.2
    outer = at_vertices(np.delete(optimum.positions, inner, axis=0))
    assert outer is not None
    assert len(np.unique(outer, axis=0)) == 4
    doubled = np.concatenate([vertices(4, 2), [[1.0, 0.0]]])
    fresh = monte_carlo_accuracy(doubled, 8.0, samples=200_000, generator=np.random.default_rng(34))
    assert optimum.accuracy.accuracy > fresh.accuracy + 0.1


def test_history_climbs_from_the_start_to_the_result_inside_the_ball() -> None:
    optimum = optimise_generators(4, 2, 4.0, generator=np.random.default_rng(35), restarts=3, samples=1000)
    assert optimum.history.shape == (len(optimum.history_accuracy), 4, 2)
    np.testing.assert_array_equal(optimum.history[-1], optimum.positions)
    assert np.all(np.diff(optimum.history_accuracy) > 0)
    assert optimum.history_accuracy[-1] > optimum.history_accuracy[0] + 0.05
    assert np.abs(optimum.history).sum(axis=2).max() <= 1 + 1e-12
    assert optimum.restart_accuracies.shape == (3,)
    assert optimum.restart_accuracies.max() == optimum.history_accuracy[-1]
    assert optimum.accuracy.samples == 1000


def test_is_reproducible() -> None:
    runs = [
        optimise_generators(3, 2, 2.0, generator=np.random.default_rng(36), restarts=2, samples=500) for _ in range(2)
    ]
    np.testing.assert_array_equal(runs[0].history, runs[1].history)
    assert runs[0].accuracy == runs[1].accuracy


def test_gradient_is_the_slope_of_the_objective() -> None:
    rng = np.random.default_rng(37)
    noise, step = symmetric_noise(3, 16, rng), 1e-7  # so small a step crosses no kink of the objective
    positions = project_to_l1_ball(rng.uniform(-1, 1, size=(4, 3)))
    _, gradient = accuracy_and_gradient(positions, noise, 0.5)
    slopes = np.zeros_like(positions)
    for index in np.ndindex(positions.shape):
        shift = np.zeros_like(positions)
        shift[index] = step
        ahead, behind = (accuracy_and_gradient(positions + sign * shift, noise, 0.5)[0] for sign in (1, -1))
        slopes[index] = (ahead - behind) / (2 * step)
    np.testing.assert_allclose(gradient, slopes, atol=1e-6)
    assert np.abs(gradient).max() > 0.01


@pytest.mark.parametrize(("classes", "dimension"), [(2, 2), (4, 2), (6, 3)])
def test_objective_is_the_accuracy(classes: int, dimension: int) -> None:
    """On 2^15 Sobol points the objective meets the formula; a scale off by 0.9 or 1.1 does not."""
    noise = symmetric_noise(dimension, 1 << 11, np.random.default_rng(38))
    positions = vertices(classes, dimension)
    assert accuracy_and_gradient(positions, noise, 0.5)[0] == pytest.approx(vertex_accuracy(4.0, classes), abs=1e-3)
    for factor in (0.9, 1.1):
        wrong = accuracy_and_gradient(positions, noise, 0.5 * factor)[0]
        assert abs(wrong - vertex_accuracy(4.0, classes)) > 5e-3


def test_objective_treats_all_axes_and_signs_alike() -> None:
    noise = symmetric_noise(3, 32, np.random.default_rng(39))
    pairs = [np.array([axis, -axis]) for axis in np.eye(3)]
    values = [accuracy_and_gradient(pair, noise, 0.5)[0] for pair in pairs]
    np.testing.assert_allclose(values, values[0], rtol=1e-12)
    neighbours = accuracy_and_gradient(np.eye(3)[:2], noise, 0.5)[0]
    assert neighbours < values[0] - 0.03  # it tells opposite vertices from neighbouring ones


def test_projection_is_the_nearest_point_of_the_ball() -> None:
    """p is the projection of x iff p is in the ball and (x - p).(y - p) <= 0 for every vertex y of it."""
    points = np.random.default_rng(40).normal(size=(500, 4))
    for radius in (0.5, 1.0, 3.0):
        projected = project_to_l1_ball(points, radius)
        assert np.abs(projected).sum(axis=1).max() <= radius * (1 + 1e-12)
        inside = np.abs(points).sum(axis=1) <= radius
        np.testing.assert_array_equal(projected[inside], points[inside])
        for vertex in vertices(8, 4, radius):
            assert np.sum((points - projected) * (vertex - projected), axis=1).max() <= 1e-12
    np.testing.assert_array_equal(project_to_l1_ball(np.zeros((1, 3))), np.zeros((1, 3)))


def test_refuses_bad_input() -> None:
    rng = np.random.default_rng(41)
    for classes, bound in ((1, "classes >= 2"), (7, "classes <= 6")):
        with pytest.raises(ValueError, match=f"Expected {bound}, got classes={classes}"):
            optimise_generators(classes, 2, 1.0, generator=rng)
    for dimension in (1, 4):
        with pytest.raises(ValueError, match=f"Expected dimension 2 or 3, got dimension={dimension}"):
            optimise_generators(2, dimension, 1.0, generator=rng)
    for epsilon in (0.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="epsilon"):
            optimise_generators(2, 2, epsilon, generator=rng)
    with pytest.raises(ValueError, match="Expected restarts >= 1"):
        optimise_generators(2, 2, 1.0, generator=rng, restarts=0)
    with pytest.raises(ValueError, match="Expected samples >= 2"):
        optimise_generators(2, 2, 1.0, generator=rng, samples=0)
