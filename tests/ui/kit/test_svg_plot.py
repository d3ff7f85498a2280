"""The small plots: values land where they should, words are escaped, bands have the height of ε."""

from __future__ import annotations

from xml.etree import ElementTree

import numpy as np
import pytest

from ui.kit import svg
from ui.kit.pair_figure import two_densities, two_histograms
from ui.kit.svg import Plot


def test_values_land_where_they_should_and_stay_in_the_frame() -> None:
    plot = Plot(x=(0.0, 10.0), y=(0.0, 2.0), left=50.0, width=264.0, pad=14.0, top=20.0, bottom=120.0)
    assert plot.at_x([0, 5, 10, 99]).tolist() == [50.0, 150.0, 250.0, 250.0]
    assert plot.at_y([0, 1, 2, -9]).tolist() == [120.0, 70.0, 20.0, 120.0]
    log = Plot(x=(1.0, 100.0), y=(1.0, 10.0), left=0.0, width=214.0, log_x=True)
    assert log.at_x([1, 10, 100, 0]) == pytest.approx([0.0, 100.0, 200.0, 0.0])


def test_bars_are_as_high_as_their_values() -> None:
    plot = Plot(x=(0.0, 2.0), y=(0.0, 1.0), top=0.0, bottom=100.0)
    root = ElementTree.fromstring(f"<g>{svg.bars(plot, [0, 1], [1, 2], [0.25, 1.0], '#0072B2')}</g>")
    assert [float(each.get("height")) for each in root] == [25.0, 100.0]


def test_words_are_escaped() -> None:
    assert "<b>" not in svg.text(0, 0, "<b>&") and "&lt;b&gt;&amp;" in svg.text(0, 0, "<b>&")
    assert 'aria-label="a &quot;b&quot;"' in svg.svg([], alt='a "b"')


def test_the_band_is_epsilon_high_in_both_directions() -> None:
    at = np.linspace(-3, 3, 61)
    svg = two_densities(at, -np.abs(at - 1), -np.abs(at + 1), epsilon=2.0, x_title="x")
    assert "log ratio reaches 2.00 of ±2" in svg
    root = ElementTree.fromstring(svg)
    (rect,) = root.iter("rect")
    lines = [float(p.get("points").split()[0].split(",")[1]) for p in root.iter("polyline")]
    bottom = float(rect.get("y")) + float(rect.get("height"))
    assert lines[-1] == pytest.approx(bottom, abs=0.2)  # the ratio starts at −2, the band's lower edge


def test_only_intervals_outside_the_band_are_red() -> None:
    edges = np.arange(4.0)
    svg = two_histograms(
        edges[:-1],
        edges[1:],
        (np.array([0.2, 0.3, 0.5]), np.array([0.5, 0.3, 0.2])),
        interval=(np.array([-2.0, -0.1, 1.2]), np.array([-0.5, 0.1, np.inf])),
        epsilon=1.0,
        x_title="x",
    )
    assert svg.count('stroke="#C0392B"') == 1
    ElementTree.fromstring(svg)


@pytest.mark.parametrize(("low", "high"), [(0.0, 1.0), (-2.3, 2.3), (-50.0, 50.0), (0.0, 0.013)])
def test_ticks_are_few_and_inside(low: float, high: float) -> None:
    values = [value for value, _ in svg.nice_ticks(low, high)]
    assert 2 <= len(values) <= 7 and low - 1e-9 <= min(values) and max(values) <= high + 1e-9
