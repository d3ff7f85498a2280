"""Tables from files: encodings, separators, and what is wrong with a bad one."""

from __future__ import annotations

import gzip
import io
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rlm_core.tables import TableError, TableSchema, read_table
from rlm_core.tables.arrays import array_table
from rlm_core.tables.files import MOST_ROWS, Limits, check_frame, read_bytes

CSV = "age,job\n31,cook\n45,nurse\n27,cook\n"


@pytest.mark.parametrize(
    "data",
    [
        CSV.encode(),
        CSV.encode("utf-8-sig"),
        CSV.encode("utf-16"),
        CSV.encode("utf-16-le"),
        CSV.encode("utf-16-be"),
        CSV.replace(",", ";").encode(),
        CSV.replace(",", "\t").encode(),
        CSV.replace(",", " | ").encode(),
        CSV.replace("\n", "\r\n").encode(),
        gzip.compress(CSV.encode(), mtime=0),
        ("\n\n" + CSV + "\n").encode(),
        CSV.replace("cook", '"cook"').encode(),
    ],
)
def test_the_same_table_in_every_spelling(data: bytes, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_bytes(data)
    frame = read_table(tmp_path / "table.csv")
    assert list(frame.columns) == ["age", "job"]
    assert [value.strip() for value in frame["job"]] == ["cook", "nurse", "cook"]
    assert TableSchema.infer(frame).read(frame)["age"].tolist() == [31, 45, 27]


@pytest.mark.parametrize("line_end", ["\n", "\r\n"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-16-le"])
def test_an_empty_cell_of_the_only_column_is_a_row(encoding: str, line_end: str) -> None:
    """Its row vanished, and whoever sent nothing had told so. The break after the last row begins none."""
    for text, cells in (
        ("age\n31\n\n45\n   \n50\n", ["31", "", "45", "", "50"]),
        ("\nage\n31\n50", ["31", "50"]),
        ("age\n\n31\n\n", ["", "31", ""]),
        ('age\n""\n31\n', ["", "31"]),
    ):
        assert read_bytes(text.replace("\n", line_end).encode(encoding))["age"].tolist() == cells
    two = "age;job\n31;cook\n\n;\n45;nurse\n\n".replace("\n", line_end)  # there a blank line has no cells at all
    assert read_bytes(two.encode(encoding))["age"].tolist() == ["31", "", "45"]


@pytest.mark.parametrize("cell", [[1, 2], {"a": 1}])
def test_cells_that_hold_lists_are_refused_by_the_name_of_their_column(tmp_path: Path, cell: object) -> None:
    pd.DataFrame({"age": [1, 2], "many": [cell, cell]}).to_parquet(tmp_path / "table.parquet")
    with pytest.raises(TableError, match="column many, got"):
        read_table(str(tmp_path / "table.parquet"))


def test_parquet_and_one_row(tmp_path: Path) -> None:
    frame = pd.DataFrame({"age": [31, 45], "job": ["cook", "nurse"]})
    frame.to_parquet(tmp_path / "table.parquet")
    assert read_table(str(tmp_path / "table.parquet")).equals(frame)
    assert read_table({"age": 31, "job": "cook"}).shape == (1, 2)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "without text"),
        (b"<!DOCTYPE html><html><body>sign in</body></html>", "web page"),
        (b"a,b\n1,2\n1,2,3,4\n", "got 4 in line 3"),
        (b"  \n \n", "without text"),
        (b"a,b\n", "header alone"),
        (b"a,a\n1,2\n", "every column name once, got 'a' 2 times"),
        (b"a,b\n1,2,3\n", "2 cells in each row"),
        (b"a,b\n\xe9,2\n", "got the byte 0xe9 in line 2"),
        (b"a\0b,c\n1,2\n", "zero bytes"),
        (b"PK\x03\x04rest", "an Excel workbook"),
        (b"PAR1 not really", "damaged"),
        (b"\x1f\x8bnot gzip", "damaged"),
        (b'a,b\n"1,2\n', "2 cells in each row"),
    ],
)
def test_bad_files_say_what_is_wrong(data: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / "table.csv").write_bytes(data)
    with pytest.raises(TableError, match=message):
        read_table(tmp_path / "table.csv")


