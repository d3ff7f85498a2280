"""The queue of all visitors' runs, and the worker processes that serve it.

Runs belong to a visit, a random name: whoever has it can watch (a reloaded page, a shared address), and the
session that started it controls (``actions``). When there are too many, what nobody works on makes room, and
the page says so. Everything here is guarded by one lock; pages read, reader threads write.
"""

from __future__ import annotations

import functools
import itertools
import os
import threading
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from rlm_core import Release
from ui.collect.events import Alone, Event, Point, Result, Weighing
from ui.collect.pairs import Pairs, PairTask
from ui.collect.process import Worker
from ui.collect.reports import Choice, Reports
from ui.collect.runs import Busy, Run, Visit, people_of, validators_of
from ui.collect.task import Task

WORKERS = max(1, min(2, (os.cpu_count() or 1) - 1))
"""Fits at the same time: one core always stays with the server."""

MOST_RUNS = 30
"""Runs that one visit keeps; beyond it the visitor is asked to forget some."""

MOST_WAITING = 40
"""Runs of all visitors that may wait; beyond it nobody would see the end."""

MOST_VISITS = 200
MOST_COLLECTIONS = 60  # of all visits: a large one takes a few megabytes
MOST_RESUMABLE = 20
"""Stopped runs of all visits whose task is kept, so that they can go on."""

PATIENCE = 20.0
"""Seconds that a fit may take to notice that it was stopped, before its process is ended."""

IDLE = 900.0
"""Seconds without a task after which a worker process is let go."""


