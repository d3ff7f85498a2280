"""What surrounds every page: the stylesheet, the brand in the sidebar, the footer."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import streamlit as st

from ui.pictures import data_address
from ui.site import ROOT

ICON = ROOT / "static" / "icon.svg"
_STYLE = Path(__file__).with_name("style.css")


def frame(menu: list[Any]) -> None:
    """The stylesheet, the brand and the menu; before the page."""
    st.html(_STYLE)
    with st.sidebar:
        address = data_address(ICON.read_bytes(), "image/svg+xml")
        st.html(
            f'<div class="rlm-brand"><img src="{address}" alt=""><div>Private by design'
            "<small>learnt local differential privacy</small></div></div>"
        )
        for page in menu:
            st.page_link(page, width="stretch")


def footer() -> None:
    """Version, device, and the promise about this server; after the page."""
    # Imported late: it pulls in torch, and the page above should be on screen first.
    from rlm_core import __version__
    from ui.cache import device

    st.html(
        '<div class="rlm-footer">'
        f"<span>rlm-ldp {__version__}</span><span>models run on {device()}</span>"
        "<span>nothing you enter leaves this server</span></div>"
    )
