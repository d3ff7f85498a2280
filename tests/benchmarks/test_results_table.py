"""Results survive interruption and several writers, and the report says only what the files say."""

from __future__ import annotations

import csv
import math
from multiprocessing import get_context
from pathlib import Path

import pytest

from benchmarks import report, representations, table
from benchmarks.__main__ import main
from benchmarks.table import COLUMNS, Row


def row(seed: int = 0, accuracy: float = 50.0, **changes: object) -> Row:
    fields = {
        "experiment": "representations",
        "dataset": "mnist",
        "mechanism": "V-RLM",
        "epsilon": math.inf,
        "seed": seed,
        "accuracy": accuracy,
        "train_rows": 10,
        "test_rows": 5,
        "seconds": 1.0,
        "version": "0",
    }
    return Row(**(fields | changes))  # type: ignore[arg-type]


def _append_many(folder: Path, first: int) -> None:
    for seed in range(first, first + 50):
        table.append(row(seed), folder)


def test_rows_come_back_as_they_were_written(tmp_path: Path) -> None:
    assert table.read("representations", tmp_path) == []
    table.append(row(0, 12.5), tmp_path)
    table.append(row(1, 13.5, epsilon=4.0), tmp_path)
    rows = table.read("representations", tmp_path)
    assert tuple(rows[0]) == COLUMNS
    assert [float(each["accuracy"]) for each in rows] == [12.5, 13.5]
    assert table.done("representations", tmp_path) == {("mnist", "V-RLM", math.inf, 0), ("mnist", "V-RLM", 4.0, 1)}
    assert row(0).key in table.done("representations", tmp_path)


def test_two_processes_may_append_to_one_file(tmp_path: Path) -> None:
    context = get_context("spawn")
    writers = [context.Process(target=_append_many, args=(tmp_path, first)) for first in (0, 50)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    with (tmp_path / "representations.csv").open(newline="") as file:
        lines = list(csv.reader(file))
    assert lines.count(list(COLUMNS)) == 1
    assert sorted(int(line[4]) for line in lines[1:]) == list(range(100))


def test_the_report_averages_the_trials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed, accuracy in enumerate((84.0, 86.0, 88.0)):
        table.append(row(seed, accuracy, experiment="data_collection", epsilon=10.0), tmp_path)
    table.append(row(0, 90.0), tmp_path)
    table.append(row(1, 91.0), tmp_path)
    for name in ("audit.json", "speed.json"):
        (tmp_path / name).write_bytes((table.RESULTS / name).read_bytes())
    monkeypatch.setattr(table, "RESULTS", tmp_path)
    page = report.page()
    assert "| V-RLM | **86.0** ± 2.0<br>86.1 ± 1.0<br>-0.1 |" in page
    assert "all cells: 1 of 1 cells at or above the paper's mean - 1 std" in page
    assert "| MNIST | V-RLM | 90.5 ± 0.7 | 94.9 ± 0.2 | -4.4 |" in page


def test_the_committed_page_is_what_the_committed_results_give(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--markdown"]) == 0
    page = Path(__file__).resolve().parents[2] / "docs" / "results.md"
    assert page.read_text(encoding="utf-8") == capsys.readouterr().out


def test_every_committed_row_has_its_origin() -> None:
    rows = table.read(representations.EXPERIMENT)
    assert {each["dataset"] for each in rows} == set(representations.DATASETS)
    for each in rows:
        assert each["version"] and float(each["seconds"]) > 0 and int(each["test_rows"]) > 0
    keys = [(each["dataset"], each["mechanism"], each["epsilon"], each["seed"]) for each in rows]
    assert len(keys) == len(set(keys))


def test_missing_runs_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["representations", "--runs", str(tmp_path)]) == 0
    assert "python -m rlm_core.training mnist-vrlm-l10-learnt --seed 0" in capsys.readouterr().out
