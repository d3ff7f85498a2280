"""Scrolls to the page's top when another chapter is opened; Streamlit would stay at the old one's end."""

from __future__ import annotations

import streamlit as st

HTML = """
<span></span>
"""

JS = """
let shown = null;

export default ({ data }) => {
  if (shown !== null && shown !== data) {
    document.querySelector("[data-testid=stMain]")?.scrollTo({ top: 0, behavior: "instant" });
  }
  shown = data;
};
"""

_to_top = st.components.v2.component("rlm_to_top", html=HTML, js=JS)


def to_top(shown: int) -> None:
    """Go to the top if ``shown`` is another number than before."""
    _to_top(key="to_top", data=shown)
