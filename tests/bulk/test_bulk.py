"""Exactly one report for each record, charged once: in good runs, after crashes, in races, on several processes."""

from __future__ import annotations

import json
import pickle
import shutil
import traceback
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from distributed import LocalCluster
from distributed.core import error_message
from distributed.protocol import pickle as distributed_pickle

from benchmarks.scale import runs
from benchmarks.scale.people import LABEL, write_tables
from benchmarks.scale.runs import digests, look, privatise
from rlm_core.bulk import job as job_module
from rlm_core.bulk import source as source_module
from rlm_core.bulk.blocks import find_blocks, find_inputs
from rlm_core.bulk.job import Job, read_ledger, run_block
from rlm_core.bulk.ledger import Charge, LedgerFolder, beside
from rlm_core.bulk.parts import read_part
from rlm_core.bulk.run import part_names, privatise_files
from rlm_core.bulk.store import Folder
from rlm_core.bulk.tallying import tally_parts
from rlm_core.cli import main
from rlm_core.data.samples import mnist_samples

ROWS = 1_100  # see conftest.py
BLOCKS = 8


def job(here: Path, out: Path | str, **changes: object) -> Job:
    settings = {"model": str(here / "mine"), "epsilon": 4.0, "out": str(out), "block_rows": 250, "label": LABEL}
    return Job(**(settings | changes))  # type: ignore[arg-type]


def entries(out: Path) -> tuple[int, int]:
    """How many blocks were charged, and published."""
    names = [path.name for path in Path(beside(str(out)), "charges").glob("*")]
    return sum(name.endswith(".json") for name in names), sum(name.endswith(".published") for name in names)


def test_a_report_for_every_row_and_a_charge_for_every_block(here: Path, tmp_path: Path) -> None:
    found = privatise_files(job(here, tmp_path), find_inputs(str(here / "people")), workers=1)
    assert (found.rows, found.parts, found.new_parts, found.blocks_charged) == (ROWS, BLOCKS, BLOCKS, BLOCKS)
    state = look(tmp_path, ROWS)
    assert (state.reports, state.lost, state.doubled, state.ledger_exact) == (ROWS, 0, 0, True)
    ledger, charges = read_ledger(str(tmp_path))
    assert {ledger.spent(each.name) for each in charges} == {4.0} and sum(each.rows for each in charges) == ROWS
    reports = [report for name in part_names(str(tmp_path)) for report in read_part((tmp_path / name).read_bytes())]
    assert len(reports) == ROWS and {(report.epsilon, report.digest) for report in reports} == {(4.0, found.digest)}


def test_the_same_call_again_draws_and_charges_nothing(here: Path, tmp_path: Path) -> None:
    inputs = find_inputs(str(here / "people"))
    steps: list[tuple[int, int]] = []
    privatise_files(job(here, tmp_path), inputs[:1], workers=1)
    before = digests(tmp_path)
    found = privatise_files(job(here, tmp_path), inputs, workers=1, progress=lambda *step: steps.append(step))
    assert (found.new_parts, found.blocks_charged, found.parts) == (3, 3, BLOCKS)
    assert before.items() <= digests(tmp_path).items() and look(tmp_path, ROWS).ledger_exact
    assert steps[-1] == (ROWS, ROWS) and len(steps) == BLOCKS


def test_a_block_that_died_after_its_charge_is_not_charged_again(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block, *_) = find_blocks(find_inputs(str(here / "people"))[0], 250)
    this = job(here, tmp_path)
    this.start()

    def die(*_: object, **__: object) -> bytes:
        raise KeyboardInterrupt

    for step in ("release_rows", "part_bytes"):  # before the draw, and between draw and publication
        with monkeypatch.context() as patch:
            patch.setattr(job_module, step, die)
            with pytest.raises(KeyboardInterrupt):
                run_block(this, block)
        assert len(read_ledger(str(tmp_path))[1]) == 1 and part_names(str(tmp_path)) == []
    done = run_block(this, block)
    assert done.published and not done.charged and len(read_ledger(str(tmp_path))[1]) == 1


