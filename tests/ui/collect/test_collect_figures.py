"""The collector's figures: what is drawn is what was measured."""

from __future__ import annotations

import numpy as np
import pytest

from rlm_core import private_accuracy
from ui.collect.events import Point
from ui.collect.figures import RUN_COLOURS, Curve, Sweep, colour_of, curves, told, trade_off
from ui.kit.charts import inked
from ui.kit.colours import OWNER

POINTS = [
    Point(epoch=1, epochs=4, seconds=0.5, clean=0.5, private=0.2),
    Point(
        epoch=2, epochs=4, seconds=1.0, clean=0.75, private=0.25, validation=private_accuracy([1, 1, 0, 1], epsilon=2.0)
    ),
]


def test_curves_hold_every_point_the_intervals_and_the_kept_epoch() -> None:
    figure = curves([Curve(name="#1", colour="#000000", points=POINTS, kept=2)], epochs=4, chance=0.1, ceiling=0.9)
    clean, private, answers, ring = figure["data"]
    assert clean["x"] == [1, 2] and clean["y"] == [50.0, 75.0] and private["y"] == [20.0, 25.0]
    assert (clean["line"]["dash"], private["line"]["dash"]) == ("solid", "dot")
    assert ring["x"] == [2] and ring["y"] == [75.0]
    answer = POINTS[1].validation
    assert answer is not None
    assert answers["customdata"] == [told(answer)]
    low, high = max(0.0, 100 * answer.low), min(100.0, 100 * answer.high)
    assert f"({low:.1f} to {high:.1f}, cut at the edge)" in told(answer)
    levels = [shape["y0"] for shape in figure["layout"]["shapes"]]
    assert levels == [10.0, 90.0]
    notes = figure["layout"]["annotations"]
    assert [note["text"] for note in notes[:2]] == [inked("guessing"), inked("no LDP")]
    ends = [(note["x"], note["y"], note["text"]) for note in notes[2:]]
    assert ends == [(2, 75.0, inked("clean records", "#000000")), (2, 25.0, inked("private reports", "#000000"))]


@pytest.mark.parametrize(("clean", "private", "above"), [(0.97, 0.17, (False, True)), (0.11, 0.1, (True, False))])
def test_the_names_of_two_lines_stay_apart_and_inside(clean: float, private: float, above: tuple[bool, bool]) -> None:
    point = Point(epoch=1, epochs=1, seconds=0.0, clean=clean, private=private)
    run = Curve(name="#1", colour="#000000", points=[point])
    notes = curves([run], epochs=1, chance=0.1, ceiling=None)["layout"]["annotations"]
    assert tuple(note["yanchor"] == "bottom" for note in notes[1:]) == above
    both = curves([run, run], epochs=1, chance=0.1, ceiling=None)["layout"]["annotations"]
    assert len(both) == 1  # with several runs the legend says whose a line is


def test_a_run_without_points_is_an_empty_curve() -> None:
    figure = curves([Curve(name="#1", colour="#000000", points=[])], epochs=20, chance=0.5, ceiling=None)
    assert [trace["y"] for trace in figure["data"]] == [[], []] and len(figure["layout"]["shapes"]) == 1


@pytest.mark.parametrize("bits", [np.zeros(30, dtype=int), np.ones(30, dtype=int)])
def test_an_estimate_outside_of_0_to_100_is_drawn_at_the_edge_and_told_to_be_cut(bits: np.ndarray) -> None:
    answer = private_accuracy(bits, epsilon=0.5)
    assert not 0 <= answer.estimate <= 1
    point = Point(epoch=1, epochs=1, seconds=0.0, clean=0.5, private=0.5, validation=answer)
    trace = curves([Curve(name="#1", colour="#000000", points=[point])], epochs=1, chance=0.5, ceiling=None)["data"][2]
    assert trace["y"][0] in (0.0, 100.0) and f"raw estimate {100 * answer.estimate:.1f} %" in trace["customdata"][0]
    assert trace["error_y"]["array"][0] >= 0 and trace["error_y"]["arrayminus"][0] >= 0


def test_trade_off_is_by_lambda() -> None:
    answer = private_accuracy([1, 0, 1, 1], epsilon=1.0)
    figure = trade_off(
        [Sweep(name="s", colour="#000000", results=[(0.1, 0.2, 0.15, None), (0.9, 0.8, 0.3, answer)])], chance=0.5
    )
    clean, private, answers = figure["data"]
    assert clean["x"] == [0.1, 0.9] and clean["y"] == [20.0, 80.0] and private["y"] == [15.0, 30.0]
    assert answers["x"] == [0.9] and figure["layout"]["xaxis"]["range"] == [0, 1]


def test_runs_keep_their_colours_and_none_is_the_owners() -> None:
    assert colour_of(1) == RUN_COLOURS[0] == colour_of(1 + len(RUN_COLOURS)) != colour_of(2)
    assert OWNER not in RUN_COLOURS and len(set(RUN_COLOURS)) == len(RUN_COLOURS)