def test_bad_frames_say_what_is_wrong() -> None:
    with pytest.raises(TableError, match="at least one column"):
        read_table(pd.DataFrame(index=range(3)))
    with pytest.raises(TableError, match="'1' 2 times"):
        read_table(pd.DataFrame([[1, 2]], columns=[1, "1"]))
    with pytest.raises(TableError, match="MultiIndex"):
        read_table(pd.DataFrame([[1, 2]], columns=pd.MultiIndex.from_tuples([("a", "b"), ("a", "c")])))
    with pytest.raises(TableError, match="at most 1,000,000 rows"):
        check_frame(pd.DataFrame({"a": np.zeros(MOST_ROWS + 1, dtype=np.int8)}))
    with pytest.raises(TableError, match="at most 5,000 columns"):
        check_frame(pd.DataFrame(np.zeros((1, 5_001), dtype=np.int8)))
    with pytest.raises(TableError, match="type int"):
        read_table(3)  # type: ignore[arg-type]
    with pytest.raises(FileNotFoundError):
        read_table("there is no such file.csv")


def test_pictures_become_columns() -> None:
    frame = array_table(np.arange(24).reshape(2, 3, 4))
    assert frame.shape == (2, 12) and frame.iloc[1].tolist() == list(range(12, 24))
    with pytest.raises(TableError, match="array of numbers"):
        array_table([1, 2, 3])
    assert array_table([[[1, 2], [3, 4]]]).iloc[0].tolist() == [1, 2, 3, 4]
    assert array_table(np.zeros((2, 3)).tolist()).dtypes.tolist() == [np.float64] * 3


@pytest.mark.parametrize(
    "rows", [[[1, 2], [3]], [[1], (2, 3)], [np.zeros(2), np.zeros(3)], [np.eye(2), np.zeros((2, 3))]]
)
def test_rows_of_different_lengths_are_refused(rows: list[Any]) -> None:
    with pytest.raises(TableError, match="Expected rows with the same number of cells, got rows of different lengths"):
        array_table(rows)


def test_what_is_masked_is_missing() -> None:
    """Also in a list, whose rows or cells may be masked; what is not numbers or objects is refused, masked or not."""
    row = np.ma.array([31, 45], mask=[0, 1])
    for rows in (np.ma.array([row]), [row], [[31, np.ma.masked]]):
        assert TableSchema.read(
            TableSchema.infer(pd.DataFrame({"x0": [1, 2], "x1": [1, 2]})), array_table(rows)
        ).equals(pd.DataFrame({"x0": [31.0], "x1": [np.nan]}))
    days = np.array([["2020-01-01", "2020-01-02"]], dtype="datetime64[D]")
    for given in (days, np.ma.array(days, mask=[[0, 1]])):
        with pytest.raises(TableError, match="Expected an array of numbers"):
            array_table(given)


def test_a_small_parquet_file_that_unpacks_to_much_is_refused() -> None:
    """Each long text is stored once in the file and named by every row."""
    buffer = io.BytesIO()
    pd.DataFrame({"note": ["x" * 3000] * 50_000}).to_parquet(buffer)
    assert len(buffer.getvalue()) < 2**20
    with pytest.raises(TableError, match="MB of cells"):
        read_bytes(buffer.getvalue(), Limits(bytes=10 * 2**20))
    numbers = io.BytesIO()
    pd.DataFrame({"n": range(50_000)}).to_parquet(numbers)
    assert len(read_bytes(numbers.getvalue(), Limits(bytes=10 * 2**20))) == 50_000


def test_a_header_may_have_the_other_separators_in_quotes() -> None:
    data = 'alter;"Einkommen, netto, in €";"Ort | Kreis, ""Land"""\n49;3051,32;Hof\n'
    assert list(read_bytes(data.encode()).columns) == ["alter", "Einkommen, netto, in €", 'Ort | Kreis, "Land"']
    assert list(read_bytes(b'size 5" or 6",b\n1,2\n3,4\n').columns) == ['size 5" or 6"', "b"]
