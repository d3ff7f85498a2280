"""What came of a training: whose result it is, the answer with its curve, and the numbers."""

from __future__ import annotations

import html
import math
from dataclasses import replace

import streamlit as st

from rlm_core.privatiser.advice import Advice
from rlm_core.privatiser.advice_page import curves, entries, mechanisms, table
from ui.app.errors import guarded
from ui.components.drawing import drawing
from ui.kit.formats import without_markup
from ui.kit.html import legend_html
from ui.own import text
from ui.own.queue import TOO_LONG, Training, training_queue
from ui.own.task import COARSE, Task
from ui.own.visit import start_at, visit

TICK = 1.0
"""Seconds between two looks at a training that is going on."""

FULL = 10
"""Collections at every ε in the last stage; fewer are a first, coarse answer."""

LOWEST, HIGHEST = 1, 99
"""Per cent that may be wished for."""


def watch(task: Task | None) -> None:
    """The result beside the controls; it looks again by itself while something is going on, and only then."""
    training = visit().training
    ticking = training is not None and training.active
    has_row = training is not None and training.offered is not None
    st.fragment(live, run_every=TICK if ticking else None)(ticking, has_row, task)


@guarded
def live(ticking: bool, has_row: bool, task: Task | None) -> None:
    """Everything that changes while a mechanism is being trained."""
    training_queue().forget_the_gone()
    training = visit().training
    if training is None:
        if ticking:
            st.rerun()
        st.markdown(text.BEFORE)
        return
    if ticking != training.active or (training.offered is not None and not has_row):
        st.rerun()  # the whole page: the row appears below; or the buttons change, and the clock stops or starts
    if training.fitted is None and training.advice is None:
        st.markdown(text.BEFORE)
        return
    origin(training, task)
    if training.advice is not None:
        advice_view(training, training.advice, task)
    elif training.state == "done" or training.why_stopped == TOO_LONG:
        st.caption(text.NO_CURVE)
    if training.fitted is not None:
        facts(training)


def origin(training: Training, task: Task | None) -> None:
    """Whose result this is; where the controls say something else by now, that it is not theirs."""
    label = f"label {html.escape(training.label)}"
    parts = [html.escape(training.name), label, f"{training.people:,} people", f"ε = {training.epsilon:g}"]
    parts += [] if training.kind == "auto" else [f"{training.kind}, which the rule did not choose"]
    st.html(f'<p class="own-origin">Result for <b>{parts[0]}</b> · {" · ".join(parts[1:])}</p>')
    if task is None or not training.is_of(task):
        again = "" if task is None else " Train again to see what they give."
        st.warning(f"{_earlier(training, task)}{again}", icon=":material/history:")


def _earlier(training: Training, task: Task | None) -> str:
    """In what the controls differ from the result."""
    name = without_markup(training.name, most=80)
    if task is None:
        return f"This is the earlier result for {name}. The controls, as they are now, cannot be trained on."
    if training.name == task.name and training.digest != task.digest:
        return f"This is the earlier result for {name}. The controls have another table of that name by now."
    if training.name != task.name:
        return f"This is the earlier result for {name}. The controls say {without_markup(task.name, most=80)} by now."
    if training.label != task.label:
        label, now = without_markup(training.label, most=80), without_markup(task.label, most=80)
        return f"This is the earlier result for the label {label}. The controls say {now} by now."
    if training.is_for(task):
        return "This is the earlier result, with other columns than the controls have by now."
    return (
        f"This is the earlier result, for {training.people:,} people and ε = {training.epsilon:g}. The controls say "
        f"{task.people:,} people and ε = {task.epsilon:g} by now."
    )


def facts(training: Training) -> None:
    """The mechanism in a sentence, and what it warns of."""
    fitted = training.fitted
    assert fitted is not None
    plan = fitted.privatiser.plan_
    without = text.counted(fitted.unlabelled, "row")
    left_out = f" ({without} without a label left out)" if fitted.unlabelled else ""
    classes = len(fitted.privatiser.classes_)
    st.html(
        f'<p class="rlm-note">Fitted to {fitted.privatiser.public_rows_:,} public rows of '
        f"<b>{html.escape(training.name)}</b>{left_out}, {classes} classes, ε = {training.epsilon:g}. "
        f"Each person sends {text.sent(plan.kind, plan.size)} (“{plan.kind}”).</p>"
    )
    for each in fitted.warnings:
        st.warning(without_markup(each, most=500), icon=":material/trending_down:")


