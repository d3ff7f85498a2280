"""What is LDP? Eleven short chapters, each with one idea, one thing to play with and one question."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ui.app.shell import heading, require_app

LEDE = (
    "Eleven short chapters. Each has one idea, one thing to play with, and one question at the end. Nobody’s data are "
    "released here, so play as much as you like."
)


def show() -> None:
    """Title first, so that it is on screen while the library is being imported."""
    require_app()
    heading("What is local differential privacy?", LEDE)
    from ui.lessons.book import book  # imports torch

    st.html(Path(__file__).with_name("style.css"))
    book()
