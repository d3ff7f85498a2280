"""The page for one's own table, without a browser: what it says before an upload, the schema, a training, the result.

Trainings run in this process, one step at a time, instead of in another.
"""

from __future__ import annotations

import io
import json
import tomllib
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from page_driver import Open, healthy, words
from streamlit.testing.v1 import AppTest

from ui.app.decoding import decode
from ui.app.work_queue import TOO_MANY, Busy
from ui.own import queue as queue_module
from ui.own import task as task_module
from ui.own.kit import kit
from ui.own.queue import TrainingQueue, offered
from ui.own.tables import LIMITS, read_upload
from ui.own.task import Advice, Fitted, train

ROOT = Path(__file__).resolve().parents[2]
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
    training = app.session_state["own_visit"].training
    (commands,) = [each.value for each in app.code if "--schema mine" in each.value]
    assert "--accuracy 0.99" in commands and "rlm advise --vrlm" in said
    with zipfile.ZipFile(io.BytesIO(kit(training, training.wish))) as archive:
        assert "wish 99.0" in archive.read("advice.html").decode() and commands in archive.read("README.txt").decode()
    assert "No ε up to 8 reaches it (99.0" in words(app) or "smallest of the grid" in words(app)
    token = app.session_state["own_visit"].training.offered.token
    assert offered(token) is not None
    press(app, "own_forget")
    assert "What you will get" in words(app) and offered(token) is None
    assert "Fitted to" not in words(app) and "people, wish" not in words(app) and "own-answer" not in words(app)


def worker_stopped(queue: TrainingQueue) -> bool:
    return any(each.stopped for each in queue.workers)


def test_fifty_thousand_rows_of_a_census_come_in_as_csv() -> None:
    """In the process that reads files, with its limits of time and memory."""
    row = ",".join([f"a level of a word {at}" for at in range(30)] + ["123456"] * 11 + ["50000+."])
    names = ",".join(f"column {at}" for at in range(42))
    data = "\n".join([names, *[row, row.replace("50000+", "- 50000")] * 25_000]).encode()
    assert 25 * 2**20 < len(data) < LIMITS.bytes
    table = decode(read_upload, data, "census.csv")
    assert table.frame.shape == (50_000, 42) and table.label == "column 41"
    settings = tomllib.loads((ROOT / ".streamlit" / "config.toml").read_text(encoding="utf-8"))
    assert settings["server"]["maxUploadSize"] * 2**20 > LIMITS.bytes


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
    choose(app, "age", "category")
    choose(app, "job", "left out")
    assert "1 used, 1 left out." in words(app)
    press(app, "own_train")
    (_, task), *_ = worker(queue).tasks
    schema = json.loads(task.schema)
    assert [(each["name"], each["kind"]) for each in schema["features"]] == [("age", "category")]
    assert schema["left_out"] == [{"name": "job", "reason": "left out by hand"}]


def field(app: AppTest, label: str) -> Any:
    """A field of the form for one column, by what stands above it."""
    (found,) = [each for each in [*app.selectbox, *app.text_input, *app.text_area] if each.label == label]
    return found


def choose(app: AppTest, column: str, kind: str | None = None) -> AppTest:
    """The column to change, and another kind for it."""
    field(app, "Column to change").set_value(column).run()
    return app if kind is None else field(app, "Kind").set_value(kind).run()


def schema_edit_of(app: AppTest) -> tuple[str, Any]:
    """The newest table's schema, and the key of its fields."""
    return list(app.session_state["own_schemas"].items())[-1]


def apply(app: AppTest) -> AppTest:
    (button,) = [each for each in app.button if each.label == "Apply"]
    return button.click().run()


def opened(open_page: Open) -> AppTest:
    app = open_page("own", table="Your file")
    app.file_uploader(key="own_upload").set_value(("mine.csv", CSV, "text/csv"))
    return healthy(app.run())


