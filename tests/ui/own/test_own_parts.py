"""The parts of the page for one's own table: what may be uploaded, the queue, what others can see, the kit."""

from __future__ import annotations

import asyncio
import gc
import gzip
import io
import json
import math
import shlex
import zipfile
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from silent_worker import SilentWorker
from starlette.requests import Request
from starlette.responses import Response

from rlm_core import LocalPrivatiser
from rlm_core.cli import main
from rlm_core.collector.inference import posterior_limit
from rlm_core.privatiser.plan import KINDS
from rlm_core.report import Report
from rlm_core.tables import TableError, TableSchema
from ui.app.worker_loop import Stopped
from ui.kit.formats import percent
from ui.own import observer, routes, tables
from ui.own import task as task_module
from ui.own.kit import AGAIN, commands, kit
from ui.own.queue import Training, TrainingQueue, offered
from ui.own.task import Advice, Fitted, Problem, Step, Task, fit, train

ROWS = pd.DataFrame(
    {
        "age": np.arange(200) % 60 + 20,
        "job": ["cook", "nurse", "judge", "cook"] * 50,
        "ill": ["yes" if at % 60 > 30 else "no" for at in range(200)],
    }
)


def task(frame: pd.DataFrame = ROWS, label: str = "ill", **given: Any) -> Task:
    schema = TableSchema.infer(frame, label=label).to_json()
    settings = {"name": "people.csv", "epsilon": 2.0, "people": 500} | given
    return Task(frame=frame, label=label, schema=schema, **settings)


class Visitor:
    """Stands for a session; ``gone`` is for how many seconds it has had no connection."""

    gone = 0.0

    def away(self) -> float:
        return self.gone


@pytest.fixture
def queue() -> TrainingQueue:
    return TrainingQueue(limit=2, start_worker=SilentWorker)


@cache
def fitted(kind: str = "auto") -> Fitted:
    made = fit(task(), ROWS, TableSchema.infer(ROWS, label="ill"))
    if kind == "auto":
        return made
    privatiser = LocalPrivatiser(epsilon=2.0, reports=500, kind=kind).fit(ROWS, "ill")
    h = privatiser.method_.encoder(privatiser._matrix(privatiser.schema_.read(ROWS)))
    y = (ROWS["ill"] == "yes").to_numpy(dtype=np.int64)
    keep: dict[str, Any] = {name: getattr(made, name) for name in ("files", "description", "encoder", "examples")}
    return Fitted(**keep, prior_h=h, prior_y=y, privatiser=privatiser, warnings=())


# --- what may come in ---


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"a,b\n" + b"1,2\n" * 50_001, "at most 50,000 rows"),
        (",".join(f"c{at}" for at in range(501)).encode() + b"\n", "at most 500 columns"),
        (",".join(f"c{at}" for at in range(400)).encode() + b"\n" + (b"1," * 399 + b"1\n") * 8_000, "3,000,000 cells"),
        (gzip.compress(b"0" * (41 * 2**20)), "at most 40 MB"),
        (b"PAR1" + b"x" * 100, "damaged"),
        (b"\x1f\x8b\x08" + b"x" * 30, "damaged"),
        (b"", "without text"),
        (b'"' + b"x" * 200_000 + b'"\n1\n', "header"),
    ],
    ids=["rows", "columns", "cells", "bomb", "parquet", "gzip", "empty", "long name"],
)
def test_what_is_too_large_or_no_table_is_refused_in_words(data: bytes, message: str) -> None:
    with pytest.raises(TableError, match=message):
        tables.read_upload(data, "mine.csv")


def test_a_parquet_file_is_measured_before_it_is_read(monkeypatch: pytest.MonkeyPatch) -> None:
    file = io.BytesIO()
    pd.DataFrame({"a": np.zeros(50_001)}).to_parquet(file)
    monkeypatch.setattr(pd, "read_parquet", lambda *_: pytest.fail("it was read"))
    with pytest.raises(TableError, match="at most 50,000 rows"):
        tables.read_upload(file.getvalue(), "mine.parquet")


def test_a_table_that_grows_when_encoded_is_refused() -> None:
    schema = TableSchema.infer(ROWS, label="ill")
    tables.check_width(schema, 200)
    with pytest.raises(TableError, match="columns after encoding"):
        tables.check_width(schema, tables.MOST_NUMBERS)


