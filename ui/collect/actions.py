"""What the collector's buttons do, and under which name a visit's runs are kept."""

from __future__ import annotations

import re
import secrets
from dataclasses import replace

import streamlit as st

from ui.app import cache
from ui.collect.queue import office
from ui.collect.reports import Choice, collect, sends_labels, task_of
from ui.collect.runs import Busy, Run

LAMS = (0.1, 0.3, 0.5, 0.7, 0.9)
"""The values of a sweep; all of them can be set with the slider too."""

MOST_SHOWN = 4
_VISIT, _NOTICE, SHOWN = "collect_visit", "collect_notice", "collect_shown"


def visit() -> str | None:
    """The name of this visit's runs: from the session, else from the address (a refreshed page)."""
    asked = st.query_params.get("visit")
    name: str | None = st.session_state.get(_VISIT)
    if name is None and asked is not None and re.fullmatch(r"[\w-]{12}", asked):
        name = st.session_state[_VISIT] = asked
    if name is not None and asked != name:
        st.query_params["visit"] = name  # coming back from another page
    return name


def learn(choice: Choice, *, anew: bool = False) -> None:
    """Collect, unless the reports are there already (or new ones are wanted), and learn from them."""
    _submit([choice], anew=anew)


def sweep(choice: Choice) -> None:
    """The same for each λ of :data:`LAMS`."""
    _submit([replace(choice, lam=lam) for lam in LAMS], as_sweep=True)


def missing(choice: Choice) -> list[Choice]:
    """The collections that a sweep would still have to make."""
    wanted = [replace(choice, lam=lam) for lam in LAMS]
    return [each for each in wanted if office().reports(visit(), each) is None]


def stop(runs: list[Run]) -> None:
    """Stop these runs; what they have learnt is kept."""
    for run in runs:
        office().stop(run)


def forget() -> None:
    """Drop the finished runs."""
    name = visit()
    if name is not None:
        office().forget(name)
    st.session_state.pop(SHOWN, None)


def notice() -> str | None:
    """What the last button could not do; shown once."""
    message: str | None = st.session_state.pop(_NOTICE, None)
    return message


def _submit(choices: list[Choice], *, anew: bool = False, as_sweep: bool = False) -> None:
    desk, name = office(), visit() or secrets.token_urlsafe(9)
    try:
        desk.check(name, len(choices))
    except Busy as reason:
        st.session_state[_NOTICE] = str(reason)
        return
    st.session_state[_VISIT] = name
    st.query_params["visit"] = name
    first: int | None = None
    for choice in choices:
        model = cache.model(choice.mechanism)
        reports = None if anew else desk.reports(name, choice)
        reused = reports is not None
        if reports is None:
            desk.charge(name, choice, epsilon_y=choice.budget.epsilon_y if sends_labels(choice) else 0.0)
            reports = collect(choice, model)
            desk.keep(name, choice, reports)
        task = task_of(choice, reports, model)
        run = desk.submit(name, choice, task, sweep=first if as_sweep else None, reused=reused)
        if as_sweep and first is None:
            first = run.sweep = run.number
    if not as_sweep:
        numbers = [each.number for each in desk.runs(name) if each.sweep is None]
        st.session_state[SHOWN] = [*[n for n in st.session_state.get(SHOWN, numbers) if n in numbers], numbers[-1]]
        st.session_state[SHOWN] = list(dict.fromkeys(st.session_state[SHOWN]))[-MOST_SHOWN:]
