"""The bound page, control by control: its numbers are the library's."""

from __future__ import annotations

import base64
import json
import math
import re

import numpy as np
import pytest
from page_driver import Open, charts, healthy, words
from streamlit.testing.v1 import AppTest

from benchmarks import summary
from rlm_core.theory import krr_cap, l1_voronoi, vertex_accuracy, vertices
from ui.bound.figures import pixel_centres
from ui.bound.theory import simulate
from ui.kit.formats import percent


def chart(app: AppTest) -> dict:
    (found,) = charts(app)
    return found["figure"]


def component(app: AppTest, part: str) -> dict:
    """The data of the board ("cells") or of the octahedron ("triangles")."""
    found = [json.loads(each.proto.json) for each in app.main.get("bidi_component")]
    (data,) = [each for each in found if isinstance(each, dict) and part in each]
    return data


def test_opens_with_everything(open_page: Open) -> None:
    app = open_page("bound")
    text = words(app)
    assert percent(vertex_accuracy(3.0, 10)) in text and percent(krr_cap(3.0, 10)) in text and "10 %" in text
    assert len(component(app, "cells")["places"]) == 4 and len(component(app, "triangles")["places"]) == 6
    assert len(app.expander) >= 7 and len(charts(app)) == 1
    assert "hypothesis" in text and "not of local differential privacy" in text


def test_epsilon_and_classes_change_the_numbers_and_the_curve(open_page: Open) -> None:
    app = open_page("bound")
    healthy(app.select_slider(key="eps").set_value(3.5).run())
    assert percent(vertex_accuracy(3.5, 10)) in words(app) and percent(krr_cap(3.5, 10)) in words(app)
    before = chart(app)
    healthy(app.slider(key="k").set_value(4).run())
    assert percent(vertex_accuracy(3.5, 4)) in words(app) and "choose **K = 10**" in words(app)
    after = chart(app)
    assert after != before and after["layout"]["shapes"][0]["x0"] == 3.5
    line = next(each for each in after["data"] if each["name"] == "Laplace noise, classes on vertices")
    assert np.allclose(line["y"], 100 * vertex_accuracy(line["x"], 4), atol=5e-4)


def test_odd_and_too_many_classes_are_said_to_be_simulated(open_page: Open) -> None:
    app = open_page("bound", eps="3", k="7")
    assert "K is odd" in app.info[0].value and "simulated" in app.info[0].value
    healthy(app.segmented_control(key="d").set_value("2").run())
    assert "Simulated" in app.info[0].value and "4 corners" in app.info[0].value
    healthy(app.slider(key="k").set_value(4).run())
    assert not app.info and percent(vertex_accuracy(3.0, 4)) in words(app)


@pytest.mark.parametrize(
    ("title", "dataset", "learnt"), [("MNIST", "mnist", "V-RLM"), ("CIFAR-10", "cifar10", "C-RLM")]
)
def test_private_accuracies_stand_on_the_curve(open_page: Open, title: str, dataset: str, learnt: str) -> None:
    app = open_page("bound", data=title)
    points = next(each for each in chart(app)["data"] if each["name"] == f"{learnt} (paper)")
    expected = summary.paper_curve("private_inference", dataset, learnt)
    finite = {epsilon: mean for epsilon, (mean, _) in expected.items() if math.isfinite(epsilon)}
    assert points["x"] == pytest.approx([0.7 * epsilon for epsilon in finite])
    assert points["y"] == pytest.approx(list(finite.values()))
    ours = {cell.mechanism for cell in summary.cells("private_inference") if cell.dataset == dataset}
    assert {each["name"] for each in chart(app)["data"] if "(ours)" in each["name"]} == {f"{m} (ours)" for m in ours}


def test_vertices_are_simulated_beside_the_formula(open_page: Open) -> None:
    app = open_page("bound", eps="2")
    for count in (2, 3, 4):
        healthy(app.segmented_control(key="n").set_value(count).run())
        data, places = component(app, "cells"), vertices(count, 2)
        assert data["places"] == places.tolist()
        cells = np.frombuffer(base64.b64decode(data["cells"]), dtype=np.uint8) & 127
        assert np.array_equal(cells, l1_voronoi(pixel_centres(data["reach"]), places).nearest)
        assert percent(simulate(places, 2.0, seed=0).accuracy) in words(app)
    assert percent(vertex_accuracy(2.0, 4)) in words(app)


def test_thrown_points_change_only_when_thrown_again(open_page: Open) -> None:
    app = open_page("bound", eps="2")
    before = component(app, "cells")["points"]
    assert f"{sum(point[3] for point in before)} dots" in words(app)
    healthy(app.toggle(key="ties").set_value(True).run())
    assert component(app, "cells")["points"] == before and component(app, "cells")["ties"] is True
    assert "as far from one class as from another" in words(app)
    healthy(app.button(key="throw_again").click().run())
    after = component(app, "cells")["points"]
    assert after != before and f"{sum(point[3] for point in after)} dots" in words(app)


