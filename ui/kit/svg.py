"""A small plot in SVG: axes, lines, bars, bands and points, as text that inherits the page's font and ink.

Made for charts that follow a slider: a chart library costs more in the browser than all of these
together. Values outside the axes are cut off at the frame. Nothing here knows Streamlit.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ui.kit.colours import NEUTRAL, tint

Ticks = Sequence[tuple[float, str]]


@dataclass(frozen=True, kw_only=True)
class Plot:
    """Where values lie in the drawing. ``top`` and ``bottom`` are the frame's edges, in drawing units."""

    x: tuple[float, float]
    y: tuple[float, float]
    width: float = 560.0
    top: float = 20.0
    bottom: float = 270.0
    left: float = 56.0
    pad: float = 14.0
    log_x: bool = False
    log_y: bool = False

    @property
    def right(self) -> float:
        """The frame's right edge."""
        return self.width - self.pad

    def at_x(self, value: ArrayLike) -> np.ndarray:
        """Values to horizontal places, kept inside the frame."""
        return self.left + (self.right - self.left) * _share(value, self.x, self.log_x)

    def at_y(self, value: ArrayLike) -> np.ndarray:
        """Values to vertical places, kept inside the frame."""
        return self.bottom - (self.bottom - self.top) * _share(value, self.y, self.log_y)


def _share(value: ArrayLike, span: tuple[float, float], log: bool) -> np.ndarray:
    values, (low, high) = np.asarray(value, dtype=np.float64), span
    if log:
        values, low, high = np.log(np.maximum(values, 1e-300)), math.log(low), math.log(high)
    return np.clip((values - low) / (high - low), 0.0, 1.0)


def svg(parts: Sequence[str], *, alt: str, width: float = 560.0, height: float = 320.0) -> str:
    """The drawing; ``alt`` says in words what it shows."""
    size = "wide" if width >= 500 else "wide narrow"  # a narrow one is shown larger, words and all
    return (
        f'<svg class="{size}" viewBox="0 0 {width:g} {height:g}" role="img" '
        f'aria-label="{html.escape(alt, quote=True)}">{"".join(parts)}</svg>'
    )


def axes(plot: Plot, *, x: Ticks, y: Ticks, x_title: str = "", y_title: str = "") -> str:
    """Grid lines at the ticks with their words (those across may have several lines), and the axes' titles."""
    lines, words = [], []
    for value, label in x:
        at = float(plot.at_x(value))
        lines.append(f"M{at:.1f} {plot.top:g}V{plot.bottom:g}")
        for row, line_of_words in enumerate(label.split("\n")):
            words.append(text(at, plot.bottom + 19 + 18 * row, line_of_words, anchor="middle"))
    for value, label in y:
        at = float(plot.at_y(value))
        lines.append(f"M{plot.left:g} {at:.1f}H{plot.right:g}")
        words.append(text(plot.left - 7, at + 5, label, anchor="end"))
    if x_title:
        words.append(text((plot.left + plot.right) / 2, plot.bottom + 40, x_title, anchor="middle"))
    if y_title:
        words.append(text(2, plot.top - 11, y_title))
    grid = f'<path d="{"".join(lines)}" stroke="{NEUTRAL}" stroke-opacity=".22" fill="none"/>'
    base = f'<path d="M{plot.left:g} {plot.bottom:g}H{plot.right:g}" stroke="{NEUTRAL}" stroke-opacity=".7"/>'
    return grid + base + "".join(words)


def text(x: float, y: float, words: str, *, anchor: str = "start", bold: bool = False, colour: str = "") -> str:
    """Words at a place. ``--words`` is their size in drawing units: the page's sheet makes it larger on a phone."""
    weight = ";font-weight:600;fill-opacity:.95" if bold else ""
    fill = f";fill:{colour}" if colour else ""
    return (
        f'<text class="numbers" x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}" '
        f'style="font-size:var(--words,14.5px){weight}{fill}">{html.escape(words)}</text>'
    )


def line(plot: Plot, x: ArrayLike, y: ArrayLike, colour: str, *, width: float = 2.5, dash: str = "") -> str:
    """A polyline through the points."""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<polyline points="{_points(plot, x, y)}" fill="none" stroke="{colour}" stroke-width="{width:g}" '
        f'stroke-linejoin="round"{dashes}/>'
    )


def area(plot: Plot, x: ArrayLike, low: ArrayLike, high: ArrayLike, colour: str, *, alpha: float = 0.16) -> str:
    """The region between two curves."""
    x, low, high = (np.broadcast_arrays(np.asarray(x, dtype=np.float64), each)[1] for each in (x, low, high))
    outline = f"{_points(plot, x, high)} {_points(plot, x[::-1], low[::-1])}"
    return f'<polygon points="{outline}" fill="{tint(colour, alpha)}"/>'


def bars(
    plot: Plot,
    left: ArrayLike,
    right: ArrayLike,
    height: ArrayLike,
    colour: str,
    *,
    alpha: float = 0.45,
    title: str = "",
) -> str:
    """Bars from the frame's bottom; ``title`` may use {value}."""
    parts = []
    ends = np.broadcast_arrays(plot.at_x(left), plot.at_x(right), plot.at_y(height), np.asarray(height, dtype=float))
    for a, b, top, value in zip(*(each.ravel() for each in ends), strict=True):
        hint = f"<title>{html.escape(title.format(value=value))}</title>" if title else ""
        parts.append(
            f'<rect x="{a:.1f}" y="{top:.1f}" width="{max(b - a, 0.5):.1f}" height="{max(plot.bottom - top, 0):.1f}" '
            f'fill="{tint(colour, alpha)}" stroke="{colour}" stroke-width="1">{hint}</rect>'
        )
    return "".join(parts)