@pytest.mark.parametrize("name", tables.EXAMPLES)
def test_the_examples_can_be_learnt_from(name: str) -> None:
    table = tables.example(name)
    assert table.label in table.frame and TableSchema.infer(table.frame, label=table.label).features
    assert tables.probable_label(table.frame) == table.label


# --- training ---


def test_a_training_publishes_a_mechanism_and_better_and_better_advice(monkeypatch: pytest.MonkeyPatch) -> None:
    quick = [(words, given | {"splits": 1, "draws": 1}, share) for words, given, share in task_module.STAGES]
    monkeypatch.setattr(task_module, "STAGES", tuple(quick))
    events: list[Any] = []
    assert train(task(people=100), events.append) == "done"
    kinds = [type(event).__name__ for event in events if not isinstance(event, Step)]
    assert kinds == ["Fitted", "Advice", "Advice", "Advice"]
    shares = [event.share for event in events if isinstance(event, Step)]
    assert shares == sorted(shares) and shares[-1] == 1.0
    counts = [len(event.points) for event in events if type(event).__name__ == "Advice"]
    assert counts == sorted(counts)


def test_a_bad_table_is_a_problem_in_words_and_a_stop_ends_it() -> None:
    alone = ROWS.assign(ill="no")
    found = train(task(alone), lambda event: None)
    assert isinstance(found, Problem) and found.message.startswith("Expected at least two classes")
    with pytest.raises(Stopped):
        train(task(), lambda event: None, lambda: True)


def test_when_time_is_up_the_mechanism_and_what_came_before_are_the_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    events: list[Any] = []
    monkeypatch.setattr(task_module, "WITHIN", -1.0)
    assert train(task(people=100), events.append) == "done"
    assert [type(event).__name__ for event in events if not isinstance(event, Step)] == ["Fitted"]
    ticks = iter(range(10**6))
    monkeypatch.setattr(task_module, "WITHIN", 40.0)  # thirty collections of the first curve, and some of the second
    monkeypatch.setattr(task_module.time, "monotonic", lambda: float(next(ticks)))
    events.clear()
    assert train(task(people=100), events.append) == "done"
    assert [type(event).__name__ for event in events if not isinstance(event, Step)] == ["Fitted", "Advice"]


def test_with_many_classes_the_first_curve_is_the_rules_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_module, "STAGES", ())
    frame = ROWS.assign(ill=[f"class {at % 25}" for at in range(200)])
    events: list[Any] = []
    assert train(task(frame, people=100), events.append) == "done"
    (found,) = [event for event in events if isinstance(event, Advice)]
    assert {each.mechanism for each in found.points} == {"LocalPrivatiser"}
    assert [len(each.accuracies) for each in found.points] == [1] * len(task_module.COARSE)


# --- the queue, and what others can see ---


def test_two_at_a_time_the_others_see_their_place_and_who_has_left_makes_room(queue: TrainingQueue) -> None:
    visitors = [Visitor() for _ in range(4)]
    mine = [queue.submit(task(), each) for each in visitors]
    assert [each.state for each in mine] == ["working", "working", "waiting", "waiting"]
    assert [queue.runs_before(each) for each in mine] == [0, 0, 2, 3]
    del visitors[2]
    gc.collect()
    queue.forget_the_gone()
    assert mine[2].state == "stopped" and queue.runs_before(mine[3]) == 2
    first = next(iter(queue.workers))
    first.on_message(first, (mine[0].identity, "done"))
    assert mine[0].state == "done" and mine[0].task is None and mine[3].state == "working"
    del visitors[1]
    gc.collect()
    queue.forget_the_gone()
    assert mine[1].stop_asked is not None  # its worker is told to stop
    assert any(("stop", mine[1].identity) in worker.sent for worker in queue.workers)


def ask(route: Any, token: str) -> Response:
    request = Request({"type": "http", "path_params": {"token": token}})
    with ThreadPoolExecutor(1) as thread:  # a browser test before may hold this thread's loop
        answer: Response = thread.submit(asyncio.run, route(request)).result()
    return answer


