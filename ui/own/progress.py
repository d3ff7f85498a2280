"""The buttons of a training, how far it is, and how it ended: all of it in one place, under the controls."""

from __future__ import annotations

import streamlit as st

from ui.app.errors import guarded
from ui.kit.formats import without_markup
from ui.own.queue import Training, training_queue
from ui.own.task import Task
from ui.own.view import TICK
from ui.own.visit import start, stop, visit


def buttons(task: Task | None, problem: str = "") -> None:
    """Start, and while a training goes on how far it is and the way to stop; below, what became of the last one.

    ``problem``: why there is nothing to train on, which is said where it was chosen.
    """
    current = visit().training
    active = current is not None and current.active
    if active:
        progress()
    with st.container(horizontal=True):
        if task is not None or problem:
            st.button(
                "Train a mechanism",
                key="own_train",
                type="primary",
                icon=":material/model_training:",
                on_click=guarded(start),
                args=(task,),
                disabled=active or task is None,
                help=problem or "Up to two minutes, on this server. You can stop at any time.",
            )
        if active:
            st.button("Stop", key="own_stop", icon=":material/stop_circle:", on_click=guarded(stop))
    if visit().notice:
        st.warning(visit().notice, icon=":material/hourglass_top:")
    elif current is not None and not active:
        outcome(current, task)


def outcome(training: Training, task: Task | None) -> None:
    """How it ended, if it did not go as it should. A failure is said for as long as the controls are as they were."""
    if training.state == "failed":
        if task is not None and training.is_of(task):
            problem = training.problem or "The training ended early. Please try again."
            st.error(without_markup(problem, most=500), icon=":material/table_chart:")
    elif training.state == "stopped":
        why = training.why_stopped or "Stopped."
        kept = "What came before is kept." if training.fitted is not None else "Nothing was trained yet."
        st.info(f"{why} {kept}", icon=":material/stop_circle:")


@st.fragment(run_every=TICK)
@guarded
def progress() -> None:
    """The bar with the place in the queue; it is drawn above the buttons, and only while something is going on."""
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