def preset(advice: Advice) -> int:
    """The accuracy that is asked for at first, in per cent: above the commonest class, never above clean rows."""
    gain = advice.clean - advice.majority
    wish = 100 * (advice.majority + 0.6 * gain if gain > 0 else advice.clean)
    up = math.ceil(wish)
    return min(HIGHEST, max(LOWEST, up if up <= 100 * advice.clean else int(wish)))


def wished(training: Training, advice: Advice) -> float:
    """What the visitor asks for. The slider is set once for a training: better advice does not move it."""
    if training.wish is None:
        training.wish = preset(advice) / 100
        st.session_state["own_wish"] = round(100 * training.wish)
    elif "own_wish" not in st.session_state:  # another page was looked at
        st.session_state["own_wish"] = round(100 * training.wish)
    wish = st.slider("Accuracy that you need", LOWEST, HIGHEST, key="own_wish", format="%d %%") / 100
    if wish != training.wish:
        training.wish = wish
        st.rerun()  # the whole page: the commands below say the same
    return wish


def advice_view(training: Training, advice: Advice, task: Task | None) -> None:
    """The answer in words, the wish, the curve of every mechanism, the numbers."""
    above = st.container()
    asked = replace(advice, wish=wished(training, advice))
    answer, *more = asked.answer()
    words = [_shown(each) for each in asked.sentences()]
    with above:
        said = "".join(f'<p class="own-more">{_shown(each)}</p>' for each in more)
        st.html(f'<div class="own-answer"><p class="rlm-lede">{_shown(answer)}</p>{said}</div>')
        coarse(training, advice)
        other_epsilon(training, asked, task)
    drawing(curves(asked, within="@container drawing"), key="own_curve")
    st.html(legend_html(entries(asked)))
    st.html("".join(f'<p class="rlm-note">{each}</p>' for each in words[1 + len(more) :]))
    st.caption(text.PAPER)
    with st.expander("The numbers"):
        st.html(
            f'<div class="own-numbers" tabindex="0" role="region" aria-label="The numbers">'
            f"{table(asked, mechanisms(asked))}</div>"
        )
        st.caption(f"{text.SIMULATED} Mean ± standard deviation of {len(asked.points[0].accuracies)} collections.")


def _shown(sentence: str) -> str:
    return html.escape(sentence.replace("epsilon", "ε").replace(" %", "\u00a0%"))


def coarse(training: Training, advice: Advice) -> None:
    """Say of an early answer that it is one."""
    count = len(advice.points[0].accuracies)
    if count >= FULL:
        return
    if training.active:
        then = "a better one follows."
    elif training.state == "done":
        then = text.TOO_LONG
    else:
        then = "the training ended before there was a better one."
    collections = text.counted(count, "collection")
    st.caption(f"A first, coarse answer, from {collections} at each of {len(COARSE)} values of ε: {then}")


def other_epsilon(training: Training, asked: Advice, task: Task | None) -> None:
    """Where the advice is another ε, or kind, than the mechanism's: say so, and train that one if asked."""
    chosen, other = asked.chosen, asked.other
    if training.fitted is None or asked.wish <= asked.majority:
        return
    can_train = task is not None and training.is_of(task) and not training.active
    ruled = training.kind == "auto"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if ruled and chosen is not None and chosen.epsilon != training.epsilon:
            enough = "more than it takes" if training.epsilon > chosen.epsilon else "too little for it"
            st.markdown(f"The mechanism below has ε = {training.epsilon:g}: {enough}.", width="content")
        if not can_train:
            return
        if chosen is not None and (not ruled or chosen.epsilon != training.epsilon):
            whose = "" if ruled else "the rule’s kind "
            train_button("own_train_at", f"Train {whose}at ε = {chosen.epsilon:g}", task, chosen.epsilon, "auto")
        if other is not None and (training.kind, training.epsilon) != (other.mechanism, other.epsilon):
            what = f"Train {other.mechanism} at ε = {other.epsilon:g}"
            train_button("own_train_other", what, task, other.epsilon, other.mechanism)


def train_button(key: str, what: str, task: Task | None, epsilon: float, kind: str) -> None:
    """Train the same table at another ε, or with another kind of report."""
    st.button(what, key=key, icon=":material/model_training:", on_click=guarded(start_at), args=(task, epsilon, kind))
