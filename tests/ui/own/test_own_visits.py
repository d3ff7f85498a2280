"""When a visit is over: who has left makes room, and nothing of theirs stays."""

from __future__ import annotations

import logging
import time
from typing import Any

import pandas as pd
import pytest
from silent_worker import SilentWorker
from streamlit.runtime import Runtime

from rlm_core.tables import TableSchema
from ui.app.work_queue import PATIENCE
from ui.own import visit as visit_module
from ui.own.label_check import problem_with
from ui.own.presence import GRACE, MAKES_ROOM, Presence, end_session, is_connected
from ui.own.queue import LEFT, MADE_ROOM, MOST_SECONDS, TOO_LONG, Training, TrainingQueue, offered
from ui.own.tables import Table, inferred
from ui.own.task import Fitted, Task
from ui.own.visit import Visit

ROWS = pd.DataFrame({"age": [20 + at % 40 for at in range(60)], "ill": ["yes", "no"] * 30})


class Clock:
    """Time that passes when a test says so, and a connection that is there or not."""

    def __init__(self) -> None:
        self.now, self.here = 1000.0, True

    def presence(self) -> Presence:
        return Presence(session_id="s", is_connected=lambda _: self.here, clock=lambda: self.now)


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def queue(monkeypatch: pytest.MonkeyPatch) -> TrainingQueue:
    made = TrainingQueue(limit=1, start_worker=SilentWorker)
    monkeypatch.setattr(visit_module, "training_queue", lambda: made)
    monkeypatch.setattr(visit_module, "_visits", type(visit_module._visits)())
    return made


def task() -> Task:
    schema = TableSchema.infer(ROWS, label="ill").to_json()
    return Task(name="mine.csv", frame=ROWS, label="ill", schema=schema, epsilon=2.0, people=500)


def arrived(clock: Clock) -> Visit:
    """A visitor who is known to the clock of the visits."""
    made = Visit(presence=clock.presence())
    visit_module._visits.add(made)
    return made


def lose(mine: Visit, clock: Clock) -> None:
    """The connection is lost, and the clock of the visits sees it."""
    clock.here = False
    mine.away()


def fitted() -> Fitted:
    files: dict[str, Any] = {"files": {"encoder": {"bytes": 3}}}
    empty: Any = None
    return Fitted(
        files={}, description=files, encoder=b"abc", examples=[], prior_h=empty, prior_y=empty, privatiser=empty,
        warnings=(),
    )  # fmt: skip


def begin(queue: TrainingQueue, mine: Visit) -> Training:
    mine.training = queue.submit(task(), mine)
    return mine.training


def test_somebody_is_away_from_the_first_look_without_a_connection(clock: Clock) -> None:
    """Not from the last look with one: the server may have slept, and nobody else's time must run out by that."""
    mine = clock.presence()
    clock.now += 500
    assert mine.away() == 0.0  # there all the time
    clock.now += 70  # nobody looked
    clock.here = False
    assert mine.away() == 0.0
    clock.now += 30
    assert mine.away() == 30.0
    clock.here = True
    assert mine.away() == 0.0  # back again
    clock.here = False
    assert mine.away() == 0.0
    clock.now += 10
    assert mine.away() == 10.0  # and counted from then on


def test_outside_of_a_server_nobody_can_have_left() -> None:
    assert not Runtime.exists() and is_connected("nobody's session")
    end_session(Presence(session_id="nobody's session", clear=lambda: pytest.fail("emptied")))


def test_a_short_loss_keeps_all_a_longer_one_forgets_it(queue: TrainingQueue, clock: Clock) -> None:
    mine = arrived(clock)
    training = begin(queue, mine)
    worker = next(iter(queue.workers))
    worker.on_message(worker, (training.identity, fitted()))
    mine.upload = Table(name="mine.csv", frame=ROWS, label="ill", columns=inferred(ROWS))
    assert training.offered is not None
    token = training.offered.token
    lose(mine, clock)
    clock.now += GRACE
    visit_module.forget_the_gone()
    assert mine.training is training and mine.upload is not None and offered(token) is not None
    clock.now += 1
    assert offered(token) is None  # its address answers nobody, before the clock has looked
    visit_module.forget_the_gone()
    assert mine.training is None and mine.upload is None
    assert training.fitted is training.offered is training.advice is None
    assert ("stop", training.identity) in worker.sent  # and its worker is told to stop


def test_one_who_waits_needs_one_place(clock: Clock) -> None:
    """The one who is away longest makes it."""
    queue = TrainingQueue(limit=2, start_worker=SilentWorker)
    clocks = [Clock(), Clock()]
    gone = [arrived(each) for each in clocks]
    theirs = [begin(queue, each) for each in gone]
    for each, own in zip(gone, clocks, strict=True):
        lose(each, own)
    clocks[0].now += MAKES_ROOM + 1
    clocks[1].now += MAKES_ROOM + 2
    waiting = arrived(clock)
    mine = begin(queue, waiting)
    for _ in range(3):
        queue.forget_the_gone()
    assert mine.state == "waiting" and [each.stop_asked is not None for each in theirs] == [False, True]
    clocks[0].now += GRACE
    queue.forget_the_gone()
    assert (theirs[0].why_stopped, theirs[1].why_stopped) == (LEFT, MADE_ROOM)