def test_a_mechanism_is_seen_by_its_visitor_alone_and_gone_with_the_visit(queue: TrainingQueue) -> None:
    mine = []
    visitors = [Visitor(), Visitor()]
    for visitor in visitors:
        training = queue.submit(task(), visitor)
        worker = next(each for each, job in queue.workers.items() if job is training)
        worker.on_message(worker, (training.identity, fitted()))
        worker.on_message(worker, (training.identity, "done"))
        mine.append(training)
    tokens = [each.offered.token for each in mine if each.offered is not None]
    assert len(set(tokens)) == 2 and all(len(token) == 32 for token in tokens)
    for training, token in zip(mine, tokens, strict=True):
        answer = ask(routes.mechanism, token)
        assert answer.status_code == 200 and answer.headers["cache-control"] == "no-store"
        assert json.loads(answer.body)["files"]["encoder"]["url"] == f"weights/own-{token}"
        assert training.fitted is not None and ask(routes.weights, token).body == training.fitted.encoder
    assert ask(routes.mechanism, "guess").status_code == ask(routes.weights, "guess").status_code == 404
    del training, mine[0]
    gc.collect()
    assert offered(tokens[0]) is None and offered(tokens[1]) is not None
    assert ask(routes.mechanism, tokens[0]).status_code == ask(routes.weights, tokens[0]).status_code == 404


# --- the collector's side of one row ---


@pytest.mark.parametrize("kind", KINDS)
def test_a_report_moves_the_belief_and_never_by_more_than_epsilon(kind: str) -> None:
    made = fitted(kind)
    for labels in (["yes"], None):
        report = made.privatiser.privatise(ROWS[:1].drop(columns="ill"), labels).report(0)
        found = observer.belief([(report, "")], made)
        assert found.classes.sum() == pytest.approx(1.0) and found.odds_factor <= math.exp(2.0) * (1 + 1e-6)


HERE = Visitor()
"""Somebody who stays."""


def training_of(made: Fitted) -> Training:
    visitor = HERE
    queue = TrainingQueue(limit=1, start_worker=SilentWorker)
    training = queue.submit(task(), visitor)
    queue.take(training, made)
    return training


def test_what_the_browser_sends_is_checked_and_counted_once() -> None:
    made = fitted()
    training, box = training_of(made), observer.Inbox()
    good = made.privatiser.privatise(ROWS[:1], "ill").report(0).to_json()
    observer.take(box, training, {"id": "1", "report": good})
    observer.take(box, training, {"id": "1", "report": good})
    assert len(box.reports) == 1 and box.size == len(good) and not box.problem
    other = LocalPrivatiser(epsilon=2.0, reports=900, size=2).fit(ROWS, "ill").privatise(ROWS[:1], "ill").report(0)
    for number, bad in enumerate([other.to_json(), "{}", 7, good.replace('"epsilon":2', '"epsilon":"inf"')]):
        observer.take(box, training, {"id": f"bad {number}", "report": bad})
        assert box.problem.startswith("The collector could not read this report") and len(box.reports) == 1
    html = observer.collector_html(box, training)
    most = percent(float(posterior_limit(observer.belief(box.reports, made).prior, 2.0).max()))
    assert f"With ε = 2 in all, nothing that was sent can make it surer than {most} of a label." in html
    assert "1 report" in html and Report.from_json(good).digest in html.replace("&quot;", '"')


# --- what to take home ---


def test_the_kit_holds_a_folder_that_can_be_loaded(tmp_path: Any) -> None:
    training = training_of(fitted())
    with zipfile.ZipFile(io.BytesIO(kit(training, 0.8))) as archive:
        assert {"owner.html", "README.txt", "mine/card.json", "mine/encoder.safetensors"} <= set(archive.namelist())
        archive.extractall(tmp_path)
    loaded = LocalPrivatiser.load(tmp_path / "mine")
    assert training.fitted is not None and loaded.method_.digest == training.fitted.privatiser.method_.digest
    readme = (tmp_path / "README.txt").read_text(encoding="utf-8")
    assert all(f"rlm {command}" in readme for command in ("advise", "fit", "privatise", "learn"))


def kit_calls(folder: Path) -> dict[str, list[str]]:
    """The commands of an unpacked kit's README, by name, as a shell divides them."""
    lines = (folder / "README.txt").read_text(encoding="utf-8").splitlines()
    calls = [shlex.split(line)[1:] for line in lines if line.startswith("rlm ")]
    return {call[0]: call for call in calls}


