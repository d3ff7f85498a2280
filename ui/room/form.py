"""Making a campaign: the question, ε, and what it can promise before it starts."""

from __future__ import annotations

import math
import time

import streamlit as st

from collection.campaign import Campaign
from collection.questions import Digit, Number, OneOf, Question
from rlm_core.zoo.code_tree import choose_codes
from ui.components.glance import glance
from ui.kit.formats import number, percent, times
from ui.kit.verdict_line import verdict_line
from ui.room import text
from ui.room.store import remember, store

EPSILONS = (0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
ASKED = {"yes": "Do you like coffee?", "one": "What do you drink?", "number": "How many cups did you have today?"}
HOURS = {"one hour": 1, "one day": 24, "one week": 168}


def campaign_form() -> None:
    """Controls, what they promise, and the button that starts it."""
    left, right = st.columns([3, 2], gap="large")
    with left:
        campaign = _campaign()
    with right:
        if isinstance(campaign, str):
            st.info(campaign, icon=":material/edit:")
            return
        promise(campaign)
        if st.button("Start", type="primary", key="room_start", icon=":material/play_arrow:"):
            remember(store().create(campaign))
            st.rerun()
        st.caption(text.CHEAT)


def promise(campaign: Campaign) -> None:
    """How exact the estimate will be, and what a report gives away, said before it starts."""
    inside, outside = campaign.question.odds(campaign.epsilon)
    about, points = campaign.mechanism, 100 * campaign.promised
    glance((f"± {points:.0f} points", f"with {campaign.people:,} people, at worst"), key="room_glance")
    st.markdown(
        f"**± {points:.0f} points** with {campaign.people:,} people, at worst. "
        f"For ± 5 points it takes **{campaign.people_needed:,}**."
    )
    verb = "names" if about.payload == "symbol" else "holds"
    other = "the other one" if about.symbols == 2 else "any other one"
    st.markdown(
        f"A report {verb} the true answer with a chance of {percent(inside)}, and {other} with {percent(outside)}. "
        f"It makes no answer more than {times(math.exp(campaign.epsilon))} times as believable as before."
    )
    kind = "one" if about.subset == 1 else f"a set of {about.subset}"
    st.caption(f"A report is {kind} of {about.symbols} possible answers, drawn by {about.name} with the whole ε.")


def _campaign() -> Campaign | str:
    """What the controls describe, or what is still missing."""
    kind = text.KINDS[
        st.segmented_control("Question", list(text.KINDS), default="yes or no", key="room_kind") or "yes or no"
    ]
    title = st.text_input("Title", "Our room", key="room_title", max_chars=120)
    epsilon = st.select_slider(
        "**ε** — how much one report may tell", EPSILONS, 2.0, format_func=number, key="room_eps"
    )
    st.html(verdict_line(epsilon))
    people = st.number_input("People expected", 1, 1_000_000, 30, key="room_people")
    try:
        question = _question(kind, epsilon, people)
        ends = HOURS[st.selectbox("Closes after", list(HOURS), index=1, key="room_hours")]
        most = st.number_input(
            "Reports a device may send", 1, 100, 1, key="room_reports", help="Each of them spends ε again."
        )
        return Campaign(
            title=title,
            question=question,
            epsilon=epsilon,
            people=people,
            closes=int(time.time()) + 3600 * ends,
            reports_per_device=most,
        )
    except ValueError as error:
        return str(error)


def _question(kind: str, epsilon: float, people: int) -> Question:
    if kind == "digit":
        label = st.checkbox("Send which digit it is, too", value=True, key="room_label", help=text.LABEL)
        default = "Draw a digit, and say which it is." if label else "Draw a digit."
        asked = st.text_input("What to draw", default, key=f"room_digit_{label}", max_chars=300)
        return Digit(text=asked, card=choose_codes("mnist", epsilon, people), label=label)
    asked = st.text_input("What to ask", ASKED[kind], key=f"room_ask_{kind}", max_chars=300)
    if kind == "yes":
        return OneOf(text=asked, answers=("no", "yes"))
    if kind == "one":
        lines = st.text_area("Answers, one a line", "tea\ncoffee\nwater", key="room_answers", height=140)
        return OneOf(text=asked, answers=tuple(line.strip() for line in lines.splitlines() if line.strip()))
    low, high, unit = st.columns(3)
    return Number(
        text=asked,
        low=low.number_input("From", value=0.0, key="room_low"),
        high=high.number_input("To", value=10.0, key="room_high"),
        unit=unit.text_input("Unit", "", key="room_unit", max_chars=20),
    )
