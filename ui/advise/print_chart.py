"""Gain against risk as a small SVG for the page to print: no script, no font and no colour theme of its own."""

from __future__ import annotations

import html
from collections.abc import Mapping, Sequence

from benchmarks.gain import Point
from benchmarks.summary import shown_name
from ui.kit.formats import number
from ui.kit.mechanism_style import looks

WIDTH, HEIGHT = 640, 190
LEFT, RIGHT, TOP, BOTTOM = 46, 130, 12, 34  # the names stand right of the frame
STEP = 15  # between two names


def print_chart(points: Mapping[str, Sequence[Point]], chosen: tuple[float, float] | None) -> str:
    """One line a mechanism, a dot an ε, its name at the right; a ring around ``chosen`` (risk and gain)."""
    everything = [point for found in points.values() for point in found]
    most = max(point.risk for point in everything)
    least = min(point.risk for point in everything)

    def at(risk: float, gain: float) -> tuple[float, float]:
        across = (risk - least) / max(most - least, 1e-9)
        return LEFT + 10 + across * (WIDTH - LEFT - RIGHT - 20), TOP + (1 - gain / 100) * (HEIGHT - TOP - BOTTOM)

    marks = [_frame(at(least, 0)[0], at(most, 0)[0], least, most)]
    look = looks(points)
    for name, found in points.items():
        colour = look[name][0]
        places = [at(point.risk, point.gain) for point in found]
        line = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
        marks.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="1.6"/>')
        marks += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="2.6" fill="{colour}"/>' for x, y in places]
    lowest = HEIGHT - BOTTOM
    names = sorted(points, key=lambda name: -points[name][-1].gain)
    wanted = [at(0, points[name][-1].gain)[1] + 4 for name in names]
    for index, name in enumerate(names):
        room = lowest - STEP * (len(names) - 1 - index)  # for the names below it
        y = min(max(wanted[index], wanted[index - 1] + STEP if index else 0.0), room)
        wanted[index] = y
        marks.append(
            f'<circle cx="{WIDTH - RIGHT + 12}" cy="{y - 4:.1f}" r="3.4" fill="{look[name][0]}"/>'
            f'<text x="{WIDTH - RIGHT + 21}" y="{y:.1f}">{html.escape(shown_name(name))}</text>'
        )
    if chosen is not None:
        x, y = at(*chosen)
        marks.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="8" fill="none" stroke="#111" stroke-width="1.6"/>')
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="What everybody gains against what each risks">'
        f"{''.join(marks)}</svg>"
    )


def _frame(first: float, last: float, least: float, most: float) -> str:
    """Axes with their words."""
    bottom, right = HEIGHT - BOTTOM, WIDTH - RIGHT
    lines = f'<path d="M{LEFT},{TOP}V{bottom}H{right}" fill="none" stroke="#777"/>'
    for gain in (0, 50, 100):
        y = TOP + (1 - gain / 100) * (bottom - TOP)
        lines += f'<text x="{LEFT - 5}" y="{y + 4:.1f}" text-anchor="end">{gain} %</text>'
    for x, risk in ((first, least), (last, most)):
        lines += f'<text x="{x:.1f}" y="{bottom + 14}" text-anchor="middle">{number(round(risk))} %</text>'
    return (
        f'{lines}<text x="{(LEFT + right) / 2}" y="{HEIGHT - 4}" text-anchor="middle">'
        "across: one sender’s class is guessed; up: the model learnt from all is right</text>"
    )
