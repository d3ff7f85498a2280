"""The words of every page, explained in a sentence or two."""

from __future__ import annotations

import html
from pathlib import Path

import streamlit as st

from ui.app.shell import heading, require_app
from ui.glossary.terms import terms
from ui.kit.address import in_address

LEDE = "What the words on these pages mean, each in a sentence or two."


def show() -> None:
    """A field to find a word, and the list."""
    require_app()
    heading("Glossary", LEDE)
    st.html(Path(__file__).with_name("style.css"))
    wanted = st.text_input("Find a word", placeholder="ledger, ε, rehearsal …", **in_address("word")).strip().lower()
    found = [term for term in terms() if wanted in f"{term.name} {term.meaning}".lower()]
    if not found:
        st.info(f"No word here has “{wanted}” in it. Clear the field to see all {len(terms())}.")
        return
    rows = "".join(f"<dt>{html.escape(term.name)}</dt><dd>{html.escape(term.meaning)}</dd>" for term in found)
    st.html(f'<dl class="rlm-glossary">{rows}</dl>')
