"""What the charts share: axes, room, words. A figure is plain dictionaries, a small part of plotly's format.

``data`` is a list of traces (``scatter`` with lines, marks and whiskers, or ``bar``), ``layout`` says the axes, the
height, straight lines (``shapes``) and words (``annotations``). ``ui/components/chart`` draws it.
"""

from __future__ import annotations

from typing import Any

from ui.kit.colours import NEUTRAL, ink

Figure = dict[str, Any]


def axis(title: str) -> Figure:
    """An axis with its title; further keys: range, type, dtick, nticks, tickvals, ticktext, tickprefix, ticksuffix."""
    return {"title": {"text": title}}


def layout(height: int, *, legend: bool = True) -> Figure:
    """Height and room above and at the right in pixels; the legend below, where it may wrap on a phone."""
    return {"height": height, "margin": {"r": 8, "t": 12}, "showlegend": legend}


def inked(words: str, colour: str = NEUTRAL) -> str:
    """Words in a chart, in a colour that is readable on either ground.

    >>> inked("V-RLM", "#0072B2")
    '<span style="color:color-mix(in oklab, #0072B2 45%, currentColor)">V-RLM</span>'
    """
    return f'<span style="color:{ink(colour)}">{words}</span>'


def level(value: float, words: str, *, low: float, high: float, colour: str = NEUTRAL, dash: str = "dot") -> Figure:
    """A horizontal line with its name at the left end; no entry in the legend."""
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [low, high],
        "y": [value, value],
        "line": {"color": colour, "width": 1.2, "dash": dash},
        "name": words,
        "showlegend": False,
        "hovertemplate": f"{words}: %{{y:.1f}} %<extra></extra>",
    }
