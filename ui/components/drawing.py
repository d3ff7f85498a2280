"""Shows an SVG drawing of ours inline, so that it has the page's font and text colour.

``st.html`` removes SVG, and an SVG in an <img> knows neither font nor theme.
"""

from __future__ import annotations

import streamlit as st

HTML = """
<div class="drawing"></div>
"""

CSS = """
.drawing { color: var(--st-text-color); max-width: 30rem; margin: 0 auto; }
.drawing:has(> svg.wide) { max-width: 44rem; }
svg { display: block; width: 100%; height: auto; overflow: visible; font-family: var(--st-font, sans-serif); }
.numbers { fill: currentColor; fill-opacity: .62; font-size: 11px; font-variant-numeric: tabular-nums; }
.letter { fill: currentColor; font: italic 500 19px "Source Serif", Georgia, serif; }
"""

JS = """
export default ({ data, parentElement }) => {
  parentElement.querySelector(".drawing").innerHTML = data;
};
"""

_drawing = st.components.v2.component("rlm_drawing", html=HTML, css=CSS, js=JS)


def drawing(svg: str, *, key: str) -> None:
    """Show SVG text. It is trusted: only numbers and our own words may be in it."""
    _drawing(key=key, data=svg)
