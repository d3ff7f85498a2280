"""`rlm fit`, `privatise`, `learn`, `advise`: from files to files, exit codes, and errors by row and column."""

from __future__ import annotations

import hashlib
import hmac
import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rlm_core.cli import main
from rlm_core.data import adult_sample
from rlm_core.data.samples import loan_examples
from rlm_core.privatiser import LocalPrivatiser
from rlm_core.privatiser.advice import Advice, Point
from rlm_core.privatiser.compare import RULE
from rlm_core.report import Report

LABEL = "income-per-year"
ADULT = adult_sample()


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Tables as people have them, a fitted model, and reports."""
    here = tmp_path_factory.mktemp("own")
    ADULT[:1_500].to_csv(here / "public.csv", index=False)
    ADULT[1_500:4_000].to_csv(here / "people.csv", index=False, sep=";")
    ADULT[4_000:4_500].to_parquet(here / "test.parquet")
    call = ["fit", str(here / "public.csv"), "--label", LABEL, "--reports", "2500", "--out", str(here / "mine")]
    assert main(call) == 0
    call = ["privatise", str(here / "people.csv"), "--model", str(here / "mine"), "--out", str(here / "r.parquet")]
    assert main(call) == 0
    return here


def test_fit_says_what_it_made(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    public = ADULT[:800].assign(id=np.arange(800), remark=[f"remark {i}" for i in range(800)])
    public.to_csv(tmp_path / "public.csv", index=False)
    call = ["fit", str(tmp_path / "public.csv"), "--label", LABEL, "--out", str(tmp_path / "mine"), "--epsilon", "2"]
    assert main([*call, "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["classes"] == ["<=50K", ">50K"] and facts["kind"] == "joint bits" and facts["rows"] == 800
    assert [each.split(":")[0] for each in facts["left_out"]][:2] == ["id", "remark"]
    assert main(call) == 2 and "Add --force" in capsys.readouterr().err
    assert main([*call, "--force"]) == 0
    said = capsys.readouterr().out
    assert "note: id: a different whole number in every row" in said and "joint bits" in said
    schema = tmp_path / "mine" / "schema.json"
    edited = tmp_path / "schema.json"
    edited.write_text(schema.read_text(encoding="utf-8").replace('"age"', '"age"'), encoding="utf-8")
    where = ["--device", "cpu", "--checkpoint", str(tmp_path / "half.pt")]
    assert main([*call, "--force", "--schema", str(edited), *where]) == 0
    card = json.loads((tmp_path / "mine" / "card.json").read_text(encoding="utf-8"))
    assert card["parameters"]["device"] == "cpu"


def test_reports_are_whole_and_say_what_was_spent(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reports = pd.read_parquet(folder / "r.parquet")["report"]
    first = json.loads(reports[0])
    assert len(reports) == 2_500 and first["format"] == "rlm-report/2" and first["epsilon"] == 4
    call = ["privatise", str(folder / "test.parquet"), "--model", str(folder / "mine")]
    assert main([*call, "--out", str(folder / "small.jsonl"), "--epsilon", "1", "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["reports"] == 500 and facts["epsilon"] == 1
    assert len((folder / "small.jsonl").read_text(encoding="utf-8").splitlines()) == 500
    assert main([*call, "--out", str(folder / "small.jsonl")]) == 2  # nothing is overwritten
    assert main([*call, "--out", str(folder / "alone.jsonl"), "--no-label"]) == 0
    assert "numbers" in json.loads((folder / "alone.jsonl").read_text(encoding="utf-8").splitlines()[0])


def test_learning_measures_and_keeps(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["learn", str(folder / "r.parquet"), "--model", str(folder / "mine"), "--out", str(tmp_path / "learnt")]
    assert main([*call, "--test", str(folder / "test.parquet"), "--json"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["reports"] == 2_500 and facts["low"] < facts["accuracy"] < facts["high"] and facts["test_rows"] == 500
    assert 0.5 < facts["majority"] < 1.0
    assert (tmp_path / "learnt" / "classifier.safetensors").is_file()
    assert main(call) == 0 and "learnt from 2,500 reports at epsilon = 4" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "code", "message"),
    [
        (["fit", "public.csv", "--label", "wage", "--out", "x"], 2, "Expected the label in age, workclass"),
        (["fit", "nothing.csv", "--label", LABEL, "--out", "x"], 2, "nothing.csv"),
        (["fit", "public.csv", "--label", LABEL, "--epsilon", "-1", "--out", "x"], 2, "epsilon > 0"),
        (["privatise", "bad.csv", "--model", "mine", "--out", "x"], 2, "a number in row 1, column age, got 'old'"),
        (["privatise", "stranger.csv", "--model", "mine", "--out", "x"], 2, f"in row 2, column {LABEL}, got 'rich'"),
        (["privatise", "people.csv", "--model", "nobody", "--out", "x"], 2, "card.json"),
        (
            ["privatise", "people.csv", "--model", "mine", "--epsilon", "inf", "--out", "x"],
            2,
            "nothing would be private",
        ),
        (
            ["privatise", "people.csv", "--model", "mine", "--ledger", "mine", "--out", "x"],
            2,
            "a new folder on this machine",
        ),
        (
            ["privatise", "people.csv", "--model", "mine", "--epsilon", "nan", "--out", "x"],
            2,
            "Expected epsilon > 0, got",
        ),
        (
            ["privatise", "people.csv", "--model", "mine", "--label", LABEL, "--no-label", "--out", "x"],
            2,
            "or --no-label, got both",
        ),
        (["learn", "public.csv", "--model", "mine"], 2, "Report 0 cannot be read"),
        (["learn", "public.parquet", "--model", "mine"], 2, "Expected a column 'report'"),
        (["advise", "public.csv", "--label", LABEL, "--people", "9", "--accuracy", "80"], 2, "0 < accuracy < 1"),
        (["advise", "public.csv", "--label", LABEL, "--people", "0", "--accuracy", ".8"], 2, "people >= 1"),
        (["advise", "public.csv", "--label", "wage", "--people", "9", "--accuracy", ".8"], 2, "got 'wage'"),
        (["advise", "nothing.csv", "--label", "y", "--people", "9", "--accuracy", ".8"], 2, "nothing.csv"),
        (["learn", "nothing.parquet", "--model", "mine"], 2, "nothing.parquet"),
    ],
)
def test_mistakes_are_messages_with_a_code(
    command: list[str],
    code: int,
    message: str,
    folder: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(folder)
    ADULT[:3].assign(age=["31", "old", "27"]).to_csv("bad.csv", index=False)
    ADULT[:3].assign(**{LABEL: ["<=50K", ">50K", "rich"]}).to_csv("stranger.csv", index=False)
    ADULT[:3].to_parquet("public.parquet")
    assert main(command) == code
    error = capsys.readouterr().err
    assert message in error and "Traceback" not in error and not Path("x").exists()


def test_advice_is_an_answer_and_a_page(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = ["advise", str(folder / "public.csv"), "--label", LABEL, "--people", "2000", "--draws", "1", "--splits", "1"]
    page = folder / "advice.html"
    code = main([*call, "--accuracy", "0.1", "--epsilon", "1", "--epsilon", "8", "--json", "--out", str(page)])
    facts = json.loads(capsys.readouterr().out)
    assert code == 0 and facts["epsilon"] == 1 and facts["people"] == 2_000
    assert {point["mechanism"] for point in facts["points"]} >= {"LocalPrivatiser", "Laplace", "Duchi", "codes"}
    text = page.read_text(encoding="utf-8")
    assert text.startswith("<!doctype html>") and "<svg" in text and "LocalPrivatiser" in text
    assert "http" not in text and "<script" not in text  # nothing from elsewhere
    assert main([*call, "--accuracy", "0.999", "--epsilon", "1"]) == 1
    assert "not reached at any epsilon up to 1 " in capsys.readouterr().out


def test_a_file_of_loans_goes_by_a_shipped_mechanism(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    loans = loan_examples().frame[:5].assign(emp_length="n/a")  # a word like others in this column
    loans.assign(outcome=["repaid", "charged off"] * 2 + ["repaid"]).to_csv("loans.csv", index=False)
    loans.to_parquet("loans.parquet")
    call = ["privatise", "loans.csv", "--model", "lending-qrlm-k96", "--epsilon", "4", "--json"]
    assert main([*call, "--out", "reports.parquet"]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["reports"] == 5 and facts["epsilon"] == 4 and facts["ledger"] == "reports.parquet.ledger"
    assert [Report.from_json(each).of for each in pd.read_parquet("reports.parquet")["report"]] == [192] * 5
    charged = json.loads(Path("reports.parquet.ledger/charge.json").read_text(encoding="utf-8"))
    assert charged["input"] == "loans.csv" and (charged["epsilon_x"], charged["epsilon_y"]) == (4, 0)
    key = bytes.fromhex(Path("reports.parquet.ledger/key").read_text(encoding="ascii"))
    assert charged["content"] == hmac.new(key, Path("loans.csv").read_bytes(), hashlib.sha256).hexdigest()
    numbers = ["privatise", "loans.parquet", "--model", "lending-vrlm-l10-eps21", "--epsilon", "8", "--no-label"]
    assert main([*numbers, "--out", "numbers.parquet"]) == 0
    assert len(pd.read_parquet("numbers.parquet")) == 5


def test_a_bad_row_of_loans_charges_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    loan_examples().frame[:3].assign(annual_inc=["1", "much", "3"]).to_csv("loans.csv", index=False)
    call = ["privatise", "loans.csv", "--model", "lending-qrlm-k96", "--epsilon", "4", "--out", "reports.parquet"]
    assert main(call) == 2 and "Expected --label NAME" in capsys.readouterr().err
    assert main([*call, "--no-label"]) == 2 and "column annual_inc, got 'much'" in capsys.readouterr().err
    assert sorted(path.name for path in tmp_path.iterdir()) == ["loans.csv"]


def test_own_reports_have_a_ledger_beside_them_that_is_their_owners_alone(folder: Path) -> None:
    ledger, plain = folder / "r.parquet.ledger", hashlib.sha256((folder / "people.csv").read_bytes()).hexdigest()
    charged = json.loads((ledger / "charge.json").read_text(encoding="utf-8"))
    assert charged["epsilon_x"] == 4 and charged["input"] == "people.csv"
    assert {path.name: path.stat().st_mode & 0o777 for path in (ledger, *ledger.iterdir())} == {
        ledger.name: 0o700,
        "key": 0o600,
        "charge.json": 0o600,
    }
    assert plain not in (ledger / "charge.json").read_text(encoding="utf-8")
    reports = (folder / "r.parquet").read_bytes()
    assert b"people" not in reports and plain.encode() not in reports and charged["content"].encode() not in reports


def test_the_ledger_goes_where_its_owner_says(folder: Path, tmp_path: Path) -> None:
    call = ["privatise", str(folder / "people.csv"), "--model", str(folder / "mine")]
    assert main([*call, "--out", str(tmp_path / "r.jsonl"), "--ledger", str(tmp_path / "safe" / "r")]) == 0
    assert sorted(path.name for path in tmp_path.iterdir()) == ["r.jsonl", "safe"]
    assert sorted(path.name for path in (tmp_path / "safe" / "r").iterdir()) == ["charge.json", "key"]


@pytest.mark.parametrize("ledger", ["r.jsonl", "./r.jsonl", "r.jsonl/x"])
def test_reports_and_ledger_in_one_place_are_refused_before_anything_is_charged(
    ledger: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    call = ["privatise", str(folder / "people.csv"), "--model", str(folder / "mine"), "--out", "r.jsonl"]
    assert main([*call, "--ledger", ledger]) == 2
    assert "Expected a ledger apart from --out 'r.jsonl'" in capsys.readouterr().err and not list(tmp_path.iterdir())


def test_no_ledger_lies_among_reports_that_others_get(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "outbox").mkdir()
    (tmp_path / "outbox" / "job.json").write_text(json.dumps({"block_rows": 9}), encoding="utf-8")
    call = ["privatise", str(folder / "people.csv"), "--model", str(folder / "mine"), "--out"]
    monkeypatch.chdir(tmp_path / "outbox")
    for out in (str(tmp_path / "outbox" / "a.jsonl"), "a.jsonl"):
        assert main([*call, out]) == 2
        assert "holds reports, which others get. Say --ledger" in capsys.readouterr().err
    assert [path.name for path in Path().iterdir()] == ["job.json"]
    assert main([*call, "a.jsonl", "--ledger", str(tmp_path / "safe")]) == 0
    assert sorted(path.name for path in Path().iterdir()) == ["a.jsonl", "job.json"]


@pytest.mark.parametrize("name", ["r.jsonl.ledger", "r.jsonl.ledger.json"])
def test_rows_with_a_ledger_and_no_reports_are_not_charged_again(
    name: str, folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The second name is what version 1.0.0 wrote."""
    (tmp_path / name).write_text("{}")
    call = [
        "privatise",
        str(folder / "people.csv"),
        "--model",
        str(folder / "mine"),
        "--out",
        str(tmp_path / "r.jsonl"),
    ]
    assert main(call) == 2 and f"a new file for --out, got '{name}'" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == [name]


