"""Advice as one HTML file without anything from elsewhere: the answer, the curve, the numbers."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from html import escape
from pathlib import PurePath

from rlm_core.html_page import html_page
from rlm_core.privatiser.advice import Advice, Point
from rlm_core.privatiser.advice_words import percent
from rlm_core.privatiser.compare import NETWORK_CODES, RULE
from rlm_core.privatiser.compare_baselines import LABEL_ALONE
from rlm_core.privatiser.plan import BITS, CODES, LAPLACE, SELECTION, VRLM

WIDTH, HEIGHT = 560, 280
NARROW = 360
"""Of a curve for a phone: there its letters have the size that they have elsewhere."""

LEFT, TOP, BOTTOM = 48, 16, 40
RIGHT, NARROW_RIGHT = 126, 84
"""Room beside the curves for the words of the levels, so that they lie on nothing."""

APART = 31.0
"""Between the words of two levels, at least: a name, and below it a number."""

TITLES = {RULE: "what the rule chooses"}
"""What people read, where it is not the name itself."""

COLOURS = {
    RULE: "#0072B2",
    BITS: "#56B4E9",
    LAPLACE: "#009E73",
    SELECTION: "#CC79A7",
    CODES: "#E69F00",
    NETWORK_CODES: "#B5A642",
    VRLM: "#9467BD",
    "Laplace": "#999999",
    "Duchi": "#8C6D31",
    LABEL_ALONE: "#D55E00",
}
"""By the mechanism, so that none changes its colour when others come; visible on light and on dark ground."""

OTHER = "#888888"

ALONE = ".drawing:has(> svg.curve) { max-width: 44rem; }"
"""In the app a drawing is narrower, if it does not say so."""

STYLE = """
.scrolls { overflow-x: auto; } .scrolls th, .scrolls td { white-space: nowrap; }
.legend { display: flex; flex-wrap: wrap; gap: .2rem 1rem; list-style: none; padding: 0; font-size: .9rem; }
.legend b { display: inline-block; width: 1.2em; height: 3px; vertical-align: middle; margin-right: .4em; }
.curve { display: block; width: 100%; margin: 1rem 0 .5rem; }
"""


def page(advice: Advice) -> str:
    """The file's text."""
    names = mechanisms(advice)
    words = "".join(f"<p>{escape(sentence).replace(' %', '&nbsp;%')}</p>" for sentence in advice.sentences())
    left_out = "".join(f"<li>{escape(each)}</li>" for each in advice.left_out)
    legend = "".join(f'<li><b style="background:{colour}"></b>{words}</li>' for colour, words in entries(advice))
    return html_page(
        "Which epsilon?",
        f"<style>{STYLE}</style><h1>Which ε for {escape(advice.label)}?</h1>{words}{curves(advice)}"
        f'<ul class="legend">{legend}</ul>'
        f'<div class="scrolls" tabindex="0" role="region" aria-label="The numbers">{table(advice, names)}</div>'
        f"<p class='note'>Simulated on {advice.rows:,} public {advice.kind}{_source(advice)}, split inside: two fifths "
        "to fit on, two fifths to play the people, one fifth to test with; mean ± standard deviation of "
        f"{len(advice.points[0].accuracies)} collections. “{TITLES[RULE]}” is what LocalPrivatiser sends if nobody "
        f"says otherwise; “{LABEL_ALONE}” protects nothing but the label. "
        "People unlike the public ones will give other results.</p>"
        + (f"<p class='note'>Columns left out:</p><ul class='note'>{left_out}</ul>" if left_out else ""),
    )


def _source(advice: Advice) -> str:
    """Which file they are from, by its name alone: a page that is handed on tells nobody's folders."""
    return "" if advice.table == advice.kind else f" of {escape(PurePath(advice.table).name)}"


def mechanisms(advice: Advice) -> list[str]:
    """Those that were simulated, in order."""
    return list(dict.fromkeys(point.mechanism for point in advice.points))


def entries(advice: Advice) -> list[tuple[str, str]]:
    """Every colour with what it stands for, as HTML."""
    return [(COLOURS.get(name, OTHER), escape(TITLES.get(name, name))) for name in mechanisms(advice)]


def curves(advice: Advice, *, within: str = "@media") -> str:
    """The curve twice, of which one is shown: ``within`` is what is measured, the screen or a container."""
    phone = "(max-width: 28rem) { svg.curve:not(.small) { display: none; } svg.small { display: block; } }"
    style = f"<style>{ALONE} svg.small {{ display: none; }} {within} {phone}</style>"
    return style + curve(advice) + curve(advice, width=NARROW)


