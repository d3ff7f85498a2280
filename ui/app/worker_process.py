"""The server's end of a worker process: send values without waiting, receive what comes back.

Both directions have a thread: a task of some megabytes is written while the worker still imports torch,
and nobody who holds a lock must wait for that.
"""

from __future__ import annotations

import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]


class Worker:
    """One process, ``python -m module`` unless ``command`` says otherwise.

    ``on_message`` gets every value it sends, ``on_exit`` is called once, when it has ended.
    """

    def __init__(
        self,
        on_message: Callable[[Worker, Any], None],
        on_exit: Callable[[Worker], None],
        module: str = "",
        command: tuple[str, ...] = (),
    ) -> None:
        self.on_message, self.on_exit = on_message, on_exit
        self.outbox: queue.SimpleQueue[Any] = queue.SimpleQueue()
        self.process = subprocess.Popen(
            command or (sys.executable, "-m", module),
            cwd=ROOT,
            env=os.environ | {"OMP_NUM_THREADS": "1"},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )
        for target in (self._write, self._read):
            threading.Thread(target=target, daemon=True, name=f"worker-{target.__name__}").start()

    def send(self, message: Any) -> None:
        """Send a value; returns at once."""
        self.outbox.put(message)

    def end(self) -> None:
        """Kill the process; :attr:`on_exit` is called from its reader's thread."""
        self.process.kill()

    def _write(self) -> None:
        pipe = self.process.stdin
        assert pipe is not None
        try:
            while (message := self.outbox.get()) is not None:
                pickle.dump(message, pipe, protocol=pickle.HIGHEST_PROTOCOL)
                pipe.flush()
                del message  # large; do not keep it while waiting for the next
        except (OSError, ValueError):
            self.process.kill()  # its end of the pipe is closed
        try:
            pipe.close()
        except OSError:
            pass

    def _read(self) -> None:
        pipe = self.process.stdout
        assert pipe is not None
        try:
            while True:
                self.on_message(self, pickle.load(pipe))
        except (EOFError, OSError, pickle.UnpicklingError):
            pass
        self.outbox.put(None)
        self.process.kill()
        self.process.wait()
        pipe.close()
        self.on_exit(self)
