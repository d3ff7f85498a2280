"""Start: one digit in three lanes, one ε, the crowd, and the way to everything else."""

from __future__ import annotations

import streamlit as st

from ui.app import site
from ui.app.shell import heading, require_app
from ui.start import text


def show() -> None:
    """The promise first, so that it is on screen while the rest is being imported."""
    require_app()
    heading(text.HERO, text.LEDE)
    from ui.start.stage import show_stage  # imports torch

    show_stage()
    cards()


def cards() -> None:
    """One card for each page, by what the visitor wants; the last is for programmers."""
    st.header("Where to next?", anchor=False)
    wishes = site.cards()
    across = 5 if len(wishes) % 5 == 0 else 4  # no row that is nearly empty
    for first in range(0, len(wishes), across):
        for column, spec in zip(st.columns(across, gap="small"), wishes[first : first + across], strict=False):
            with column, st.container(border=True, height="stretch"):
                st.markdown(f"**{spec.wish}**")
                st.caption(spec.answer)
                st.page_link(spec.path, label=spec.title, icon=spec.icon)
    with st.container(border=True):
        st.markdown("**Use the library**")
        st.caption("The app is a thin layer over a Python package. The same in code:")
        with st.expander("Privatise a digit in ten lines"):
            st.code(text.LIBRARY, language="python")
