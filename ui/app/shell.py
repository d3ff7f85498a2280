"""What surrounds every page: the stylesheet, the menu, the footer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st
from streamlit.runtime.scriptrunner import get_script_run_ctx

from ui.app.public_demo import raw_data_allowed
from ui.app.site import ROOT, by_group

ICON = ROOT / "static" / "icon.svg"
RAW_DATA_STAY = "raw data leave your device only by a control that says so"
DEMO = "a public demonstration: it takes no raw data"
_INSIDE = "inside_the_app"
_STYLE = Path(__file__).with_name("style.css")


def navigation() -> Any:
    """Title and icon, the menu on top in its groups, and the page to run.

    The icon comes first and from a file: a page's own icon would be fetched from another host.
    """
    st.set_page_config(page_title="Private by design", page_icon=str(ICON), layout="wide")
    menu = {
        group: [st.Page(spec.path, title=spec.title, icon=spec.icon, default=spec.file == "start") for spec in specs]
        for group, specs in by_group().items()
    }
    return st.navigation(menu, position="top")


def require_app() -> None:
    """First call of every page: come in through ``app.py``.

    Until ``st.navigation`` has been called once in a server, Streamlit takes every file in ``pages/``
    for an app of its own, and the first visitor with a deep link would get a page without its frame.
    """
    if _INSIDE not in st.session_state:
        navigation()
        st.rerun()


def keep_on_the_way_back() -> None:
    """With the browser's Back, show a page as it was left; before its widgets.

    When a page is left, Streamlit first adds an entry without its settings to the browser's history, and Back leads
    there. Then the settings that the session keeps are right, not the defaults that such an address would mean.
    """
    context = get_script_run_ctx()
    if context is not None and context.is_history_navigation and not st.query_params.to_dict():
        context.is_history_navigation = False


def frame() -> None:
    """The stylesheet; before the page."""
    st.session_state[_INSIDE] = True
    st.html(_STYLE)


def heading(title: str, lede: str) -> None:
    """The page's question, and two or three sentences (HTML) about it."""
    st.title(title, anchor=False)
    st.html(f'<p class="rlm-lede">{lede}</p>')


def footer() -> None:
    """Version, device, and the promise about this server; after the page."""
    # Imported late: it pulls in torch, and the page above should be on screen first.
    from rlm_core import __version__
    from ui.app.cache import device

    st.html(
        '<div class="rlm-footer">'
        f"<span>rlm-ldp {__version__}</span><span>models run on {device()}</span>"
        f"<span>{RAW_DATA_STAY if raw_data_allowed() else DEMO}</span></div>"
    )
    st.page_link(ROOT / "pages" / "glossary.py", label="What do these words mean?", icon=":material/menu_book:")
