"""No traceback ever reaches a visitor: a sentence, a way on, and the details in the server's log."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import streamlit as st

LOG = logging.getLogger("rlm.app")
SECRET_LINK = ("campaign", "token", "wall")
"""Of the address, what nobody could find again: a creator's way to their campaign."""
P = ParamSpec("P")
R = TypeVar("R")


def guarded(function: Callable[P, R]) -> Callable[P, R | None]:
    """Run a page or a fragment; if it fails, say so kindly and offer a way on.

    Streamlit's own signals (stop, rerun) are no ``Exception`` and pass through. Put it inside
    ``@st.fragment``, since a fragment's rerun does not pass through the page's guard.
    """

    @functools.wraps(function)
    def run(*args: P.args, **kwargs: P.kwargs) -> R | None:
        try:
            return function(*args, **kwargs)
        except Exception:
            name = getattr(function, "__qualname__", "page")
            LOG.exception("%s failed", name)
            apology(name)
            return None

    return run


def apology(name: str) -> None:
    """The friendly message. ``name`` tells two of them on one page apart."""
    st.error(
        "**Something went wrong on our side.** What you released so far is in the ledger; your choices are kept. "
        "Change a control to try again, or start afresh.",
        icon=":material/warning:",
    )
    if st.button("Start afresh", key=f"start_afresh_{name}", help="Forget this visit's choices and releases"):
        st.session_state.clear()
        kept = {key: st.query_params[key] for key in SECRET_LINK if key in st.query_params}
        st.query_params.from_dict(kept)
        st.rerun()
