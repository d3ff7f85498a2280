"""What one visitor has here: a training and the reports of its row. Held by the session, so it goes with it."""

from __future__ import annotations

from dataclasses import dataclass, field

from ui.app.work_queue import Busy
from ui.kit.kept import session_value
from ui.own.observer import Inbox
from ui.own.queue import Training, training_queue
from ui.own.task import Task


@dataclass(eq=False)
class Visit:
    """One visitor. The queue knows it by a weak reference: once the session is gone, so is what it waited for."""

    training: Training | None = None
    inbox: Inbox = field(default_factory=Inbox)
    notice: str = ""


def visit() -> Visit:
    """Of this session."""
    return session_value("own_visit", Visit)


def start(task: Task) -> None:
    """Train; one at a time for each visitor, so what was there before makes room."""
    forget()
    mine = visit()
    try:
        mine.training, mine.inbox = training_queue().submit(task, mine), Inbox()
    except Busy as reason:
        mine.notice = str(reason)


def stop() -> None:
    """Stop the training; what it has published stays."""
    mine = visit()
    if mine.training is not None and mine.training.active:
        training_queue().stop(mine.training)


def forget() -> None:
    """Forget the training before the visit ends. Its address is gone at once, whoever still holds it."""
    stop()
    mine = visit()
    if mine.training is not None:
        mine.training.fitted = mine.training.offered = mine.training.advice = None
    mine.training, mine.inbox, mine.notice = None, Inbox(), ""
