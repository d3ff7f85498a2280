"""The process in which classifiers are trained: ``python -m ui.collect.worker``, started by the app.

Not a thread of the server: a fit holds Python's lock between its short steps, and other visitors'
sliders would wait for it. Here it has a process of its own, with a lower priority than the server.

Protocol, both ways pickled values on a pipe between two processes of the same program: in come
``("learn", number, Task)`` (of either kind) and ``("stop", number)``, out go ``(number, Event)``,
``(number, "stopped")`` and ``(number, "failed")``. When the server's end of the pipe closes, the process ends.
"""

from __future__ import annotations

import logging
import os
import pickle
import queue
import sys
import threading
from typing import Any, BinaryIO

NICENESS = int(os.environ.get("RLM_WORKER_NICE", "5"))
"""How far the server and everything else goes before a fit, where a core has to be shared."""

LOG = logging.getLogger("rlm.collect")


def main() -> None:
    """Learn one task after the other until the server is gone."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints must not disturb the pipe
    if hasattr(os, "nice"):  # not on Windows
        os.nice(NICENESS)
    tasks: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
    stopped: set[int] = set()
    # torch is imported before the first task arrives; the reader waits, since tasks are values of its modules.
    from ui.collect import pairs, task  # noqa: F401

    threading.Thread(target=listen, args=(sys.stdin.buffer, tasks, stopped), daemon=True).start()
    work(tasks, stopped, replies)


def listen(pipe: BinaryIO, tasks: queue.SimpleQueue[tuple[int, Any]], stopped: set[int]) -> None:
    """Sort what the server says: tasks into the queue, stops into the set. At the end of the pipe, end."""
    while True:
        try:
            kind, number, *rest = pickle.load(pipe)
        except (EOFError, OSError, pickle.UnpicklingError):
            os._exit(0)  # the server is gone; nobody wants the rest
        if kind == "stop":
            stopped.add(number)
        else:
            tasks.put((number, rest[0]))


def work(tasks: queue.SimpleQueue[tuple[int, Any]], stopped: set[int], replies: BinaryIO) -> None:
    """Learn what is in the queue, for ever."""
    import torch

    from ui.collect.events import Event, Result, Stopped

    torch.set_num_threads(1)
    while True:
        number, task = tasks.get()

        def publish(event: Event | str, number: int = number) -> None:
            pickle.dump((number, event), replies)
            replies.flush()

        try:
            result: Result | str = task.learn(publish, lambda number=number: number in stopped)
        except Stopped:
            result = "stopped"
        except Exception:
            LOG.exception("a fit failed")
            result = "failed"
        publish(result)
        stopped.discard(number)
        del task  # the weights are large; do not keep them while waiting


if __name__ == "__main__":
    main()
