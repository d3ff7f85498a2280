"""Scrolls to the page's top when another chapter is opened; Streamlit would stay at the old one's end."""

from __future__ import annotations

from ui.components.declare import declare

HTML = """
<span></span>
"""

_to_top = declare("to_top", html=HTML)


def to_top(shown: int) -> None:
    """Go to the top if ``shown`` is another number than before."""
    _to_top(key="to_top", data=shown)