def test_the_papers_figure_shows_its_regions(open_page: Open) -> None:
    app = open_page("bound", eps="2")
    healthy(app.segmented_control(key="place").set_value("the paper’s figure").run())
    data = component(app, "cells")
    assert data["ties"] is True and data["places"] == [[1, 0], [0, 1]]
    tied = np.frombuffer(base64.b64decode(data["cells"]), dtype=np.uint8) >= 128
    assert 0.2 < tied.mean() < 0.8


def test_typed_places_and_one_more_or_less(open_page: Open) -> None:
    app = open_page("bound", eps="2", place="my own", at="0.5,0.5;-0.5,-0.5")
    assert component(app, "cells")["places"] == [[0.5, 0.5], [-0.5, -0.5]]
    assert percent(simulate(np.array([[0.5, 0.5], [-0.5, -0.5]]), 2.0, seed=0).accuracy) in words(app)
    healthy(app.button(key="add_class").click().run())
    assert len(component(app, "cells")["places"]) == 3
    healthy(app.button(key="remove_class").click().run())
    assert app.text_input(key="at").value == "0.5,0.5;-0.5,-0.5" and app.button(key="remove_class").disabled
    healthy(app.text_input(key="at").set_value("3,0;0,3").run())
    assert component(app, "cells")["places"] == [[1, 0], [0, 1]] and "pulled to its edge" in words(app)
    healthy(app.text_input(key="at").set_value("here and there").run())
    assert "Shown are the four vertices" in app.warning[0].value


def test_five_classes_in_the_plane_are_simulated(open_page: Open) -> None:
    app = open_page("bound", eps="4", place="my own", at="1,0;-1,0;0,1;0,-1;0,0")
    assert re.search(r"5 classes are more than the ball has corners.*so it is simulated", words(app))


def test_the_search_shows_that_vertices_win(open_page: Open) -> None:
    app = open_page("bound", eps="4", place="my own", at="0.2,0.1;-0.1,0.3;0.4,-0.2;-0.3,-0.3")
    before = simulate(np.array([[0.2, 0.1], [-0.1, 0.3], [0.4, -0.2], [-0.3, -0.3]]), 4.0, seed=0)
    healthy(app.button(key="search_plane").click().run())
    text = words(app)
    assert "The corners win" in text and percent(before.accuracy) in text and percent(vertex_accuracy(4.0, 4)) in text
    data = component(app, "cells")
    assert np.allclose(data["path"][-1], data["places"], atol=1e-3) and len(data["path"]) > 1
    assert {tuple(place) for place in np.round(data["places"], 2).tolist()} == {(1, 0), (-1, 0), (0, 1), (0, -1)}
    run = data["run"]
    healthy(app.button(key="search_plane").click().run())
    assert component(app, "cells")["run"] != run  # so that it is played again
    healthy(app.select_slider(key="eps").set_value(2.0).run())
    assert component(app, "cells")["path"] == [] and "before the search" not in words(app)


def test_the_octahedron(open_page: Open) -> None:
    app = open_page("bound", eps="3")
    for count in (2, 5):
        healthy(app.segmented_control(key="k3").set_value(count).run())
        assert component(app, "triangles")["places"] == vertices(count, 3).tolist()
        assert percent(simulate(vertices(count, 3), 3.0, seed=0).accuracy) in words(app)
    healthy(app.button(key="search_space").click().run())
    data = component(app, "triangles")
    assert len(data["path"]) > 1 and "The corners win" in words(app)
    healthy(app.button(key="forget_space").click().run())
    assert component(app, "triangles")["path"] == []


def test_without_noise_there_is_nothing_to_search(open_page: Open) -> None:
    app = open_page("bound", eps="∞")
    assert app.button(key="search_plane").disabled and app.button(key="search_space").disabled
    assert "240 dots" in words(app) and "100 %" in words(app)


def test_a_link_opens_the_same_view(open_page: Open) -> None:
    app = open_page("bound", eps="1.5", k="6", d="3", place="my own", at="1,0;0,1;-1,0", ties="true", k3="4")
    assert (app.slider(key="k").value, app.segmented_control(key="d").value) == (6, "3")
    assert len(component(app, "cells")["places"]) == 3 and component(app, "cells")["ties"] is True
    assert len(component(app, "triangles")["places"]) == 4


BROKEN = [
    {"k": "99"},
    {"k": "x"},
    {"d": "7"},
    {"place": "moon"},
    {"at": "<b>;"},
    {"n": "9"},
    {"k3": "0"},
    {"ties": "?"},
]


@pytest.mark.parametrize("address", BROKEN)
def test_a_broken_link_still_opens(open_page: Open, address: dict[str, str]) -> None:
    app = open_page("bound", **address)
    assert app.slider(key="k").value == 10 and len(component(app, "cells")["places"]) == 4