def test_who_only_looked_keeps_the_session_of_other_pages(queue: TrainingQueue, clock: Clock) -> None:
    ended: list[str] = []
    mine = arrived(clock)
    mine.presence.clear = lambda: ended.append("emptied")
    lose(mine, clock)
    clock.now += GRACE + 1
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(visit_module, "end_session", lambda presence: ended.append("ended"))
        visit_module.forget_the_gone()
        assert not ended
        visit_module._visits.add(mine)
        begin(queue, mine)
        visit_module.forget_the_gone()
        assert ended == ["ended"]


def test_who_stays_keeps_everything_however_long(queue: TrainingQueue, clock: Clock) -> None:
    mine = arrived(clock)
    training = begin(queue, mine)
    for _ in range(10):
        clock.now += GRACE
        visit_module.forget_the_gone()
    assert mine.training is training and training.stop_asked is None


def test_who_is_away_makes_room_as_soon_as_somebody_waits_and_is_told(queue: TrainingQueue, clock: Clock) -> None:
    away, here = Clock(), clock
    gone = arrived(away)
    theirs = begin(queue, gone)
    lose(gone, away)
    away.now += MAKES_ROOM + 1
    queue.forget_the_gone()
    assert theirs.stop_asked is None  # nobody waits: a tunnel is no reason
    waiting = arrived(here)
    other = begin(queue, waiting)
    assert other.state == "waiting"
    queue.forget_the_gone()
    assert theirs.stop_asked is not None and theirs.why_stopped == MADE_ROOM and other.state == "waiting"
    worker = next(iter(queue.workers))
    worker.on_message(worker, (theirs.identity, "stopped"))
    assert theirs.state == "stopped" and other.state == "working"


def test_two_who_are_away_do_not_drive_each_other_out(queue: TrainingQueue, clock: Clock) -> None:
    visitors = [arrived(clock) for _ in range(2)]
    first, second = (begin(queue, each) for each in visitors)
    for each in visitors:
        lose(each, clock)
    clock.now += MAKES_ROOM + 1
    queue.forget_the_gone()
    assert first.stop_asked is None and second.state == "waiting"


def test_a_training_that_takes_too_long_is_stopped_and_then_its_process(
    queue: TrainingQueue, clock: Clock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two minutes are promised, and a step may be one that does not look whether it should stop."""
    now = time.monotonic()
    monkeypatch.setattr(time, "monotonic", lambda: now)
    first, other = arrived(clock), arrived(clock)
    training, waiting = begin(queue, first), begin(queue, other)
    now += MOST_SECONDS - 1
    queue.forget_the_gone()
    assert training.stop_asked is None
    now += 2
    queue.forget_the_gone()
    assert training.stop_asked is not None and training.why_stopped == TOO_LONG and waiting.state == "waiting"
    now += PATIENCE + 1
    queue.forget_the_gone()
    assert training.state == "stopped" and waiting.state == "working"  # a process of its own
    assert MOST_SECONDS + PATIENCE <= 120.0
    now += MOST_SECONDS - 1  # its time runs from its turn
    queue.forget_the_gone()
    assert waiting.stop_asked is None


def test_a_fault_while_looking_does_not_stop_the_clock(
    queue: TrainingQueue, clock: Clock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Two rounds: the first fails and is logged, the second forgets."""
    mine = arrived(clock)
    begin(queue, mine)
    lose(mine, clock)
    clock.now += GRACE + 1
    rounds = iter([None, None])

    class Enough(BaseException):
        pass

    def tick(_: float) -> None:
        if next(rounds, "over") == "over":
            raise Enough

    real, calls = visit_module.forget_the_gone, list[int]()

    def look() -> None:
        calls.append(1)
        if len(calls) == 1:
            raise RuntimeError("a fault")
        real()

    monkeypatch.setattr(visit_module, "forget_the_gone", look)
    monkeypatch.setattr(visit_module.time, "sleep", tick)
    with caplog.at_level(logging.ERROR, logger="rlm.app"), pytest.raises(Enough):
        visit_module.look_for_the_gone()
    assert len(calls) == 2 and "visitors who have left" in caplog.text and mine.training is None


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (["yes", "no"] * 30, ""),
        (["yes"] * 60, "Expected at least two classes, got one class, 'yes'"),
        (["yes\tno", "no"] * 30, "Expected class names without control characters"),
        ([None] * 30 + ["yes", "no"] * 15, "Expected at least"),
        (list(range(60)), ""),
    ],
)
def test_a_label_is_looked_at_before_a_training_is_offered(labels: list[Any], message: str) -> None:
    frame = ROWS.assign(ill=labels)
    table = Table(name="mine.csv", frame=frame, label="ill", columns=inferred(frame))
    found = problem_with(table, "ill")
    assert found.startswith(message) if message else not found
    assert problem_with(table, "ill") is found  # looked at once


def test_a_label_with_too_many_values_is_probably_another_column() -> None:
    frame = pd.DataFrame({"age": range(600), "ill": [f"person {at}" for at in range(600)]})
    table = Table(name="mine.csv", frame=frame, label="ill", columns=inferred(frame))
    assert "got 600" in problem_with(table, "ill") and "Is it the right column?" in problem_with(table, "ill")
