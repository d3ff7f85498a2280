"""The bound against ε with what was measured (a figure), and the data of the two geometric pictures."""

from __future__ import annotations

import base64
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from rlm_core.theory import l1_voronoi
from rlm_core.types import FloatArray
from ui.bound.theory import EPSILON_GRID, Curve, Measured, Throw, vertices_formula
from ui.kit.charts import Figure, axis, layout, level
from ui.kit.colours import COLLECTOR, NEUTRAL, tint
from ui.kit.formats import number
from ui.kit.mechanism_style import CLASSES, looks

PIXELS = 200  # of a side of the board's cells
POINTS = 240  # noised points in a picture


def bound_chart(
    found: Curve,
    classes: int,
    epsilon: float,
    ours: Sequence[Measured] = (),
    paper: Sequence[Measured] = (),
) -> Figure:
    """Accuracy in percent against the budget of one report: cap, bound, chance, and the measured points."""
    traces = [_line(EPSILON_GRID, found.cap, "cap of any ε-LDP report (k-RR)", NEUTRAL, "dash")]
    if found.kind != "simulated":
        traces.append(_line(found.epsilon, found.accuracy, "Laplace noise, classes on vertices", COLLECTOR))
    if found.dots is not None:
        traces.append(_dots(found))
    traces.append(level(100 / classes, f"chance, 1/{classes}", low=0, high=10))
    look = looks(dict.fromkeys(each.mechanism for each in [*paper, *ours]))
    for mechanism in look:
        for points, mine in ((ours, True), (paper, False)):
            chosen = [each for each in points if each.mechanism == mechanism]
            if chosen:
                traces.append(_points(chosen, look[mechanism], mechanism, mine))
    shapes = []
    if math.isfinite(epsilon):
        line = {"color": tint(NEUTRAL, 0.9), "width": 1.2}
        shapes = [{"type": "line", "x0": epsilon, "x1": epsilon, "y0": 0, "y1": 1, "yref": "paper", "line": line}]
    return {
        "data": traces,
        "layout": layout(470)
        | {
            "xaxis": axis("ε of one report") | {"range": [0, 10.15], "dtick": 1},
            "yaxis": axis("right answers") | {"range": [0, 102], "ticksuffix": " %", "dtick": 20},
            "shapes": shapes,
        },
    }


def _line(x: FloatArray, y: FloatArray, name: str, colour: str, dash: str = "solid") -> Figure:
    return {
        "type": "scatter",
        "mode": "lines",
        "x": x.round(3).tolist(),
        "y": (100 * y).round(3).tolist(),
        "line": {"color": colour, "width": 2.4 if dash == "solid" else 1.8, "dash": dash},
        "name": name,
        "hovertemplate": f"{name}<br>ε = %{{x}}: %{{y:.1f}} %<extra></extra>",
    }


def _dots(found: Curve) -> Figure:
    assert found.dots is not None
    epsilon, accuracy, error = found.dots
    name = "simulated, vertices" if found.kind == "odd" else "simulated, classes spread over the ball"
    return {
        "type": "scatter",
        "mode": "markers" if found.kind == "odd" else "lines+markers",
        "x": epsilon.tolist(),
        "y": (100 * accuracy).round(3).tolist(),
        "error_y": {"array": (200 * error).round(3).tolist(), "thickness": 1, "width": 2, "color": COLLECTOR},
        "marker": {"color": COLLECTOR, "size": 6},
        "line": {"color": COLLECTOR, "width": 1.6},
        "name": name,
        "hovertemplate": f"{name}<br>ε = %{{x}}: %{{y:.1f}} ± %{{error_y.array:.1f}} %<extra></extra>",
    }


def _points(chosen: Sequence[Measured], look: tuple[str, str], name: str, mine: bool) -> Figure:
    colour, mark = look
    source = "ours" if mine else "paper"
    seeds = ["" if each.seeds is None else f", {each.seeds} seed{'s' * (each.seeds != 1)}" for each in chosen]
    return {
        "type": "scatter",
        "mode": "markers",
        "x": [round(each.epsilon, 4) for each in chosen],
        "y": [round(100 * each.accuracy, 3) for each in chosen],
        "error_y": {
            "array": [0.0 if math.isnan(each.std) else round(100 * each.std, 3) for each in chosen],
            "thickness": 1,
            "width": 3,
            "color": colour,
        },
        "marker": {"color": colour, "symbol": mark if mine else f"{mark}-open", "size": 11 if mark == "star" else 9}
        | {"line": {"width": 1.6, "color": colour}},
        "name": f"{name} ({source})",
        "legendgroup": name,
        "customdata": [
            f"{100 * each.accuracy:.1f} % ± {'–' if math.isnan(each.std) else f'{100 * each.std:.1f}'}{more}"
            f"<br>test points at ε = {number(each.epsilon)}, training at ε = {number(each.epsilon_train)}"
            for each, more in zip(chosen, seeds, strict=True)
        ],
        "hovertemplate": f"{name} ({source})<br>%{{customdata}}<extra></extra>",
    }


def reach_of(epsilon: float) -> float:
    """Half the side of the board: the ball, and most of the noise around its edge.

    >>> reach_of(float("inf")), reach_of(2.0)
    (1.6, 3.3)
    """
    return float(np.clip(1.0 + 4.6 / epsilon, 1.6, 5.0)) if math.isfinite(epsilon) else 1.6


def pixel_centres(reach: float, pixels: int = PIXELS) -> FloatArray:
    """(pixels², 2) points of the board, row by row from its upper left corner."""
    line = (np.arange(pixels) + 0.5) / pixels * 2 * reach - reach
    across, up = np.meshgrid(line, -line)
    return np.stack([across.ravel(), up.ravel()], axis=1)


