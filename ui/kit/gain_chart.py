"""Gain against risk as a figure: across, how often one sender's class is guessed; up, what everybody gains."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

import numpy as np

from benchmarks.gain import Point
from benchmarks.summary import Cell, shown_name
from rlm_core.theory import krr_cap
from ui.kit.charts import Figure, axis, inked, layout
from ui.kit.colours import NEUTRAL, tint
from ui.kit.formats import number
from ui.kit.mechanism_style import looks

CAPTION = (
    "Upwards, the gain: how often a model learnt from *all* reports is right. Across, the risk: how often the best "
    "guess from *one* of these reports names its sender’s class. Up and to the left is better. Each curve is a "
    "mechanism, each mark an ε; bars are one standard deviation between seeds. A dotted line is a wall: with that ε, "
    "no report of any "
    r"mechanism can give its sender’s class away more often than $e^{\varepsilon}/(e^{\varepsilon}+K-1)$, for $K$ "
    r"classes."
)


def absent(missing: Mapping[str, Cell], record: str) -> str:
    """Which mechanisms are not in the chart and why, in Markdown; "" if none.

    Args:
        missing: mechanisms whose reports were never attacked, with their best accuracy (:func:`gain.not_attacked`).
        record: what one person's record is, "picture" or "loan".
    """
    if not missing:
        return ""
    names = [shown_name(name) for name in missing]
    best = max(missing.values(), key=lambda cell: cell.mean)
    listed = " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))
    return (
        f"**Not in this chart: {listed}.** They send the whole {record} with noise. To guess from such a report means "
        "to compare it with thousands of public records, number by number, and we have not measured that here. They "
        f"would lie low: at best {best.mean:.1f} % right, with {shown_name(best.mechanism)} at ε = "
        f"{number(best.epsilon)}."
    )


def gain_chart(
    points: Mapping[str, Sequence[Point]], classes: int, *, height: int = 430, chosen: tuple[float, float] | None = None
) -> Figure:
    """One curve a mechanism, labelled at its end. ``chosen``: risk and gain to put a ring around."""
    look = looks(points)
    traces: list[Figure] = []
    labels: list[Figure] = []
    everything = [point for found in points.values() for point in found]
    lowest = min(100 / classes, *(point.gain for point in everything))
    highest = max(point.gain for point in everything)
    left, right = 100 / classes, max(point.risk for point in everything)
    for name, found in points.items():
        colour, mark = look[name]
        traces.append(
            {
                "type": "scatter",
                "mode": "lines+markers",
                "x": [round(point.risk, 3) for point in found],
                "y": [round(point.gain, 3) for point in found],
                "error_y": _bars([point.gain_std for point in found], colour),
                "line": {"color": colour, "width": 2.2},
                "marker": {"color": colour, "symbol": mark, "size": 9},
                "name": shown_name(name),
                "customdata": [hover(point) for point in found],
                "hovertemplate": f"<b>{shown_name(name)}</b><br>%{{customdata}}<extra></extra>",
            }
        )
        name_at_end = _label(found[-1].risk, found[-1].gain, f"<b>{shown_name(name)}</b>", colour)
        if found[-1].risk > left + 0.8 * (right - left):  # no room behind it on a phone: below it
            name_at_end |= {"xanchor": "right", "yanchor": "top", "xshift": 6, "yshift": -6}
        labels.append(name_at_end)
    best = max(points.values(), key=lambda found: max(point.gain for point in found))
    for index, point in enumerate(best):
        words = number(point.epsilon) if index else f"ε = {number(point.epsilon)}"
        labels.append(
            _label(point.risk, point.gain, words, NEUTRAL)
            | {"xanchor": "center", "yanchor": "bottom", "xshift": 0, "yshift": 8}
        )
    walls = [epsilon for epsilon in (1.0, 2.0, 4.0) if any(point.epsilon == epsilon for point in everything)]
    for epsilon in walls:
        at = 100 * float(krr_cap(epsilon, classes))
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": [at, at],
                "y": [lowest - 4, highest + 8],
                "line": {"color": NEUTRAL, "width": 1.2, "dash": "dot"},
                "name": f"wall at ε = {number(epsilon)}",
                "hovertemplate": f"no report with ε = {number(epsilon)} tells more: {at:.1f} %<extra></extra>",
            }
        )
        wall = _label(at, 1.0, f"wall at<br>ε = {number(epsilon)}", NEUTRAL)  # above the frame, where no curve is
        labels.append(wall | {"yref": "paper", "xanchor": "center", "yanchor": "bottom", "xshift": 0})
    if chosen is not None:
        traces.append(
            {
                "type": "scatter",
                "mode": "markers",
                "x": [round(chosen[0], 3)],
                "y": [round(chosen[1], 3)],
                "marker": {"symbol": "circle-open", "size": 22, "color": NEUTRAL, "line": {"width": 2.5}},
                "name": "your choice",
                "hovertemplate": "your choice: %{y:.1f} % for all, %{x:.1f} % guessed<extra></extra>",
            }
        )
    return {
        "data": traces,
        "layout": layout(height, legend=False)
        | {
            "margin": {"r": 8, "t": 44},  # above the frame stand the walls' names
            "xaxis": axis("one sender’s class is guessed")
            | {"range": [left - 0.03 * (right - left), right + 0.04 * (right - left)], "ticksuffix": " %"},
            "yaxis": axis("the model learnt from all is right")
            | {"range": [lowest - 4, highest + 8], "ticksuffix": " %"},
            "annotations": labels,
        },
    }


def hover(point: Point) -> str:
    """What was sent and what came out: ε, pair or split, k or d, people."""
    cell = point.cell
    return (
        f"ε = {number(point.epsilon)}: {point.gain:.1f} % learnt, {point.risk:.1f} % guessed<br>"
        f"{release_words(cell)}<br>{int(cell.train_rows):,} people, {cell.seeds} seeds, protocol {cell.protocol}"
    )


def release_words(cell: object) -> str:
    """ "one pair of code and label, k = 12" or "λ = 0.7: numbers and label apart, d = 8"."""
    lam, size, name = (getattr(cell, each) for each in ("lam", "latent_dim", "mechanism"))
    if name.startswith("Q-RLM"):
        return f"code and label as one pair, k = {size}"
    if name.startswith("joint"):
        return f"numbers and label in one release, d = {size}"
    split = f", λ = {lam}" if lam else ""
    return f"record and label apart{split}" + (f", d = {size}" if size else "")


def _bars(sizes: Sequence[float], colour: str) -> Figure:
    known = [0.0 if math.isnan(size) else round(size, 3) for size in sizes]
    return {"type": "data", "array": known, "color": tint(colour, 0.6), "thickness": 1.2, "width": 4}


def _label(x: float, y: float, words: str, colour: str) -> Figure:
    return {
        "x": round(float(x), 3),
        "y": round(float(np.round(y, 3)), 3),
        "text": inked(words, colour),
        "showarrow": False,
        "xanchor": "left",
        "yanchor": "middle",
        "xshift": 10,
        "font": {"size": 12},
    }
