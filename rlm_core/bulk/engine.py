"""Where tasks run: in this process, in local processes, or on a Dask cluster. The same function, the same results.

Dask is the extra ``[cluster]``. A task may run more than once (its worker died, or was thought dead): what it
does must be committed by itself, as ``job.py`` does, or only returned, as a measurement is.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterator, Sequence
from importlib.util import find_spec
from typing import Any, TypeVar

Task = TypeVar("Task")
DEATHS = 20
"""A task whose worker died so often is given up: it may be what kills them."""

ENVIRONMENT = {
    "OMP_NUM_THREADS": "1",
    "MKL_NUM_THREADS": "1",
    "OPENBLAS_NUM_THREADS": "1",
    "MALLOC_MMAP_THRESHOLD_": str(2**25),
    "MALLOC_TRIM_THRESHOLD_": str(2**26),
}
"""Of local workers. Dask's own setting gives every freed array back to the system at once, and the next one is then
faulted in page by page: blocks took more than twice the time. Up to 64 MB are kept here."""

HINT = "In a checkout: pip install -c constraints.txt '.[cluster]'"


def run_tasks(
    function: Callable[[Task], Any],
    tasks: Sequence[Task],
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    prepare: Callable[[], None] | None = None,
    first: Callable[[], None] | None = None,
) -> Iterator[tuple[Task, Any]]:
    """Each task with its result, or with the exception that it raised, as they are done.

    Args:
        function: of one task; it and the tasks are pickled.
        tasks: what is to be done.
        workers: local processes; None for as many as there are cores. One runs here, without Dask.
        scheduler: the address of a cluster, tcp://…, instead of local processes.
        prepare: called once in every local worker first.
        first: called once, on one worker, before any task; what it raises is raised here, and no task runs.
    """
    count = min(workers or os.cpu_count() or 1, max(1, len(tasks)))
    if scheduler is None and count > 1 and not find_spec("distributed"):
        print(f"Dask is not installed: one process instead of {count}. {HINT}", file=sys.stderr)
        count = 1
    if scheduler is None and count == 1:
        if prepare is not None:
            prepare()
        if first is not None:
            first()
        for task in tasks:
            yield task, _attempt(function, task)
        return
    if not find_spec("distributed"):
        raise ValueError(f"Expected Dask for --scheduler {scheduler}, got none. {HINT}")
    yield from _on_dask(function, tasks, count, scheduler, prepare, first)


def _on_dask(
    function: Callable[[Task], Any],
    tasks: Sequence[Task],
    workers: int,
    scheduler: str | None,
    prepare: Callable[[], None] | None,
    first: Callable[[], None] | None,
) -> Iterator[tuple[Task, Any]]:
    import dask
    from distributed import Client, LocalCluster, as_completed

    settings = {
        "distributed.scheduler.allowed-failures": DEATHS,
        "distributed.worker.memory.terminate": False,
        "distributed.nanny.pre-spawn-environ": ENVIRONMENT,
        "distributed.worker.profile.enabled": False,  # a sample of every thread each 10 ms, for a dashboard that is off
    }
    with dask.config.set(settings):
        cluster = (
            LocalCluster(
                n_workers=workers,
                threads_per_worker=1,
                host="127.0.0.1",
                dashboard_address=None,  # no port that others could open
                memory_limit=0,  # blocks bound it
                silence_logs=50,
            )
            if scheduler is None
            else None
        )
        try:
            with Client(cluster if scheduler is None else scheduler) as client:
                if prepare is not None and scheduler is None:
                    client.run(prepare)
                if first is not None:
                    client.submit(first, pure=False).result()
                futures = client.map(function, tasks, pure=False, retries=0)
                waiting = dict(zip(futures, tasks, strict=True))
                for future in as_completed(futures):
                    error = future.exception()
                    yield waiting.pop(future), future.result() if error is None else error
                    future.release()
        finally:
            if cluster is not None:
                cluster.close()


def _attempt(function: Callable[[Task], Any], task: Task) -> Any:
    try:
        return function(task)
    except Exception as error:
        return error
