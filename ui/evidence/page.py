"""Which mechanism keeps how much? Ours beside the paper's, cell by cell, from the committed result files."""

from __future__ import annotations

import streamlit as st

from ui.app.errors import guarded
from ui.app.shell import heading, require_app
from ui.evidence import text


def show() -> None:
    """The whole page."""
    require_app()
    heading("Which mechanism keeps how much?", text.LEDE)
    workbench()


@st.fragment
@guarded
def workbench() -> None:
    """Everything that changes with a control."""
    from ui.evidence.view import (
        answer_section,
        chart_section,
        choose,
        download_section,
        registry_section,
        table_section,
    )

    shown = choose()
    chart_section(shown)
    st.header("I need so much accuracy: which ε?", anchor=False)
    answer_section(shown)
    st.header("Cell by cell", anchor=False)
    table_section(shown)
    st.header("Take it with you", anchor=False)
    download_section(shown)
    st.header("Every mechanism of the library", anchor=False)
    registry_section()