def test_a_draw_whose_part_was_taken_before_its_mark_is_published_again_not_drawn_again(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Killed between part and mark, and the collector takes the part away before the next call."""
    (block, *_) = find_blocks(find_inputs(str(here / "people"))[0], 250)
    this = job(here, tmp_path)
    this.start()

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(LedgerFolder, "mark", die)
        with pytest.raises(KeyboardInterrupt):
            run_block(this, block)
    (name,) = part_names(str(tmp_path))
    taken = (tmp_path / name).read_bytes()
    (tmp_path / name).unlink()
    done = run_block(this, block)
    assert done.published and not done.charged and (tmp_path / name).read_bytes() == taken
    assert list(Path(this.ledger_path).glob("drawn/*")) == []
    assert not run_block(this, block).published and len(read_ledger(str(tmp_path))[1]) == 1


def test_of_three_workers_the_first_draw_that_is_kept_is_the_part(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One dies with its draw kept and nothing published; another had drawn by then."""
    (block, *_) = find_blocks(find_inputs(str(here / "people"))[0], 250)
    this, keep, drawn = job(here, tmp_path), LedgerFolder.keep, []
    this.start()

    def overtaken(ledger: LedgerFolder, charge: Charge, part: bytes) -> bool:
        other = keep(ledger, charge, b"the draw of one who died")
        drawn.append(part)
        return other and keep(ledger, charge, part)

    monkeypatch.setattr(LedgerFolder, "keep", overtaken)
    done = run_block(this, block)
    (name,) = part_names(str(tmp_path))
    assert done.published and len(drawn) == 1 and (tmp_path / name).read_bytes() == b"the draw of one who died"


def test_of_two_workers_with_one_block_the_second_deletes_its_draw(
    here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (block, *_) = find_blocks(find_inputs(str(here / "people"))[0], 250)
    this, draw, first = job(here, tmp_path), job_module.part_bytes, []

    def overtaken(releases: object) -> bytes:
        monkeypatch.setattr(job_module, "part_bytes", draw)
        first.append(run_block(this, block))  # the other worker does the whole block while this one holds its draw
        return draw(releases)  # type: ignore[arg-type]

    this.start()
    monkeypatch.setattr(job_module, "part_bytes", overtaken)
    second = run_block(this, block)
    assert first[0].published and not second.published and second.charged and not first[0].charged
    assert look(tmp_path, block.rows).ledger_exact and len(part_names(str(tmp_path))) == 1


def test_a_bad_row_costs_nothing_and_stops_nobody(here: Path, tmp_path: Path) -> None:
    frame = pd.read_parquet(here / "people" / "b.parquet")
    frame.loc[320, LABEL] = "rich"
    (tmp_path / "people").mkdir()
    frame.to_parquet(tmp_path / "people" / "b.parquet", index=False, row_group_size=100)
    out = tmp_path / "out"
    with pytest.raises(ValueError, match=r"got 'rich'. \(block 3 of .*b.parquet, counted from row 0\)"):
        privatise_files(job(here, out, block_rows=100), find_inputs(str(tmp_path / "people")), workers=1)
    assert len(read_ledger(str(out))[1]) == len(part_names(str(out))) == 3  # the others, and no charge for this one
    frame.loc[320, LABEL] = "<=50K"
    frame.to_parquet(tmp_path / "people" / "b.parquet", index=False, row_group_size=100)
    found = privatise_files(job(here, out, block_rows=100), find_inputs(str(tmp_path / "people")), workers=1)
    assert found.new_parts == 1 and look(out, 400).ledger_exact


def test_what_would_be_a_second_release_is_refused(here: Path, tmp_path: Path) -> None:
    people = tmp_path / "people"
    people.mkdir()
    frame = pd.read_parquet(here / "people" / "b.parquet")
    frame.to_parquet(people / "b.parquet", index=False)
    out, inputs = tmp_path / "out", find_inputs(str(people))
    privatise_files(job(here, out), inputs, workers=1)
    for change in ({"epsilon": 1.0}, {"block_rows": 100}, {"label": None}, {"label": "sex"}):
        with pytest.raises(ValueError, match="a new folder, and spends again"):
            privatise_files(job(here, out, **change), inputs, workers=1)
    frame.assign(age=frame["age"] + 1).to_parquet(people / "b.parquet", index=False)
    with pytest.raises(ValueError, match="the file has changed"):
        privatise_files(job(here, out), inputs, workers=1)
    frame.to_parquet(people / "b.parquet", index=False)
    (out / part_names(str(out))[0]).unlink()
    with pytest.raises(ValueError, match="was published and is gone"):
        privatise_files(job(here, out), inputs, workers=1)
    assert len(read_ledger(str(out))[1]) == 2


def test_any_fsspec_path(here: Path) -> None:
    folder = "memory://bulk/people"
    for name in ("a", "b"):
        Folder(folder).create(f"{name}.parquet", (here / "people" / f"{name}.parquet").read_bytes())
    out = "memory://bulk/reports"
    found = privatise_files(job(here, out), find_inputs(folder), workers=1)
    assert (found.rows, found.parts) == (ROWS, BLOCKS) and len(read_ledger(out)[1]) == BLOCKS
    assert tally_parts(out).people == ROWS


def test_shipped_mechanisms_take_pictures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    np.save(tmp_path / "digits.npy", mnist_samples().images[:60])
    call = ["privatise", str(tmp_path / "digits.npy"), "--model", "mnist-vrlm-l10-eps33", "--epsilon", "4"]
    assert main([*call, "--out", str(tmp_path / "out"), "--workers", "1"]) == 2
    assert "--no-label" in capsys.readouterr().err
    assert main([*call, "--out", str(tmp_path / "out"), "--workers", "1", "--no-label", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["reports"] == 60
    (sent,) = (read_part((tmp_path / "out" / name).read_bytes()) for name in part_names(str(tmp_path / "out")))
    assert sent.mechanism == "mnist-vrlm-l10-eps33" and sent.payload.numbers is not None
    pictures = pd.DataFrame({"picture": list(mnist_samples().images[:60].reshape(60, -1)), "label": np.arange(60) % 10})
    pictures.to_parquet(tmp_path / "digits.parquet")
    call = ["privatise", str(tmp_path / "digits.parquet"), "--model", "mnist-qrlm-k12", "--epsilon", "4"]
    assert main([*call, "--out", f"{tmp_path}/pairs/", "--workers", "1", "--label", "label", "--json"]) == 0
    (pairs,) = (read_part((tmp_path / "pairs" / name).read_bytes()) for name in part_names(str(tmp_path / "pairs")))
    assert pairs.payload.members is not None and pairs.payload.members.shape == (60, 120)


def test_from_files_to_a_classifier(here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_tables(tmp_path / "people", 20_000)
    call = ["privatise", f"{tmp_path}/people/*.parquet", "--model", str(here / "mine"), "--out", f"{tmp_path}/out/"]
    assert main([*call, "--workers", "1"]) == 0
    assert "20,000 reports in 1 parts, 1 of them new" in capsys.readouterr().out
    learn = ["learn", f"{tmp_path}/out", "--model", str(here / "mine"), "--out", str(tmp_path / "learnt"), "--json"]
    assert main([*learn, "--test", str(here / "people" / "a.parquet")]) == 0
    facts = json.loads(capsys.readouterr().out)
    assert facts["reports"] == 20_000 and facts["accuracy"] > 0.77  # the larger class has about 0.76


@pytest.mark.slow
def test_a_worker_killed_in_the_middle_three_times(here: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """kill -9 between a block's charge and its publication: none lost, none doubled, the ledger exact."""
    monkeypatch.setattr(runs, "_entries", entries)
    rows = 90_000
    write_tables(tmp_path / "people", rows)
    out = tmp_path / "out"
    options = ("--block-rows", "3000")
    run = privatise(str(tmp_path / "people"), str(here / "mine"), out, *options, workers=2, kills=3)
    state = look(out, rows)
    assert run.kills == 3 and run.facts["reports"] == rows
    assert (state.reports, state.lost, state.doubled, state.ledger_exact) == (rows, 0, 0, True)
    assert [path.name for path in tmp_path.rglob(".*.tmp")] == []
    again = privatise(str(tmp_path / "people"), str(here / "mine"), out, *options, workers=2)
    assert again.facts["new_parts"] == again.facts["blocks_charged"] == 0


@pytest.mark.parametrize("act", [shutil.move, shutil.copy])
def test_a_file_that_was_moved_or_copied_is_not_charged_again(
    here: Path, tmp_path: Path, act: Callable[..., object]
) -> None:
    people, out = tmp_path / "people", tmp_path / "out"
    shutil.copytree(here / "people", people)
    privatise_files(job(here, out), find_inputs(str(people)), workers=1)
    before = digests(out)
    first = Path(find_inputs(str(people))[0].removeprefix("file://"))
    act(first, people / f"elsewhere{first.suffix}")
    with pytest.raises(ValueError, match=r"which was charged\. A moved or copied file holds the same people"):
        privatise_files(job(here, out), find_inputs(str(people)), workers=1)
    assert digests(out) == before and look(out, ROWS).ledger_exact


SECRET = "Jane Doe, 12 Elm St"


@pytest.fixture(params=[LABEL, "age", "unreadable"])
def janes(request: Any, here: Path, tmp_path: Path) -> Path:
    """A file in which a cell says who she is, as a label, as a number, and where our own words do not come first."""
    frame = pd.read_parquet(here / "people" / "b.parquet").astype({"age": object})
    frame.loc[7, LABEL if request.param == LABEL else "age"] = SECRET
    path = tmp_path / "janes.parquet"
    frame.astype({"age": str}).to_parquet(path, index=False)
    if request.param == "unreadable":
        request.getfixturevalue("monkeypatch").setattr(source_module, "label_numbers", fail)
    return path


def fail(labels: object, classes: object) -> None:
    raise KeyError(SECRET)


def test_an_error_that_leaves_for_a_cluster_does_not_say_what_is_in_a_row(
    here: Path, janes: Path, tmp_path: Path, request: Any
) -> None:
    this, (block,) = job(here, tmp_path / "out", block_rows=500), find_blocks(f"file://{janes}", 500)
    this.start()
    with pytest.raises((ValueError, KeyError), match=SECRET):  # on the owner's machine
        run_block(this, block)
    with pytest.raises(ValueError, match=r"\(block 0 of .*janes.parquet, counted from row 0\)") as raised:
        run_block(this, block, quotes=False)
    said = str(raised.value)
    assert "row 7, column" in said and "got something else." in said or "can be read, got an error (KeyError)" in said
    assert raised.value.__cause__ is raised.value.__context__ is None
    sent = error_message(raised.value)  # what Dask sends, whose pickles keep what is chained
    again = distributed_pickle.loads(distributed_pickle.dumps(raised.value))
    for each in (raised.value, again):
        assert each.__cause__ is each.__context__ is None
    assert SECRET.encode() not in pickle.dumps(sent) and "Jane" not in repr(sent) and "Jane" not in str(again)


def test_on_a_cluster_the_head_gets_no_cell(here: Path, tmp_path: Path) -> None:
    frame = pd.read_parquet(here / "people" / "b.parquet")
    frame.loc[7, LABEL] = SECRET
    frame.to_parquet(tmp_path / "janes.parquet", index=False)
    settings: dict[str, Any] = {"n_workers": 1, "processes": False, "dashboard_address": None, "memory_limit": 0}
    with (
        LocalCluster(**settings) as cluster,
        pytest.raises(ValueError, match=r"row 7, column .*, got something else\. \(block 0") as raised,
    ):
        privatise_files(
            job(here, tmp_path / "out"),
            find_inputs(str(tmp_path / "janes.parquet")),
            scheduler=cluster.scheduler_address,
        )
    assert "Jane" not in "".join(traceback.format_exception(raised.value))
