"""Stands for a worker process."""

from __future__ import annotations

from typing import Any


class SilentWorker:
    """Keeps what it is sent; the test says what it answers."""

    def __init__(self, on_message: Any, on_exit: Any) -> None:
        self.on_message, self.on_exit, self.sent = on_message, on_exit, list[Any]()
        self.idle_since = 0

    def send(self, message: Any) -> None:
        self.sent.append(message)

    def end(self) -> None:
        self.on_exit(self)
