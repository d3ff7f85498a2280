"""What one visitor has here: a training and the reports of its row. Held by the session, and gone with it.

A clock makes sure of that: whoever has had no connection for :data:`~ui.own.presence.GRACE` is forgotten, whether or
not anybody else looks at the page.
"""

from __future__ import annotations

import functools
import logging
import threading
import time
import weakref
from dataclasses import dataclass, field, replace

import streamlit as st

from ui.app.work_queue import Busy
from ui.kit.kept import session_value
from ui.own.observer import Inbox
from ui.own.presence import GRACE, Presence, end_session, presence, sweep_files
from ui.own.queue import Training, training_queue
from ui.own.tables import Table
from ui.own.task import Task

LOG = logging.getLogger("rlm.app")
TICK = 5.0
"""Seconds between two looks of the clock."""


@dataclass(eq=False)
class Visit:
    """One visitor. The queue knows it by a weak reference: once the session is gone, so is what it waited for.

    ``upload`` is the table that was brought, which stays while other pages are looked at.
    """

    training: Training | None = None
    inbox: Inbox = field(default_factory=Inbox)
    notice: str = ""
    upload: Table | None = None
    presence: Presence = field(default_factory=presence)

    def away(self) -> float:
        """Seconds without a connection."""
        return self.presence.away()

    @property
    def has_something(self) -> bool:
        """Whether anything was brought or made here: who only looked has nothing to be forgotten."""
        return self.upload is not None or self.training is not None

    def drop(self) -> None:
        """Forget the training, stopping it first. Its address is gone at once, whoever still holds it."""
        if self.training is not None:
            if self.training.active:
                training_queue().stop(self.training)
            self.training.fitted = self.training.offered = self.training.advice = None
        self.training, self.inbox, self.notice = None, Inbox(), ""


_visits: weakref.WeakSet[Visit] = weakref.WeakSet()
_lock = threading.Lock()
_to_sweep = threading.Semaphore(0)
SWEEPS = 3
"""Looks at files that nobody refers to, after something was forgotten; not always, since others' pages are drawn."""


def visit() -> Visit:
    """Of this session."""
    found = session_value("own_visit", Visit)
    with _lock:
        _visits.add(found)
        _start_clock()
    return found


def start(task: Task) -> None:
    """Train; one at a time for each visitor, so what was there before makes room, unless too many wait."""
    mine = visit()
    try:
        training = training_queue().submit(task, mine)
    except Busy as reason:
        mine.notice = str(reason)
    else:
        mine.drop()
        mine.training = training


def start_at(task: Task, epsilon: float, kind: str = "auto") -> None:
    """Train the same at another ε, which the control then says, or another kind. What was simulated holds for all."""
    mine, before = visit(), visit().training
    kept = before.advice if before is not None and before.state == "done" else None
    wish = None if before is None else before.wish
    start(replace(task, epsilon=epsilon, kind=kind, advice=kept))
    if mine.training is not None and mine.training is not before:
        st.session_state["own_epsilon"] = epsilon
        mine.training.wish = wish


def stop() -> None:
    """Stop the training; what it has published stays."""
    mine = visit()
    if mine.training is not None and mine.training.active:
        training_queue().stop(mine.training)


def forget() -> None:
    """Forget the mechanism before the visit ends."""
    visit().drop()
    _to_sweep.release(SWEEPS)


def forget_the_gone() -> None:
    """End the visits of those who have left, and stop what nobody waits for."""
    with _lock:
        here = list(_visits)
    for each in here:
        if each.away() > GRACE:
            with _lock:
                _visits.discard(each)
            if each.has_something:
                each.drop()
                each.upload = None
                end_session(each.presence)
                _to_sweep.release(SWEEPS)
    training_queue().forget_the_gone()


@functools.cache
def _start_clock() -> None:
    """Look for those who have left, for as long as the server runs; called with the lock, so it is one."""
    threading.Thread(target=look_for_the_gone, name="own-visits", daemon=True).start()


def look_for_the_gone() -> None:
    """Without end; whatever goes wrong is logged, since others may leave too."""
    while True:
        time.sleep(TICK)
        try:
            if _visits:
                forget_the_gone()
            if _to_sweep.acquire(blocking=False):
                sweep_files()
        except Exception:
            LOG.exception("looking for visitors who have left failed")
