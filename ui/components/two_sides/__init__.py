"""The two sides of the privacy boundary as one component: left runs in the browser, right is HTML from Python.

What comes back is a report, and only when the visitor sends one. With the switch "Compute on the server instead", which
says so, it is the record: to be rehearsed, or to be released. Nothing else is handed over.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import streamlit as st

from ui.components.declare import declare

HTML = """
<div class="sides-place"></div>
"""

_two_sides = declare("two_sides", html=HTML, isolate_styles=False)

OnSent = Callable[[Any], None]


def two_sides(key: str, data: dict[str, Any], *, on_report: OnSent, on_record: OnSent, on_rehearsal: OnSent) -> None:
    """Show both sides; each function gets what the browser sent, unchecked, before the page runs again."""

    def hand_over(name: str, function: OnSent) -> Callable[[], None]:
        return lambda: function(getattr(st.session_state[key], name, None))

    _two_sides(
        key=key,
        data=data,
        on_report_change=hand_over("report", on_report),
        on_record_change=hand_over("record", on_record),
        on_rehearsal_change=hand_over("rehearsal", on_rehearsal),
    )
