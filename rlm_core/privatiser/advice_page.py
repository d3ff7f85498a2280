"""Advice as one HTML file without anything from elsewhere: the answer, the curve, the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape

from rlm_core.html_page import html_page
from rlm_core.privatiser.advice import Advice, Point
from rlm_core.privatiser.compare import LABEL_ALONE, RULE

WIDTH, HEIGHT = 720, 380
LEFT, RIGHT, TOP, BOTTOM = 56, 190, 16, 44
BARE_RIGHT = 16
COLOURS = ("#0072B2", "#56B4E9", "#009E73", "#CC79A7", "#E69F00", "#999999", "#8C6D31", "#D55E00")
"""In the order of the mechanisms; visible on light and on dark ground."""

HALO = 'style="paint-order:stroke;stroke:var(--st-background-color,Canvas);stroke-width:4px;stroke-linejoin:round"'
"""Around words that lie on curves: the colour of the ground."""


def page(advice: Advice) -> str:
    """The file's text."""
    names = list(dict.fromkeys(point.mechanism for point in advice.points))
    words = "".join(f"<p>{escape(sentence)}</p>" for sentence in advice.sentences())
    left_out = "".join(f"<li>{escape(each)}</li>" for each in advice.left_out)
    return html_page(
        "Which epsilon?",
        f"<h1>Which ε for {escape(advice.label)}?</h1>{words}{curve(advice, names)}{table(advice, names)}"
        f"<p class='note'>Simulated on {advice.rows:,} public {advice.kind}, split inside: two fifths to fit on, "
        "two fifths to play the people, one fifth to test with; mean ± standard deviation of "
        f"{len(advice.points[0].accuracies)} collections. “{LABEL_ALONE}” protects nothing but the label. "
        "People unlike the public ones will give other results.</p>"
        + (f"<p class='note'>Columns left out:</p><ul class='note'>{left_out}</ul>" if left_out else ""),
    )


def curve(advice: Advice, names: Sequence[str], *, legend: bool = True) -> str:
    """Accuracy over ε (logarithmic), a line for every mechanism, the wish and the commonest class as levels.

    Without ``legend`` it is narrower, and whoever shows it says what the colours mean.
    """
    right = RIGHT if legend else BARE_RIGHT
    width = WIDTH - RIGHT + right
    epsilons = sorted({point.epsilon for point in advice.points})
    values = [point.mean for point in advice.points] + [advice.majority, advice.clean, advice.wish]
    low, high = math.floor(min(values) * 10) / 10, math.ceil(max(values) * 20) / 20
    first, last = math.log(epsilons[0]), math.log(max(epsilons[-1], epsilons[0] * 1.01))

    def x(epsilon: float) -> float:
        return LEFT + (math.log(epsilon) - first) / (last - first) * (width - LEFT - right)

    def y(accuracy: float) -> float:
        return HEIGHT - BOTTOM - (accuracy - low) / max(high - low, 1e-9) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg class="wide" viewBox="0 0 {width} {HEIGHT}" role="img" aria-label="Accuracy over epsilon" '
        'fill="currentColor" font-size="12">'
    ]
    every = 1 if high - low <= 0.4 else 2  # lines at 5 or at 10 points
    for step in range(0, round((high - low) * 20) + 1, every):
        level = low + step / 20
        parts.append(
            f'<line x1="{LEFT}" x2="{width - right}" y1="{y(level):.1f}" y2="{y(level):.1f}" stroke="#8884"/>'
            f'<text x="{LEFT - 8}" y="{y(level) + 4:.1f}" text-anchor="end">{level:.0%}</text>'
        )
    for epsilon in epsilons:
        parts.append(f'<text x="{x(epsilon):.1f}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{epsilon:g}</text>')
    parts.append(f'<text x="{(LEFT + width - right) / 2}" y="{HEIGHT - 6}" text-anchor="middle">ε of one report</text>')
    titles = []  # drawn last: above the curves
    for title, level in (
        ("wish", advice.wish),
        ("commonest class", advice.majority),
        ("without privacy", advice.clean),
    ):
        parts.append(
            f'<line x1="{LEFT}" x2="{width - right}" y1="{y(level):.1f}" y2="{y(level):.1f}" stroke="currentColor" '
            'stroke-dasharray="4 4"/>'
        )
        titles.append(f'<text x="{LEFT + 4}" y="{y(level) - 4:.1f}" {HALO}>{title}</text>')
    for at, name in enumerate(names):
        colour, points = COLOURS[at % len(COLOURS)], advice.of(name)
        line = " ".join(f"{x(point.epsilon):.1f},{y(point.mean):.1f}" for point in points)
        thick = 3 if name == RULE else 1.5
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="{thick}"/>')
        parts += [_error_bar(point, x(point.epsilon), y, colour) for point in points if name == RULE]
        if not legend:
            continue
        line_at = TOP + 18 * at + 8
        parts.append(
            f'<line x1="{width - right + 12}" x2="{width - right + 32}" y1="{line_at}" y2="{line_at}" '
            f'stroke="{colour}" stroke-width="{thick}"/>'
            f'<text x="{width - right + 38}" y="{line_at + 4}">{escape(name)}</text>'
        )
    return "".join([*parts, *titles]) + "</svg>"


def _error_bar(point: Point, at: float, y: Callable[[float], float], colour: str) -> str:
    top, bottom = y(point.mean + point.deviation), y(point.mean - point.deviation)
    return f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top:.1f}" y2="{bottom:.1f}" stroke="{colour}"/>'


def table(advice: Advice, names: Sequence[str]) -> str:
    """Mean ± deviation of every mechanism at every ε."""
    epsilons = sorted({point.epsilon for point in advice.points})
    head = "".join(f"<th>ε = {epsilon:g}</th>" for epsilon in epsilons)
    body = ""
    for name in names:
        cells = "".join(f"<td>{100 * p.mean:.1f} ± {100 * p.deviation:.1f}</td>" for p in advice.of(name))
        body += f"<tr><td>{escape(name)}</td>{cells}</tr>"
    return f"<table><tr><th>accuracy in %</th>{head}</tr>{body}</table>"
