"""Parts: what was sent, as columns, and back to the same reports."""

from __future__ import annotations

import io

import numpy as np
import pyarrow.parquet as pq
import pytest

from rlm_core import L1Clip, LaplaceNoise, RandomisedResponse
from rlm_core.baselines.duchi import Duchi
from rlm_core.bulk.parts import part_bytes, read_part, to_table
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
