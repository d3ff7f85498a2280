"""A row of the visitor's own table on two sides: left runs in the browser, right is HTML from Python.

What comes back is a report, and only when the visitor sends one.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from ui.components.declare import declare

HTML = """
<div class="sides-place own-row-place"></div>
"""

_own_row = declare("own_row", html=HTML, isolate_styles=False, like="two_sides")


def own_row(key: str, data: dict[str, Any], *, on_report: Callable[[Any], None]) -> None:
    """Show both sides; ``on_report`` gets what the browser sent, unchecked, before the page runs again."""
    _own_row(key=key, data=data, on_report_change=lambda: on_report(getattr(st.session_state[key], "report", None)))
