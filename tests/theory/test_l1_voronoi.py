"""The vertices and the l1 cells, against a plain loop and the paper's picture."""

from __future__ import annotations

import numpy as np
import pytest

from rlm_core.theory import l1_voronoi, vertices, voronoi


def naive_cell(point, generators) -> tuple[int, bool]:  # type: ignore[no-untyped-def]
    l1 = [sum(abs(p - g) for p, g in zip(point, c, strict=True)) for c in generators]
    near = [k for k, value in enumerate(l1) if value <= min(l1) + 1e-12]
    l2 = {k: sum((p - g) ** 2 for p, g in zip(point, generators[k], strict=True)) for k in near}
    return min(near, key=lambda k: l2[k]), len(near) > 1


def test_vertices_come_in_opposite_pairs_axis_by_axis() -> None:
    np.testing.assert_array_equal(
        vertices(5, 4, radius=2.5),
        [[2.5, 0, 0, 0], [-2.5, 0, 0, 0], [0, 2.5, 0, 0], [0, -2.5, 0, 0], [0, 0, 2.5, 0]],
    )
    np.testing.assert_array_equal(vertices(2, 1), [[1], [-1]])
    assert len(np.unique(vertices(10, 5), axis=0)) == 10


def test_matches_a_plain_loop() -> None:
    rng = np.random.default_rng(11)
    for dimension, classes in ((1, 2), (2, 4), (2, 7), (3, 5), (6, 9)):
        generators = rng.uniform(-1, 1, size=(classes, dimension))
        points = rng.uniform(-3, 3, size=(400, dimension))
        cells = l1_voronoi(points, generators)
        expected = [naive_cell(point, generators) for point in points]
        np.testing.assert_array_equal(cells.nearest, [k for k, _ in expected])
        np.testing.assert_array_equal(cells.equidistant, [tie for _, tie in expected])


def test_matches_a_plain_loop_where_ties_abound() -> None:
    """Integer points tie exactly and often, and l2 does not always decide as l-infinity would."""
    rng = np.random.default_rng(14)
    generators = rng.integers(-4, 5, size=(8, 3))
    points = rng.integers(-6, 7, size=(2000, 3))
    cells = l1_voronoi(points, generators)
    expected = [naive_cell(point, generators) for point in points.tolist()]
    np.testing.assert_array_equal(cells.nearest, [k for k, _ in expected])
    np.testing.assert_array_equal(cells.equidistant, [tie for _, tie in expected])
    gaps = np.abs(points[:, None] - generators)  # (n, K, d)
    l1, largest = gaps.sum(axis=2), gaps.max(axis=2)
    by_largest = np.where(l1 == l1.min(axis=1, keepdims=True), largest, 99).argmin(axis=1)
    assert np.count_nonzero(by_largest != cells.nearest) > 10  # so the comparison can tell the two rules apart


def test_vertex_cell_is_the_papers_region() -> None:
    """S^(1) is |z_i| < z_1 for i >= 2 once ties go to l2; a point is tied where two |z_i| exceed 1."""
    points = np.random.default_rng(12).laplace(size=(5000, 3))
    cells = l1_voronoi(points, vertices(6, 3))
    size = np.abs(points)
    axis = size.argmax(axis=1)
    expected = 2 * axis + (points[np.arange(len(points)), axis] < 0)
    np.testing.assert_array_equal(cells.nearest, expected)
    np.testing.assert_array_equal(cells.equidistant, (size >= 1).sum(axis=1) >= 2)
    assert 0.1 < cells.equidistant.mean() < 0.9


def test_ties_go_to_l2_and_equal_generators_to_the_lowest_index() -> None:
    cells = l1_voronoi([[2.0, 1.5], [1.5, 2.0]], vertices(4, 2))
    np.testing.assert_array_equal(cells.nearest, [0, 2])
    assert cells.equidistant.all()
    doubled = l1_voronoi([[0.9, 0.0], [-0.9, 0.0]], [[1.0, 0.0], [1.0, 0.0], [-1.0, 0.0]])
    np.testing.assert_array_equal(doubled.nearest, [0, 2])
    np.testing.assert_array_equal(doubled.equidistant, [True, False])


def test_tolerance_widens_the_ties() -> None:
    points = [[1e-4, 0.0], [0.3, 0.0]]
    generators = vertices(2, 2)
    np.testing.assert_array_equal(l1_voronoi(points, generators).equidistant, [False, False])
    np.testing.assert_array_equal(l1_voronoi(points, generators, tolerance=1e-3).equidistant, [True, False])


def test_blocks_do_not_change_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    points = np.random.default_rng(13).normal(size=(1001, 2))
    whole = l1_voronoi(points, vertices(4, 2))
    monkeypatch.setattr(voronoi, "_BLOCK", 28)  # 7 points at a time
    parts = l1_voronoi(points, vertices(4, 2))
    np.testing.assert_array_equal(whole.nearest, parts.nearest)
    np.testing.assert_array_equal(whole.equidistant, parts.equidistant)


def test_refuses_bad_input() -> None:
    with pytest.raises(ValueError, match="Expected classes <= 2 \\* dimension = 4, got classes=5"):
        vertices(5, 2)
    with pytest.raises(ValueError, match="Expected dimension >= 1, got dimension=0"):
        vertices(2, 0)
    for radius in (0.0, -1.0, float("nan"), float("inf")):
        with pytest.raises(ValueError, match="radius"):
            vertices(2, 1, radius=radius)
    with pytest.raises(ValueError, match="one dimension, got 3 and 2"):
        l1_voronoi(np.zeros((4, 3)), vertices(2, 2))
    with pytest.raises(ValueError, match="points of shape"):
        l1_voronoi(np.zeros(3), vertices(2, 3))
    with pytest.raises(ValueError, match="finite numbers in points"):
        l1_voronoi([[0.0, float("nan")]], vertices(2, 2))
    with pytest.raises(ValueError, match="Expected tolerance >= 0"):
        l1_voronoi([[0.0, 0.0]], vertices(2, 2), tolerance=float("nan"))
