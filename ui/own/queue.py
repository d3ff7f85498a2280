"""Trainings of all visitors: one each, two at a time, and whoever has left makes room."""

from __future__ import annotations

import functools
import secrets
import weakref
from dataclasses import dataclass, field
from typing import Any

from rlm_core.privatiser.advice import Advice
from ui.app.work_queue import Job, WorkQueue
from ui.own.task import Fitted, Problem, Step, Task

AT_ONCE = 2
LENGTH = 24
"""Random bytes in the address of a visitor's mechanism."""


@dataclass(eq=False, kw_only=True)
class Offered:
    """A mechanism under an address that nobody can guess, for as long as its visitor is here."""

    token: str
    description: dict[str, Any] = field(repr=False)
    encoder: bytes = field(repr=False)

    @property
    def name(self) -> str:
        """As the browser asks for it."""
        return f"own-{self.token}"


@dataclass(eq=False, kw_only=True)
class Training(Job):
    """One training, as far as it got; it belongs to the visitor whose session holds it.

    ``wish`` is what the visitor's slider says: the page, the commands and the kit ask for the same accuracy.
    """

    name: str
    label: str
    epsilon: float
    people: int
    visitor: weakref.ref[Any] = field(repr=False)
    share: float = 0.0
    words: str = ""
    fitted: Fitted | None = field(default=None, repr=False)
    offered: Offered | None = field(default=None, repr=False)
    advice: Advice | None = field(default=None, repr=False)
    wish: float = 0.8
    problem: str = ""


_offered: weakref.WeakValueDictionary[str, Offered] = weakref.WeakValueDictionary()


def offered(token: str) -> Offered | None:
    """The mechanism under this address; None if there is none, or its visitor has left."""
    return _offered.get(token)


class TrainingQueue(WorkQueue[Training]):
    """The trainings that wait and run. A finished one is held by its visitor's session alone."""

    module = "ui.own.worker"

    def submit(self, task: Task, visitor: Any) -> Training:
        """Put a training into the queue; raises :class:`~ui.app.work_queue.Busy` if too many wait."""
        training = Training(
            identity=next(self.identities),
            name=task.name,
            label=task.label,
            epsilon=task.epsilon,
            people=task.people,
            wish=task.wish,
            visitor=weakref.ref(visitor),
            task=task,
        )
        self.forget_the_gone()
        self.put(training)
        return training

    def take(self, job: Training, event: Any) -> bool:
        """Note how far a training is, and offer its mechanism as soon as there is one."""
        if isinstance(event, Step):
            job.share, job.words = event.share, event.words
        elif isinstance(event, Fitted):
            job.fitted, job.offered = event, _offer(event)
        elif isinstance(event, Advice):
            job.advice = event
        else:
            job.task, job.problem = None, event.message if isinstance(event, Problem) else ""
            job.state = "failed" if isinstance(event, Problem) else event
            return True
        return False

    def forget_the_gone(self) -> None:
        """Stop what nobody waits for any more; called by every page that looks."""
        with self.lock:
            going = [job for job in self.workers.values() if job is not None]
            for job in [*self.waiting, *going]:
                if job.visitor() is None:
                    self.stop(job)
            self.end_unresponsive()


def _offer(fitted: Fitted) -> Offered:
    token = secrets.token_urlsafe(LENGTH)
    description = fitted.description | {"files": {"encoder": fitted.description["files"]["encoder"]}}
    description["files"]["encoder"] = description["files"]["encoder"] | {"url": f"weights/own-{token}"}
    made = Offered(token=token, description=description, encoder=fitted.encoder)
    _offered[token] = made
    return made


@functools.cache
def training_queue() -> TrainingQueue:
    """The one queue of this server."""
    return TrainingQueue(limit=AT_ONCE)
