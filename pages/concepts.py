"""What is LDP? Eight short chapters, each with one idea, one thing to play with and one question."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ui.shell import require_app


def concepts() -> None:
    """Title first, so that it is on screen while the library is being imported."""
    st.title("What is local differential privacy?", anchor=False)
    import ui.concepts
    from ui.concepts.book import book  # imports torch

    st.html(Path(ui.concepts.__file__).with_name("style.css"))
    book()


require_app()
concepts()
