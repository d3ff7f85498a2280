"""The page for one's own table, without a browser: what it says before an upload, the schema, a training, the result.

Trainings run in this process, one step at a time, instead of in another.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest
from page_driver import Open, healthy, words
from streamlit.testing.v1 import AppTest

from ui.own import queue as queue_module
from ui.own import task as task_module
from ui.own.queue import TrainingQueue, offered
from ui.own.task import Advice, Fitted, train

CSV = b"age;job;ill\n" + b"".join(
    f"{20 + at % 60};{('cook', 'nurse')[at % 2]};{('no', 'yes')[at % 60 > 30]}\n".encode() for at in range(120)
)


class Here:
    """Trains at once, in this process, when the test says so."""

    def __init__(self, on_message: Any, on_exit: Any) -> None:
        self.on_message, self.on_exit, self.tasks, self.stopped = on_message, on_exit, [], set()
        self.idle_since = 0

    def send(self, message: Any) -> None:
        kind, number, *rest = message
        self.stopped.add(number) if kind == "stop" else self.tasks.append((number, rest[0]))

    def end(self) -> None:
        self.on_exit(self)

    def work(self, *, until: type | None = None) -> None:
        """All that it was given; ``until`` an event of this kind has been published, and then it is left alone."""
        number, task = self.tasks.pop(0)

        class Enough(Exception):
            pass

        def publish(event: Any) -> None:
            self.on_message(self, (number, event))
            if until is not None and isinstance(event, until):
                raise Enough

        try:
            self.on_message(self, (number, train(task, publish)))
        except Enough:
            pass


@pytest.fixture(autouse=True)
def queue(monkeypatch: pytest.MonkeyPatch) -> Iterator[TrainingQueue]:
    made = TrainingQueue(limit=2, start_worker=Here)
    for module in ("ui.own.page", "ui.own.view", "ui.own.visit"):
        __import__(module)
    monkeypatch.setattr(queue_module, "training_queue", lambda: made)
    monkeypatch.setattr("ui.own.view.training_queue", lambda: made)
    monkeypatch.setattr("ui.own.visit.training_queue", lambda: made)
    quick = [(said, given | {"splits": 1, "draws": 1}, share) for said, given, share in task_module.STAGES[:2]]
    monkeypatch.setattr(task_module, "STAGES", tuple(quick))
    yield made


def press(app: AppTest, key: str) -> AppTest:
    return healthy(app.button(key=key).click().run())


def worker(queue: TrainingQueue) -> Here:
    return next(each for each in queue.workers if each.tasks)


def test_it_says_where_a_file_goes_before_one_can_be_chosen(open_page: Open) -> None:
    app = open_page("own", table="Your file")
    said = words(app)
    assert "This file goes to this server" in said and "public or made-up sample" in said
    assert [each for each in app.code if "rlm privatise people.csv --model mine" in each.value]
    assert app.file_uploader and not [each for each in app.button if each.key == "own_train"]  # nothing to train on


def test_a_table_is_brought_trained_on_and_its_result_taken_home(open_page: Open, queue: TrainingQueue) -> None:
    app = open_page("own", table="Your file")
    app.file_uploader(key="own_upload").set_value(("mine.csv", CSV, "text/csv"))
    healthy(app.run())
    assert "120 rows, 3 columns" in words(app)
    label = next(each for each in app.selectbox if each.label.startswith("What is to be learnt"))
    assert label.value == "ill"
    app.number_input(key="own_people").set_value(200)
    press(app, "own_train")
    assert app.button(key="own_train").disabled and app.button(key="own_stop")
    worker(queue).work(until=Fitted)
    healthy(app.run())
    assert "joint bits" in words(app) and "One row, in your browser" in words(app)  # before any advice is there
    press(app, "own_stop")
    assert worker_stopped(queue)
    (busy,) = [each for each, job in queue.workers.items() if job is not None]
    busy.on_message(busy, (queue.workers[busy].identity, "stopped"))  # type: ignore[union-attr]
    healthy(app.run())
    assert "What came before is kept" in words(app)
    press(app, "own_train")
    worker(queue).work()
    healthy(app.run())
    said = words(app)
    assert "people, wish" in said and "Train" in app.button(key="own_train").label
    app.slider(key="own_wish").set_value(99)
    healthy(app.run())
    assert "No ε up to 8 reaches it" in words(app) or "smallest of the grid" in words(app)
    token = app.session_state["own_visit"].training.offered.token
    assert offered(token) is not None
    press(app, "own_forget")
    assert "What you will get" in words(app) and offered(token) is None


def worker_stopped(queue: TrainingQueue) -> bool:
    return any(each.stopped for each in queue.workers)


def test_nothing_of_one_visitor_is_visible_to_another(open_page: Open, queue: TrainingQueue) -> None:
    mine = open_page("own", table="Your file")
    secret = CSV.replace(b"cook", b"astronaut")
    mine.file_uploader(key="own_upload").set_value(("astronauts.csv", secret, "text/csv"))
    healthy(mine.run())
    press(mine, "own_train")
    worker(queue).work(until=Advice)
    healthy(mine.run())
    assert "astronauts.csv" in words(mine)
    other = open_page("own", table="Breast cancer")
    assert "astronaut" not in words(other) and "What you will get" in words(other)
    press(other, "own_train")
    worker(queue).work(until=Fitted)
    healthy(other.run())
    tokens = [app.session_state["own_visit"].training.offered.token for app in (mine, other)]
    assert tokens[0] != tokens[1]
    theirs = offered(tokens[1])
    assert theirs is not None and "astronaut" not in str(theirs.description) and "astronaut" not in words(other)


def test_the_schema_can_be_edited_and_bad_files_get_an_answer(open_page: Open, queue: TrainingQueue) -> None:
    app = open_page("own", table="Your file")
    for data, answer in ((b"\x89PNG\r\n", "picture"), (b"a,a\n1,2\n", "every column name once"), (b"a\n", "header")):
        app.file_uploader(key="own_upload").set_value(("bad.csv", data, "text/csv"))
        app.run()
        assert not app.exception and any(answer in each.value for each in app.error), answer
    app.file_uploader(key="own_upload").set_value(("mine.csv", CSV, "text/csv"))
    healthy(app.run())
    app.session_state["own_schema_mine.csv_ill"] = {
        "edited_rows": {0: {"kind": "category"}, 1: {"kind": "left out"}},
        "added_rows": [],
        "deleted_rows": [],
    }
    healthy(app.run())
    press(app, "own_train")
    (_, task), *_ = worker(queue).tasks
    schema = json.loads(task.schema)
    assert [(each["name"], each["kind"]) for each in schema["features"]] == [("age", "category")]
    assert schema["left_out"] == [{"name": "job", "reason": "left out by hand"}]


def test_what_the_columns_are_is_found_once_in_the_worker_that_reads_the_file(
    open_page: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Looking at every cell of a file took seconds of the server's processor at every step."""
    from ui.own import tables

    app = open_page("own", table="Your file")
    app.file_uploader[0].set_value(("mine.csv", CSV, "text/csv")).run()
    healthy(app)

    def never(column: Any) -> None:
        raise AssertionError("the server looked at a visitor's column")

    monkeypatch.setattr(tables, "infer_column", never)
    monkeypatch.setattr("rlm_core.tables.schema.infer_column", never)
    app.number_input(key="own_people").set_value(2_000).run()
    healthy(app)
    assert "Columns: 2 used, 0 left out" in {each.label for each in app.expander}
