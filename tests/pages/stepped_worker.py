"""A worker that learns in this process, one event at a time, when the test says so."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Any

from ui.collect.events import Result, Stopped


class Abandoned(Exception):
    """The test is long over."""


class SteppedWorker:
    """Stands in for a worker process. ``step`` lets one event happen, ``finish`` all that remain."""

    def __init__(self, on_message: Callable[[Any, Any], None], on_exit: Callable[[Any], None]) -> None:
        self.on_message, self.on_exit = on_message, on_exit
        self.gate, self.passed = threading.Semaphore(0), threading.Semaphore(0)
        self.stopped: set[int] = set()
        self.busy = 0
        self.idle_since = 0

    def send(self, message: tuple[Any, ...]) -> None:
        """Take a task or a stop."""
        kind, number, *rest = message
        if kind == "stop":
            self.stopped.add(number)
            return
        self.busy += 1
        threading.Thread(target=self._learn, args=(number, rest[0]), daemon=True).start()

    def end(self) -> None:
        """The process is killed."""
        self.on_exit(self)

    def step(self, events: int = 1) -> None:
        """Let so many events happen."""
        for _ in range(events):
            self.gate.release()
            assert self.passed.acquire(timeout=240), "the fit did not go on"

    def finish(self) -> None:
        """Until every task that was given is done, also those that are given meanwhile."""
        while self.busy:
            self.step()

    def _learn(self, number: int, task: Any) -> None:
        def publish(event: Any) -> None:
            if not self.gate.acquire(timeout=240):
                raise Abandoned
            if isinstance(event, Result | str):
                self.busy -= 1
            self.on_message(self, (number, event))
            self.passed.release()

        try:
            result = task.learn(publish, lambda: number in self.stopped)
        except Stopped:
            result = "stopped"
        except Abandoned:
            return
        self.stopped.discard(number)
        publish(result)
