"""The columns on the page for one's own table: edited one by one, or all of them as a file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from own_driver import CSV, apply, choose, field, opened, press, schema_edit_of, worker
from page_driver import Open, healthy, words

from ui.own.queue import TrainingQueue
from ui.own.task import Fitted

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("queue")


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
