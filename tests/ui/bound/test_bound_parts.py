"""The bound page's parts on their own: curves, typed places, cells, search, and the derivation's formulas."""

from __future__ import annotations

import base64
import json
import math
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from benchmarks import summary, table
from benchmarks.table import Row
from rlm_core.catalogue import TEST_SHARE
from rlm_core.theory import (
    krr_cap,
    l1_voronoi,
    monte_carlo_accuracy,
    vertex_accuracy,
    vertex_accuracy_odd,
    vertices,
)
from ui.bound import points
from ui.bound.figures import (
    PIXELS,
    board_data,
    bound_chart,
    cells_of,
    climb_chart,
    octahedron_data,
    pixel_centres,
    surface,
)
from ui.bound.points import PlaceError, as_text, from_browser, parse
from ui.bound.search import Search, accuracy_figures, farthest_from_vertex, run_search, search_words
from ui.bound.theory import curve, measured, simulate, spread, throw


def trace(figure: dict, name: str) -> dict:
    (found,) = [each for each in figure["data"] if each["name"] == name]
    return found


@pytest.mark.parametrize("classes", [2, 10, 20])
def test_the_curve_is_the_librarys_formula(classes: int) -> None:
    figure = bound_chart(curve(classes, None), classes, 4.0)
    line = trace(figure, "Laplace noise, classes on vertices")
    assert np.allclose(line["y"], 100 * vertex_accuracy(line["x"], classes), atol=5e-4)
    cap = trace(figure, "cap of any ε-LDP report (k-RR)")
    assert np.allclose(cap["y"], 100 * krr_cap(cap["x"], classes), atol=5e-4)
    assert set(trace(figure, f"chance, 1/{classes}")["y"]) == {100 / classes}
    assert figure["layout"]["shapes"][0]["x0"] == 4.0
    assert bound_chart(curve(classes, None), classes, math.inf)["layout"]["shapes"] == []
    json.dumps(figure)


def test_odd_classes_are_simulated_beside_our_formula() -> None:
    found = curve(5, None)
    assert found.kind == "odd" and found.dots is not None
    epsilon, accuracy, error = found.dots
    # 20 dots: all within 5 standard errors of the formula fails by chance less than once in 80,000 (and the seed is
    # fixed).
    assert np.all(np.abs(accuracy - vertex_accuracy_odd(epsilon, 5)) < 5 * error)
    assert {"simulated, vertices", "Laplace noise, classes on vertices"} <= {
        each["name"] for each in bound_chart(found, 5, 4.0)["data"]
    }


def test_too_few_dimensions_are_simulated_alone() -> None:
    found = curve(6, 2)
    assert found.kind == "simulated" and found.dots is not None
    names = {each["name"] for each in bound_chart(found, 6, 4.0)["data"]}
    assert "simulated, classes spread over the ball" in names and "Laplace noise, classes on vertices" not in names
    assert np.all(found.accuracy < vertex_accuracy(found.epsilon, 6) + 5 * found.dots[2])  # a corner short
    assert curve(6, 3).kind == "formula" and curve(5, 3).kind == "odd"


@pytest.mark.parametrize(("classes", "dimension"), [(5, 2), (9, 2), (20, 2), (20, 3)])
def test_spread_places_are_different_and_inside(classes: int, dimension: int) -> None:
    places = spread(classes, dimension)
    assert places.shape == (classes, dimension) and len(np.unique(places, axis=0)) == classes
    assert np.all(np.abs(places).sum(axis=1) <= 1 + 1e-12)
    assert np.array_equal(places[: 2 * dimension], vertices(2 * dimension, dimension))


