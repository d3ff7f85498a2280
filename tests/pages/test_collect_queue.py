"""The queue: order, limits, stopping, crashes, and one real worker process."""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from stepped_worker import SteppedWorker

from rlm_core import L1Clip, LaplaceNoise
from ui.app import work_queue
from ui.app.work_queue import Busy
from ui.app.worker_process import Worker
from ui.collect import queue as queue_module
from ui.collect.events import Event, Point
from ui.collect.queue import RunQueue
from ui.collect.reports import Choice
from ui.collect.runs import Run, people_of, validators_of
from ui.collect.task import People, Task, learn

CHOICE = Choice(
    experiment="collection",
    dataset="mnist",
    mechanism="none",
    noise="Laplace",
    people=60,
    epsilon=4.0,
    lam=0.5,
    objective="naive",
)


def tiny(epochs: int = 2, people: int = 60) -> Task:
    generator = np.random.default_rng(0)
    y = generator.integers(2, size=people)
    z = generator.normal(size=(people, 2)) + 4.0 * y[:, None]
    group = People(z=z, z_private=z, y=y)
    return Task(
        classes=2,
        objective="naive",
        hidden=(),
        epsilon=4.0,
        noise=LaplaceNoise(epsilon=2.0, clip=L1Clip(radius=10.0)),
        on_private=False,
        z_private=z,
        y_private=y,
        transition=np.eye(2),
        prior_z=z,
        valid=group,
        test=group,
        epochs=epochs,
        checks=1,
    )


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> RunQueue:
    monkeypatch.setattr(work_queue, "IDLE", 3600.0)
    return RunQueue(limit=1, start_worker=SteppedWorker)


def worker(queue: RunQueue) -> SteppedWorker:
    (only,) = queue.workers
    return only


def test_one_learns_and_the_others_wait_for_their_turn(queue: RunQueue) -> None:
    mine = [queue.submit("me", CHOICE, tiny()) for _ in range(3)]
    other = queue.submit("somebody", CHOICE, tiny())
    assert [run.state for run in (*mine, other)] == ["weighing", "waiting", "waiting", "waiting"]
    # I have had a turn, somebody else has not: they come before the rest of mine.
    assert [queue.runs_before(run) for run in (*mine, other)] == [0, 2, 3, 1]
    worker(queue).step(2)
    assert mine[0].state == "learning" and len(mine[0].points) == 2
    worker(queue).step()
    assert mine[0].state == "done" and mine[0].result is not None and other.state == "weighing"
    worker(queue).finish()
    assert [run.state for run in queue.runs("me")] == ["done"] * 3 and other.state == "done"
    assert [run.number for run in mine] == [1, 2, 3] and other.number == 1


def test_a_waiting_run_stops_at_once_and_a_learning_one_keeps_what_it_has(queue: RunQueue) -> None:
    first, second = (queue.submit("me", CHOICE, tiny(epochs=50)) for _ in range(2))
    worker(queue).step(3)
    queue.stop(second)
    assert second.state == "stopped" and second.result is None and second.resumable
    queue.stop(first)
    worker(queue).finish()
    assert first.state == "done" and first.result is not None and first.result.stopped
    assert first.result.epochs == len(first.points) == 4  # it is asked after the next epoch
    queue.stop(first)  # too late: nothing happens
    assert first.state == "done"


def test_a_crash_ends_one_run_and_not_the_others(queue: RunQueue) -> None:
    first, second = (queue.submit("me", CHOICE, tiny()) for _ in range(2))
    worker(queue).end()
    assert first.state == "failed" and second.state == "weighing"
    worker(queue).finish()
    assert second.state == "done"


