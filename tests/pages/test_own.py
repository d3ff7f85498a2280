"""The page for one's own table, without a browser: what it says before an upload, the schema, a training, the result.

Trainings run in this process, one step at a time, instead of in another.
"""

from __future__ import annotations

import io
import tomllib
import zipfile
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from own_driver import CSV, choose, field, opened, press, trained, worker
from page_driver import Open, healthy, words

from rlm_core.privatiser.advice import Point
from rlm_core.privatiser.compare import RULE
from rlm_core.privatiser.plan import KINDS
from ui.app.decoding import decode
from ui.app.work_queue import TOO_MANY, Busy
from ui.own import task as task_module
from ui.own.kit import kit, kit_commands
from ui.own.queue import TrainingQueue, offered
from ui.own.tables import LIMITS, read_upload
from ui.own.task import Advice, Fitted

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.usefixtures("queue")


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
    assert "asked for; without privacy" in said and "Train" in app.button(key="own_train").label
    app.slider(key="own_wish").set_value(99)
    healthy(app.run())
    training = app.session_state["own_visit"].training
    (commands,) = [each.value for each in app.code if "--schema mine" in each.value]
    assert "--accuracy 0.99" in commands and "rlm advise --vrlm" in said
    with zipfile.ZipFile(io.BytesIO(kit(training, training.wish))) as archive:
        assert "99.0" in archive.read("advice.html").decode()
        told = archive.read("README.txt").decode()
        assert commands in told and "rlm learn reports.jsonl --model mine --test test.csv --skip" in told
    assert "99.0" in words(app) and "not reached at any ε up to 8" in words(app) or "smallest of the grid" in words(app)
    token = app.session_state["own_visit"].training.offered.token
    assert offered(token) is not None
    press(app, "own_forget")
    assert "What you will get" in words(app) and offered(token) is None
    assert "Fitted to" not in words(app) and "asked for; without" not in words(app) and "own-answer" not in words(app)


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


def test_another_kind_than_the_rules_can_be_trained_where_it_is_better(open_page: Open, queue: TrainingQueue) -> None:
    """The advice was ε = 6 where a curve beside it reached the wish at 1.5, and nobody could have that mechanism."""
    app = trained(opened(open_page), queue)
    training = app.session_state["own_visit"].training
    other = Point(mechanism="joint selection", epsilon=0.5, accuracies=(1.0,) * 10)
    points = [each for each in training.advice.points if each.mechanism not in KINDS]
    ruled = [replace(each, accuracies=(0.5,) * 10) if each.mechanism == RULE else each for each in points]
    training.advice = replace(training.advice, rows=9_000, points=(*ruled, other))
    app.slider(key="own_wish").set_value(95)
    healthy(app.run())
    assert "joint selection, reaches it at ε = 0.5" in words(app)
    button = next(each for each in app.button if each.key == "own_train_other")
    assert button.label == "Train joint selection at ε = 0.5"
    healthy(button.click().run())
    worker(queue).work()
    healthy(app.run())
    training = app.session_state["own_visit"].training
    assert training.fitted.privatiser.plan_.kind == training.kind == "joint selection" and training.epsilon == 0.5
    assert "joint selection, which the rule did not choose" in words(app)
    assert "own_train_other" not in [each.key for each in app.button]
    assert "--kind 'joint selection'" in kit_commands(training, 0.95)


@pytest.mark.parametrize(
    ("key", "value", "said"),
    [
        ("own_people", 50, "Expected 100 to 200,000 people, got 50."),
        ("own_people", 9_999_999, "got 9,999,999."),
        ("own_epsilon", 0.0, "Expected an ε of 0.1 to 20, got 0."),
        ("own_epsilon", 21.0, "got 21."),
    ],
)
def test_a_number_out_of_range_is_said_and_nothing_is_trained(
    open_page: Open, queue: TrainingQueue, key: str, value: float, said: str
) -> None:
    """The browser kept it to itself, and the button trained with the number before."""
    app = opened(open_page)
    app.number_input(key=key).set_value(value)
    (error,) = app.run().error
    assert said in error.value.replace("\\", "") and app.button(key="own_train").disabled
    app.number_input(key=key).set_value(200 if key == "own_people" else 2.0)
    healthy(app.run())
    assert not app.error and not app.button(key="own_train").disabled


def test_a_result_beside_controls_that_cannot_be_trained_on_says_no_more_than_that(
    open_page: Open, queue: TrainingQueue
) -> None:
    """It said that there was no table, and to train again."""
    app = trained(opened(open_page), queue)
    app.number_input(key="own_people").set_value(50)
    (warning,) = app.run().warning
    assert "The controls, as they are now, cannot be trained on." in warning.value and "again" not in warning.value


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
