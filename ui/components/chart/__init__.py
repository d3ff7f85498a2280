"""A chart of lines, marks, bars and labels, drawn in the browser as SVG at the width that it has there.

A figure is a dictionary of plain lists and numbers, as ``ui/kit/charts.py`` describes: a small part of plotly's format.
Plotly itself is 4.7 MB of script, a second of every first visit; this is some hundred lines. Pointing at the chart (or
touching it) names the nearest point; a click on an entry of the legend hides its lines.
"""

from __future__ import annotations

from typing import Any

from ui.components.declare import declare

HTML = """
<div class="rlm-chart"></div>
"""

_chart = declare("chart", html=HTML, isolate_styles=False, parts=("words", "scale", "marks", "draw", "keep"))


def chart(figure: dict[str, Any], *, key: str, alt: str, save: str = "") -> None:
    """Show a figure; ``alt`` says in words what it shows.

    ``save`` is the name of the file, without its ending, that two buttons above the chart offer as SVG and PNG. The
    browser writes it; nothing is asked of the server.
    """
    _chart(key=key, data={"figure": figure, "alt": alt, "save": save})