def test_an_edited_schema_is_used_by_training_form_and_kit(open_page: Open, queue: TrainingQueue) -> None:
    """Title, unit, bounds and levels, and a column that was left out and taken in again."""
    app = opened(open_page)
    choose(app, "age")
    for label, typed in (("Title", "Age in years"), ("Unit", "years"), ("Lower bound", "30"), ("Upper bound", "60.5")):
        field(app, label).set_value(typed)
    healthy(apply(app))
    choose(app, "job", "left out")
    choose(app, "job", "category")
    field(app, "Levels, one a line").set_value("cook\nastronaut")
    healthy(apply(app))
    assert "In no public row, so counted as rare: astronaut" in words(app).replace("\\", "")
    press(app, "own_train")
    worker(queue).work(until=Fitted)
    healthy(app.run())
    fitted = app.session_state["own_visit"].training.fitted
    age, job = fitted.privatiser.schema_.features
    assert (age.title, age.unit, age.low, age.high, age.bounded) == ("Age in years", "years", 30.0, 60.5, True)
    assert job.choices == ("cook", "astronaut")
    low, high, typical = (fitted.privatiser.encode_table({"age": each, "job": "cook"})[0, 0] for each in (1, 99, 45))
    assert (low, high) == tuple(fitted.privatiser.encode_table({"age": each, "job": "x"})[0, 0] for each in (30, 60.5))
    assert low < typical < high
    fields = {each["name"]: each for each in fitted.description["fields"]}
    assert fields["age"] | {"choices": []} == {
        **{"name": "age", "title": "Age in years", "unit": "years", "kind": "integer", "choices": []},
        **{"low": 30.0, "high": 60.5},
    }
    assert list(fields["job"]["choices"]) == ["cook", "astronaut"]
    assert fitted.description["preprocessor"]["bounds"] == {"age": [30.0, 60.5]}
    kept = json.loads(fitted.files["schema.json"])
    assert kept["features"][0]["bounded"] is True and kept["features"][1]["choices"] == ["cook", "astronaut"]
    page = fitted.files["owner.html"].decode()
    assert '"title":"Age in years"' in page and '"bounds":{"age":[30.0,60.5]}' in page and "astronaut" in page


@pytest.mark.parametrize(
    ("column", "label", "typed", "message"),
    [
        ("age", "Lower bound", "young", "Expected a number for the lower bound of age, or nothing, got 'young'"),
        ("age", "Lower bound", "100", "Expected a lower bound below the upper bound for 'age', got 100 and 79"),
        ("age", "Upper bound", "20", "Expected a lower bound below the upper bound"),
        ("job", "Levels, one a line", "", "Expected at least one level for job"),
        ("job", "Levels, one a line", "cook\ncook", "Expected every choice of 'job' once, got 'cook' 2 times"),
        ("job", "Levels, one a line", "pilot", "Expected a level of job that some public row has (cook, nurse"),
        ("job", "Levels, one a line", "\n".join(map(str, range(101))), "Expected at most 100 levels for job, got 101"),
    ],
)
def test_a_field_that_is_wrong_is_named_and_stays_as_typed(
    open_page: Open, column: str, label: str, typed: str, message: str
) -> None:
    app = opened(open_page)
    choose(app, column)
    before = schema_edit_of(app)[1].schema
    field(app, "Title").set_value("My title")
    field(app, label).set_value(typed)
    apply(app)
    (error,) = app.error
    assert message in error.value.replace("\\", "") and "The columns are as before" in error.value
    assert field(app, label).value == typed and field(app, "Title").value == "My title"
    assert schema_edit_of(app)[1].schema == before
    assert not app.button(key="own_train").disabled  # with the columns as before
    healthy(choose(app, "job" if column == "age" else "age"))  # it was about the other column


def test_a_kind_that_cannot_be_is_refused_and_the_last_column_stays(open_page: Open) -> None:
    app = opened(open_page)
    choose(app, "job", "number")
    assert "Expected job to be of kind number" in app.error[0].value and field(app, "Kind").value == "category"
    healthy(choose(app, "age", "left out"))
    choose(app, "job", "left out")
    assert "Expected at least one column to learn from" in app.error[0].value and field(app, "Kind").value == "category"


