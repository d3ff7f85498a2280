"""Where bulk work reads and writes, what it refuses before anything is drawn, and rows read as one file's are."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from benchmarks.scale.people import LABEL
from rlm_core.bulk.blocks import find_blocks, find_inputs
from rlm_core.bulk.job import Job, read_ledger
from rlm_core.bulk.run import privatise_files
from rlm_core.bulk.source import load_source
from rlm_core.cli import main
from rlm_core.privatiser import LocalPrivatiser


def job(here: Path, out: Path, **changes: object) -> Job:
    settings = {"model": str(here / "mine"), "epsilon": 4.0, "out": str(out), "block_rows": 250, "label": LABEL}
    return Job(**(settings | changes))  # type: ignore[arg-type]


@pytest.mark.parametrize("out", ["people", "."])
def test_peoples_rows_do_not_lie_where_their_reports_go(here: Path, tmp_path: Path, out: str) -> None:
    people = tmp_path / "people"
    people.mkdir()
    np.save(people / "rows.npy", np.zeros((30, 4)))
    pd.read_parquet(here / "people" / "b.parquet").to_parquet(people / "b.parquet")
    for name in ("b.parquet", "rows.npy"):
        with pytest.raises(ValueError, match=f"another folder for --out than that of the rows, got .*{name}"):
            privatise_files(job(here, tmp_path / out), find_inputs(str(people / name)), workers=1)
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["b.parquet", "people", "rows.npy"]


def test_reports_do_not_go_into_the_mechanisms_folder(here: Path, tmp_path: Path) -> None:
    before = sorted((here / "mine").iterdir())
    for out in (here / "mine", here / "mine" / "reports"):
        with pytest.raises(ValueError, match="another folder for --out than the mechanism's"):
            privatise_files(job(here, out), find_inputs(str(here / "people")), workers=1)
    assert sorted((here / "mine").iterdir()) == before


def test_nobody_in_a_csv_file_is_left_out_in_silence(
    here: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    frame = pd.read_parquet(here / "people" / "b.parquet")
    frame.to_parquet(tmp_path / "a.parquet")
    frame.to_csv(tmp_path / "b.csv", index=False)
    call = ["privatise", "--model", str(here / "mine"), "--out", str(tmp_path / "out") + "/", "--workers", "1"]
    for table in (tmp_path, tmp_path / "b.csv"):
        assert main([*call, str(table)]) == 2
        said = capsys.readouterr().err
        assert "Expected .parquet or .npy files, got" in said and "b.csv. Bulk work reads no CSV" in said
    assert not (tmp_path / "out").exists()
    assert main([*call, str(tmp_path / "*.parquet")]) == 0  # a pattern says which are meant


def test_a_resumed_run_has_the_label_that_it_began_with(here: Path, tmp_path: Path) -> None:
    """Two columns of the same classes: half of the reports would be of the other one."""
    frame = pd.read_parquet(here / "people" / "b.parquet")
    frame.assign(other=frame[LABEL].to_numpy()[::-1]).to_parquet(tmp_path / "people.parquet", index=False)
    inputs, out = find_inputs(str(tmp_path / "people.parquet")), tmp_path / "out"
    privatise_files(job(here, out), inputs, workers=1)
    with pytest.raises(ValueError, match="the same mechanism, epsilon, label and .* got another column of labels"):
        privatise_files(job(here, out, label="other"), inputs, workers=1)
    assert LABEL not in (out / "job.json").read_text()
    assert privatise_files(job(here, out), inputs, workers=1).new_parts == 0


def test_a_folder_that_does_not_name_its_label_yet_is_continued(here: Path, tmp_path: Path) -> None:
    inputs, out = find_inputs(str(here / "people" / "b.parquet")), tmp_path / "out"
    privatise_files(job(here, out), inputs, workers=1)
    for about in (out / "job.json", tmp_path / "out.ledger" / "job.json"):
        lines = about.read_text().splitlines(keepends=True)
        about.write_text("".join(line for line in lines if '"label"' not in line))
    assert privatise_files(job(here, out), inputs, workers=1).new_parts == 0
    assert len(read_ledger(str(out))[1]) == 3


def test_a_parquet_file_is_read_as_by_itself(here: Path, tmp_path: Path) -> None:
    """A column that was the index when pandas wrote the file, names with spaces, a label with one."""
    frame = pd.read_parquet(here / "people" / "b.parquet")
    frame.set_index("age").rename(columns={LABEL: f" {LABEL} "}).to_parquet(tmp_path / "index.parquet")
    (block,) = find_blocks(find_inputs(str(tmp_path / "index.parquet"))[0])
    h, y = load_source(str(here / "mine"), 4.0, LABEL, None).encode(block)
    one = LocalPrivatiser.load(here / "mine")
    np.testing.assert_array_equal(h, one.method_.encoder(one.encode_table(tmp_path / "index.parquet")))
    assert y is not None and y.tolist() == [one.class_names.index(label) for label in frame[LABEL]]
