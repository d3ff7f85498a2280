"""Collect from a room: make a campaign, or watch the one whose secret link this is."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ui.app.errors import guarded
from ui.app.shell import heading, require_app


def show() -> None:
    """Title first, so that it is on screen while the library is being imported."""
    require_app()
    from ui.room import text

    if "wall" not in st.query_params:  # there the question is the title
        heading("Collect from a room", text.LEDE)
    st.html(Path(__file__).with_name("style.css"))
    room()


@guarded
def room() -> None:
    """The form, or the campaign in the address."""
    from collection.database import Unavailable
    from ui.room import text
    from ui.room.dashboard import dashboard
    from ui.room.form import campaign_form
    from ui.room.store import current

    chosen = current()
    try:
        if chosen is None:
            campaign_form()
        else:
            dashboard(chosen)
    except Unavailable as error:
        st.warning(text.UNAVAILABLE.format(error), icon=":material/cloud_off:")