def band(plot: Plot, low: float, high: float, colour: str, *, alpha: float = 0.12) -> str:
    """A horizontal band across the frame."""
    top, bottom = float(plot.at_y(high)), float(plot.at_y(low))
    return (
        f'<rect x="{plot.left:g}" y="{top:.1f}" width="{plot.right - plot.left:g}" height="{bottom - top:.1f}" '
        f'fill="{tint(colour, alpha)}"/>'
    )


def level(plot: Plot, value: float, colour: str, *, words: str = "", dash: str = "5 4") -> str:
    """A horizontal line with its name at the right: behind the frame if there is room, else above the line."""
    at = float(plot.at_y(value))
    outside = plot.pad >= 30.0
    place = (plot.right + 5, at + 5, "start") if outside else (plot.right - 4, at - 6, "end")
    name = text(place[0], place[1], words, anchor=place[2]) if words else ""
    return f'<path d="M{plot.left:g} {at:.1f}H{plot.right:g}" stroke="{colour}" stroke-dasharray="{dash}"/>{name}'


def upright(plot: Plot, value: float, colour: str, *, words: str = "", dash: str = "", width: float = 2.0) -> str:
    """A vertical line with its name at the top, on the side where there is room."""
    at = float(plot.at_x(value))
    room = at < (plot.left + plot.right) / 2
    name = text(at + (6 if room else -6), plot.top + 13, words, anchor="start" if room else "end") if words else ""
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (
        f'<path d="M{at:.1f} {plot.top:g}V{plot.bottom:g}" stroke="{colour}" stroke-width="{width:g}"{dashes}/>{name}'
    )


def dot(plot: Plot, x: float, y: float, colour: str, *, size: float = 6.0, title: str = "") -> str:
    """A point."""
    hint = f"<title>{html.escape(title)}</title>" if title else ""
    ring = ' stroke="#fff" stroke-opacity=".85"' if size >= 5.0 else ""  # around a crowd of small ones it would glare
    return (
        f'<circle cx="{float(plot.at_x(x)):.1f}" cy="{float(plot.at_y(y)):.1f}" r="{size:g}" '
        f'fill="{colour}"{ring}>{hint}</circle>'
    )


def whisker(plot: Plot, x: float, low: float, high: float, colour: str, *, width: float = 2.0) -> str:
    """A vertical interval with short ends."""
    at, top, bottom = float(plot.at_x(x)), float(plot.at_y(high)), float(plot.at_y(low))
    return (
        f'<path d="M{at:.1f} {top:.1f}V{bottom:.1f}M{at - 4:.1f} {top:.1f}h8M{at - 4:.1f} {bottom:.1f}h8" '
        f'stroke="{colour}" stroke-width="{width:g}" fill="none"/>'
    )


def span(plot: Plot, low: float, high: float, y: float, colour: str, *, width: float = 3.0) -> str:
    """A horizontal interval with short ends."""
    a, b, at = float(plot.at_x(low)), float(plot.at_x(high)), float(plot.at_y(y))
    return (
        f'<path d="M{a:.1f} {at:.1f}H{b:.1f}M{a:.1f} {at - 6:.1f}v12M{b:.1f} {at - 6:.1f}v12" '
        f'stroke="{colour}" stroke-width="{width:g}" fill="none"/>'
    )


def nice_ticks(low: float, high: float, *, most: int = 6) -> list[tuple[float, str]]:
    """Round numbers between two ends, at most ``most``, with their words.

    >>> nice_ticks(0.0, 1.0)
    [(0.0, '0'), (0.2, '0.2'), (0.4, '0.4'), (0.6, '0.6'), (0.8, '0.8'), (1.0, '1')]
    """
    power = 10.0 ** math.floor(math.log10((high - low) / most))
    step = next(power * each for each in (1, 2, 5, 10, 20) if (high - low) / (power * each) <= most - 1 + 1e-9)
    first = math.ceil(low / step - 1e-9)
    values = [round((first + index) * step, 12) for index in range(int((high - low) / step + 1e-9) + 1)]
    return [(value, f"{value:g}".replace("-", "−")) for value in values if value <= high + 1e-9 * step]


def percent_ticks(step: float = 0.2) -> list[tuple[float, str]]:
    """0 % to 100 %."""
    return [(index * step, f"{100 * index * step:.0f} %") for index in range(round(1 / step) + 1)]


def power_ticks(low: float, high: float) -> list[tuple[float, str]]:
    """Powers of ten between two ends, for a logarithmic axis."""
    powers = range(math.ceil(math.log10(low) - 1e-9), math.floor(math.log10(high) + 1e-9) + 1)
    return [(10.0**power, f"{10.0**power:,.10g}") for power in powers]


def _points(plot: Plot, x: ArrayLike, y: ArrayLike) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(plot.at_x(x).ravel(), plot.at_y(y).ravel(), strict=True))
