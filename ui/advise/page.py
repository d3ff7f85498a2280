"""Choose an ε: task, people and accuracy wanted to the smallest ε, and what it means for each of them."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ui.advise import text
from ui.app.errors import guarded
from ui.app.shell import heading, require_app


def show() -> None:
    """The whole page."""
    require_app()
    st.html(Path(__file__).with_name("style.css"))
    heading("Choose an ε", text.LEDE)
    workbench()


@st.fragment
@guarded
def workbench() -> None:
    """Everything that changes with a control: the controls stay in sight beside all that they move."""
    from ui.advise.view import (
        answer,
        chart_section,
        controls,
        meaning_section,
        mechanisms_section,
        model_section,
        print_button,
    )

    left, right = st.columns([4, 10], gap="large")
    with left, st.container(key="advise_controls"):
        wish = controls()
        print_button(wish)
    with right:
        answer(wish)
        chart_section(wish)
        mechanisms_section(wish)
        meaning_section(wish)
        model_section(wish)
