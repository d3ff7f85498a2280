"""The queue: order, limits, stopping, crashes, and one real worker process."""

from __future__ import annotations

import sys
import time
from dataclasses import replace

import numpy as np
import pytest
from collect_desk import Desk

from rlm_core import L1Clip, LaplaceNoise
from ui.collect import queue
from ui.collect.process import Worker
from ui.collect.queue import Office
from ui.collect.reports import Choice
from ui.collect.runs import Busy, Run, people_of, validators_of
from ui.collect.task import Event, People, Point, Task, learn

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
def desk(monkeypatch: pytest.MonkeyPatch) -> Office:
    monkeypatch.setattr(queue, "IDLE", 3600.0)
    return Office(limit=1, hire=Desk)


def worker(office: Office) -> Desk:
    (only,) = office.workers
    return only


def test_one_learns_and_the_others_wait_for_their_turn(desk: Office) -> None:
    mine = [desk.submit("me", CHOICE, tiny()) for _ in range(3)]
    other = desk.submit("somebody", CHOICE, tiny())
    assert [run.state for run in (*mine, other)] == ["weighing", "waiting", "waiting", "waiting"]
    # I have had a turn, somebody else has not: they come before the rest of mine.
    assert [desk.before(run) for run in (*mine, other)] == [0, 2, 3, 1]
    worker(desk).step(2)
    assert mine[0].state == "learning" and len(mine[0].points) == 2
    worker(desk).step()
    assert mine[0].state == "done" and mine[0].result is not None and other.state == "weighing"
    worker(desk).finish()
    assert [run.state for run in desk.runs("me")] == ["done"] * 3 and other.state == "done"
    assert [run.number for run in mine] == [1, 2, 3] and other.number == 1


def test_a_waiting_run_stops_at_once_and_a_learning_one_keeps_what_it_has(desk: Office) -> None:
    first, second = (desk.submit("me", CHOICE, tiny(epochs=50)) for _ in range(2))
    worker(desk).step(3)
    desk.stop(second)
    assert second.state == "stopped" and second.result is None and second.task is None
    desk.stop(first)
    worker(desk).finish()
    assert first.state == "done" and first.result is not None and first.result.stopped
    assert first.result.epochs == len(first.points) == 4  # it is asked after the next epoch
    desk.stop(first)  # too late: nothing happens
    assert first.state == "done"


def test_a_crash_ends_one_run_and_not_the_others(desk: Office) -> None:
    first, second = (desk.submit("me", CHOICE, tiny()) for _ in range(2))
    worker(desk).end()
    assert first.state == "failed" and second.state == "weighing"
    worker(desk).finish()
    assert second.state == "done"


def test_a_worker_that_does_not_react_to_a_stop_is_ended(desk: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    run = desk.submit("me", CHOICE, tiny())
    monkeypatch.setattr(queue, "PATIENCE", 3600.0)
    desk.stop(run)
    desk.look_after()
    assert run.active
    monkeypatch.setattr(queue, "PATIENCE", -1.0)
    ending = worker(desk)
    monkeypatch.setattr(ending, "end", lambda: None)  # a real one is gone a little later, from another thread
    desk.look_after()
    ending.gone(ending)
    assert run.state == "stopped" and not desk.workers


def test_limits_are_said_and_nothing_is_lost(desk: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "MOST_RUNS", 2)
    monkeypatch.setattr(queue, "MOST_WAITING", 2)
    kept = [desk.submit("me", CHOICE, tiny()) for _ in range(2)]
    with pytest.raises(Busy, match="at most 2 runs and has 2"):
        desk.check("me", 1)
    desk.submit("somebody", CHOICE, tiny())
    with pytest.raises(Busy, match="waiting on this server"):
        desk.submit("a third", CHOICE, tiny())
    assert desk.runs("me") == kept and desk.runs("a third") == []
    worker(desk).finish()
    desk.forget("me")
    assert desk.submit("me", CHOICE, tiny()).number == 3  # a number is not used again


def test_old_visits_and_collections_make_room(desk: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "MOST_VISITS", 2)
    monkeypatch.setattr(queue, "MOST_COLLECTIONS", 2)
    for name in ("a", "b"):
        desk.submit(name, CHOICE, tiny())
    worker(desk).finish()
    desk.runs("a")  # looked at: now b is the oldest
    desk.submit("c", CHOICE, tiny())
    assert set(desk.visits) == {"a", "c"}
    for lam in (0.1, 0.2, 0.3):
        desk.keep("a", replace(CHOICE, lam=lam), lam)  # type: ignore[arg-type]
    assert desk.reports("a", replace(CHOICE, lam=0.1)) is None
    assert desk.reports("a", replace(CHOICE, lam=0.3, objective="denoising")) == 0.3
    assert desk.reports("b", replace(CHOICE, lam=0.3)) is None  # another visit's are not mine


def test_the_ledger_counts_reports_and_answers_and_forgets_nothing(desk: Office) -> None:
    desk.charge("me", CHOICE, epsilon_y=2.0)
    desk.submit("me", CHOICE, tiny())
    worker(desk).finish()
    desk.charge("me", CHOICE, epsilon_y=0.0)
    desk.forget("me")
    assert desk.spent("me", people_of(CHOICE)) == (2, 6.0)
    assert desk.spent("me", validators_of(CHOICE)) == (1, 4.0)
    assert desk.spent("somebody", people_of(CHOICE)) == (0, 0.0)


def test_an_idle_worker_is_let_go_and_a_new_one_hired(desk: Office, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(queue, "IDLE", 0.01)
    desk.warm()
    deadline = time.monotonic() + 60
    while desk.workers and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not desk.workers
    monkeypatch.setattr(queue, "IDLE", 3600.0)
    run = desk.submit("me", CHOICE, tiny())
    worker(desk).finish()
    assert run.state == "done"


def until(run: Run, *states: str) -> None:
    deadline = time.monotonic() + 240
    while run.state not in states:
        assert time.monotonic() < deadline, run
        time.sleep(0.02)


def test_a_real_process_learns_stops_and_goes_with_its_server(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLM_WORKER_NICE", "0")
    office = Office(limit=1)
    try:
        first = office.submit("me", CHOICE, tiny())
        endless = office.submit("me", CHOICE, tiny(epochs=1_000_000))
        (process,) = (each.process for each in office.workers)
        until(first, "done", "failed")
        here: list[Event] = []
        learn(tiny(), here.append)  # the same in this process
        assert first.result is not None
        assert [point.clean for point in first.points] == [event.clean for event in here if isinstance(event, Point)]
        until(endless, "learning", "failed")
        office.stop(endless)
        until(endless, "done", "failed", "stopped")
        assert endless.result is not None and endless.result.stopped
        assert process.poll() is None  # it waits for the next task
        assert process.stdin is not None
        next(iter(office.workers)).say(None)  # the server's end closes
        assert process.wait(timeout=120) == 0
    finally:
        office.close()


def test_a_process_that_cannot_start_is_a_failed_run() -> None:
    def hire(heard, gone):  # type: ignore[no-untyped-def]
        return Worker(heard, gone, command=(sys.executable, "-c", "raise SystemExit(3)"))

    office = Office(limit=1, hire=hire)
    run = office.submit("me", CHOICE, tiny(people=200_000))  # more than a pipe holds
    until(run, "failed")
    assert not office.waiting
