"""The dice of the lessons: thrown once per chapter and visit, and again only when the visitor says so.

Lessons simulate invented people; nobody's record is released, so a seed is allowed and useful: it is
drawn from the operating system, kept in the visit, and every picture is computed from it anew. Moving
a control therefore shows the same throw under other conditions, and no unrelated control re-draws.
"""

from __future__ import annotations

import secrets

import numpy as np
import streamlit as st

from ui.app.errors import guarded
from ui.kit.kept import session_value

SIMULATED = (
    "A simulation with {about}: nothing is released. The same dice are used while you move the controls; "
    "the button throws new ones."
)


def generator(chapter: str) -> np.random.Generator:
    """A generator seeded with this chapter's last throw."""
    return np.random.default_rng(session_value(_key(chapter), lambda: secrets.randbits(63)))


def throw_again(chapter: str, label: str, *, about: str = "invented people") -> None:
    """The button, and the sentence that says what it does."""
    st.button(label, key=f"throw_{chapter}", icon=":material/casino:", on_click=guarded(_throw), args=(chapter,))
    st.html(f'<p class="rlm-note">{SIMULATED.format(about=about)}</p>')


def _throw(chapter: str) -> None:
    st.session_state[_key(chapter)] = secrets.randbits(63)


def _key(chapter: str) -> str:
    return f"dice_{chapter}"
