"""What `rlm fit` and `rlm advise` find out before minutes of work: places, devices, and how much there is to do."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from rlm_core.cli import main
from rlm_core.data import adult_sample

LABEL = "income-per-year"


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder where commands are called, with public rows; whatever would take minutes fails."""
    monkeypatch.chdir(tmp_path)
    adult_sample()[:300].to_csv("public.csv", index=False)
    (tmp_path / "work").mkdir()
    (tmp_path / "work" / "thesis.txt").write_text("mine")
    return tmp_path


def never(*_: Any, **__: Any) -> None:
    raise AssertionError("nothing should have been computed")


ADVISE = ["advise", "public.csv", "--label", LABEL, "--people", "2000", "--accuracy", "0.5"]
ADVISE += ["--epsilon", "4", "--draws", "1", "--splits", "1"]
FIT = ["fit", "public.csv", "--label", LABEL]


@pytest.mark.parametrize(
    ("command", "message"),
    [
        ([*ADVISE, "--out", "work"], "Expected a file for --out, got the folder 'work'"),
        ([*ADVISE, "--out", "advice"], "Expected a file that ends in .html for --out, got 'advice'"),
        ([*ADVISE, "--out", "public.csv"], "Expected a file that ends in .html for --out, got 'public.csv'"),
        ([*ADVISE, "--out", "none/advice.html"], "Expected a folder that is there for --out, got 'none'"),
        ([*FIT, "--out", "work"], "Expected a new folder for --out, got 'work', which is there. Add --force"),
        ([*FIT, "--force", "--out", "work"], "got 'work', which has other files: thesis.txt"),
        ([*FIT, "--force", "--out", "public.csv"], "Expected a folder, got the file 'public.csv'"),
        ([*FIT, "--out", "public.csv/mine"], "Expected a folder, got the file 'public.csv' in the path"),
        ([*FIT, "--device", "cuda:7", "--out", "mine"], "Expected a device that is here (cpu"),
        ([*FIT, "--device", "cuda:7", "--kind", "V-RLM", "--out", "mine"], "or auto, got device='cuda:7'."),
        ([*FIT, "--checkpoint", "none/half.pt", "--out", "mine"], "a folder that is there for checkpoint, got 'none'"),
    ],
)
def test_what_could_not_be_kept_is_not_computed(
    command: list[str], message: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rlm_core.privatiser.LocalPrivatiser._public_records", never)
    monkeypatch.setattr("rlm_core.privatiser.advice.advise", never)
    assert main(command) == 2
    said = capsys.readouterr()
    assert (
        message in said.err and not said.out and sorted(path.name for path in here.iterdir()) == ["public.csv", "work"]
    )


@pytest.mark.parametrize("command", [[*ADVISE, "--out", "advice.htm"], [*FIT, "--out", "mine"]])
def test_a_place_that_cannot_be_written(
    command: list[str], here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert main(command) == 2 and "Expected a place that can be written, got " in capsys.readouterr().err


def test_an_answer_is_there_before_its_report_is_written(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def full(*_: Any, **__: Any) -> None:
        raise OSError(28, "No space left on device", "advice.html")

    assert main([*ADVISE, "--out", "advice.html"]) == 0
    said = capsys.readouterr().out
    assert said.endswith("report: advice.html\n")
    assert "public.csv" in Path("advice.html").read_text(encoding="utf-8")
    monkeypatch.setattr(Path, "write_text", full)
    assert main([*ADVISE, "--out", "advice.html"]) == 2
    again = capsys.readouterr()
    assert again.out == said.removesuffix("report: advice.html\n") and "No space left" in again.err
    assert main([*ADVISE, "--out", "advice.html", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["table"] == "public.csv"


@pytest.mark.parametrize("label", [LABEL, "race", "age"])
def test_how_much_there_is_to_simulate_is_said_before(
    label: str, here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("rlm_core.privatiser.compare.Rehearsal.accuracy", lambda *_: 0.6)
    totals: set[int] = set()
    monkeypatch.setattr("tqdm.tqdm.update", lambda bar, done: totals.add(bar.total))
    call = ["advise", "public.csv", "--label", label, "--people", "900", "--accuracy", "0.5", "--epsilon", "4"]
    assert main([*call, "--epsilon", "4", "--epsilon", "2", "--splits", "3", "--draws", "2", "--json"]) == 0
    said, (total,) = capsys.readouterr().err, totals
    assert said.count("simulating") == 1
    assert f"rlm advise: simulating {total} cells (mechanisms × epsilons × splits), collections in each: 2" in said
    assert (f"is {label} the right label?" in said) == (label == "age")