def test_measured_points_are_the_rows_and_the_papers_at_the_test_points_budget(tmp_path: Path) -> None:
    for seed, accuracy in enumerate((40.0, 44.0)):
        table.append(
            Row(
                experiment="private_inference",
                dataset="mnist",
                mechanism="V-RLM",
                epsilon=10.0,
                seed=seed,
                accuracy=accuracy,
                lam=0.7,
                train_rows=1,
                test_rows=1,
                seconds=1.0,
                version="0",
            ),
            tmp_path,
        )
    ours, paper = measured("mnist", tmp_path)
    (only,) = ours
    assert (only.epsilon, only.accuracy, only.seeds) == (pytest.approx(7.0), pytest.approx(0.42), 2)
    assert {each.mechanism for each in paper} == set(summary.paper_mechanisms("private_inference", "mnist"))
    first = next(each for each in paper if each.mechanism == "V-RLM" and each.epsilon_train == 10)
    assert (first.epsilon, first.accuracy) == (pytest.approx(7.0), pytest.approx(0.423))
    figure = bound_chart(curve(10, None), 10, 7.0, ours, paper)
    mine, theirs = trace(figure, "V-RLM (ours)"), trace(figure, "V-RLM (paper)")
    assert mine["marker"]["color"] == theirs["marker"]["color"]
    assert (mine["marker"]["symbol"], theirs["marker"]["symbol"]) == ("circle", "circle-open")
    assert "2 seeds" in mine["customdata"][0] and "training at ε = 10" in mine["customdata"][0]
    assert not measured("cifar10", tmp_path)[0] and measured("cifar10", tmp_path)[1]


def test_the_papers_maximum_row_is_on_the_curve() -> None:
    maximum = summary.paper_tables()["private_inference"]["maximum"]
    for epsilon, percent in maximum.items():
        share = TEST_SHARE * float(epsilon)
        assert 100 * vertex_accuracy(share, 10) == pytest.approx(percent, abs=0.051)


@pytest.mark.parametrize("text", ["1,0;-1,0", " 1 0 ; -1, 0 ", "(1, 0);(−1, 0);", "1.0,.0;-1.,0"])
def test_typed_places(text: str) -> None:
    places, moved = parse(text)
    assert places.tolist() == [[1, 0], [-1, 0]] and not moved


def test_places_outside_are_pulled_in_and_it_is_said() -> None:
    places, moved = parse("2,2;0.5,0")
    assert places.tolist() == [[0.5, 0.5], [0.5, 0.0]] and moved
    monte_carlo_accuracy(places, 2.0, samples=10, generator=np.random.default_rng(0))  # accepts them


@pytest.mark.parametrize(
    "text",
    ["", "1,0", "1,0;x,2", "1,0;1", "1,0;1,2,3", "nan,0;1,0", "inf,0;1,0", "1e9,0;1,0", "9" * 9 + ",0;1,0", "1,0;" * 7],
)
def test_nonsense_is_refused_with_words(text: str) -> None:
    with pytest.raises(PlaceError, match="[a-z]"):
        parse(text)


def test_text_and_places_go_round() -> None:
    generator = np.random.default_rng(0)
    for classes in range(2, 7):
        places = points.into_ball(generator.uniform(-1, 1, size=(classes, 2)))
        again, moved = parse(as_text(places))
        assert not moved and np.abs(again - places).max() < 0.002
        assert as_text(again) == as_text(parse(as_text(again))[0])
    assert as_text([[-0.0001, 0.0], [1, 0]]) == "0,0;1,0"


@pytest.mark.parametrize(
    "value", [None, 3, "1,0", [[1, 0]], [[1, 0]] * 7, [[1, "0"], [0, 1]], [[True, 0], [0, 1]], [[math.nan, 0], [0, 1]]]
)
def test_anything_may_come_from_a_browser(value: object) -> None:
    assert from_browser(value) is None


@pytest.mark.parametrize("places", [vertices(4, 2), np.array([[1.0, 0.0], [0.0, 1.0]]), spread(6, 2)])
def test_cells_on_the_board_are_the_librarys(places: np.ndarray) -> None:
    data = board_data(places, 2.0, throw(places, 2.0, count=60, seed=0), accuracy=0.5, ties=True, path=None, run="")
    cells = np.frombuffer(base64.b64decode(data["cells"]), dtype=np.uint8)
    centres = pixel_centres(data["reach"])
    assert len(cells) == PIXELS**2 == len(centres)
    assert np.array_equal(cells & 127, l1_voronoi(centres, places).nearest)
    assert centres[0][0] < 0 < centres[0][1]  # upper left first
    json.dumps(data)