def cells_of(places: FloatArray, reach: float) -> np.ndarray:
    """(PIXELS²,) bytes: the nearest class of each pixel, plus 128 where another one is as near.

    For "as near" a pixel is as wide as it is drawn, so that lines of equal distance can be seen.
    """
    centres = pixel_centres(reach)
    pixel = 2 * reach / PIXELS
    size = np.abs(places).sum(axis=1).max() + np.abs(centres).sum(axis=1).mean()
    nearest = l1_voronoi(centres, places).nearest
    tied = l1_voronoi(centres, places, tolerance=float(pixel / size)).equidistant
    return (nearest + 128 * tied).astype(np.uint8)


def board_data(
    places: FloatArray,
    epsilon: float,
    thrown: Throw,
    *,
    accuracy: float,
    ties: bool,
    path: FloatArray | None,
    run: str,
) -> dict[str, Any]:
    """Everything that the board draws. ``path`` (T, K, 2) is played once for each new ``run``."""
    reach = reach_of(epsilon)
    return {
        "places": places.round(4).tolist(),
        "colours": list(CLASSES[: len(places)]),
        "reach": reach,
        "pixels": PIXELS,
        "cells": base64.b64encode(cells_of(places, reach).tobytes()).decode(),
        "ties": ties,
        "scale": 2.0 / epsilon,  # of the noise; 2/inf = 0
        "accuracy": accuracy,
        "points": _rows(thrown),
        "path": [] if path is None else path.round(4).tolist(),
        "run": run,
    }


def _rows(thrown: Throw) -> list[list[float]]:
    return [
        [*(round(float(v), 3) for v in point), int(k), int(ok)]
        for point, k, ok in zip(thrown.points, thrown.classes, thrown.correct, strict=True)
    ]


def surface(places: FloatArray, parts: int = 8) -> tuple[FloatArray, np.ndarray]:
    """The octahedron's surface as small triangles (n, 3, 3), and the class nearest to each one's centre (n,)."""
    corners = []
    for signs in np.array(np.meshgrid([1, -1], [1, -1], [1, -1])).T.reshape(-1, 3):
        for i in range(parts):
            for j in range(parts - i):
                a, b, c = ((i, j), (i + 1, j), (i, j + 1))
                corners.append([_barycentric(each, parts) * signs for each in (a, b, c)])
                if j < parts - i - 1:
                    corners.append([_barycentric(each, parts) * signs for each in (b, (i + 1, j + 1), c)])
    triangles = np.array(corners, dtype=np.float64)  # (n, 3, 3)
    return triangles, l1_voronoi(triangles.mean(axis=1), places).nearest


def _barycentric(step: tuple[int, int], parts: int) -> FloatArray:
    i, j = step
    return np.array([i, j, parts - i - j]) / parts


def octahedron_data(places: FloatArray, thrown: Throw, *, path: FloatArray | None, run: str) -> dict[str, Any]:
    """Everything that the octahedron draws."""
    triangles, nearest = surface(places)
    return {
        "places": places.round(4).tolist(),
        "colours": list(CLASSES[: len(places)]),
        "triangles": triangles.reshape(-1, 9).round(4).tolist(),
        "nearest": nearest.tolist(),
        "points": _rows(thrown),
        "path": [] if path is None else path.round(4).tolist(),
        "run": run,
    }


def climb_chart(accuracy: FloatArray, epsilon: float, classes: int, *, has_vertices: bool) -> str:
    """The search's accuracy at each of its steps as a small SVG, with the vertices' formula as a line."""
    goal = vertices_formula(epsilon, classes) if has_vertices else float(accuracy[-1])
    low, high = min(float(accuracy.min()), goal), max(float(accuracy.max()), goal)
    room = max(high - low, 0.01)
    low, high = low - 0.1 * room, high + 0.15 * room

    def y(value: float) -> float:
        return 16 + 96 * (high - value) / (high - low)

    steps = max(len(accuracy) - 1, 1)
    xs = [46 + 330 * step / steps for step in range(len(accuracy))]
    line = " ".join(f"{x:.1f},{y(float(v)):.1f}" for x, v in zip(xs, accuracy, strict=True))
    dots = "".join(
        f'<circle cx="{x:.1f}" cy="{y(float(v)):.1f}" r="3" fill="{COLLECTOR}">'
        f"<title>step {step}: {100 * v:.2f} %</title></circle>"
        for step, (x, v) in enumerate(zip(xs, accuracy, strict=True))
    )
    goal_line = f'<path d="M46 {y(goal):.1f}H376" stroke="{NEUTRAL}" stroke-dasharray="4 3"/>' if has_vertices else ""
    labels = [(float(accuracy[0]), "end"), (float(accuracy[-1]), "end")]
    numbers = "".join(
        f'<text x="40" y="{y(value) + 4:.1f}" text-anchor="{anchor}">{100 * value:.0f} %</text>'
        for value, anchor in labels
    )
    ends = f'<text x="46" y="130">start</text><text x="376" y="130" text-anchor="end">step {len(accuracy) - 1}</text>'
    words = f"accuracy rising from {100 * accuracy[0]:.1f} % to {100 * accuracy[-1]:.1f} %"
    return (
        f'<svg viewBox="0 0 390 136" role="img" aria-label="{words}">{goal_line}'
        f'<polyline points="{line}" fill="none" stroke="{COLLECTOR}" stroke-width="1.8"/>{dots}'
        f'<g class="numbers">{numbers}{ends}</g></svg>'
    )
