"""Blocks: every row once, whatever the row groups, and a keyed digest of what they hold."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from rlm_core.bulk.blocks import find_blocks, find_inputs
from rlm_core.tables.errors import TableError


@pytest.mark.parametrize(("group", "most"), [(300, 1_000), (300, 650), (300, 100), (1_000, 170), (7, 50)])
def test_every_row_is_in_one_block(group: int, most: int, tmp_path: Path) -> None:
    path = tmp_path / "people.parquet"
    pd.DataFrame({"id": np.arange(1_000), "word": ["a", "b"] * 500}).to_parquet(path, row_group_size=group)
    blocks = find_blocks(str(path), most)
    assert [block.number for block in blocks] == list(range(len(blocks))) and max(b.rows for b in blocks) <= most
    batches = [list(block.batches(64)) for block in blocks]
    found = np.concatenate([batch.column(0).to_numpy() for each in batches for batch in each])
    assert found.tolist() == list(range(1_000))
    assert [sum(map(len, each)) for each in batches] == [block.rows for block in blocks]
    assert len({block.content(b"key") for block in blocks}) == len(blocks)
    assert not {block.content(b"key") for block in blocks} & {block.content(b"another") for block in blocks}


def test_rows_of_an_array(tmp_path: Path) -> None:
    values = np.arange(50 * 6, dtype=np.float32).reshape(50, 2, 3)
    np.save(tmp_path / "x.npy", values)
    blocks = find_blocks(str(tmp_path / "x.npy"), 20)
    assert [block.rows for block in blocks] == [20, 20, 10]
    again = np.concatenate([batch for block in blocks for batch in block.batches(8)])
    assert np.array_equal(again, values)
    before = [block.content(b"key") for block in blocks]
    values[25] += 1
    np.save(tmp_path / "x.npy", values)
    after = [block.content(b"key") for block in find_blocks(str(tmp_path / "x.npy"), 20)]
    assert [left == right for left, right in zip(before, after, strict=True)] == [True, False, True]


def test_inputs_are_found_once_and_sorted(here: Path) -> None:
    names = [path.rsplit("/", 1)[-1] for path in find_inputs(str(here / "people"))]
    assert names == ["a.parquet", "b.parquet"]
    assert find_inputs(f"{here}/people/*.parquet") == find_inputs(f"file://{here}/people")
    with pytest.raises(FileNotFoundError, match=r"\.parquet or \.npy"):
        find_inputs(f"{here}/people/*.csv")


def test_damaged_files_are_errors_with_their_name(tmp_path: Path) -> None:
    for name, data in (("x.parquet", b"PAR1 no"), ("x.npy", b"no")):
        (tmp_path / name).write_bytes(data)
        with pytest.raises(TableError, match=name):
            find_blocks(str(tmp_path / name))
    np.save(tmp_path / "flat.npy", np.zeros(4))
    with pytest.raises(TableError, match=r"\(n, …\)"):
        find_blocks(str(tmp_path / "flat.npy"))
    with pytest.raises(ValueError, match="at least 1 row"):
        find_blocks(str(tmp_path / "flat.npy"), 0)