@pytest.fixture
def unpacked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A kit where somebody unpacked it, with an edited schema, beside the files that its commands name."""
    frame = ROWS.assign(ward=[f"{at % 7}" for at in range(200)])
    schema = TableSchema.infer(frame, label="ill").edited(frame, {"ward": None})
    training = training_of(fit(task(frame), frame, schema))
    with zipfile.ZipFile(io.BytesIO(kit(training, 0.6))) as archive:
        archive.extractall(tmp_path)
    for name in ("public", "people", "test"):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_the_kits_commands_work_where_it_was_unpacked(unpacked: Path) -> None:
    calls = kit_calls(unpacked)
    assert [main(calls[name]) for name in ("fit", "privatise", "learn")] == [0, 0, 0]
    for folder in ("mine", AGAIN):  # what the visitor left out stays out
        assert "ward" not in LocalPrivatiser.load(unpacked / folder).schema_.columns


@pytest.mark.slow
def test_the_kits_advice_works_where_it_was_unpacked(unpacked: Path) -> None:
    assert main(kit_calls(unpacked)["advise"]) in (0, 1)  # whether or not the wish is reached
    assert (unpacked / "advice-again.html").is_file()


def test_installing_is_no_command_of_the_kit() -> None:
    """It needs the project's own folder: pasted where the kit was unpacked, it failed."""
    first, *four = commands("ill", within_kit=True).splitlines()
    assert first.startswith("# once, in a checkout of this project: pip install ")
    assert [line.split()[:2] for line in four] == [["rlm", name] for name in ("advise", "fit", "privatise", "learn")]


def test_rows_without_a_label_are_counted_not_fitted_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(task_module, "STAGES", ())
    events: list[Any] = []
    frame = ROWS.assign(ill=[None if at < 7 else each for at, each in enumerate(ROWS["ill"])])
    assert train(task(frame, people=100), events.append) == "done"
    (made,) = [event for event in events if isinstance(event, Fitted)]
    assert made.unlabelled == 7 and made.privatiser.public_rows_ == len(ROWS) - 7


@pytest.mark.parametrize("label", ["income", "income per year", 'a"$(touch x)"', "it's; rm -r", "--out", "<=50K"])
def test_any_label_is_one_word_to_a_shell(label: str) -> None:
    for line in commands(label).splitlines()[1:3]:
        words = shlex.split(line)
        given = [words[at + 1] for at, word in enumerate(words) if word == "--label"]
        given += [word.removeprefix("--label=") for word in words if word.startswith("--label=")]
        assert given == [label]


@pytest.mark.parametrize(
    "data",
    [
        b"share;wage;ill\n" + b"1,947;1.200;no\n0,219;950;yes\n2,458;3.100;no\n" * 30,
        b"share;ill\n" + b"1,947;no\n0,219;yes\n2,458;no\n" * 30,
        b"day,code,ill\n" + b"01/02/2020,a,no\n03/04/2021,b,yes\n" * 30,
        ROWS.to_csv(index=False).encode(),
    ],
    ids=["decimal commas", "by semicolons", "dates either way", "plain"],
)
def test_the_page_reads_columns_as_the_library_does_and_says_what_could_be_otherwise(data: bytes) -> None:
    """It took 1,947 for a thousand nine hundred, without a word."""
    table = tables.read_upload(data, "mine.csv")
    assert table.schema("ill") == TableSchema.infer(table.frame, label="ill")
    fitted = LocalPrivatiser(epsilon=4.0, reports=5_000).fit(table.frame, "ill")
    assert set(table.doubts) <= set(fitted.notes_) and [
        note for note in fitted.notes_ if "either way" in note or "decimal" in note
    ] == list(table.doubts)


def test_what_could_be_read_in_two_ways_is_said_of_the_table_that_has_it() -> None:
    rows = b"1,94;1.200;no\n0,21;9.950;yes\n2,45;3.100;no\n" * 30
    table = tables.read_upload(b"share;wage;ill\n" + rows, "mine.csv")
    assert ["wage: its points are read as those of thousands" in note for note in table.doubts] == [True]
    whole = tables.read_upload(ROWS.to_csv(index=False).encode(), "mine.csv")
    assert whole.doubts == () and whole.note == ""
    words = "".join(f"w{at % 150},{'ab'[at % 2]}\n" for at in range(900))
    (doubt,) = tables.read_upload(f"city,ill\n{words}".encode(), "mine.csv").doubts
    assert doubt == "city: 150 different words; the commonest 100 are levels, and all others share one"
    cut = tables.read_upload(b"age,ill,job\n" + b"31,no,cook\n41,yes\n" * 30, "mine.csv")
    assert cut.note == "Rows of the file that end before its last column: 30; what they lack is read as missing."
