"""Visitors' files are decoded here: in another process, with limits, at most two at a time, and once.

A few hundred kilobytes can cost minutes of processor or gigabytes of memory. What can be counted beforehand
(bytes, pixels, scans, columns) the reader of a format refuses beforehand; this module bounds the rest. The server
itself decodes nothing, and a slider that moves decodes nothing again.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

from ui.kit.kept import keep_newest, session_value

AT_ONCE = 2
SECONDS = 10.0
"""Of processor time; by the clock, :data:`PATIENCE` times as much, since other work may share the core."""

PATIENCE = 6
MEGABYTES = 1024
MOST_KEPT = 4
"""Results that a visit keeps; the oldest makes room."""

ROOT = Path(__file__).resolve().parents[2]
ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "ARROW_DEFAULT_MEMORY_POOL": "system",  # its own pool reserves a gigabyte of addresses, which the limit counts
}
COMMAND = (sys.executable, "-m", "ui.app.decoding_worker")
T = TypeVar("T")

_free: list[_Worker] = []
_places = threading.BoundedSemaphore(AT_ONCE)


class DecodingError(ValueError):
    """A file costs more than is allowed; the message is for the visitor."""


class Occupied(DecodingError):
    """No place was free; another try may succeed."""


def decode(
    function: Callable[..., T],
    *arguments: Any,
    seconds: float = SECONDS,
    megabytes: int = MEGABYTES,
    wait: float = 20.0,
) -> T:
    """``function(*arguments)`` in a worker process. The function is a module's; what it raises is raised here.

    Raises:
        DecodingError: it took too long or too much memory, or its process died.
        Occupied: no place was free in ``wait`` seconds.
    """
    if not _places.acquire(timeout=wait):
        raise Occupied("Other visitors’ files are being read just now. Please try again in a moment.")
    try:
        worker = _free.pop() if _free else _Worker()
        if worker.process.poll() is not None:  # ended from outside while it had nothing to do
            worker.end()
            worker = _Worker()
        succeeded, value = worker.run((function, arguments, seconds, megabytes), PATIENCE * seconds)
        _free.append(worker)
    except EOFError:
        raise DecodingError(
            f"The file could not be read within {seconds:g} seconds of processor time, so reading it was given up."
        ) from None
    finally:
        _places.release()
    if isinstance(value, MemoryError):
        raise DecodingError(f"Reading the file needs more than {megabytes:,} MB of memory, so it was given up.")
    if not succeeded:
        raise value
    result: T = value
    return result


def decode_once(function: Callable[..., T], data: bytes, *arguments: str) -> T:
    """The same, once for each content in a visit: what came of it is kept, a failure too."""
    results: dict[Any, tuple[bool, Any]] = session_value("decoded_files", dict)
    key = (function.__qualname__, hashlib.sha256(data).hexdigest(), arguments)
    if key not in results:
        try:
            found: tuple[bool, Any] = (True, decode(function, data, *arguments))
        except Occupied:
            raise
        except ValueError as error:
            found = (False, error)
        keep_newest(results, key, found, most=MOST_KEPT)
    succeeded, value = results[key]
    if not succeeded:
        raise value.with_traceback(None)
    result: T = value
    return result


def forget_decoded(function: Callable[..., Any]) -> None:
    """Nothing that this function made of a file of the visit is kept."""
    results: dict[Any, tuple[bool, Any]] = session_value("decoded_files", dict)
    for key in [each for each in results if each[0] == function.__qualname__]:
        del results[key]


@atexit.register
def close() -> None:
    """End the workers that have nothing to do."""
    while _free:
        _free.pop().end()


class _Worker:
    """The server's end of one process."""

    def __init__(self) -> None:
        self.process = subprocess.Popen(
            COMMAND,
            cwd=ROOT,
            env=os.environ | ENVIRONMENT,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
        )

    def run(self, job: tuple[Any, ...], seconds: float) -> tuple[bool, Any]:
        """Send a job and wait for its answer; EOFError if the process ended over it."""
        jobs, replies = self.process.stdin, self.process.stdout
        assert jobs is not None and replies is not None
        clock = threading.Timer(seconds, self.process.kill)
        clock.start()
        try:
            pickle.dump(job, jobs, protocol=pickle.HIGHEST_PROTOCOL)
            jobs.flush()
            succeeded, value = pickle.load(replies)
            return succeeded, value
        except (EOFError, OSError, pickle.UnpicklingError):
            self.end()
            raise EOFError from None
        finally:
            clock.cancel()

    def end(self) -> None:
        """End the process and close its pipes."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            try:
                if pipe is not None:
                    pipe.close()
            except OSError:  # what was not yet written is of no use any more
                pass
