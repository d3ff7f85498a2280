"""One column of a table before and after, as a figure: the owner's in blue, the collector's in vermilion."""

from __future__ import annotations

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike

from ui.kit import charts
from ui.kit.charts import Figure
from ui.kit.colours import COLLECTOR, OWNER, tint
from ui.kit.html import legend_html

MOST_BINS = 40
MOST_LEVELS = 16


def number_distribution(before: ArrayLike, after: ArrayLike, *, title: str, prefix: str = "") -> Figure:
    """Two histograms over the same bins, in percent of the rows.

    The bins reach from the 0.5 % to the 99.5 % quantile of both together, so that one extreme row does
    not flatten all others; what lies beyond counts in the outermost bins.
    """
    first, second = (np.asarray(values, dtype=np.float64) for values in (before, after))
    low, high = np.quantile(np.concatenate([first, second]), (0.005, 0.995))
    if not low < high:  # a constant column
        low, high = low - 0.5, low + 0.5
    bins = int(np.clip(np.sqrt(len(first)) * 1.5, 6, MOST_BINS))  # few rows fill few bins
    edges = np.linspace(low, high, bins + 1)
    centres = (edges[:-1] + edges[1:]) / 2
    traces = []
    for values, colour, name in ((first, OWNER, "before"), (second, COLLECTOR, "after")):
        share = 100.0 * np.histogram(np.clip(values, low, high), edges)[0] / max(len(values), 1)
        traces.append(
            {
                "type": "scatter",
                "mode": "lines",
                "x": centres.tolist(),
                "y": share.tolist(),
                "line": {"color": colour, "width": 2, "shape": "hvh"},
                "fill": "tozeroy",
                "fillcolor": tint(colour, 0.16),
                "name": name,
                "hovertemplate": "%{y:.1f} % of the rows near " + prefix + "%{x:,.4~g}<extra>" + name + "</extra>",
            }
        )
    return {"data": traces, "layout": _layout(title) | {"xaxis": charts.axis(title) | {"tickprefix": prefix}}}


def level_distribution(before: pd.Series, after: pd.Series, *, title: str) -> Figure:
    """Shares of each level (index) as pairs of bars, the most common first; the rare ones together."""
    order = before.add(after, fill_value=0.0).sort_values(ascending=False, kind="stable").index.tolist()
    shown, rest = (order, []) if len(order) <= MOST_LEVELS else (order[: MOST_LEVELS - 1], order[MOST_LEVELS - 1 :])
    traces = []
    for shares, colour, name in ((before, OWNER, "before"), (after, COLLECTOR, "after")):
        full = shares.reindex(order, fill_value=0.0)
        values = [100.0 * float(full[level]) for level in shown]
        values += [100.0 * float(full[rest].sum())] if rest else []
        traces.append(
            {
                "type": "bar",
                "x": [str(level) for level in shown] + ([f"{len(rest)} others"] if rest else []),
                "y": values,
                "marker": {"color": colour},
                "name": name,
                "hovertemplate": "%{x}: %{y:.1f} %<extra>" + name + "</extra>",
            }
        )
    layout = _layout(title) | {"xaxis": charts.axis("") | {"type": "category"}, "barmode": "group", "bargap": 0.3}
    return {"data": traces, "layout": layout}


def legend() -> str:
    """What the colours mean."""
    return legend_html([(OWNER, "before, on your side"), (COLLECTOR, "after, as the collector decodes it")])


def _layout(title: str) -> Figure:
    return charts.layout(320, legend=False) | {
        "yaxis": charts.axis("") | {"ticksuffix": " %", "rangemode": "tozero", "nticks": 6},
    }
