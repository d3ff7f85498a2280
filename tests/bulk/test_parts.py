"""Parts: what was sent, as columns, and back to the same reports."""

from __future__ import annotations

import io
import json
import math
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from rlm_core import L1Clip, LaplaceNoise, RandomisedResponse
from rlm_core.baselines.duchi import Duchi
from rlm_core.bulk import parts
from rlm_core.bulk.parts import LEAST, UNPACKED, part_bytes, read_part, to_table
from rlm_core.mechanism import RLM
from rlm_core.owner.joint import JointSelection
from rlm_core.owner.joint_bits import JointBits
from rlm_core.owner.pairs import PairSelection
from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.release import Releases, release_rows
from rlm_core.tables.errors import TableError

N, D = 40, 11
H = np.random.default_rng(0).normal(size=(N, D))
Y = np.arange(N) % 2
NUMBERS = RLM(
    name="numbers",
    encoder=lambda x: x,
    noise=LaplaceNoise(epsilon=2.0, clip=L1Clip(radius=3.0)),
    input_dim=D,
    output_dim=D,
)
CODES = RLM(name="codes", encoder=lambda x: x, noise=SubsetSelection(epsilon=1.0, symbols=D), input_dim=D, output_dim=D)
LOW, HIGH = (-1.0,) * D, (1.0,) * D
SENT = {
    "numbers": release_rows(H, mechanism=NUMBERS),
    "numbers, label": release_rows(H, Y, mechanism=NUMBERS, labels=RandomisedResponse(epsilon=1.0, classes=2)),
    "Duchi": release_rows(H, mechanism=Duchi(epsilon=2.0, dimension=D)),
    "codes": release_rows(H, mechanism=CODES),
    "pairs": release_rows(H, Y, mechanism=CODES, pairs=PairSelection(epsilon=1.0, codes=D, classes=2)),
    "bits": release_rows(H, Y, mechanism=NUMBERS, pairs=JointBits(epsilon=4.0, low=LOW, high=HIGH)),
    "selection": release_rows(
        H, Y, mechanism=NUMBERS, pairs=JointSelection(epsilon=1.0, classes=2, low=LOW, high=HIGH)
    ),
}


@pytest.mark.parametrize("sent", SENT.values(), ids=SENT)
def test_every_kind_comes_back(sent: Releases) -> None:
    again = read_part(part_bytes(sent))
    assert [report.to_json() for report in again] == [report.to_json() for report in sent]
    assert np.array_equal(again.z_private, sent.z_private)


def test_sets_are_packed_bits_and_nothing_is_repeated() -> None:
    table = to_table(SENT["pairs"])
    assert table.column_names == ["set"] and table.schema.field("set").type.byte_width == 3  # 22 pairs
    members = SENT["pairs"].payload.members
    assert members is not None and table["set"][5].as_py() == np.packbits(members[5]).tobytes()
    assert to_table(SENT["bits"]).column_names == ["symbol", "coordinate"]
    assert to_table(SENT["numbers, label"]).column_names == ["numbers", "label"]


def test_another_file_is_an_error() -> None:
    with pytest.raises(TableError, match="rlm-reports/1"):
        read_part(b"no")
    buffer = io.BytesIO()
    pq.write_table(to_table(SENT["codes"]).replace_schema_metadata({}), buffer)
    with pytest.raises(TableError, match="rlm-reports/1"):
        read_part(buffer.getvalue())


def altered(sent: Releases, **shared: Any) -> bytes:
    """A part whose reports share something else, or lack it (None)."""
    table = to_table(sent)
    about = json.loads(table.schema.metadata[b"rlm"]) | shared
    return parquet(table.replace_schema_metadata({b"rlm": json.dumps(about)}))


def parquet(table: pa.Table) -> bytes:
    buffer = io.BytesIO()
    pq.write_table(table, buffer, compression="zstd")
    return buffer.getvalue()


@pytest.mark.parametrize(
    "shared",
    [
        *({"epsilon_x": epsilon} for epsilon in ("nan", "2", -1, 0, math.nan, None, True, [2])),
        {"epsilon_y": -1},
        {"epsilon_y": 1.0},  # without a label
        *({"mechanism": name} for name in (5, "", "a\nb", None)),
        *({"digest": digest} for digest in (None, "0" * 31, 7)),
        *({"of": of} for of in (None, "x", 1, 3, 2**40)),
        {"format": ["x" * 10_000]},
    ],
    ids=str,
)
def test_what_no_report_has_no_part_has(shared: dict[str, Any]) -> None:
    for kind in ("pairs", "bits"):
        with pytest.raises(TableError, match="rlm-reports/1") as raised:
            read_part(altered(SENT[kind], **shared))
        assert len(str(raised.value)) < 300


@pytest.mark.parametrize(
    ("column", "values"),
    [
        ("symbol", pa.array([2**30] * N, pa.uint32())),
        ("symbol", pa.array([None] * N, pa.uint8())),
        ("symbol", pa.array([0] * N, pa.int64())),
        ("coordinate", pa.array([2**32 - 1] * N, pa.uint32())),  # a tally would have a place for each
        ("more", pa.array(["text"] * N)),
        ("numbers", pa.array([[math.nan]] * N, pa.list_(pa.float64(), 1))),
    ],
)
def test_columns_that_nobody_sends(column: str, values: pa.Array) -> None:
    table = to_table(SENT["bits"])
    kept = table.drop_columns([column]) if column in table.column_names else table
    with pytest.raises(TableError, match="rlm-reports/1"):
        read_part(parquet(kept.append_column(column, values)))


def test_a_small_part_that_unpacks_to_much_is_refused_before(monkeypatch: pytest.MonkeyPatch) -> None:
    about = to_table(SENT["bits"]).schema.metadata
    zeros = np.zeros(20_000_000, dtype=np.uint8)
    many = parquet(pa.table({"symbol": zeros, "coordinate": zeros}).replace_schema_metadata(about))
    wide = pa.FixedSizeListArray.from_arrays(pa.array(np.zeros(2_000_000)), 10_000)
    large = parquet(pa.table({"numbers": wide}).replace_schema_metadata(about))
    assert len(many) < 130_000 and len(large) < 50_000
    monkeypatch.setattr(parts, "LEAST", 2**23)
    monkeypatch.setattr(pq.ParquetFile, "read", lambda *_, **__: pytest.fail("it was read"))
    with pytest.raises(TableError, match="20,000,000 reports in"):
        read_part(many)
    with pytest.raises(TableError, match="15 MB of columns in"):
        read_part(large)


def test_the_bounds_allow_what_is_sent() -> None:
    """The sparsest sets there are, one of 9,600 pairs, in a block of 65,536 rows and in larger ones."""
    pairs = PairSelection(epsilon=12.0, codes=96, classes=100)
    codes = replace(CODES, noise=SubsetSelection(epsilon=1.0, symbols=96), input_dim=96, output_dim=96)
    h = np.random.default_rng(0).normal(size=(2_000, 96))
    sent = release_rows(h, np.arange(2_000) % 100, mechanism=codes, pairs=pairs)
    assert to_table(sent).nbytes < UNPACKED * len(part_bytes(sent))
    assert 65_536 * 9_600 / 8 < LEAST
