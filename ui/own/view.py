"""What came of a training: progress, the curve with its advice, one row in the browser, and the kit."""

from __future__ import annotations

import html
from dataclasses import replace
from functools import partial

import streamlit as st

from rlm_core.privatiser.advice import EPSILONS, Advice
from rlm_core.privatiser.advice_page import curves, entries, mechanisms, table
from rlm_core.theory.verdict import verdict
from ui.app.errors import guarded
from ui.components.drawing import drawing
from ui.components.own_row import own_row
from ui.kit.formats import without_markup
from ui.kit.html import legend_html
from ui.kit.take_along import file_button
from ui.own import text
from ui.own.kit import kit, kit_commands
from ui.own.observer import collector_html, take
from ui.own.queue import Training, training_queue
from ui.own.visit import forget, visit

TICK = 1.0
"""Seconds between two looks at a training that is going on."""


def watch() -> None:
    """The result beside the controls; it looks again by itself while something is going on, and only then."""
    training = visit().training
    ticking = training is not None and training.active
    has_row = training is not None and training.offered is not None
    st.fragment(live, run_every=TICK if ticking else None)(ticking, has_row)


@guarded
def live(ticking: bool, has_row: bool) -> None:
    """Everything that changes while a mechanism is being trained."""
    training_queue().forget_the_gone()
    training = visit().training
    if visit().notice:
        st.warning(visit().notice, icon=":material/hourglass_top:")
    if training is None:
        st.markdown(text.BEFORE)
        return
    if ticking and (not training.active or (training.offered is not None and not has_row)):
        st.rerun()  # the whole page: the row appears below; or the buttons change, and the clock stops
    if training.state == "failed":
        problem = training.problem or "The training ended early. Please try again."
        st.error(without_markup(problem, most=500), icon=":material/table_chart:")
    elif training.state == "stopped":
        st.info("Stopped. What came before is kept.", icon=":material/stop_circle:")
    if training.advice is not None:
        advice_view(training, training.advice)
    elif training.active:
        st.markdown(text.BEFORE)
    if training.fitted is not None:
        facts(training)


@st.fragment(run_every=TICK)
@guarded
def progress() -> None:
    """The bar with the place in the queue; it is drawn beside the buttons, and only while something is going on."""
    training = visit().training
    if training is not None:
        st.progress(min(1.0, max(0.0, training.share)), text=stage(training))


def stage(training: Training) -> str:
    """Where a training stands, in words."""
    if training.stop_asked is not None:
        return "stopping …"
    if training.state == "waiting":
        ahead = training_queue().runs_before(training)
        return (
            f"waiting: {ahead} training{'s' if ahead > 1 else ''} of other visitors before yours"
            if ahead
            else "starting …"
        )
    return f"{training.words or 'Starting'} …"


def facts(training: Training) -> None:
    """The mechanism in a sentence, and what it warns of."""
    fitted = training.fitted
    assert fitted is not None
    plan = fitted.privatiser.plan_
    st.html(
        f'<p class="rlm-note">Fitted to {fitted.privatiser.public_rows_:,} public rows of '
        f"<b>{html.escape(training.name)}</b>, {len(fitted.privatiser.classes_)} classes, ε = {training.epsilon:g}. "
        f"Each person sends {text.sent(plan.kind, plan.size)} (“{plan.kind}”).</p>"
    )
    for each in fitted.warnings:
        st.warning(without_markup(each, most=500), icon=":material/trending_down:")


def advice_view(training: Training, advice: Advice) -> None:
    """The wish, the answer in words, the curve of every mechanism, the numbers."""
    low, high = max(0.5, advice.majority), max(advice.clean, advice.majority + 0.02)
    start = round(100 * (low + 0.6 * (high - low)))
    wish = st.slider("Accuracy that you need", 30, 99, min(99, max(30, start)), key="own_wish", format="%d %%") / 100
    if wish != training.wish:
        training.wish = wish
        st.rerun()  # the whole page: the commands below say the same
    asked = replace(advice, wish=wish)
    words = [each.replace("epsilon", "ε").replace(" %", "\u00a0%") for each in asked.sentences()]
    st.html(f'<p class="rlm-lede own-answer">{html.escape(words[1])}</p>')
    drawing(curves(asked, within="@container drawing"), key="own_curve")
    st.html(legend_html(entries(asked)))
    st.html("".join(f'<p class="rlm-note">{html.escape(each)}</p>' for each in [words[0], *words[2:]]))
    st.caption(text.PAPER)
    with st.expander("The numbers"):
        st.html(f'<div class="own-numbers">{table(asked, mechanisms(asked))}</div>')
        st.caption(f"{text.SIMULATED} Mean ± standard deviation of {len(asked.points[0].accuracies)} collections.")


@st.fragment
@guarded
def row_and_kit() -> None:
    """Below: one row in the browser, and what to take home. Runs again when a report arrives."""
    mine = visit()
    training = mine.training
    if training is None or training.fitted is None or training.offered is None:
        return
    st.header("One row, in your browser", anchor=False)
    received = {
        "html": collector_html(mine.inbox, training),
        "bytes": mine.inbox.size,
        "last": mine.inbox.last,
        "problem": mine.inbox.problem,
    }
    epsilons = sorted({*EPSILONS, training.epsilon})
    own_row(
        "own_row",
        {
            "offer": {
                "mechanism": training.offered.name,
                "label": training.label,
                "epsilons": [{"value": each, "odds": verdict(each).sentence} for each in epsilons],
                "start": epsilons.index(training.epsilon),
                "examples": training.fitted.examples,
            },
            "received": received,
        },
        on_report=partial(take, mine.inbox, training),
    )
    st.header("Take it home", anchor=False)
    st.caption(text.KIT)
    with st.container(horizontal=True, gap="small"):
        file_button(
            "The kit (zip)",
            lambda: kit(training, training.wish),
            name="mechanism.zip",
            key="own_kit",
            icon=":material/download:",
            type="primary",
        )
        file_button(
            "For the people: owner.html",
            training.fitted.files["owner.html"],
            name="owner.html",
            key="own_owner",
            icon=":material/web:",
        )
        st.button(
            "Forget the mechanism",
            key="own_forget",
            icon=":material/delete:",
            on_click=guarded(forget),
            help="It is forgotten with your visit in any case.",
        )
    st.code(kit_commands(training, training.wish), language="bash")
