"""Choose an ε: task, people and accuracy wanted to the smallest ε, and what it means for each of them."""

from __future__ import annotations

import streamlit as st

from ui.advise import text
from ui.app.errors import guarded
from ui.app.shell import heading, require_app


def show() -> None:
    """The whole page."""
    require_app()
    heading("Choose an ε", text.LEDE)
    workbench()


@st.fragment
@guarded
def workbench() -> None:
    """Everything that changes with a control."""
    from ui.advise.view import answers, chart_section, controls, model_section, print_section

    left, right = st.columns([4, 9], gap="large")
    with left:
        wish = controls()
    with right:
        answers(wish)
    st.header("What everybody gains, and what it costs each", anchor=False)
    chart_section(wish)
    st.header("Where the numbers come from", anchor=False)
    model_section(wish)
    print_section(wish)