def test_a_mechanism_that_was_fitted_at_infinity_releases_nobodys_rows(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["fit", str(folder / "public.csv"), "--label", LABEL, "--epsilon", "inf", "--out", str(tmp_path / "clear")]
    assert main(call) == 0
    call = ["privatise", str(folder / "test.parquet"), "--model", str(tmp_path / "clear"), "--out"]
    assert main([*call, str(tmp_path / "r.parquet")]) == 2 and "nothing would be private" in capsys.readouterr().err
    assert main([*call, f"{tmp_path}/r/"]) == 2 and "nothing would be private" in capsys.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["clear"]


def test_a_table_without_a_label_is_said_to_teach_nothing(
    folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    call = ["fit", str(folder / "public.csv"), "--out", str(tmp_path / "m")]
    assert main(call) == 0
    assert "No --label was named: reports carry no label, and nothing can be learnt" in capsys.readouterr().out
    assert main([*call, "--force", "--json"]) == 0
    assert [each for each in json.loads(capsys.readouterr().out)["warnings"] if "No --label" in each]


@pytest.mark.parametrize("command", ["fit", "privatise", "learn", "advise"])
def test_the_help_says_the_exit_codes(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    said = capsys.readouterr().out
    assert "2 not done" in said and ("1 answered, but no" in said) == (command == "advise")


def test_advice_claims_no_more_than_its_splits_show() -> None:
    """Ten collections from two splits are no ten independent trials: no confidence level is made of them."""
    point = Point(mechanism=RULE, epsilon=2.0, accuracies=(0.80, 0.82, 0.90, 0.92))
    facts = {"table": "t", "label": "y", "rows": 100, "people": 9, "majority": 0.5, "clean": 0.95, "points": (point,)}
    advice = Advice(**facts, wish=0.75, splits=2)
    said = " ".join(advice.sentences())
    assert "in 4 of 4 simulated collections" in said and "95 % sure" not in said
    assert "from 2 splits of the public rows, with means from 81.0 % to 91.0 %" in said
    assert "one split of the public rows" in " ".join(replace(advice, splits=1).sentences())


def test_what_is_not_there_is_named_plainly(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    assert main(["fit", "nothing.csv", "--out", "x"]) == 2
    assert capsys.readouterr().err == "rlm fit: No such file or directory: 'nothing.csv'\n"
    assert main(["fit", ".", "--out", "x"]) == 2
    assert f"in the folder {tmp_path.name!r}, got none" in capsys.readouterr().err
    call = ["privatise", str(folder / "people.csv"), "--model", str(folder / "mine"), "--out", "no folder/r.parquet"]
    assert main(call) == 2 and "a folder that is there for --out, got 'no folder'" in capsys.readouterr().err
    assert not list(tmp_path.iterdir())  # nothing was charged, nothing written


def test_json_has_no_infinity(folder: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    call = [
        "fit",
        str(folder / "public.csv"),
        "--label",
        LABEL,
        "--epsilon",
        "inf",
        "--out",
        str(tmp_path / "m"),
        "--json",
    ]
    assert main(call) == 0

    def refuse(name: str) -> None:
        raise AssertionError(f"{name} is no JSON")

    assert json.loads(capsys.readouterr().out, parse_constant=refuse)["epsilon"] == "inf"
    with pytest.raises(ValueError, match="a finite epsilon for a page with a form"):
        LocalPrivatiser.load(tmp_path / "m").export(tmp_path / "owner.html")


def test_the_bar_of_privatise_knows_how_many_rows_there_are(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    totals: list[int | None] = []
    monkeypatch.setattr("tqdm.tqdm.reset", lambda bar, total=None: totals.append(total))
    call = [
        "privatise",
        str(folder / "people.csv"),
        "--model",
        str(folder / "mine"),
        "--out",
        str(tmp_path / "r.jsonl"),
    ]
    assert main(call) == 0 and totals == [2_500]


@pytest.mark.parametrize("out", ["r.parquet", "r/"])
def test_what_every_row_will_spend_is_said_before_anything_is_drawn(
    out: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    call = ["privatise", str(folder / "test.parquet"), "--model", str(folder / "mine"), "--out", out]
    said: list[str] = []

    def draw(*_: object, **__: object) -> None:
        said.append(capsys.readouterr().err)
        raise ValueError("Expected nothing, got a draw.")

    monkeypatch.setattr(sys.modules["rlm_core.release"], "_release", draw)
    assert main(call) == 2 and main([*call, "--epsilon", "1.5", "--out", f"b{out}"]) == 2
    assert main([*call, "--json", "--out", f"c{out}"]) == 2
    assert [[line for line in each.splitlines() if "spend" in line] for each in said] == [
        ["each row will spend epsilon = 4"],
        ["each row will spend epsilon = 1.5"],
        [],
    ]


@pytest.mark.parametrize("out", ["r.parquet", "r/"])
def test_a_large_epsilon_is_never_what_a_card_says(
    out: str, folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    privatiser = LocalPrivatiser.load(folder / "mine")
    calls = {}
    for epsilon in (20.0, 1e6):
        privatiser.set_params(epsilon=epsilon).save(tmp_path / f"{epsilon:g}")
        model = ["--model", f"{epsilon:g}", "--out", f"{epsilon:g}-{out}"]
        calls[epsilon] = ["privatise", str(folder / "test.parquet"), *model]
    assert main(calls[20.0]) == 0
    before = sorted(path.name for path in tmp_path.iterdir())
    capsys.readouterr()
    assert main(calls[1e6]) == main([*calls[1e6], "--json"]) == 2
    error = capsys.readouterr().err
    assert "Expected --epsilon with" in error and "fitted for epsilon = 1e+06: above 20" in error
    assert sorted(path.name for path in tmp_path.iterdir()) == before  # no ledger either: nobody was charged
    assert main([*calls[1e6], "--epsilon", "25"]) == 0
    assert "each row will spend epsilon = 25" in capsys.readouterr().err


def test_in_a_table_of_one_column_an_empty_cell_sends_a_report_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    ages = [str(20 + at % 60) for at in range(300)]
    Path("public.csv").write_text("\n".join(["age", *ages, ""]), encoding="utf-8")
    Path("people.csv").write_text("age\n31\n\n27\n\n", encoding="utf-8")
    assert main(["fit", "public.csv", "--out", "mine"]) == 0
    assert main(["privatise", "people.csv", "--model", "mine", "--out", "r.jsonl"]) == 0
    assert len(Path("r.jsonl").read_text(encoding="utf-8").splitlines()) == 4