class RunQueue:
    """Runs that wait, the workers, and the visits of one server."""

    def __init__(self, limit: int = WORKERS, start_worker: Callable[..., Any] | None = None) -> None:
        self.limit, self.start_worker = limit, start_worker or Worker
        self.lock = threading.RLock()
        self.identities = itertools.count(1)
        self.visits: OrderedDict[str, Visit] = OrderedDict()
        self.collections: OrderedDict[tuple[str, Choice], Reports | Pairs] = OrderedDict()
        self.waiting: list[Run] = []
        self.workers: dict[Any, Run | None] = {}
        self.resumable: list[Run] = []

    def warm(self) -> None:
        """Start a worker if there is none: importing torch takes seconds, and a visitor is about to ask."""
        with self.lock:
            if not self.workers:
                self._dismiss_later(self._new_worker())

    def runs(self, visit: str | None) -> list[Run]:
        """The runs of a visit, oldest first."""
        with self.lock:
            if visit is None or visit not in self.visits:
                return []
            self.visits.move_to_end(visit)
            return list(self.visits[visit].runs)

    def reports(self, visit: str | None, choice: Choice) -> Reports | Pairs | None:
        """What this visit has already collected for this choice, whatever the objective."""
        with self.lock:
            return None if visit is None else self.collections.get((visit, choice.collection))

    def knows(self, visit: str) -> bool:
        """Whether there is such a visit; asking keeps nothing alive."""
        with self.lock:
            return visit in self.visits

    def dropped(self, visit: str | None) -> int:
        """How many collections of a visit had to make room."""
        with self.lock:
            return self.visits[visit].dropped if visit is not None and visit in self.visits else 0

    def charge(self, visit: str, choice: Choice, *, epsilon_y: float) -> None:
        """Enter a collection into the visit's ledger; call it before anything is drawn."""
        with self.lock:
            self.visits.setdefault(visit, Visit()).ledger.spend(
                Release(
                    record=people_of(choice),
                    mechanism=choice.mechanism,
                    epsilon_x=choice.budget.epsilon_x,
                    epsilon_y=epsilon_y,
                )
            )

    def spent(self, visit: str | None, record: str) -> tuple[int, float]:
        """How many releases a person of a group has made in this visit, and their total ε."""
        with self.lock:
            if visit is None or visit not in self.visits:
                return 0, 0.0
            ledger = self.visits[visit].ledger
            return sum(1 for _ in ledger.of(record)), ledger.spent(record)

    def keep(self, visit: str, choice: Choice, reports: Reports | Pairs) -> None:
        """Remember what was collected, so that another objective can learn from the same reports."""
        with self.lock:
            self.collections[visit, choice.collection] = reports
            self.collections.move_to_end((visit, choice.collection))
            while len(self.collections) > MOST_COLLECTIONS:
                self._drop_collection((visit, choice.collection))

    def check(self, visit: str | None, wanted: int) -> None:
        """Raise :class:`Busy` if so many more runs cannot be taken."""
        with self.lock:
            kept = len(self.runs(visit))
            if kept + wanted > MOST_RUNS:
                raise Busy(
                    f"This visit keeps at most {MOST_RUNS} runs and has {kept}. Forget the finished ones to go on."
                )
            if len(self.waiting) + wanted > MOST_WAITING:
                raise Busy("Too many runs are waiting on this server just now. Please try again in a few minutes.")

    def submit(
        self, visit: str, choice: Choice, task: Task | PairTask, *, sweep: int | None = None, reused: bool = False
    ) -> Run:
        """Put a run into the queue; it begins as soon as a worker is free."""
        with self.lock:
            self.check(visit, 1)
            mine = self.visits.setdefault(visit, Visit())
            self.visits.move_to_end(visit)
            mine.count += 1  # a number is not used again, even if its run was forgotten
            run = Run(
                number=mine.count,
                identity=next(self.identities),
                visit=visit,
                choice=choice,
                reports=task.reports,
                sweep=sweep,
                reused=reused,
                task=task,
            )
            mine.runs.append(run)
            self.waiting.append(run)
            self._forget_old_visits()
            self._assign()
            return run

    def runs_before(self, run: Run) -> int:
        """How many runs, of all visitors, come before this one."""
        with self.lock:
            if run not in self.waiting:
                return 0
            busy = sum(each is not None for each in self.workers.values())
            return sorted(self.waiting, key=self._turn).index(run) + busy

    def stop(self, run: Run) -> None:
        """End a run: one that waits at once, one that learns at its next step, with what it has learnt."""
        with self.lock:
            if run in self.waiting:
                self.waiting.remove(run)
                self._on_stopped(run)
            elif run.active and run.stop_asked is None:
                run.stop_asked = time.monotonic()
                for worker, its_run in self.workers.items():
                    if its_run is run:
                        worker.send(("stop", run.identity))

    def resume(self, run: Run) -> None:
        """Put a stopped run back into the queue, from where it was. Its questions are charged already."""
        with self.lock:
            if run.active or run.task is None:
                return
            self.check(None, 1)
            run.task, run.state, run.stop_asked = run.task.resumed(run.points), "waiting", None
            self.resumable = [each for each in self.resumable if each is not run]
            self.waiting.append(run)
            self._assign()

    def end_unresponsive(self) -> None:
        """End workers that do not react to a stop; called by every page that watches."""
        with self.lock:
            for worker, run in self.workers.items():
                if run is not None and run.stop_asked is not None and time.monotonic() - run.stop_asked > PATIENCE:
                    worker.end()  # its reader's thread notices

    def forget(self, visit: str) -> None:
        """Drop the finished runs of a visit; with the last one, the reports too."""
        with self.lock:
            if visit not in self.visits:
                return
            mine = self.visits[visit]
            self.resumable = [run for run in self.resumable if run.visit != visit]
            mine.runs = [run for run in mine.runs if run.active]
            if not mine.runs:
                for key in [key for key in self.collections if key[0] == visit]:
                    del self.collections[key]

    def close(self) -> None:
        """End every worker; for tests and measurements."""
        with self.lock:
            self.waiting.clear()
            workers = list(self.workers)
        for worker in workers:
            worker.end()

    def _turn(self, run: Run) -> tuple[int, int]:
        """Whoever has had fewer turns comes first: a sweep of one visitor does not block another."""
        return (self.visits[run.visit].turns, run.identity)

    def _assign(self) -> None:
        while self.waiting:
            free = next((worker for worker, run in self.workers.items() if run is None), None)
            if free is None and len(self.workers) < self.limit:
                free = self._new_worker()
            if free is None:
                return
            run = min(self.waiting, key=self._turn)
            self.waiting.remove(run)
            self.visits[run.visit].turns += 1
            self._charge_validation(run)
            self.workers[free], run.state = run, "weighing"
            free.send(("learn", run.identity, run.task))

    def _charge_validation(self, run: Run) -> None:
        """All questions of a run, before the first is asked: the worker asks them without coming back."""
        if run.charged or run.task is None:
            return
        run.charged = True
        answer = Release(
            record=validators_of(run.choice), mechanism="k-RR", epsilon_x=0.0, epsilon_y=run.choice.epsilon
        )
        for _ in range(run.task.questions):
            self.visits[run.visit].ledger.spend(answer)

    def _drop_collection(self, newest: tuple[str, Choice]) -> None:
        """Let one collection go: the oldest of the visit that has the most, but none that a run is learning from."""
        in_use = {(run.visit, run.choice.collection) for run in self._active()} | {newest}
        free = [key for key in self.collections if key not in in_use] or [newest]
        held = Counter(visit for visit, _ in free)
        visit, choice = max(free, key=lambda key: held[key[0]])  # of equals the first, which is the oldest
        del self.collections[visit, choice]
        if visit in self.visits:
            self.visits[visit].dropped += 1

    def _active(self) -> Iterator[Run]:
        return (run for visit in self.visits.values() for run in visit.runs if run.active)

    def _new_worker(self) -> Any:
        worker = self.start_worker(self._on_message, self._on_exit)
        self.workers[worker] = None
        return worker

    def _on_message(self, worker: Any, message: tuple[int, Event | str]) -> None:
        """Called when a worker sends an event of its run."""
        identity, event = message
        with self.lock:
            run = self.workers.get(worker)
            if run is None or run.identity != identity:
                return
            if isinstance(event, Weighing):
                run.share = event.share
            elif isinstance(event, Alone):
                run.alone = event.accuracy
            elif isinstance(event, Point):
                run.state, run.share = "learning", event.epoch / event.epochs
                run.points.append(event)
            else:
                if isinstance(event, Result):
                    run.result, run.state = event, "done"
                    if event.stopped:
                        self._on_stopped(run, "done")
                    else:
                        run.task = None
                elif event == "stopped":
                    self._on_stopped(run)
                else:
                    run.state, run.task = event, None
                self.workers[worker] = None
                self._assign()
                if self.workers[worker] is None:
                    self._dismiss_later(worker)

    def _on_exit(self, worker: Any) -> None:
        """Called when a worker exits for any reason: its run ends too, and the others go on with another worker."""
        with self.lock:
            run = self.workers.pop(worker, None)
            if run is not None:
                run.state = "stopped" if run.stop_asked is not None else "failed"
                run.task = None
            self._assign()

    def _on_stopped(self, run: Run, state: str = "stopped") -> None:
        """Keep its task for a while; the oldest of too many is let go, and can be started anew only."""
        run.state = state
        self.resumable.append(run)
        while len(self.resumable) > MOST_RESUMABLE:
            self.resumable.pop(0).task = None

    def _dismiss_later(self, worker: Any) -> None:
        """Let a worker go if it has had nothing to do for a while: it holds a few hundred megabytes."""
        seen = next(self.identities)
        worker.idle_since = seen

        def dismiss() -> None:
            with self.lock:
                if worker in self.workers and self.workers[worker] is None and worker.idle_since == seen:
                    del self.workers[worker]
                    worker.end()

        timer = threading.Timer(IDLE, dismiss)
        timer.daemon = True
        timer.start()

    def _forget_old_visits(self) -> None:
        for name in list(self.visits):
            if len(self.visits) <= MOST_VISITS:
                return
            if not any(run.active for run in self.visits[name].runs):
                del self.visits[name]  # its page says that it is lost
                for key in [key for key in self.collections if key[0] == name]:
                    del self.collections[key]


@functools.cache
def run_queue() -> RunQueue:
    """The one queue of this server."""
    return RunQueue()
