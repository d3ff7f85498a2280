"""Trainings of all visitors: one each, two at a time, and whoever has left makes room."""

from __future__ import annotations

import functools
import math
import secrets
import time
import weakref
from dataclasses import dataclass, field
from typing import Any, Protocol

from rlm_core.privatiser.advice import Advice
from ui.app.work_queue import Job, WorkQueue
from ui.own.presence import GRACE, MAKES_ROOM
from ui.own.task import Fitted, Problem, Step, Task

AT_ONCE = 2
LENGTH = 24
"""Random bytes in the address of a visitor's mechanism."""


MOST_SECONDS = 100.0
"""A training that has not ended by itself by then is stopped, and its process twenty seconds later."""

TOO_LONG = "It would have taken longer than two minutes here, so it was stopped."
LEFT = "This page had no connection for a minute, so the training was stopped."
MADE_ROOM = "This page had no connection while others waited, so the training was stopped."


class Visitor(Protocol):
    """Whoever a training is for."""

    def away(self) -> float:
        """Seconds without a connection."""


@dataclass(eq=False, kw_only=True)
class Offered:
    """A mechanism under an address that nobody can guess, for as long as its visitor is here."""

    token: str
    visitor: weakref.ref[Visitor] = field(repr=False)
    description: dict[str, Any] = field(repr=False)
    encoder: bytes = field(repr=False)

    @property
    def name(self) -> str:
        """As the browser asks for it."""
        return f"own-{self.token}"


@dataclass(eq=False, kw_only=True)
class Training(Job):
    """One training, as far as it got; it belongs to the visitor whose session holds it.

    ``wish`` is what the visitor's slider says, None before there is one: the page, the commands and the kit ask for
    the same accuracy. ``why_stopped`` is said where the visitor did not ask for it.
    """

    name: str
    label: str
    digest: str = field(repr=False)
    schema: str = field(repr=False)
    epsilon: float
    people: int
    kind: str = "auto"
    visitor: weakref.ref[Visitor] = field(repr=False)
    share: float = 0.0
    words: str = ""
    fitted: Fitted | None = field(default=None, repr=False)
    offered: Offered | None = field(default=None, repr=False)
    advice: Advice | None = field(default=None, repr=False)
    wish: float | None = None
    problem: str = ""
    why_stopped: str = ""
    began: float = math.inf

    def is_of(self, task: Task) -> bool:
        """Whether a task is what this was trained on: the same table, columns, label, people and ε."""
        same_table = (self.name, self.digest, self.label) == (task.name, task.digest, task.label)
        return same_table and self.schema == task.schema and self.is_for(task)

    def is_for(self, task: Task) -> bool:
        """Whether it is for as many people, at the same ε."""
        return (self.people, self.epsilon) == (task.people, task.epsilon)


_offered: weakref.WeakValueDictionary[str, Offered] = weakref.WeakValueDictionary()


def offered(token: str) -> Offered | None:
    """The mechanism under this address; None if there is none, or its visitor has left."""
    found = _offered.get(token)
    visitor = None if found is None else found.visitor()
    return found if visitor is not None and visitor.away() <= GRACE else None


class TrainingQueue(WorkQueue[Training]):
    """The trainings that wait and run. A finished one is held by its visitor's session alone."""

    module = "ui.own.worker"

    def submit(self, task: Task, visitor: Visitor) -> Training:
        """Put a training into the queue; raises :class:`~ui.app.work_queue.Busy` if too many wait."""
        training = Training(
            identity=next(self.identities),
            name=task.name,
            label=task.label,
            digest=task.digest,
            schema=task.schema,
            epsilon=task.epsilon,
            people=task.people,
            kind=task.kind,
            visitor=weakref.ref(visitor),
            task=task,
        )
        self.forget_the_gone()
        self.put(training)
        return training

    def begin(self, job: Training) -> None:
        """Its time runs from here, not from when it began to wait."""
        super().begin(job)
        job.began = time.monotonic()

    def take(self, job: Training, event: Any) -> bool:
        """Note how far a training is, and offer its mechanism as soon as there is one."""
        if isinstance(event, Step):
            job.share, job.words = event.share, event.words
        elif isinstance(event, Fitted):
            job.fitted, job.offered = event, _offer(event, job.visitor)
        elif isinstance(event, Advice):
            job.advice = event
        else:
            job.task, job.problem = None, event.message if isinstance(event, Problem) else ""
            job.state = "failed" if isinstance(event, Problem) else event
            return True
        return False

    def forget_the_gone(self) -> None:
        """Stop what nobody waits for any more, or what takes too long; called by every page that looks, and by a clock.

        A visitor without a connection keeps a place for a while, unless somebody who is here waits for it: then the
        one who is away longest makes room.
        """
        with self.lock:
            going = [job for job in self.workers.values() if job is not None]
            away = {job.identity: _away(job) for job in [*self.waiting, *going]}
            wanted = sum(away[job.identity] <= MAKES_ROOM for job in self.waiting)
            wanted -= sum(job.stop_asked is not None for job in going)  # these places are about to be free
            for job in sorted([*self.waiting, *going], key=lambda job: -away[job.identity]):
                if job.stop_asked is not None:
                    continue
                makes_room = job in going and wanted > 0 and away[job.identity] > MAKES_ROOM
                if makes_room or away[job.identity] > GRACE:
                    job.why_stopped = MADE_ROOM if makes_room else LEFT
                    wanted -= job in going
                    self.stop(job)
                elif time.monotonic() - job.began > MOST_SECONDS:
                    job.why_stopped = TOO_LONG
                    self.stop(job)
            self.end_unresponsive()


def _away(job: Training) -> float:
    visitor = job.visitor()
    return math.inf if visitor is None else visitor.away()


def _offer(fitted: Fitted, visitor: weakref.ref[Visitor]) -> Offered:
    token = secrets.token_urlsafe(LENGTH)
    description = fitted.description | {"files": {"encoder": fitted.description["files"]["encoder"]}}
    description["files"]["encoder"] = description["files"]["encoder"] | {"url": f"weights/own-{token}"}
    made = Offered(token=token, visitor=visitor, description=description, encoder=fitted.encoder)
    _offered[token] = made
    return made


@functools.cache
def training_queue() -> TrainingQueue:
    """The one queue of this server."""
    return TrainingQueue(limit=AT_ONCE)