def test_a_worker_that_does_not_react_to_a_stop_is_ended(queue: RunQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    run = queue.submit("me", CHOICE, tiny())
    monkeypatch.setattr(work_queue, "PATIENCE", 3600.0)
    queue.stop(run)
    queue.end_unresponsive()
    assert run.active
    monkeypatch.setattr(work_queue, "PATIENCE", -1.0)
    ending = worker(queue)
    monkeypatch.setattr(ending, "end", lambda: None)  # a real one is gone a little later, from another thread
    queue.end_unresponsive()
    ending.on_exit(ending)
    assert run.state == "stopped" and not queue.workers


def test_limits_are_said_and_nothing_is_lost(queue: RunQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_module, "MOST_RUNS", 2)
    monkeypatch.setattr(work_queue, "MOST_WAITING", 2)
    kept = [queue.submit("me", CHOICE, tiny()) for _ in range(2)]
    with pytest.raises(Busy, match="at most 2 runs and has 2"):
        queue.check("me", 1)
    queue.submit("somebody", CHOICE, tiny())
    with pytest.raises(Busy, match="waiting on this server"):
        queue.submit("a third", CHOICE, tiny())
    assert queue.runs("me") == kept and queue.runs("a third") == []
    worker(queue).finish()
    queue.forget("me")
    assert queue.submit("me", CHOICE, tiny()).number == 3  # a number is not used again


def test_old_visits_and_collections_make_room(queue: RunQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue_module, "MOST_VISITS", 2)
    monkeypatch.setattr(queue_module, "MOST_COLLECTIONS", 2)
    for name in ("a", "b"):
        queue.submit(name, CHOICE, tiny())
    worker(queue).finish()
    queue.runs("a")  # looked at: now b is the oldest
    queue.submit("c", CHOICE, tiny())
    assert set(queue.visits) == {"a", "c"}
    worker(queue).finish()
    for lam in (0.1, 0.2, 0.3):
        queue.keep("a", replace(CHOICE, lam=lam), lam)  # type: ignore[arg-type]
    assert queue.dropped("a") == 1 and queue.dropped("c") == 0
    assert queue.reports("a", replace(CHOICE, lam=0.1)) is None
    assert queue.reports("a", replace(CHOICE, lam=0.3, objective="denoising")) == 0.3
    assert queue.reports("b", replace(CHOICE, lam=0.3)) is None  # another visit's are not mine


def test_neither_sixty_collections_nor_two_hundred_visits_drop_what_is_going_on(queue: RunQueue) -> None:
    queue.keep("me", CHOICE, "mine")  # type: ignore[arg-type]
    queue.keep("idle", CHOICE, "theirs")  # type: ignore[arg-type]
    run = queue.submit("me", CHOICE, tiny())
    for number in range(2 * queue_module.MOST_COLLECTIONS):
        queue.keep("crowd", replace(CHOICE, epsilon=1.0 + number), number)  # type: ignore[arg-type]
    for number in range(2 * queue_module.MOST_VISITS):
        queue.stop(queue.submit(f"visit {number}", CHOICE, tiny()))
    assert len(queue.collections) == queue_module.MOST_COLLECTIONS and len(queue.visits) <= queue_module.MOST_VISITS
    assert queue.reports("me", CHOICE) == "mine" and queue.runs("me") == [run] and run.active
    assert queue.reports("idle", CHOICE) == "theirs"  # who takes many makes room for others, not they for it
    worker(queue).finish()
    assert run.state == "done"


def test_the_validation_group_is_charged_before_it_is_asked_and_not_by_who_waits(queue: RunQueue) -> None:
    runs = [queue.submit("me", CHOICE, replace(tiny(epochs=20), checks=5)) for _ in range(2)]
    assert runs[0].points == [] and queue.spent("me", validators_of(CHOICE)) == (5, 20.0)
    queue.stop(runs[1])
    worker(queue).finish()
    assert queue.spent("me", validators_of(CHOICE)) == (5, 20.0)
    assert sum(point.validation is not None for point in runs[0].points) == 5


def test_the_ledger_counts_reports_and_answers_and_forgets_nothing(queue: RunQueue) -> None:
    queue.charge("me", CHOICE, epsilon_y=2.0)
    queue.submit("me", CHOICE, tiny())
    worker(queue).finish()
    queue.charge("me", CHOICE, epsilon_y=0.0)
    queue.forget("me")
    assert queue.spent("me", people_of(CHOICE)) == (2, 6.0)
    assert queue.spent("me", validators_of(CHOICE)) == (1, 4.0)
    assert queue.spent("somebody", people_of(CHOICE)) == (0, 0.0)


def test_an_idle_worker_is_let_go_and_a_new_one_started(queue: RunQueue, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(work_queue, "IDLE", 0.01)
    queue.warm()
    deadline = time.monotonic() + 60
    while queue.workers and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not queue.workers
    monkeypatch.setattr(work_queue, "IDLE", 3600.0)
    run = queue.submit("me", CHOICE, tiny())
    worker(queue).finish()
    assert run.state == "done"


def until(run: Run, *states: str) -> None:
    deadline = time.monotonic() + 240
    while run.state not in states:
        assert time.monotonic() < deadline, run
        time.sleep(0.02)


@pytest.mark.slow
def test_a_real_process_learns_stops_and_goes_with_its_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLM_WORKER_NICE", "0")
    queue = RunQueue(limit=1)
    try:
        first = queue.submit("me", CHOICE, tiny())
        endless = queue.submit("me", CHOICE, tiny(epochs=1_000_000))
        (process,) = (each.process for each in queue.workers)
        until(first, "done", "failed")
        here: list[Event] = []
        learn(tiny(), here.append)  # the same in this process
        assert first.result is not None
        assert [point.clean for point in first.points] == [event.clean for event in here if isinstance(event, Point)]
        until(endless, "learning", "failed")
        queue.stop(endless)
        until(endless, "done", "failed", "stopped")
        assert endless.result is not None and endless.result.stopped
        assert process.poll() is None  # it waits for the next task
        assert process.stdin is not None
        next(iter(queue.workers)).send(None)  # the server's end closes
        assert process.wait(timeout=120) == 0
    finally:
        queue.close()


def test_a_process_that_cannot_start_is_a_failed_run() -> None:
    def start_worker(on_message, on_exit):  # type: ignore[no-untyped-def]
        return Worker(on_message, on_exit, command=(sys.executable, "-c", "raise SystemExit(3)"))

    queue = RunQueue(limit=1, start_worker=start_worker)
    run = queue.submit("me", CHOICE, tiny(people=200_000))  # more than a pipe holds
    until(run, "failed")
    assert not queue.waiting