def test_the_papers_equidistant_regions_are_there() -> None:
    """Beyond (1, 1) and below (0, 0) everything is as far from e_1 as from e_2; elsewhere only a line is."""
    reach = 2.0
    cells, centres = cells_of(np.array([[1.0, 0.0], [0.0, 1.0]]), reach) >= 128, pixel_centres(reach)
    corner = np.all(centres > 1.02, axis=1) | np.all(centres < -0.02, axis=1)
    assert corner.any() and cells[corner].all()
    rest = ~corner & (np.abs(centres[:, 0] - centres[:, 1]) > 0.1)
    assert not cells[rest & ~(np.abs(centres - 1).min(axis=1) < 0.05) & ~(np.abs(centres).min(axis=1) < 0.05)].any()


def test_thrown_points_are_right_where_the_library_says_so() -> None:
    places = vertices(3, 2)
    shown = throw(places, 1.0, count=100, seed=3)
    assert np.bincount(shown.classes).tolist() == [33, 33, 33]
    assert np.array_equal(shown.correct, l1_voronoi(shown.points, places).nearest == shown.classes)
    assert not np.array_equal(shown.points, throw(places, 1.0, count=100, seed=4).points)
    assert throw(places, math.inf, count=99, seed=0).correct.all()


def test_the_surface_covers_the_octahedron() -> None:
    triangles, nearest = surface(vertices(6, 3), parts=4)
    assert triangles.shape == (8 * 16, 3, 3) and np.allclose(np.abs(triangles).sum(axis=2), 1)
    edges = triangles[:, 1:] - triangles[:, :1]
    area = 0.5 * np.linalg.norm(np.cross(edges[:, 0], edges[:, 1]), axis=1).sum()
    assert area == pytest.approx(8 * math.sqrt(3) / 2)  # eight faces with edges of √2
    assert set(nearest) == set(range(6))
    json.dumps(octahedron_data(vertices(6, 3), throw(vertices(6, 3), 2.0, count=12, seed=0), path=None, run=""))


def test_simulated_accuracy_agrees_with_the_formula_and_says_its_error() -> None:
    words = accuracy_figures(vertices(4, 2), 3.0, True, 0)
    found = simulate(vertices(4, 2), 3.0, seed=0)
    # One seeded estimate within 5 standard errors: fails by chance less than once in a million.
    assert abs(found.accuracy - vertex_accuracy(3.0, 4)) < 5 * found.standard_error
    assert f"{100 * found.accuracy:.1f} %" in words and f"{100 * vertex_accuracy(3.0, 4):.1f} %" in words
    assert "so it is simulated" in accuracy_figures(spread(5, 2), 3.0, False, 0)
    assert "odd K" in accuracy_figures(vertices(3, 2), 3.0, True, 0)


@pytest.mark.parametrize(("classes", "dimension"), [(4, 2), (2, 2), (6, 3)])
def test_the_search_ends_on_vertices(classes: int, dimension: int) -> None:
    found = run_search(classes, dimension, 4.0, seed=1)
    assert farthest_from_vertex(found.positions) < 0.02
    search = Search(
        classes=classes,
        epsilon=4.0,
        number=1,
        found=found,
        before=simulate(spread(classes, dimension), 4.0, seed=0),
    )
    words = search_words(search, dimension=dimension)
    assert "The corners win" in words and f"{100 * vertex_accuracy(4.0, classes):.1f} %" in words
    drawing = climb_chart(found.history_accuracy, 4.0, classes, has_vertices=True)
    assert len(ElementTree.fromstring(drawing).findall(".//circle")) == len(found.history)


def test_a_search_without_enough_vertices_says_so() -> None:
    found = run_search(5, 2, 4.0, seed=1)
    words = search_words(
        Search(classes=5, epsilon=4.0, number=1, found=found, before=simulate(spread(5, 2), 4.0, seed=0)), dimension=2
    )
    assert "4 of the 5 classes have gone to corners" in words and "by the formula" not in words
