"""What the line charts of accuracy against ε share: axes, ground, fonts. Plotly as plain dictionaries."""

from __future__ import annotations

from typing import Any

from ui.kit.colours import NEUTRAL, ink, tint

Figure = dict[str, Any]

CONFIG: Figure = {"displayModeBar": False, "responsive": True}


def saving_config(name: str, kind: str) -> Figure:
    """Only the camera above the chart, which saves it as ``kind`` (svg or png) without any server."""
    return {
        "displayModeBar": True,
        "displaylogo": False,
        "responsive": True,
        "modeBarButtons": [["toImage"]],
        "toImageButtonOptions": {"format": kind, "filename": name, "width": 1000, "height": 560, "scale": 2},
    }


def axis(title: str) -> Figure:
    """An axis in grey (its words in the page's ink, by ``style.css``); fixed, so that a finger scrolls the page."""
    return {
        "title": {"text": title, "font": {"size": 13, "color": NEUTRAL}, "standoff": 8},
        "tickfont": {"size": 12, "color": NEUTRAL},
        "gridcolor": tint(NEUTRAL, 0.16),
        "linecolor": tint(NEUTRAL, 0.5),
        "zeroline": False,
        "fixedrange": True,
        "automargin": True,
    }


def layout(height: int, *, legend: bool = True) -> Figure:
    """Transparent ground and the page's font; the legend below, where it may wrap on a phone."""
    return {
        "height": height,
        "margin": {"l": 8, "r": 8, "t": 28, "b": 8},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": "Inter, sans-serif", "color": NEUTRAL, "size": 12},
        "showlegend": legend,
        "legend": {"orientation": "h", "x": 0, "y": -0.2, "yanchor": "top", "font": {"size": 12, "color": NEUTRAL}},
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": NEUTRAL, "activecolor": NEUTRAL},
        "hovermode": "closest",
        "hoverlabel": {"font": {"family": "Inter, sans-serif", "size": 12}, "align": "left"},
    }


def inked(words: str, colour: str = NEUTRAL) -> str:
    """Words in a chart, in a colour that is readable on either ground. (Ticks, titles and legends: by ``style.css``.)

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
