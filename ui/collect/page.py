"""Collect and learn: be the collector, ask people for reports, train a classifier, and see how good it gets."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from ui.app import cache
from ui.app.errors import guarded
from ui.app.shell import heading, require_app
from ui.collect import actions, text
from ui.collect.controls import can_learn, choose, cost, experiment_control, validation_cost
from ui.collect.queue import run_queue
from ui.collect.reports import Choice, delta, sends_labels
from ui.collect.strip import first_reports
from ui.collect.table import frame
from ui.collect.view import example_view, spent_view, watch
from ui.kit.promise import delta_note, promise
from ui.kit.take_along import file_button


def show() -> None:
    """The whole page."""
    require_app()
    st.html(Path(__file__).with_name("style.css"))
    heading("What can a collector learn?", text.LEDE)
    workbench()


@st.fragment
@guarded
def workbench() -> None:
    """The choices and the buttons on the left, beside them what has been learnt so far."""
    run_queue().warm()
    experiment = experiment_control()
    left, right = st.columns([5, 7], gap="large")
    with left:
        st.header("Whom do you ask, and how?", anchor=False)
        # Places that are always there, so that what is below stays where it is while this is redrawn.
        choices, *acts, more = (st.container() for _ in range(5))
        with choices:
            choice = choose(experiment, more)
        for place, part in zip(acts, (buttons, notice, spent_view), strict=True):
            with place:
                part(choice)
        with more:
            st.html(f'<div class="rlm-promise">{promise(cost(choice))}</div>')
            if choice.noise == "PrivUnit":
                st.caption(f"**PrivUnit.** {delta_note(delta(choice, cache.model(choice.mechanism)))}")
    with right:
        learnt(choice)
    with st.expander("How the model is learnt, and how a collector can test it without seeing a label"):
        st.markdown(text.FORMULAS)


def learnt(choice: Choice) -> None:
    """What came of it: an example, until the visitor has results of their own."""
    st.header("What has been learnt", anchor=False)
    runs = run_queue().runs(actions.shown_visit())
    pills, results, after = (st.container() for _ in range(3))
    with results:
        if actions.is_lost():
            st.info(text.LOST, icon=":material/history:")
        elif not runs:
            example_view(choice)
    if runs:
        with pills:
            shown = shown_control([run.number for run in runs if run.sweep is None])
        with results:
            watch(shown)
        with after:
            keep_or_forget()
    reports = run_queue().reports(actions.shown_visit(), choice)
    if reports is not None:
        st.header("What has arrived", anchor=False)
        sent = sends_labels(choice)
        st.html(first_reports(reports, cache.model(choice.mechanism), labels_sent=sent))
        if choice.codes is None:
            st.caption(text.FIRST_REPORTS if sent else text.FIRST_REPORTS_LABELLED)


def buttons(choice: Choice) -> None:
    """Collect and learn; once more with other noise; a sweep over λ."""
    if not can_learn(choice):
        st.info(text.NO_LABELS, icon=":material/info:")
        return
    have = run_queue().reports(actions.own_visit(), choice)
    member = validation_cost(choice)
    spends = text.spends(cost(choice), member)
    going = any(run.active and run.choice == choice for run in run_queue().runs(actions.own_visit()))
    with st.container(horizontal=True, gap="small"):
        st.button(
            f"Collect {choice.people:,} reports and learn {spends}"
            if have is None
            else f"Learn from the reports you have {text.spends(0.0, member)}",
            key="collect_learn",
            type="primary",
            icon=":material/inbox:" if have is None else ":material/model_training:",
            on_click=guarded(actions.learn),
            args=(choice,),
            disabled=going,
        )
        if have is not None:
            st.button(
                f"Collect anew {spends}",
                key="collect_anew",
                icon=":material/casino:",
                on_click=guarded(actions.learn),
                args=(choice,),
                kwargs={"anew": True},
                help="The same people send another report. The collector then has both.",
            )
        if choice.experiment in ("collection", "private") and choice.codes is None:
            sweep_button(choice)


def notice(choice: Choice) -> None:
    """What the last button could not do."""
    message = actions.notice()
    if message:
        st.warning(message, icon=":material/hourglass_top:")


def sweep_button(choice: Choice) -> None:
    """Five values of λ, one after the other."""
    new = actions.missing(choice)
    total = sum(cost(each) for each in new)
    st.button(
        f"Try five λ {text.spends(total, len(actions.LAMS) * validation_cost(choice))}",
        key="collect_sweep_start",
        icon=":material/tune:",
        on_click=guarded(actions.sweep),
        args=(choice,),
        help="Five collections with λ = " + ", ".join(f"{lam:g}" for lam in actions.LAMS) + ".",
    )


def shown_control(numbers: list[int]) -> list[int]:
    """Which runs are drawn over each other; the last ones unless the visitor chooses."""
    if len(numbers) < 2:
        return numbers
    kept = [each for each in st.session_state.get(actions.SHOWN) or [] if each in numbers]
    st.session_state[actions.SHOWN] = kept or numbers[-actions.MOST_SHOWN :]
    chosen = st.pills(
        "Runs in the figure",
        numbers,
        format_func=lambda each: f"#{each}",
        selection_mode="multi",
        key=actions.SHOWN,
    )
    return sorted(chosen)


def keep_or_forget() -> None:
    """Take the runs along, or make room."""
    name = actions.shown_visit()  # the file is made when it is asked for, outside of any session
    runs = run_queue().runs(name)
    with st.container(horizontal=True, gap="small"):
        file_button(
            "Runs (CSV)",
            lambda: str(frame(run_queue().runs(name)).to_csv(index=False)),
            name="runs.csv",
            key="download_runs",
            icon=":material/download:",
            disabled=not any(run.result for run in runs),
        )
        if name != actions.own_visit():
            return
        st.button(
            "Forget finished runs",
            key="collect_forget",
            icon=":material/delete:",
            on_click=guarded(actions.forget),
            disabled=all(run.active for run in runs),
            help="What was spent stays spent.",
        )
