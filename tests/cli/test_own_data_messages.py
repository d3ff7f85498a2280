"""What the commands for own data say: errors that name file and way out, help that is true, bars with a total."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from rlm_core.cli import main
from rlm_core.data import adult_sample
from rlm_core.data.samples import loan_examples
from rlm_core.learning.loop import Progress
from rlm_core.privatiser import LocalPrivatiser
from rlm_core.tables import files

LABEL = "income-per-year"
ADVISE = ["advise", "public.csv", "--label", LABEL, "--people", "2000", "--accuracy", "0.5"]
ADVISE += ["--epsilon", "4", "--draws", "1", "--splits", "1"]
FIT = ["fit", "public.csv", "--label", LABEL, "--out", "mine", "--reports", "9000"]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where commands are called, with public rows."""
    monkeypatch.chdir(tmp_path)
    adult_sample()[:300].to_csv("public.csv", index=False)
    return tmp_path


class Terminal(io.StringIO):
    """An error stream where bars are shown."""

    def isatty(self) -> bool:
        return True


def on_terminal(command: list[str], monkeypatch: pytest.MonkeyPatch) -> str:
    """What a command that succeeds says there."""
    stream = Terminal()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", stream)
        assert main(command) == 0
    return stream.getvalue()


@pytest.mark.parametrize("command", [FIT, ADVISE], ids=["fit", "advise"])
def test_a_schema_that_cannot_be_used_is_named(
    command: list[str], here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "latin.json").write_bytes('{"größe": 1}'.encode("latin-1"))
    (here / "folder.json").mkdir()
    (here / "other.json").write_text("{}")
    for name, words in {
        "latin.json": "Expected a schema in UTF-8 for --schema, got 'latin.json', which is not",
        "folder.json": "Expected a schema for --schema, got 'folder.json', which cannot be read: Is a directory",
        "none.json": "Expected a schema for --schema, got 'none.json', which cannot be read: No such file",
        "other.json": "Expected the JSON of a schema",
    }.items():
        assert main([*command, "--schema", name]) == 2
        said = capsys.readouterr().err
        assert words in said and f"{name!r}" in said and "codec" not in said and "Errno" not in said


def test_a_schema_with_a_mark_of_its_bytes_is_read(here: Path) -> None:
    assert main(FIT) == 0
    text = (here / "mine" / "schema.json").read_text(encoding="utf-8")
    (here / "edited.json").write_text(text, encoding="utf-8-sig")
    assert main([*FIT, "--force", "--schema", "edited.json"]) == 0


