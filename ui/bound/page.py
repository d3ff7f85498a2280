"""How good can it get? The accuracy that a budget allows, by formula, by simulation, and as measured."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ui.app.errors import guarded
from ui.app.shell import heading, require_app
from ui.bound import text


def show() -> None:
    """The whole page."""
    require_app()
    st.html(Path(__file__).with_name("style.css"))
    heading("How good can it get?", text.LEDE)
    workbench()


@st.fragment
@guarded
def workbench() -> None:
    """Everything that changes with ε; the geometry below has controls of its own."""
    from ui.bound.curve import curve_controls, curve_section, derivation  # scipy, and torch by way of the controls
    from ui.bound.geometry import plane_section
    from ui.bound.space import space_section

    epsilon, classes, dimension = curve_controls()
    curve_section(epsilon, classes, dimension)
    st.markdown(text.NOT_A_MAXIMUM)
    st.header("See it in two dimensions", anchor=False)
    st.html(f'<p class="rlm-note">{text.SIMULATION}</p>')
    plane_section(epsilon)
    st.header("The same in three dimensions", anchor=False)
    space_section(epsilon)
    st.header("The formula, and where it comes from", anchor=False)
    derivation()
