"""What the room watches: the code, the count, the estimate; and what the creator can do."""

from __future__ import annotations

import html
from datetime import UTC, datetime

import numpy as np
import streamlit as st

from collection.database import Unavailable
from collection.export import to_csv, to_parquet
from collection.questions import Digit
from collection.store import State
from ui.app import cache
from ui.app.errors import guarded
from ui.app.shell import heading
from ui.kit.html import figures_html, picture
from ui.room import text
from ui.room.estimates import estimates_html
from ui.room.form import promise
from ui.room.invitation import invitation_html, is_loopback, public_address
from ui.room.model import model_line
from ui.room.store import Link, store

EVERY = "1s"
ON_THE_WALL = 48


def dashboard(link: Link) -> None:
    """The whole view of one campaign, for its creator; without what they alone can do, for the wall."""
    state = link.state()
    if state is None:
        if link.wall:
            heading("Collect from a room", text.LEDE)
        st.warning(text.UNKNOWN, icon=":material/link_off:")
        if st.button("Make another campaign", key="room_other"):
            st.query_params.clear()
            st.rerun()
        return
    creators = link.is_creators()
    if creators:
        st.header(state.campaign.title, anchor=False)
    else:
        heading(state.campaign.question.text, text.LEDE_WALL if state.is_open else "")
    code, live = st.columns([2, 3], gap="large")
    with code:
        invite(state, warn=creators)
    with live:
        st.subheader(state.campaign.question.text if creators else state.campaign.title, anchor=False)
        watch(link)
        if creators:
            show_on_the_wall(link)
    if isinstance(state.campaign.question, Digit) and state.campaign.question.label:
        wall(link, state.campaign.question.card)
    with st.expander("What can anybody learn about one person?"):
        promise(state.campaign)
        st.caption(text.CHEAT)
    if creators:
        control(state)


def invite(state: State, *, warn: bool) -> None:
    """The code and the link; ``warn``: also whether phones can use them, which is for the creator to read."""
    if not state.is_open:
        st.info("Closed: no further reports are taken.", icon=":material/lock:")
        return
    address = public_address(st.context.url)
    st.html(invitation_html(address, state.id))
    if not warn:
        return
    if is_loopback(address):
        st.warning(text.LOOPBACK, icon=":material/phonelink_off:")
    elif address.startswith("http:"):
        st.caption(text.PLAIN_HTTP)


@st.fragment(run_every=EVERY)
@guarded
def watch(link: Link) -> None:
    """Count and estimate, read anew every second. From the tally: as fast for a million reports as for ten."""
    try:
        state = link.state()
    except Unavailable as error:
        st.warning(text.UNAVAILABLE.format(error), icon=":material/cloud_off:")
        return
    if state is None:
        st.warning(text.UNKNOWN)
        return
    ends = datetime.fromtimestamp(state.campaign.closes, UTC).strftime("%d %b, %H:%M UTC")
    count = f"{state.tally.people:,}"
    closes = f"open until {ends}" if state.is_open else "closed"
    st.html(
        figures_html((count, f"of {state.campaign.people:,} expected"), (f"ε = {state.campaign.epsilon:g}", closes))
    )
    if not state.tally.people:
        st.info("Nobody has reported yet.", icon=":material/hourglass_empty:")
        return
    st.html(estimates_html(state.campaign.question, state.campaign.estimate(state.tally)))
    st.caption(text.INTERVAL)


@st.fragment(run_every="3s")
@guarded
def wall(link: Link, card: str) -> None:
    """A picture for every report: the collector's best guess of the drawing."""
    try:
        state = link.state()
        if state is None or not state.tally.people:
            return
        bodies = [body for _, body in store().reports(link.campaign, limit=ON_THE_WALL)]
    except Unavailable as error:
        st.warning(text.UNAVAILABLE.format(error), icon=":material/cloud_off:")
        return
    packed = np.frombuffer(b"".join(bodies), dtype=np.uint8).reshape(len(bodies), -1)
    sets = np.unpackbits(packed, axis=1, count=state.campaign.mechanism.symbols).astype(np.bool_)
    pictures = cache.pair_pictures(card, sets, state.campaign.epsilon)
    tiles = "".join(picture(tile, alt="a report", side="collector", size=56) for tile in pictures)
    st.html(f'<div class="rlm-wall">{tiles}</div>')
    st.caption(text.WALL)
    if isinstance(state.campaign.question, Digit):
        model_line(state.campaign.question, state)


def show_on_the_wall(link: Link) -> None:
    """The wall's address."""
    st.html(f'<a class="rlm-show" href="{html.escape(link.wall_address)}" target="_blank">Show on the wall</a>')
    st.caption(text.ON_THE_WALL)


def control(state: State) -> None:
    """Close, export, delete: the creator's alone."""
    with st.expander("Close, export, delete"):
        st.caption(text.SECRET)
        if state.is_open and st.button("Close now", key="room_close", icon=":material/lock:"):
            store().close(state.id)
            st.rerun()
        if st.button("Prepare the files", key="room_files", icon=":material/description:"):
            for kind, make in (("csv", to_csv), ("parquet", to_parquet)):
                content = make(store(), state.id, state.campaign)
                st.download_button(f"reports.{kind}", content, file_name=f"reports.{kind}", key=f"room_{kind}")
        sure = st.checkbox("I want all reports to be gone for good", key="room_sure")
        if st.button("Delete for good", key="room_delete", disabled=not sure, icon=":material/delete_forever:"):
            store().delete(state.id)
            st.query_params.clear()
            st.rerun()
