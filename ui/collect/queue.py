"""The queue of all visitors' runs on the collector's page.

Runs belong to a visit, a random name: whoever has it can watch (a reloaded page, a shared address), and the
session that started it controls (``actions``). When there are too many, what nobody works on makes room, and
the page says so. Everything here is guarded by one lock; pages read, reader threads write.
"""

from __future__ import annotations

import functools
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from typing import Any

from rlm_core import Release
from ui.app import work_queue
from ui.app.work_queue import WORKERS, Busy, WorkQueue
from ui.collect.events import Alone, Event, Point, Result, Weighing
from ui.collect.pairs import Pairs, PairTask
from ui.collect.reports import Choice, Reports
from ui.collect.runs import Run, Visit, people_of, validators_of
from ui.collect.task import Task

MOST_RUNS = 30
"""Runs that one visit keeps; beyond it the visitor is asked to forget some."""

MOST_VISITS = 200
MOST_COLLECTIONS = 60  # of all visits: a large one takes a few megabytes
MOST_RESUMABLE = 20
"""Stopped runs of all visits whose task is kept, so that they can go on."""


class RunQueue(WorkQueue[Run]):
    """Runs that wait, the workers, and the visits of one server."""

    module = "ui.collect.worker"

    def __init__(self, limit: int = WORKERS, start_worker: Callable[..., Any] | None = None) -> None:
        super().__init__(limit, start_worker)
        self.visits: OrderedDict[str, Visit] = OrderedDict()
        self.collections: OrderedDict[tuple[str, Choice], Reports | Pairs] = OrderedDict()
        self.resumable: list[Run] = []

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
            if len(self.waiting) + wanted > work_queue.MOST_WAITING:
                raise Busy(work_queue.TOO_MANY)

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
            self._forget_old_visits()
            self.put(run)
            return run

    def resume(self, run: Run) -> None:
        """Put a stopped run back into the queue, from where it was. Its questions are charged already."""
        with self.lock:
            if run.active or run.task is None:
                return
            self.check(None, 1)
            run.task, run.state, run.stop_asked = run.task.resumed(run.points), "waiting", None
            self.resumable = [each for each in self.resumable if each is not run]
            self.put(run)

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

    def turn(self, job: Run) -> tuple[int, ...]:
        """Whoever has had fewer turns comes first: a sweep of one visitor does not block another."""
        return (self.visits[job.visit].turns, job.identity)

    def begin(self, job: Run) -> None:
        """One turn more, and the validation group is charged."""
        self.visits[job.visit].turns += 1
        self._charge_validation(job)
        job.state = "weighing"

    def take(self, job: Run, event: Event | str) -> bool:
        """Note how far a run is."""
        if isinstance(event, Weighing):
            job.share = event.share
        elif isinstance(event, Alone):
            job.alone = event.accuracy
        elif isinstance(event, Point):
            job.state, job.share = "learning", event.epoch / event.epochs
            job.points.append(event)
        elif isinstance(event, Result):
            job.result, job.state = event, "done"
            if event.stopped:
                self.halt(job, "done")
            else:
                job.task = None
        elif event == "stopped":
            self.halt(job)
        else:
            job.state, job.task = event, None
        return not job.active

    def halt(self, job: Run, state: str = "stopped") -> None:
        """Keep the task of a stopped run for a while; of too many the oldest is let go and starts anew."""
        job.state = state
        self.resumable.append(job)
        while len(self.resumable) > MOST_RESUMABLE:
            self.resumable.pop(0).task = None

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
