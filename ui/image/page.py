"""Privatise a picture: your device and the collector side by side, and between them what crosses."""

from __future__ import annotations

import streamlit as st

from rlm_core.types import FloatArray
from ui.app import cache
from ui.app.errors import guarded
from ui.app.shell import heading, require_app
from ui.image import text
from ui.kit.html import picture
from ui.kit.pictures import as_picture, png
from ui.record import observer
from ui.record.download import downloads
from ui.record.observer import Received
from ui.record.sides import sides


def show() -> None:
    """The whole page."""
    require_app()
    heading("Privatise a picture", text.LEDE)
    workbench()


@st.fragment
@guarded
def workbench() -> None:
    """Both sides; they run again when a report arrives, and at no other time."""
    box = sides("image", cache.PICTURES, thing="picture", show_record=figure)
    if not box.reports:
        return
    with st.expander("Take it with you: the report, the picture, a summary"):
        newest = box.reports[-1]
        x = observer.decoded(newest)
        shown = observer.best_record(newest, observer.belief([newest])) if x is None else x
        downloads(newest, decoded_png=png(as_picture(shown, newest.dataset), enlarge=8))


def figure(x: FloatArray | None, each: Received, words: str) -> str:
    """A picture as the collector imagines it, with words under it."""
    if x is None:
        return ""
    image = picture(as_picture(x, each.dataset), alt=words, side="collector", size=128)
    return f"<figure>{image}<figcaption>{words}</figcaption></figure>"
