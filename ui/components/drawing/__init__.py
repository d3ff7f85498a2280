"""Shows an SVG drawing of ours inline, so that it has the page's font and text colour.

``st.html`` removes SVG, and an SVG in an <img> knows neither font nor theme.
"""

from __future__ import annotations

from ui.components.declare import declare

HTML = """
<div class="drawing"></div>
"""

_drawing = declare("drawing", html=HTML)


def drawing(svg: str, *, key: str) -> None:
    """Show SVG text. It is trusted: only numbers and our own words may be in it."""
    _drawing(key=key, data=svg)