def test_too_many_people_for_one_file_are_sent_to_bulk_work_that_takes_them(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(FIT) == 0
    monkeypatch.setattr(files, "MOST_ROWS", 50)
    people = adult_sample()[300:360]
    people.to_csv("people.csv", index=False)
    people.to_parquet("people.parquet")
    loan_examples().frame.sample(51, replace=True, random_state=0).to_csv("loans.csv", index=False)
    for table, model in (("people.csv", "mine"), ("people.parquet", "mine"), ("loans.csv", "lending-qrlm-k96")):
        call = ["privatise", table, "--model", model, "--epsilon", "4", "--out", "reports.parquet"]
        before = sorted(here.iterdir())
        assert main(call) == 2
        said = capsys.readouterr().err
        assert "rows for one file of reports, got more. Save them as parquet" in said and "sample" not in said
        assert sorted(here.iterdir()) == before  # nobody was charged
    call = ["privatise", "people.parquet", "--model", "mine", "--out", "reports/", "--workers", "1"]
    assert main([*call, "--block-rows", "40", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["reports"] == 60


def test_public_rows_that_are_too_many_are_to_be_sampled(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(files, "MOST_ROWS", 50)
    assert main(FIT) == 2 and "Take a random sample of them" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("label", "more", "message"),
    [
        ("name", [], "Expected at most 100 classes, got 300"),
        (LABEL, ["--people", "0"], "people >= 1"),
        (LABEL, ["--accuracy", "80"], "0 < accuracy < 1"),
    ],
)
def test_what_is_refused_was_not_announced(
    label: str, more: list[str], message: str, here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    adult_sample()[:300].assign(name=[f"person {at}" for at in range(300)]).to_csv("public.csv", index=False)
    assert main([*ADVISE, "--label", label, *more]) == 2
    said = capsys.readouterr().err
    assert message in said and "simulating" not in said and "right label?" not in said


def said_by_help(command: str, capsys: pytest.CaptureFixture[str]) -> str:
    with pytest.raises(SystemExit):
        main([command, "--help"])
    return " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize("command", ["fit", "privatise", "learn", "advise"])
def test_the_help_says_how_rows_are_counted(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert "counted from 0: row 0 is the first below the header" in said_by_help(command, capsys)


def test_the_help_says_which_mechanisms_and_pictures_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    assert "every mechanism (the V-RLM only with --vrlm)" in said_by_help("advise", capsys)
    said = said_by_help("privatise", capsys)
    assert "goes to one file, and so do pictures (a folder of them, or one) by a model of your own" in said
    assert "or pictures for a shipped model are bulk work" in said


def test_own_pictures_go_to_one_file_as_the_help_says(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    for at in range(40):
        folder = here / "pictures" / ("dark", "light")[at % 2]
        folder.mkdir(parents=True, exist_ok=True)
        pixels = np.random.default_rng(at).integers(0, 128, (8, 8)) + 127 * (at % 2)
        Image.fromarray(pixels.astype(np.uint8)).save(folder / f"{at}.png")
    assert main(["fit", "pictures", "--label", "folder", "--out", "seen", "--reports", "9000"]) == 0
    call = ["privatise", "pictures", "--model", "seen", "--out"]
    assert main([*call, "reports.jsonl"]) == 0 and len(Path("reports.jsonl").read_text().splitlines()) == 40
    for more in (["--workers", "1"], ["--block-rows", "9"]):
        assert main([*call, "more.jsonl", *more]) == 2 and "own pictures" in capsys.readouterr().err


def test_where_no_network_trains_there_is_no_bar(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Not even beside a warning, after which all bars are drawn again."""
    said = on_terminal([*FIT, "--reports", "20"], monkeypatch)
    assert "warning: " in said and "train" not in said


def test_where_a_network_trains_its_bar_has_a_total(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fit = LocalPrivatiser.fit

    def slow(self: LocalPrivatiser, *given: Any, progress: Any) -> LocalPrivatiser:
        for step in (1, 2):
            progress(Progress(epoch=2, epochs=3, step=step, steps=5, train_loss=0.0, valid_loss=None, seconds=0.0))
        return fit(self, *given)

    monkeypatch.setattr(LocalPrivatiser, "fit", slow)
    drawn = [each for each in on_terminal(FIT, monkeypatch).split("\r") if each.startswith("train")]
    assert drawn and all("/15 [" in each for each in drawn)


def test_the_bar_of_advice_has_a_total_from_the_start(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rlm_core.privatiser.compare.Rehearsal.accuracy", lambda *_: 0.6)
    said = on_terminal(ADVISE, monkeypatch)
    cells = int(said.partition("simulating ")[2].split()[0])
    drawn = [each for each in said.split("\r") if each.startswith("simulate")]
    assert "| 0/" in drawn[0] and all(f"/{cells} [" in each for each in drawn)


def test_learning_counts_its_steps_and_foretells_no_time(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert main(FIT) == 0
    assert main(["privatise", "public.csv", "--model", "mine", "--out", "r.jsonl"]) == 0
    said = on_terminal(["learn", "r.jsonl", "--model", "mine", "--test", "public.csv"], monkeypatch)
    assert "load (0 of 3 steps done)" in said and "done (3 of 3 steps done)" in said
    assert "step/s" not in said and "s/step" not in said and "%|" not in said