def test_a_schema_is_taken_along_and_brought_back(open_page: Open, queue: TrainingQueue) -> None:
    app = opened(open_page)
    edit = schema_edit_of(app)[1]
    data = json.loads(edit.schema.to_json())
    data["features"][0] |= {"title": "Age", "low": 30, "high": 60, "bounded": True}
    bring = f"{schema_edit_of(app)[0]}_bring"
    for changed, message in (
        ({"features": [data["features"][0] | {"low": "x"}]}, "Expected a number of at most 1e100 for low of 'age'"),
        ({"features": [data["features"][0] | {"colour": 1}]}, "for 'age', got the field 'colour'"),
        ({"features": [data["features"][0] | {"name": "wage"}]}, "Expected columns of this table (age, job, ill)"),
        ({"features": [data["features"][0] | {"name": "ill"}]}, "got the label 'ill' among them"),
        ({"features": [data["features"][1] | {"name": "age"}]}, "Expected a level of age that some public row has"),
        ({"features": [{"name": "job", "kind": "number"}]}, "Expected a number in row 0, column job, got 'cook'"),
        ({"format": "other"}, "Expected the JSON of a schema"),
    ):
        app.file_uploader(key=bring).set_value(("schema.json", json.dumps(data | changed).encode(), "application/json"))
        app.run()
        assert message in app.error[0].value.replace("\\", ""), app.error[0].value
        assert edit.schema == edit.inferred
    for bad in (b"\xff\xfe\x00", b"[" * 100_000, b"null", b""):
        app.file_uploader(key=bring).set_value(("schema.json", bad, "application/json"))
        app.run()
        assert "Expected" in app.error[0].value and edit.schema == edit.inferred
    only = data | {"features": data["features"][:1]}
    app.file_uploader(key=bring).set_value(("schema.json", json.dumps(only).encode(), "application/json"))
    healthy(app.run())
    press(app, "own_train")
    (_, task), *_ = worker(queue).tasks
    assert json.loads(task.schema)["features"] == only["features"]
    assert json.loads(task.schema)["left_out"] == [{"name": "job", "reason": "not in the schema that was brought"}]
    press(app, f"{schema_edit_of(app)[0]}_reset")
    assert edit.schema == edit.inferred


def test_another_file_of_the_same_name_begins_with_its_own_columns(open_page: Open) -> None:
    app = opened(open_page)
    choose(app, "job", "left out")
    other = CSV.replace(b"job", b"work")
    app.file_uploader(key="own_upload").set_value(("mine.csv", other, "text/csv"))
    healthy(app.run())
    assert "2 used, 0 left out." in words(app)


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
    assert "2 used, 0 left out." in words(app)


def trained(app: AppTest, queue: TrainingQueue) -> AppTest:
    """A mechanism and advice for what the controls say."""
    press(app, "own_train")
    worker(queue).work()
    return healthy(app.run())


def test_a_result_says_whose_it_is_and_when_the_controls_say_something_else(
    open_page: Open, queue: TrainingQueue
) -> None:
    app = trained(opened(open_page), queue)
    assert "Result for <b>mine.csv</b> · label ill · 10,000 people · ε = 4" in words(app)
    assert "earlier result" not in words(app)
    app.number_input(key="own_epsilon").set_value(2.0)
    healthy(app.run())
    assert "earlier result, for 10,000 people and ε = 4. The controls say 10,000 people and ε = 2" in words(app)
    app.number_input(key="own_epsilon").set_value(4.0)
    healthy(app.run())
    assert "earlier result" not in words(app)
    choose(app, "job", "left out")
    assert "with other columns than the controls have by now" in words(app)
    field(app, "What is to be learnt (the label)").set_value("job").run()
    assert "earlier result for the label ill. The controls say job by now" in words(app)
    other = CSV.replace(b"cook", b"baker")
    app.file_uploader(key="own_upload").set_value(("other.csv", other, "text/csv"))
    healthy(app.run())
    assert "earlier result for mine.csv. The controls say other.csv by now" in words(app).replace("\\", "")


def test_another_file_of_the_same_name_and_columns_is_another_table(open_page: Open, queue: TrainingQueue) -> None:
    """Only its labels differ, which no schema knows."""
    app = trained(opened(open_page), queue)
    lines = CSV.splitlines(keepends=True)
    swapped = lines[0] + b"".join(each.replace(b"no", b"yes") if at == 5 else each for at, each in enumerate(lines[1:]))
    app.file_uploader(key="own_upload").set_value(("mine.csv", swapped, "text/csv"))
    healthy(app.run())
    assert "earlier result for mine.csv. The controls have another table of that name by now" in words(app).replace(
        "\\", ""
    )


def test_a_label_that_cannot_be_learnt_is_said_beside_it_and_nothing_is_trained(open_page: Open) -> None:
    app = open_page("own", table="Your file")
    one = CSV.replace(b"yes", b"no")
    app.file_uploader(key="own_upload").set_value(("mine.csv", one, "text/csv"))
    app.run()
    field(app, "What is to be learnt (the label)").set_value("ill").run()
    (error,) = app.error
    assert "Expected at least two classes, got one" in error.value and app.button(key="own_train").disabled
    field(app, "What is to be learnt (the label)").set_value("job").run()
    assert not app.error and not app.button(key="own_train").disabled


