"""The worker's loop keeps nothing of a visitor's task while it waits for the next one."""

from __future__ import annotations

import gc
import os
import pickle
import queue
import threading
import weakref
from typing import Any

from ui.app.worker_loop import _listen


class Task:
    """Stands for a table."""


def test_a_task_that_was_taken_is_not_kept_by_the_reader() -> None:
    inwards, outwards = os.pipe()
    tasks: queue.SimpleQueue[tuple[int, Any]] = queue.SimpleQueue()
    pipe = os.fdopen(inwards, "rb")
    threading.Thread(target=_listen, args=(pipe, tasks, set()), daemon=True).start()
    os.write(outwards, pickle.dumps(("work", 1, Task())))
    number, task = tasks.get(timeout=30)
    assert number == 1
    known = weakref.ref(task)
    del task
    gc.collect()
    assert known() is None  # the reader waits for the next message; the pipe stays open, or it would end this process
