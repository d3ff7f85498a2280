"""What the collector's buttons do, and whose runs a page shows.

A visit is known by a random name. It stands in the page's address, so that a reloaded or shared address shows the
runs; it is controlled only by the session that made it up. A name from an address is never taken as one's own.
"""

from __future__ import annotations

import secrets
from dataclasses import replace

import streamlit as st

from ui.app import cache
from ui.app.work_queue import Busy
from ui.collect.code_reports import collect_pairs, pair_task, told_apart
from ui.collect.pairs import Pairs, PairTask
from ui.collect.queue import run_queue
from ui.collect.reports import Choice, Reports, collect, sends_labels, task_of
from ui.collect.runs import Run
from ui.collect.task import Task

LAMS = (0.1, 0.3, 0.5, 0.7, 0.9)
"""The values of a sweep; all of them can be set with the slider too."""

MOST_SHOWN = 4
_VISIT, _NOTICE, SHOWN = "collect_visit", "collect_notice", "collect_shown"


def own_visit() -> str | None:
    """The visit that this session has started, and alone may control."""
    visit: str | None = st.session_state.get(_VISIT)
    if visit is not None and st.query_params.get("visit") != visit:
        st.query_params["visit"] = visit  # coming back from another page
    return visit


def shown_visit() -> str | None:
    """The visit whose runs are shown: one's own, else the one in the address (reloaded or shared)."""
    return own_visit() or st.query_params.get("visit")


def is_lost() -> bool:
    """Whether the runs that the page should show are not on this server."""
    visit = shown_visit()
    return visit is not None and not run_queue().knows(visit)


def learn(choice: Choice, *, anew: bool = False) -> None:
    """Collect, unless the reports are there already (or new ones are wanted), and learn from them."""
    _submit([choice], anew=anew)


def sweep(choice: Choice) -> None:
    """The same for each λ of :data:`LAMS`."""
    _submit([replace(choice, lam=lam) for lam in LAMS], as_sweep=True)


def missing(choice: Choice) -> list[Choice]:
    """The collections that a sweep would still have to make."""
    wanted = [replace(choice, lam=lam) for lam in LAMS]
    return [each for each in wanted if run_queue().reports(own_visit(), each) is None]


def stop(runs: list[Run]) -> None:
    """Stop these runs, if they are this session's own; what they have learnt is kept."""
    for run in runs:
        if run.visit == own_visit():
            run_queue().stop(run)


def resume(run: Run) -> None:
    """Go on with a run that was stopped, if it is this session's own; the people have sent what they have sent."""
    if run.visit != own_visit():
        return
    try:
        run_queue().resume(run)
    except Busy as reason:
        st.session_state[_NOTICE] = str(reason)


def forget() -> None:
    """Drop the finished runs."""
    visit = own_visit()
    if visit is not None:
        run_queue().forget(visit)
    st.session_state.pop(SHOWN, None)


def notice() -> str | None:
    """What the last button could not do; shown once."""
    message: str | None = st.session_state.pop(_NOTICE, None)
    return message


def sent_by_all(choice: Choice) -> Reports | Pairs:
    """One report from everybody who is asked."""
    model = cache.model(choice.mechanism)
    return collect(choice, model) if choice.codes is None else collect_pairs(choice, model)


def task_for(choice: Choice, reports: Reports | Pairs) -> Task | PairTask:
    """What the worker is to do with them."""
    model = cache.model(choice.mechanism)
    if isinstance(reports, Pairs):
        return pair_task(choice, reports, model, cache.model(told_apart(choice.dataset)))
    return task_of(choice, reports, model)


def _submit(choices: list[Choice], *, anew: bool = False, as_sweep: bool = False) -> None:
    queue, visit = run_queue(), own_visit() or secrets.token_urlsafe(9)
    try:
        queue.check(visit, len(choices))
    except Busy as reason:
        st.session_state[_NOTICE] = str(reason)
        return
    st.session_state[_VISIT] = visit
    st.query_params["visit"] = visit
    first: int | None = None
    for choice in choices:
        reports = None if anew else queue.reports(visit, choice)
        reused = reports is not None
        if reports is None:
            try:
                queue.check(visit, 1)  # others may have filled the queue meanwhile: before anybody pays
            except Busy as reason:
                st.session_state[_NOTICE] = str(reason)
                return
            queue.charge(visit, choice, epsilon_y=choice.budget.epsilon_y if sends_labels(choice) else 0.0)
            reports = sent_by_all(choice)
            queue.keep(visit, choice, reports)
        task = task_for(choice, reports)
        try:
            run = queue.submit(visit, choice, task, sweep=first if as_sweep else None, reused=reused)
        except Busy as reason:  # the reports are kept: the next try asks nobody again
            st.session_state[_NOTICE] = str(reason)
            return
        if as_sweep and first is None:
            first = run.sweep = run.number
    if not as_sweep:
        numbers = [each.number for each in queue.runs(visit) if each.sweep is None]
        st.session_state[SHOWN] = [*[n for n in st.session_state.get(SHOWN, numbers) if n in numbers], numbers[-1]]
        st.session_state[SHOWN] = list(dict.fromkeys(st.session_state[SHOWN]))[-MOST_SHOWN:]
