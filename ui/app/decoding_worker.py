"""The process in which visitors' files are decoded: ``python -m ui.app.decoding_worker``, started by ``decoding``.

Protocol, both ways pickled values on a pipe between two processes of one program: in comes
``(function, arguments, seconds, megabytes)``, out goes ``(True, value)`` or ``(False, exception)``. Each job has
limits of its own, set by the operating system: so much processor time and so much more memory than the
process had before. Whoever runs out of time is ended; whoever runs out of memory gets a MemoryError.
This bounds what a file can cost. It is no sandbox: decoders run with the rights of the server.
"""

from __future__ import annotations

import math
import os
import pickle
import sys
from typing import BinaryIO

NICENESS = 5


def main() -> None:
    """Decode one file after the other until the server is gone."""
    replies = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # whatever prints must not disturb the pipe
    if hasattr(os, "nice"):  # not on Windows
        os.nice(NICENESS)
    while serve(sys.stdin.buffer, replies):
        pass


def serve(jobs: BinaryIO, replies: BinaryIO) -> bool:
    """Do one job; False at the end of the pipe."""
    try:
        function, arguments, seconds, megabytes = pickle.load(jobs)  # imports the function's module
    except EOFError:
        return False
    limit(seconds, megabytes)
    try:
        answer = (True, function(*arguments))
    except MemoryError:
        answer = (False, MemoryError())
    except Exception as error:
        answer = (False, error)
    limit(None, None)
    del arguments
    pickle.dump(answer, replies, protocol=pickle.HIGHEST_PROTOCOL)
    replies.flush()
    return True


def limit(seconds: float | None, megabytes: int | None) -> None:
    """Set the soft limits for a job, or take them off; where the system has none, the server's clock remains."""
    try:
        import resource
    except ImportError:  # Windows
        return
    used = resource.getrusage(resource.RUSAGE_SELF)
    processor = resource.RLIM_INFINITY if seconds is None else math.ceil(used.ru_utime + used.ru_stime + seconds)
    memory = resource.RLIM_INFINITY if megabytes is None else address_space() + megabytes * 2**20
    for kind, soft in ((resource.RLIMIT_CPU, processor), (resource.RLIMIT_AS, memory)):
        hard = resource.getrlimit(kind)[1]
        try:
            resource.setrlimit(kind, (soft if hard == resource.RLIM_INFINITY else min(soft, hard), hard))
        except (ValueError, OSError):  # macOS refuses some
            pass


def address_space() -> int:
    """Bytes of address space that this process has now; a gigabyte where the system does not tell."""
    try:
        with open("/proc/self/statm") as statm:
            return int(statm.read().split()[0]) * os.sysconf("SC_PAGE_SIZE")
    except OSError:
        return 2**30


if __name__ == "__main__":
    main()
