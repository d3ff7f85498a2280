"""A queue of all visitors' jobs, and the worker processes that serve it: what every page that computes long shares.

A page makes a subclass: whose turn it is, and what an event of its jobs means. Everything is guarded by one lock; pages
read, reader threads write.
"""

from __future__ import annotations

import itertools
import os
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from ui.app.worker_process import Worker

WORKERS = max(1, min(2, (os.cpu_count() or 1) - 1))
"""Jobs at the same time: one core always stays with the server."""

MOST_WAITING = 40
"""Jobs of all visitors that may wait; beyond it nobody would see the end."""

PATIENCE = 20.0
"""Seconds that a job may take to notice that it was stopped, before its process is ended."""

IDLE = 900.0
"""Seconds without a task after which a worker process is let go."""

FINISHED = ("done", "stopped", "failed")
TOO_MANY = "Too many runs are waiting on this server just now. Please try again in a few minutes."


class Busy(Exception):
    """A limit was reached; the message says which, for the visitor."""


@dataclass(eq=False, kw_only=True)
class Job:
    """Something for a worker to do. ``state``: waiting, then what the page says, then done, stopped or failed."""

    identity: int
    state: str = "waiting"
    stop_asked: float | None = None
    task: Any = field(default=None, repr=False)

    @property
    def active(self) -> bool:
        """Whether something is still to come."""
        return self.state not in FINISHED


J = TypeVar("J", bound=Job)


class WorkQueue(Generic[J]):
    """Jobs that wait, and the workers. ``module`` is the worker's: ``python -m module``."""

    module = ""

    def __init__(self, limit: int = WORKERS, start_worker: Callable[..., Any] | None = None) -> None:
        self.limit, self.start_worker = limit, start_worker or self._start_process
        self.lock = threading.RLock()
        self.identities = itertools.count(1)
        self.waiting: list[J] = []
        self.workers: dict[Any, J | None] = {}

    # --- what a page decides ---

    def turn(self, job: J) -> tuple[int, ...]:
        """Of the jobs that wait, the smallest comes next."""
        return (job.identity,)

    def begin(self, job: J) -> None:
        """Called when a worker is about to get the job: the first state."""
        job.state = "working"

    def take(self, job: J, event: Any) -> bool:
        """Called with what a worker says of its job; whether that was the last. Let its task go then: it is large."""
        raise NotImplementedError

    def halt(self, job: J) -> None:
        """Called when a job is stopped while it waits."""
        job.state, job.task = "stopped", None

    # --- what pages call ---

    def warm(self) -> None:
        """Start a worker if there is none: its imports take seconds, and a visitor is about to ask."""
        with self.lock:
            if not self.workers:
                self._dismiss_later(self._new_worker())

    def put(self, job: J) -> None:
        """Let a job wait; it begins as soon as a worker is free. Raises :class:`Busy` if too many wait."""
        with self.lock:
            if len(self.waiting) >= MOST_WAITING:
                raise Busy(TOO_MANY)
            self.waiting.append(job)
            self._assign()

    def runs_before(self, job: J) -> int:
        """How many jobs, of all visitors, come before this one."""
        with self.lock:
            if job not in self.waiting:
                return 0
            busy = sum(each is not None for each in self.workers.values())
            return sorted(self.waiting, key=self.turn).index(job) + busy

    def stop(self, job: J) -> None:
        """End a job: one that waits at once, one that is worked on at its next step, with what it has so far."""
        with self.lock:
            if job in self.waiting:
                self.waiting.remove(job)
                self.halt(job)
            elif job.active and job.stop_asked is None:
                job.stop_asked = time.monotonic()
                for worker, its_job in self.workers.items():
                    if its_job is job:
                        worker.send(("stop", job.identity))

    def end_unresponsive(self) -> None:
        """End workers that do not react to a stop; called by every page that watches."""
        with self.lock:
            for worker, job in list(self.workers.items()):
                if job is not None and job.stop_asked is not None and time.monotonic() - job.stop_asked > PATIENCE:
                    worker.end()  # its reader's thread notices

    def close(self) -> None:
        """End every worker; for tests and measurements."""
        with self.lock:
            self.waiting.clear()
            workers = list(self.workers)
        for worker in workers:
            worker.end()

    # --- inside ---

    def _start_process(self, on_message: Callable[..., None], on_exit: Callable[..., None]) -> Worker:
        return Worker(on_message, on_exit, module=self.module)

    def _assign(self) -> None:
        while self.waiting:
            free = next((worker for worker, job in self.workers.items() if job is None), None)
            if free is None and len(self.workers) < self.limit:
                free = self._new_worker()
            if free is None:
                return
            job = min(self.waiting, key=self.turn)
            self.waiting.remove(job)
            self.begin(job)
            self.workers[free] = job
            free.send(("work", job.identity, job.task))

    def _new_worker(self) -> Any:
        worker = self.start_worker(self._on_message, self._on_exit)
        self.workers[worker] = None
        return worker

    def _on_message(self, worker: Any, message: tuple[int, Any]) -> None:
        """Called when a worker sends an event of its job."""
        identity, event = message
        with self.lock:
            job = self.workers.get(worker)
            if job is None or job.identity != identity or not self.take(job, event):
                return
            self.workers[worker] = None
            self._assign()
            if self.workers[worker] is None:
                self._dismiss_later(worker)

    def _on_exit(self, worker: Any) -> None:
        """Called when a worker exits for any reason: its job ends too, and the others go on with another worker."""
        with self.lock:
            job = self.workers.pop(worker, None)
            if job is not None:
                job.state = "stopped" if job.stop_asked is not None else "failed"
                job.task = None
            self._assign()

    def _dismiss_later(self, worker: Any) -> None:
        """Let a worker go if it has had nothing to do for a while: it holds a few hundred megabytes."""
        seen = next(self.identities)
        worker.idle_since = seen

        def dismiss() -> None:
            with self.lock:
                if worker in self.workers and self.workers[worker] is None and worker.idle_since == seen:
                    del self.workers[worker]
                    worker.end()

        timer = threading.Timer(IDLE, dismiss)
        timer.daemon = True
        timer.start()
