"""No traceback ever reaches a visitor: a sentence, a way on, and the details in the server's log."""

from __future__ import annotations

import functools
import logging
from collections.abc import Callable
from typing import ParamSpec, TypeVar

import streamlit as st

LOG = logging.getLogger("rlm.app")
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
            LOG.exception("%s failed", getattr(function, "__qualname__", "a page"))
            apology()
            return None

    return run


def apology() -> None:
    """The friendly message. What was released so far stays in the ledger."""
    st.error(
        "**Something went wrong on our side.** Nothing more was released for your record. "
        "Change a control to try again, or start afresh.",
        icon=":material/warning:",
    )
    if st.button("Start afresh", key="start_afresh", help="Forget this session's choices and releases"):
        st.session_state.clear()
        st.query_params.clear()
        st.rerun()
