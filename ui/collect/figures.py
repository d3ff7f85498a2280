"""Curves of runs and the λ trade-off, as figures (arrays to dictionaries; no Streamlit)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from rlm_core import PrivateAccuracy
from ui.collect.events import Point
from ui.collect.text import interval
from ui.kit import charts
from ui.kit.charts import Figure
from ui.kit.colours import COLLECTOR, NEUTRAL, tint

RUN_COLOURS = (COLLECTOR, "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#8A9299")
"""Runs are the collector's: vermilion first, never the owner's blue."""

HEIGHT = 340


@dataclass(frozen=True, kw_only=True)
class Curve:
    """One run for the figure. ``kept``: the epoch whose network was kept, once that is known."""

    name: str
    colour: str
    points: Sequence[Point]
    kept: int | None = None


@dataclass(frozen=True, kw_only=True)
class Sweep:
    """Results of one sweep, by λ: (λ, clean, private, validation)."""

    name: str
    colour: str
    results: Sequence[tuple[float, float, float, PrivateAccuracy | None]]


def colour_of(number: int) -> str:
    """The colour of the n-th run; it stays when others are forgotten."""
    return RUN_COLOURS[(number - 1) % len(RUN_COLOURS)]


def curves(
    runs: Sequence[Curve],
    *,
    epochs: int,
    chance: float,
    ceiling: float | None,
    ceiling_name: str = "no LDP",
    by_reports: bool = False,
) -> Figure:
    """Accuracy against epochs, or against reports. ``ceiling``: a level to compare with, such as the same z without
    LDP, in [0, 1]."""
    unit = "%{x:,} reports" if by_reports else "epoch %{x}"
    traces: list[Figure] = []
    for run in runs:
        x = [point.epoch for point in run.points]
        for values, dash, words in (
            ([point.clean for point in run.points], "solid", "clean records"),
            ([point.private for point in run.points], "dot", "privatised records"),
        ):
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines+markers" if len(x) == 1 else "lines",
                    "x": x,
                    "y": [100 * value for value in values],
                    "line": {"color": run.colour, "width": 2.2, "dash": dash},
                    "marker": {"size": 5, "color": run.colour},
                    "name": f"{run.name}, {words}",
                    "hovertemplate": f"%{{y:.1f}} % after {unit}<extra>%{{fullData.name}}</extra>",
                }
            )
        asked = [(point.epoch, point.validation) for point in run.points if point.validation is not None]
        if asked:
            traces.append(_answers([epoch for epoch, _ in asked], [answer for _, answer in asked], run))
        traces += [_ring(point, run) for point in run.points if point.epoch == run.kept and not by_reports]
    lines = [(chance, "guessing")] + ([(ceiling, ceiling_name)] if ceiling is not None else [])
    notes = [_level_name(value, words, above=words != "guessing") for value, words in lines]
    if len(runs) == 1 and runs[0].points:
        notes += _ends(runs[0])
    layout = _layout("reports that have arrived" if by_reports else "epoch") | {
        "shapes": [_level(value) for value, _ in lines],
        "annotations": notes,
    }
    if by_reports:
        ticks = [each for each in (100, 300, 1_000, 3_000, 10_000) if each <= epochs]
        reach = [math.log10(min(90.0, epochs / 2)), math.log10(1.06 * epochs)]
        layout["xaxis"] |= {"type": "log", "range": reach, "tickvals": ticks, "ticktext": [f"{n:,}" for n in ticks]}
    else:
        layout["xaxis"] |= {"range": [0, epochs + 0.5], "dtick": max(1, epochs // 5)}
    return {"data": traces, "layout": layout}


def _ends(run: Curve) -> list[Figure]:
    """What the two lines of the only run are, at their right ends: outwards where they are near to each other."""
    last = run.points[-1]
    near = abs(last.clean - last.private) < 0.14
    above = (last.clean >= last.private, last.clean < last.private) if near else (last.clean < 0.85, True)
    return [
        {
            "x": last.epoch,
            "y": 100 * value,
            "text": charts.inked(words, run.colour),
            "showarrow": False,
            "xanchor": "right",
            "yanchor": "bottom" if up else "top",
            "yshift": 3 if up else -3,
            "font": {"size": 12},
        }
        for value, words, up in zip(
            (last.clean, last.private), ("clean records", "private reports"), above, strict=True
        )
    ]


def trade_off(sweeps: Sequence[Sweep], *, chance: float) -> Figure:
    """Accuracy against λ; each λ is a run."""
    traces: list[Figure] = []
    for sweep in sweeps:
        x = [lam for lam, *_ in sweep.results]
        for index, dash, words in ((1, "solid", "clean records"), (2, "dot", "privatised records")):
            traces.append(
                {
                    "type": "scatter",
                    "mode": "lines+markers",
                    "x": x,
                    "y": [100 * result[index] for result in sweep.results],  # type: ignore[operator]
                    "line": {"color": sweep.colour, "width": 2.2, "dash": dash},
                    "marker": {"size": 6, "color": sweep.colour},
                    "name": f"{sweep.name}, {words}",
                    "hovertemplate": "%{y:.1f} % at λ = %{x}<extra>%{fullData.name}</extra>",
                }
            )
        answers = [(lam, answer) for lam, _, _, answer in sweep.results if answer is not None]
        if answers:
            traces.append(_answers([lam for lam, _ in answers], [answer for _, answer in answers], sweep))
    layout = _layout("λ, the share of ε for the record") | {
        "shapes": [_level(chance)],
        "annotations": [_level_name(chance, "guessing", above=False)],
    }
    layout["xaxis"] |= {"range": [0, 1]}
    return {"data": traces, "layout": layout}


def _answers(x: Sequence[float], answers: Sequence[PrivateAccuracy], of: Curve | Sweep) -> Figure:
    """Private validation: estimates clamped into view, with their intervals."""
    centre = [100 * answer.displayed for answer in answers]
    high = [100 * min(1.0, max(0.0, answer.high)) for answer in answers]
    low = [100 * min(1.0, max(0.0, answer.low)) for answer in answers]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": list(x),
        "y": centre,
        "error_y": {
            "type": "data",
            "symmetric": False,
            "array": [max(0.0, above - value) for above, value in zip(high, centre, strict=True)],
            "arrayminus": [max(0.0, value - below) for below, value in zip(low, centre, strict=True)],
            "color": tint(of.colour, 0.75),
            "thickness": 1.6,
            "width": 5,
        },
        "marker": {"size": 8, "color": of.colour, "symbol": "diamond"},
        "customdata": [told(answer) for answer in answers],
        "hovertemplate": "%{customdata}<extra>%{fullData.name}</extra>",
        "name": f"{of.name}, private validation",
    }


def told(answer: PrivateAccuracy) -> str:
    """An estimate with its interval, as drawn; where something was cut, the raw estimate too."""
    words = f"{100 * answer.displayed:.1f} %{interval(answer)}"
    return words if answer.displayed == answer.estimate else f"{words}<br>raw estimate {100 * answer.estimate:.1f} %"


def _ring(point: Point, run: Curve) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [point.epoch],
        "y": [100 * point.clean],
        "marker": {"size": 14, "color": "rgba(0,0,0,0)", "line": {"color": run.colour, "width": 2}},
        "hoverinfo": "skip",
        "name": f"{run.name}, kept",
    }


def _level(value: float) -> Figure:
    return {
        "type": "line",
        "xref": "paper",
        "x0": 0,
        "x1": 1,
        "y0": 100 * value,
        "y1": 100 * value,
        "line": {"color": NEUTRAL, "width": 1.2, "dash": "dash"},
    }


def _level_name(value: float, words: str, *, above: bool) -> Figure:
    return {
        "xref": "paper",
        "x": 0,  # at the right end are the curves' names
        "xshift": 4,
        "y": 100 * value,
        "text": charts.inked(words),
        "showarrow": False,
        "xanchor": "left",
        "yanchor": "bottom" if above else "top",  # chance is where nothing is learnt: curves may run along it
        "font": {"size": 11},
    }


def _layout(x_title: str) -> Figure:
    return charts.layout(HEIGHT, legend=False) | {
        "xaxis": charts.axis(x_title),
        "yaxis": charts.axis("right answers") | {"ticksuffix": " %", "range": [0, 102], "nticks": 6},
    }
