"""What the collector's buttons do, and under which visit a visit's runs are kept."""

from __future__ import annotations

import re
import secrets
from dataclasses import replace

import streamlit as st

from ui.app import cache
from ui.collect.queue import run_queue
from ui.collect.reports import Choice, collect, sends_labels, task_of
from ui.collect.runs import Busy, Run

LAMS = (0.1, 0.3, 0.5, 0.7, 0.9)
"""The values of a sweep; all of them can be set with the slider too."""

MOST_SHOWN = 4
_VISIT, _NOTICE, SHOWN = "collect_visit", "collect_notice", "collect_shown"


def visit_id() -> str | None:
    """The name of this visit's runs: from the session, else from the address (a refreshed page)."""
    asked = st.query_params.get("visit")
    visit: str | None = st.session_state.get(_VISIT)
    if visit is None and asked is not None and re.fullmatch(r"[\w-]{12}", asked):
        visit = st.session_state[_VISIT] = asked
    if visit is not None and asked != visit:
        st.query_params["visit"] = visit  # coming back from another page
    return visit


def learn(choice: Choice, *, anew: bool = False) -> None:
    """Collect, unless the reports are there already (or new ones are wanted), and learn from them."""
    _submit([choice], anew=anew)


def sweep(choice: Choice) -> None:
    """The same for each λ of :data:`LAMS`."""
    _submit([replace(choice, lam=lam) for lam in LAMS], as_sweep=True)


def missing(choice: Choice) -> list[Choice]:
    """The collections that a sweep would still have to make."""
    wanted = [replace(choice, lam=lam) for lam in LAMS]
    return [each for each in wanted if run_queue().reports(visit_id(), each) is None]


def stop(runs: list[Run]) -> None:
    """Stop these runs; what they have learnt is kept."""
    for run in runs:
        run_queue().stop(run)


def forget() -> None:
    """Drop the finished runs."""
    visit = visit_id()
    if visit is not None:
        run_queue().forget(visit)
    st.session_state.pop(SHOWN, None)


def notice() -> str | None:
    """What the last button could not do; shown once."""
    message: str | None = st.session_state.pop(_NOTICE, None)
    return message


def _submit(choices: list[Choice], *, anew: bool = False, as_sweep: bool = False) -> None:
    queue, visit = run_queue(), visit_id() or secrets.token_urlsafe(9)
    try:
        queue.check(visit, len(choices))
    except Busy as reason:
        st.session_state[_NOTICE] = str(reason)
        return
    st.session_state[_VISIT] = visit
    st.query_params["visit"] = visit
    first: int | None = None
    for choice in choices:
        model = cache.model(choice.mechanism)
        reports = None if anew else queue.reports(visit, choice)
        reused = reports is not None
        if reports is None:
            queue.charge(visit, choice, epsilon_y=choice.budget.epsilon_y if sends_labels(choice) else 0.0)
            reports = collect(choice, model)
            queue.keep(visit, choice, reports)
        task = task_of(choice, reports, model)
        run = queue.submit(visit, choice, task, sweep=first if as_sweep else None, reused=reused)
        if as_sweep and first is None:
            first = run.sweep = run.number
    if not as_sweep:
        numbers = [each.number for each in queue.runs(visit) if each.sweep is None]
        st.session_state[SHOWN] = [*[n for n in st.session_state.get(SHOWN, numbers) if n in numbers], numbers[-1]]
        st.session_state[SHOWN] = list(dict.fromkeys(st.session_state[SHOWN]))[-MOST_SHOWN:]
