"""Arrays to plotly figures, as plain dicts: transparent ground, greys that both themes can show."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from scipy.stats import gamma

from rlm_core.types import FloatArray
from ui.colours import COLLECTOR, NEUTRAL, OWNER, tint

Figure = dict[str, Any]
CONFIG = {"displayModeBar": False, "responsive": True}


def taxicab(
    z: FloatArray,
    z_private: FloatArray,
    *,
    radius: float,
    scale: float,
    dims: tuple[int, int],
    earlier: Sequence[FloatArray] = (),
) -> tuple[Figure, str]:
    """z and z̃ in two of their dimensions: the ℓ1 ball, and the noise around z. With its legend as HTML.

    The density of two Laplace variables falls with |a| + |b|, so its contours are diamonds like the
    ball itself. |a| + |b| has the Gamma(2, b) distribution, which gives the diamonds' sizes.
    """
    i, j = dims
    spread = [(mass, float(gamma.ppf(mass, a=2) * scale)) for mass in (0.9, 0.5)] if scale > 0 else []
    traces = [_diamond((0.0, 0.0), radius, tint(OWNER, 0.13), OWNER, f"room for z: |a| + |b| ≤ {radius:g}")]
    for mass, size in spread:
        traces.append(_diamond((z[i], z[j]), size, tint(NEUTRAL, 0.17), NEUTRAL, f"{mass:.0%} of the noise"))
    if len(earlier):
        points = np.asarray(earlier)
        traces.append(_points(points[:, i], points[:, j], tint(COLLECTOR, 0.45), 7, "other reports"))
    traces.append(
        {
            "type": "scatter",
            "mode": "lines",
            "x": [z[i], z_private[i]],
            "y": [z[j], z_private[j]],
            "line": {"color": NEUTRAL, "width": 1.5, "dash": "dot"},
            "hoverinfo": "skip",
            "showlegend": False,
        }
    )
    traces.append(_points([z[i]], [z[j]], OWNER, 12, "z, on your device"))
    traces.append(_points([z_private[i]], [z_private[j]], COLLECTOR, 12, "z̃, what was sent"))
    reach = 1.08 * max(
        radius, abs(z_private[i]), abs(z_private[j]), *(abs(z[[i, j]]).max() + size for _, size in spread)
    )
    legend = [(OWNER, "z, on your device"), (COLLECTOR, "z̃, what was sent"), (tint(OWNER, 0.3), "room for z")]
    legend += [(tint(NEUTRAL, 0.6), "half of the noise"), (tint(NEUTRAL, 0.3), "nine tenths of it")] if spread else []
    legend += [(tint(COLLECTOR, 0.45), "other reports")] if len(earlier) else []
    return {"data": traces, "layout": _square(reach, f"number {i + 1}", f"number {j + 1}")}, legend_html(legend)


def legend_html(entries: Sequence[tuple[str, str]]) -> str:
    """Colours with their meaning, as HTML that wraps on a narrow screen (plotly's own legend does not)."""
    return (
        '<div class="rlm-legend">'
        + "".join(f'<span><b style="background:{colour}"></b>{words}</span>' for colour, words in entries)
        + "</div>"
    )


def _diamond(centre: tuple[float, float], size: float, fill: str, line: str, name: str) -> Figure:
    x, y = centre
    return {
        "type": "scatter",
        "mode": "lines",
        "x": [x + size, x, x - size, x, x + size],
        "y": [y, y + size, y, y - size, y],
        "fill": "toself",
        "fillcolor": fill,
        "line": {"color": line, "width": 1.2},
        "name": name,
        "hoverinfo": "name",
    }


def _points(
    x: Sequence[float] | FloatArray, y: Sequence[float] | FloatArray, colour: str, size: int, name: str
) -> Figure:
    return {
        "type": "scatter",
        "mode": "markers",
        "x": list(map(float, x)),
        "y": list(map(float, y)),
        "marker": {"color": colour, "size": size, "line": {"color": "rgba(255,255,255,.8)", "width": 1}},
        "name": name,
        "hovertemplate": "%{x:.2f}, %{y:.2f}<extra>" + name + "</extra>",
    }


def _square(reach: float, x_title: str, y_title: str) -> Figure:
    axis = {
        "range": [-reach, reach],
        "zeroline": True,
        "zerolinecolor": tint(NEUTRAL, 0.55),
        "gridcolor": tint(NEUTRAL, 0.16),
        "tickfont": {"size": 11, "color": NEUTRAL},
        "title": {"font": {"size": 12, "color": NEUTRAL}},
        "nticks": 7,
        "fixedrange": True,
    }
    return {
        "xaxis": axis | {"title": axis["title"] | {"text": x_title}, "constrain": "domain"},
        "yaxis": axis | {"title": axis["title"] | {"text": y_title}, "scaleanchor": "x", "constrain": "domain"},
        "height": 420,
        "margin": {"l": 44, "r": 8, "t": 8, "b": 40},
        "paper_bgcolor": "rgba(0,0,0,0)",
        "plot_bgcolor": "rgba(0,0,0,0)",
        "font": {"family": "Inter, sans-serif", "color": NEUTRAL},
        "showlegend": False,
        "hoverlabel": {"font": {"family": "Inter, sans-serif"}},
    }
