"""The process in which classifiers are trained: ``python -m ui.collect.worker``, started by the app."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ui.app.worker_loop import Work, serve


def learn(task: Any, publish: Callable[[Any], None], is_stopped: Callable[[], bool]) -> Any:
    """Whatever the task is to learn: a network from numbers, or a table from codes."""
    return task.learn(publish, is_stopped)


def prepare() -> Work:
    """Import torch and what tasks are made of, once, with one thread."""
    import torch

    from ui.collect import pairs, task  # noqa: F401

    torch.set_num_threads(1)
    return learn


if __name__ == "__main__":
    serve(prepare)