def test_the_mechanism_can_be_trained_again_at_the_epsilon_that_is_advised(
    open_page: Open, queue: TrainingQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What was simulated holds for every ε: it is there again at once, and nothing is simulated anew."""
    app = trained(opened(open_page), queue)
    advice = app.session_state["own_visit"].training.advice
    chosen = next(each for each in advice.of("LocalPrivatiser") if each.mean > advice.majority + 0.02)
    app.slider(key="own_wish").set_value(int(100 * (advice.majority + 0.01)) + 1)
    healthy(app.run())
    button = next(each for each in app.button if each.key == "own_train_at")
    assert chosen.epsilon != 4.0 and "The mechanism below has ε = 4" in words(app)
    wish = app.session_state["own_visit"].training.wish
    healthy(button.click().run())
    monkeypatch.setattr(task_module, "advise", lambda *_, **__: pytest.fail("simulated anew"))
    worker(queue).work()
    healthy(app.run())
    training = app.session_state["own_visit"].training
    assert f"ε = {training.epsilon:g}" in button.label and training.epsilon == app.number_input(key="own_epsilon").value
    assert training.advice is advice and training.wish == wish and "own_train_at" not in [b.key for b in app.button]


def test_a_table_stays_while_another_page_is_looked_at_until_it_is_taken_away(
    open_page: Open, queue: TrainingQueue
) -> None:
    app = opened(open_page)
    app.switch_page("pages/bound.py").run()
    app.switch_page("pages/own.py")
    app.query_params["table"] = "Your file"
    healthy(app.run())
    assert "Still here: mine.csv, 120 rows, 3 columns." in words(app).replace("\\", "")
    assert "This file goes to this server" not in words(app) and "It went to this server" in words(app)
    assert not app.button(key="own_train").disabled
    press(app, "own_take_away")
    assert "Still here" not in words(app) and "This file goes to this server" in words(app)
    assert app.session_state["own_visit"].upload is None


def test_a_table_without_a_curve_says_why_and_has_its_mechanism(
    open_page: Open, queue: TrainingQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(task_module, "WITHIN", -1.0)
    app = trained(opened(open_page), queue)
    said = words(app)
    assert "There is no curve" in said and "One row, in your browser" in said and "Fitted to 120 public rows" in said


def test_how_commas_were_read_is_said_until_the_column_is_changed(open_page: Open) -> None:
    app = open_page("own", table="Your file")
    rows = b"1,94;1.200;no\n0,21;9.950;yes\n2,45;3.100;no\n" * 30
    app.file_uploader(key="own_upload").set_value(("mine.csv", b"share;wage;ill\n" + rows, "text/csv"))
    healthy(app.run())
    assert "wage: its points are read as those of thousands" in words(app).replace("\\", "")
    choose(app, "wage", "left out")
    assert "its points" not in words(app)


def test_edits_of_one_table_are_not_those_of_another_with_the_same_columns(open_page: Open) -> None:
    app = opened(open_page)
    choose(app, "job", "left out")
    lines = CSV.splitlines(keepends=True)
    app.file_uploader(key="own_upload").set_value(("mine.csv", b"".join([lines[0], *lines[:0:-1]]), "text/csv"))
    healthy(app.run())
    assert "2 used, 0 left out." in words(app)


def test_what_is_replaced_or_taken_away_is_not_kept(open_page: Open) -> None:
    app = opened(open_page)
    app.file_uploader(key="own_upload").set_value(("two.csv", CSV.replace(b"cook", b"baker"), "text/csv"))
    healthy(app.run())
    (kept,) = app.session_state["decoded_files"].values()
    assert kept[1].name == "two.csv"
    app.switch_page("pages/bound.py").run()
    app.switch_page("pages/own.py")
    app.query_params["table"] = "Your file"
    press(healthy(app.run()), "own_take_away")
    assert not app.session_state["decoded_files"]


def test_a_full_queue_takes_nothing_away(
    open_page: Open, queue: TrainingQueue, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = trained(opened(open_page), queue)
    before = app.session_state["own_visit"].training

    def full(*_: Any) -> None:
        raise Busy(TOO_MANY)

    monkeypatch.setattr(queue, "submit", full)
    press(app, "own_train")
    assert TOO_MANY in words(app) and app.session_state["own_visit"].training is before
    assert before.advice is not None and before.offered is not None
    app.slider(key="own_wish").set_value(int(100 * before.advice.majority) + 2)
    app.run()
    for button in [each for each in app.button if each.key == "own_train_at"]:
        button.click().run()
        assert app.number_input(key="own_epsilon").value == 4.0
    assert app.session_state["own_visit"].training is before