def curve(advice: Advice, *, width: int = WIDTH) -> str:
    """Accuracy over ε (logarithmic), a line for every mechanism; wish, commonest class and clean rows as levels.

    Whoever shows it says what the colours mean (:func:`entries`).
    """
    epsilons = sorted({point.epsilon for point in advice.points})
    values = [point.mean for point in advice.points] + [advice.majority, advice.clean, advice.wish]
    low, high = math.floor(min(values) * 10) / 10, math.ceil(max(values) * 20) / 20
    first, last = math.log(epsilons[0]), math.log(max(epsilons[-1], epsilons[0] * 1.01))
    right = width - (RIGHT if width == WIDTH else NARROW_RIGHT)

    def x(epsilon: float) -> float:
        return LEFT + (math.log(epsilon) - first) / (last - first) * (right - LEFT)

    def y(accuracy: float) -> float:
        return HEIGHT - BOTTOM - (accuracy - low) / max(high - low, 1e-9) * (HEIGHT - TOP - BOTTOM)

    parts = [
        f'<svg class="{"curve" if width == WIDTH else "curve small"}" viewBox="0 0 {width} {HEIGHT}" '
        'role="img" aria-label="Accuracy over epsilon" fill="currentColor" font-size="13">'
    ]
    every = 1 if high - low <= 0.4 else 2  # lines at 5 or at 10 points
    for step in range(0, round((high - low) * 20) + 1, every):
        level = low + step / 20
        parts.append(
            f'<line x1="{LEFT}" x2="{right}" y1="{y(level):.1f}" y2="{y(level):.1f}" stroke="#8884"/>'
            f'<text x="{LEFT - 8}" y="{y(level) + 4:.1f}" text-anchor="end">{level:.0%}</text>'
        )
    shown = -math.inf  # where the last ε is written: on a phone not all have room
    for epsilon in epsilons:
        if x(epsilon) - shown >= 8 * len(f"{epsilon:g}") + 4:
            shown = x(epsilon)
            parts.append(f'<text x="{shown:.1f}" y="{HEIGHT - BOTTOM + 17}" text-anchor="middle">{epsilon:g}</text>')
    parts.append(f'<text x="{(LEFT + right) / 2}" y="{HEIGHT - 6}" text-anchor="middle">ε of one report</text>')
    for name in mechanisms(advice):
        colour, points = COLOURS.get(name, OTHER), advice.of(name)
        line = " ".join(f"{x(point.epsilon):.1f},{y(point.mean):.1f}" for point in points)
        thick = 3 if name == RULE else 1.5
        parts.append(f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="{thick}"/>')
        parts += [_error_bar(point, x(point.epsilon), y, colour) for point in points if name == RULE]
    return "".join(parts) + _levels(advice, y, right=right, short=width != WIDTH) + "</svg>"


def _levels(advice: Advice, y: Callable[[float], float], *, right: int, short: bool) -> str:
    """Three dashed lines, each with its words to the right of the plot; a thin line leads there where they had to move.

    ``short``: words for a phone.
    """
    levels = {
        "commonest" if short else "commonest class": (advice.majority, "2 3"),
        "wish": (advice.wish, "9 4"),
        "no privacy" if short else "without privacy": (advice.clean, "4 4"),
    }
    places = apart([y(level) - 2 for level, _ in levels.values()], TOP, HEIGHT - BOTTOM - 14)
    parts = []
    for (title, (level, dashes)), at in zip(levels.items(), places, strict=True):
        parts.append(
            f'<line x1="{LEFT}" x2="{right}" y1="{y(level):.1f}" y2="{y(level):.1f}" stroke="currentColor" '
            f'stroke-dasharray="{dashes}"/>'
            f'<line x1="{right}" x2="{right + 9}" y1="{y(level):.1f}" y2="{at + 2:.1f}" stroke="currentColor" '
            'stroke-opacity=".5"/>'
            f'<text x="{right + 12}" y="{at:.1f}" class="level">{title}'
            f'<tspan x="{right + 12}" dy="14" font-weight="600">{percent(level)}</tspan></text>'
        )
    return "".join(parts)


def apart(wanted: Sequence[float], top: float, bottom: float) -> list[float]:
    """Where lines of words go, from above: as wanted, or so far lower that none lies on another, and all inside.

    >>> apart([50.0, 48.0, 10.0], 10.0, 110.0)
    [79.0, 48.0, 10.0]
    """
    order = sorted(range(len(wanted)), key=lambda at: wanted[at])
    found = dict.fromkeys(order, 0.0)
    before = top - APART
    for at in order:
        before = found[at] = max(wanted[at], before + APART)
    below = bottom + APART
    for at in reversed(order):
        below = found[at] = min(found[at], below - APART)
    return [found[at] for at in range(len(wanted))]


def _error_bar(point: Point, at: float, y: Callable[[float], float], colour: str) -> str:
    top, bottom = y(point.mean + point.deviation), y(point.mean - point.deviation)
    return f'<line x1="{at:.1f}" x2="{at:.1f}" y1="{top:.1f}" y2="{bottom:.1f}" stroke="{colour}"/>'


def table(advice: Advice, names: Sequence[str]) -> str:
    """Mean ± deviation of every mechanism at every ε."""
    epsilons = sorted({point.epsilon for point in advice.points})
    head = "".join(f"<th>ε = {epsilon:g}</th>" for epsilon in epsilons)
    body = ""
    for name in names:
        numbers = [(f"{100 * each.mean:.1f}", f"± {100 * each.deviation:.1f}") for each in advice.of(name)]
        cells = "".join(f"<td>{mean} <small>{deviation}</small></td>" for mean, deviation in numbers)
        body += f"<tr><td>{escape(TITLES.get(name, name))}</td>{cells}</tr>"
    return f"<table><tr><th>accuracy in %</th>{head}</tr>{body}</table>"
