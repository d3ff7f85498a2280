"""The evidence: how good each mechanism is, the answer first, then charts, then cell by cell."""

from __future__ import annotations

import streamlit as st

from ui.app.errors import guarded
from ui.app.shell import heading, require_app
from ui.evidence import text


def show() -> None:
    """The whole page."""
    require_app()
    heading("The evidence: how good is each mechanism?", text.LEDE)
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
        gain_section,
        registry_section,
        table_section,
    )

    view = choose()
    answer_section(view)
    gain_section(view)
    st.header("Accuracy at every ε, ours and the paper’s", anchor=False)
    chart_section(view)
    st.header("Cell by cell", anchor=False)
    table_section(view)
    st.header("Take it with you", anchor=False)
    download_section(view)
    st.header("Every mechanism of the library", anchor=False)
    registry_section()
