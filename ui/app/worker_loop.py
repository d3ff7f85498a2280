"""What a worker process does (``ui.app.worker_process`` starts it): one task after the other, until the server is gone.

Not a thread of the server: a long computation holds Python's lock between its short steps, and other visitors'
sliders would wait for it. Here it has a process of its own, with a lower priority than the server.

Protocol, both ways pickled values on a pipe between two processes of the same program: in come
``("work", number, task)`` and ``("stop", number)``, out go ``(number, event)``, the last one what the task came to,
``"stopped"`` or ``"failed"``. When the server's end of the pipe closes, the process ends.
"""

from __future__ import annotations

import logging
import os
import pickle
import queue
import sys
import threading
from collections.abc import Callable
from typing import Any, BinaryIO

NICENESS = int(os.environ.get("RLM_WORKER_NICE", "5"))
"""How far the server and everything else goes before a task, where a core has to be shared."""

LOG = logging.getLogger("rlm.worker")

Work = Callable[[Any, Callable[[Any], None], Callable[[], bool]], Any]
"""(task, publish, is_stopped) to the result; raises :class:`Stopped` if it was stopped before there was any."""


class Stopped(Exception):
    """A task was stopped before there was a result."""


def serve(prepare: Callable[[], Work]) -> None:
    """Work on tasks until the server is gone. ``prepare`` imports what is large, before the first task arrives."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints must not disturb the pipe
    if hasattr(os, "nice"):  # not on Windows
        os.nice(NICENESS)
    tasks: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
    stopped: set[int] = set()
    work = prepare()  # first: the reader waits, since tasks are values of its modules
    threading.Thread(target=_listen, args=(sys.stdin.buffer, tasks, stopped), daemon=True).start()
    _work(work, tasks, stopped, replies)


def _listen(pipe: BinaryIO, tasks: queue.SimpleQueue[tuple[int, Any]], stopped: set[int]) -> None:
    """Sort what the server says: tasks into the queue, stops into the set. At the end of the pipe, end."""
    while True:
        try:
            kind, number, *rest = pickle.load(pipe)
        except (EOFError, OSError, pickle.UnpicklingError):
            os._exit(0)  # the server is gone; nobody wants the rest
        if kind == "stop":
            stopped.add(number)
        else:
            tasks.put((number, rest.pop()))  # not kept here until the next one comes: it has a visitor's table


def _work(work: Work, tasks: queue.SimpleQueue[tuple[int, Any]], stopped: set[int], replies: BinaryIO) -> None:
    """Work on what is in the queue, for ever."""
    while True:
        number, task = tasks.get()

        def publish(event: Any, number: int = number) -> None:
            pickle.dump((number, event), replies)
            replies.flush()

        try:
            result = work(task, publish, lambda number=number: number in stopped)  # type: ignore[misc]
        except Stopped:
            result = "stopped"
        except Exception:
            LOG.exception("a task failed")
            result = "failed"
        stopped.discard(number)  # before anybody can ask to go on with it
        publish(result)
        del task, result  # large; do not keep them while waiting
