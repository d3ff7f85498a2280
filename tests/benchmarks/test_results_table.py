"""Results survive interruption and several writers, and the report says only what the files say."""

from __future__ import annotations

import csv
import errno
import math
import os
from dataclasses import asdict
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from benchmarks import aims, page_tables, report, representations, summary, table
from benchmarks.__main__ import main
from benchmarks.table import COLUMNS, Row
from rlm_core.catalogue import DATASETS


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
    assert table.done("representations", tmp_path) == {row(0).key, row(1, epsilon=4.0).key}


@pytest.mark.slow
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


def _append_all(folder: Path, written: Any) -> None:
    for seed in range(30):
        if table.append(row(seed), folder):
            with written.get_lock():
                written.value += 1


@pytest.mark.slow
def test_two_processes_never_write_the_same_trial_twice(tmp_path: Path) -> None:
    context = get_context("spawn")
    written = context.Value("i", 0)
    writers = [context.Process(target=_append_all, args=(tmp_path, written)) for _ in range(2)]
    for writer in writers:
        writer.start()
    for writer in writers:
        writer.join()
    assert [int(each["seed"]) for each in table.read("representations", tmp_path)] == list(range(30))
    assert written.value == 30 and [writer.exitcode for writer in writers] == [0, 0]


@pytest.mark.parametrize("kept", [1, 30, -1])
def test_a_torn_tail_is_named_and_repaired(tmp_path: Path, kept: int, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "representations.csv"
    for seed in range(2):
        table.append(row(seed), tmp_path)
    whole = path.read_bytes()
    line = whole.splitlines(keepends=True)[-1].replace(b",1,50.0", b",2,50.0")
    path.write_bytes(whole + line[:kept])
    caplog.clear()
    assert table.done("representations", tmp_path) == {row(0).key, row(1).key}
    assert "representations.csv ends with a torn row" in caplog.text
    assert path.read_bytes() == whole + line[:kept]  # reading changes nothing
    table.append(row(2), tmp_path)
    assert path.read_bytes() == whole + line
    caplog.clear()
    assert len(table.read("representations", tmp_path)) == 3 and not caplog.text


def test_a_row_glued_to_half_a_row_is_left_out(tmp_path: Path, caplog: pytest.LogCaptureFixture) -> None:
    path = tmp_path / "representations.csv"
    for seed in range(3):
        table.append(row(seed), tmp_path)
    header, first, second, third = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(header + first[:20] + second + third)
    caplog.clear()
    assert table.done("representations", tmp_path) == {row(2).key}
    assert "line 2 is damaged" in caplog.text
    table.append(row(0), tmp_path)
    assert path.read_bytes() == header + third + first


@pytest.mark.parametrize("fits", [0, 25])
def test_a_full_disk_leaves_the_file_as_it_was(tmp_path: Path, fits: int, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "representations.csv"
    table.append(row(0), tmp_path)
    before, write = path.read_bytes(), os.write

    def full(file: int, data: bytes) -> int:
        if not fits:
            raise OSError(errno.ENOSPC, "No space left on device")
        return write(file, data[:fits])

    with monkeypatch.context() as patched:
        patched.setattr(table.os, "write", full)
        with pytest.raises(OSError) as caught:
            table.append(row(1), tmp_path)
    assert caught.value.errno == errno.ENOSPC and path.read_bytes() == before
    assert table.append(row(1), tmp_path) and len(table.read("representations", tmp_path)) == 2


def test_files_without_draw_and_protocol_are_read_and_brought_up_to_date(tmp_path: Path) -> None:
    path = tmp_path / "representations.csv"
    old = [name for name in COLUMNS if name not in table.LATER_COLUMNS]
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, old, extrasaction="ignore", lineterminator="\n")
        writer.writeheader()
        writer.writerow(asdict(row(0)))
    (values,) = table.read("representations", tmp_path)
    assert (values["draw"], values["protocol"]) == ("0", "1") and table.parse(values) == row(0)
    assert not table.append(row(0), tmp_path)
    assert table.append(row(0, draw=1), tmp_path) and table.append(row(0, protocol=2), tmp_path)
    assert path.read_text().splitlines()[0] == ",".join(COLUMNS)
    assert [table.parse(each) for each in table.read("representations", tmp_path)] == [
        row(0),
        row(0, draw=1),
        row(0, protocol=2),
    ]


def test_a_file_of_something_else_is_refused(tmp_path: Path) -> None:
    (tmp_path / "representations.csv").write_text("a,b\n1,2\n")
    with pytest.raises(ValueError, match="Expected the columns experiment"):
        table.read("representations", tmp_path)


def test_the_report_averages_the_trials(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for seed, accuracy in enumerate((84.0, 86.0, 88.0)):
        table.append(row(seed, accuracy, experiment="data_collection", epsilon=10.0), tmp_path)
    table.append(row(0, 90.0), tmp_path)
    table.append(row(1, 91.0), tmp_path)
    for name in ("audit.json", "speed.json", "scale.json"):
        (tmp_path / name).write_bytes((table.RESULTS / name).read_bytes())
    monkeypatch.setattr(table, "RESULTS", tmp_path)
    page = report.page()
    assert "| V-RLM | 1 | **86.0** ± 2.0<br>86.1 ± 1.0<br>-0.1 |" in page and "All rows are of protocol 1." in page
    assert "all cells: 1 of 1 cells at or above the paper's mean - 1 std" in page
    assert "| MNIST | V-RLM | 90.5 ± 0.7 | 94.9 ± 0.2 | -4.4 |" in page


def test_the_committed_page_is_what_the_committed_results_give(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--markdown"]) == 0
    page = Path(__file__).resolve().parents[2] / "docs" / "results.md"
    assert page.read_text(encoding="utf-8") == capsys.readouterr().out


def test_every_row_has_its_protocol_and_none_a_cell_of_an_older_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for seed in (0, 1):
        table.append(row(seed, 95.0, experiment="private_inference", mechanism="Q-RLM", epsilon=math.inf), tmp_path)
        table.append(row(seed, 42.0, experiment="private_inference", epsilon=4.0), tmp_path)
        table.append(row(seed, 94.0, experiment="private_inference", epsilon=math.inf), tmp_path)
    for seed in (10, 11):
        fields = {"experiment": "private_inference", "mechanism": "Q-RLM", "epsilon": 4.0, "protocol": 2}
        table.append(row(seed, 62.0, **fields), tmp_path)
    monkeypatch.setattr(table, "RESULTS", tmp_path)
    cells = report.measured()["private_inference"]
    assert {(cell.mechanism, cell.epsilon, cell.protocol) for cell in cells} == {
        ("Q-RLM", 4.0, 2),
        ("V-RLM", 4.0, 1),
        ("V-RLM", math.inf, 1),
    }
    lines = report._grid(cells)
    assert any(line.startswith("| Q-RLM | 2 | **62.0**") and line.endswith("|  |") for line in lines)
    assert any(line.startswith("| V-RLM | 1 | **42.0**") for line in lines)
    assert report._older(cells) == "Of protocol 1: V-RLM."


@pytest.mark.parametrize("path", page_tables.PAGES, ids=lambda path: path.name)
def test_tables_in_pages_are_what_results_and_cards_give(path: Path, tmp_path: Path) -> None:
    assert page_tables.page(path) == path.read_text(encoding="utf-8")  # else: python -m benchmarks.page_tables
    (tmp_path / "page.md").write_text("nothing")
    with pytest.raises(ValueError, match="the marks"):
        page_tables.page(tmp_path / "page.md")


def test_aims_stand_beside_what_was_reached(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every aim has a row for each protocol that measured its cell, or one that says that none did."""
    rows = [line.split(" | ") for line in aims.section() if line.startswith("| ")][1:]
    named = {(row[0][2:], row[1], row[2]) for row in rows}
    assert named == {(DATASETS[aim.dataset].title, aim.mechanism, f"{aim.epsilon:g}") for aim in aims.AIMS}
    assert len({tuple(row[:5]) for row in rows}) == len(rows)
    assert all((row[4] == "–") == (row[5] == "not measured") for row in rows)
    monkeypatch.setattr(summary, "cells", lambda experiment, protocol=None: [])
    assert sum("not measured" in line for line in aims.section()) == len(aims.AIMS)


def test_every_committed_row_has_its_origin() -> None:
    rows = table.read(representations.EXPERIMENT)
    assert {each["dataset"] for each in rows} == set(representations.DATASETS)
    for each in rows:
        assert each["version"] and float(each["seconds"]) > 0 and int(each["test_rows"]) > 0
    keys = [(each["dataset"], each["mechanism"], each["epsilon"], each["seed"]) for each in rows]
    assert len(keys) == len(set(keys))


def test_missing_runs_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["representations", "--runs", str(tmp_path)]) == 0
    assert "rlm train mnist-vrlm-l10-learnt --seed 0" in capsys.readouterr().out
