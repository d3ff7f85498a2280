"""Tables from files: CSV in the usual spellings, parquet; and frames, checked the same way.

Everything in a CSV file is read as text; what is a number or a date is decided once for a column
(``infer``), not by the reader, row by row.
"""

from __future__ import annotations

import csv
import gzip
import io
import re
import warnings
import zlib
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from rlm_core.tables.decimals import SEPARATOR
from rlm_core.tables.errors import TableError, TooManyRows

MOST_ROWS = 1_000_000
MOST_COLUMNS = 5_000
UNPACKED = 4
"""Times the bytes of a file: numbers of eight bytes that were written with two or three digits."""
SEPARATORS = ",;\t|"
_HEADER = 2**20  # characters in which the header ends
_QUOTED = re.compile(rf'(^|[{SEPARATORS}]) *"(?:[^"]|"")*"')
SHORT = "short rows"
"""The attribute of a frame that says how many rows of its file ended before the header does."""


@dataclass(frozen=True, kw_only=True)
class Limits:
    """How large a file may be. What can be counted before cells are read is refused before: bytes, columns, rows."""

    bytes: int = 2**32
    rows: int = MOST_ROWS
    columns: int = MOST_COLUMNS
    cells: int = MOST_ROWS * MOST_COLUMNS

    def check(self, rows: int, columns: int) -> None:
        """Raise if a table of that size is too large."""
        if columns > self.columns:
            raise TableError(f"Expected at most {self.columns:,} columns, got {columns:,}.")
        if rows > self.rows:
            raise TooManyRows(f"Expected at most {self.rows:,} rows, got more. Take a random sample of them.")
        if rows * columns > self.cells:
            raise TableError(
                f"Expected at most {self.cells:,} cells, got {columns:,} columns with more rows than that allows. "
                "Take a random sample of the rows, or leave columns out."
            )


LIBRARY = Limits()


_OTHER_KINDS = {
    b"PK\x03\x04": "an Excel workbook or a zip archive: save the table as CSV",
    b"\xd0\xcf\x11\xe0": "an old Excel workbook: save the table as CSV",
    b"%PDF": "a PDF document",
    b"\x89PNG": "a picture",
    b"\xff\xd8\xff": "a picture",
}

Source = pd.DataFrame | Mapping[str, Any] | str | Path


def read_table(source: Source) -> pd.DataFrame:
    """A frame from a file (CSV, also gzipped; parquet), from a frame, or from one row as a mapping.

    CSV may be UTF-8 or UTF-16, with or without a byte order mark (UTF-16 without one is known by its zero bytes, if
    most letters are Latin), divided by comma, semicolon, tabulator or bar. Column names are text and different; there
    are 1 to 1,000,000 rows.

    Raises:
        TableError: The file or frame cannot be used; the message says why.
        FileNotFoundError: There is no such file.
    """
    if isinstance(source, pd.DataFrame):
        return check_frame(source)
    if isinstance(source, Mapping):
        many = next(
            (name for name, value in source.items() if isinstance(value, list | tuple | np.ndarray | pd.Series)), None
        )
        if many is not None:
            raise TableError(f"Expected one row as a mapping, got many values in column {many}: pass a DataFrame.")
        return check_frame(pd.DataFrame({name: pd.Series([value], dtype=object) for name, value in source.items()}))
    if not isinstance(source, str | Path):
        raise TableError(f"Expected a DataFrame, a file or a mapping, got a value of type {type(source).__name__}.")
    return read_bytes(Path(source).read_bytes())


def read_bytes(data: bytes, limits: Limits = LIBRARY) -> pd.DataFrame:
    """The table in a file's bytes: CSV, also gzipped, or parquet."""
    if data.startswith(b"\x1f\x8b"):
        data = _unpacked(data, limits.bytes)
    if len(data) > limits.bytes:
        raise TableError(f"Expected at most {limits.bytes / 2**20:,.0f} MB (unpacked), got more.")
    frame = check_frame(_read_parquet(data, limits) if data.startswith(b"PAR1") else read_csv(data, limits))
    limits.check(len(frame), len(frame.columns))
    return frame


def _unpacked(data: bytes, most: int) -> bytes:
    """What a gzip file holds, up to one byte more than is allowed: a small file can hold gigabytes."""
    try:
        with gzip.open(io.BytesIO(data)) as file:
            return file.read(most + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise TableError(f"Expected a whole gzip file, got a damaged one: {error}.") from None


def _read_parquet(data: bytes, limits: Limits) -> pd.DataFrame:
    """Its own table of contents says how many rows and columns there are, before anything is read."""
    import pyarrow
    import pyarrow.parquet

    try:
        contents = pyarrow.parquet.read_metadata(io.BytesIO(data))
        limits.check(contents.num_rows, contents.num_columns)
        _check_unpacked(sum(contents.row_group(i).total_byte_size for i in range(contents.num_row_groups)), limits)
        for column in contents.schema.to_arrow_schema():
            if pyarrow.types.is_nested(column.type):
                raise TableError(
                    f"Expected words, numbers or dates in column {column.name[:80]}, got {str(column.type)[:80]}."
                )
        _check_unpacked(pyarrow.parquet.read_table(io.BytesIO(data)).nbytes, limits)
        return with_index(pd.read_parquet(io.BytesIO(data)))
    except (MemoryError, TableError):
        raise
    except (OSError, ValueError, TypeError, KeyError, ArithmeticError, pyarrow.ArrowException) as error:
        raise TableError(f"Expected a whole parquet file, got a damaged one: {str(error)[:200]}.") from None


def with_index(frame: pd.DataFrame) -> pd.DataFrame:
    """pandas hides columns of a file that were an index when it was written: they are columns like the others."""
    return frame.reset_index() if any(name is not None for name in frame.index.names) else frame


def _check_unpacked(size: int, limits: Limits) -> None:
    """A cell that is kept once and named a million times takes its place a million times."""
    if size > UNPACKED * limits.bytes:
        most = UNPACKED * limits.bytes / 2**20
        raise TableError(f"Expected at most {most:,.0f} MB of cells, got {size / 2**20:,.0f} MB (unpacked).")


def read_csv(data: bytes, limits: Limits = LIBRARY) -> pd.DataFrame:
    """The cells of a CSV file, all as text; one row more than is allowed at most.

    In a file of one column an empty line is a row whose cell is missing, like any other: if it sent nothing, that would
    tell. Only the break after the last row begins none.
    """
    text = decode(data)
    separator = _separator(text)
    try:
        header = next(iter(csv.reader(io.StringIO(text, newline=""), delimiter=separator)))
    except csv.Error as error:
        raise TableError(f"Expected a CSV file with a header: {error}.") from None
    names = [name.strip() for name in header]
    _check_names(names)
    limits.check(0, len(names))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error")  # pandas only warns where a row has more cells than the header
            frame = pd.read_csv(
                io.StringIO(text, newline=""),
                sep=separator,
                names=names,
                header=0,
                dtype=str,
                na_filter=False,
                index_col=False,
                skip_blank_lines=len(names) > 1,
                skipinitialspace=True,
                nrows=min(limits.rows, limits.cells // len(names)) + 1,
            )
            frame.attrs[SEPARATOR] = separator
            if len(names) > 1:
                frame.attrs[SHORT] = _short_rows(text, separator, frame)
            return frame
    except (pd.errors.ParserError, pd.errors.ParserWarning, pd.errors.EmptyDataError, csv.Error, ValueError) as error:
        raise TableError(f"Expected a CSV file with {len(names)} cells in each row, {_ragged(error)}") from None


def _short_rows(text: str, separator: str, frame: pd.DataFrame) -> int:
    """Rows with fewer cells than the header. pandas fills them up, and an empty cell looks the same."""
    columns = len(frame.columns)
    if '"' not in text and text.count(separator) == (len(frame) + 1) * (columns - 1):
        return 0
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator, skipinitialspace=True)
    try:
        return sum(len(row) < columns and any(row) for row in islice(rows, 1, None))
    except csv.Error:  # a cell that is too long for this reader, and was none for pandas
        return 0


def notes_of_rows(frame: pd.DataFrame) -> tuple[str, ...]:
    """What is to be said of rows that have fewer cells than the header: spreadsheets write such, and so does a cut.

    >>> notes_of_rows(read_csv(b"age,job\\n35,cook\\n41\\n"))
    ('rows of the file that end before its last column: 1; what they lack is read as missing',)
    """
    count = frame.attrs.get(SHORT, 0)
    what = f"rows of the file that end before its last column: {count:,}; what they lack is read as missing"
    return (what,) if count else ()


def _ragged(error: Exception) -> str:
    """Where a row has too many cells, without the parser's own words."""
    found = re.search(r"in line (\d+), saw (\d+)", str(error))
    if found:
        return f"got {found[2]} in line {found[1]}. A text with the separator in it needs quotes."
    if isinstance(error, pd.errors.ParserWarning):
        return "got more in some row. A text with the separator in it needs quotes."
    return f"got one that cannot be read: {str(error).removeprefix('Error tokenizing data. C error: ')}"


def decode(data: bytes) -> str:
    """The text of a file: UTF-8 or UTF-16."""
    for start, kind in _OTHER_KINDS.items():
        if data.startswith(start):
            raise TableError(f"Expected a CSV or parquet file, got {kind}.")
    encoding = "utf-16" if data.startswith((b"\xff\xfe", b"\xfe\xff")) else _unmarked(data)
    try:
        text = data.decode(encoding)
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise TableError(
            f"Expected text in UTF-8 or UTF-16, got the byte 0x{data[error.start]:02x} in line {line}. "
            "Save the table as “CSV UTF-8”."
        ) from None
    if "\0" in text:
        raise TableError("Expected a CSV file, got binary data: it has zero bytes.")
    if not text.strip():
        raise TableError("Expected a table, got a file without text.")
    if text.lstrip().lower().startswith(("<!doctype", "<html", "<?xml")):
        raise TableError("Expected a CSV or parquet file, got a web page or XML: download the table itself.")
    return text.lstrip("\r\n")


def _unmarked(data: bytes) -> str:
    """UTF-16 if every other byte at the start is mostly zero and the rest never is; else UTF-8."""
    start = data[:4096]
    even, odd = start[::2], start[1::2]
    for low, high, encoding in ((even, odd, "utf-16-le"), (odd, even, "utf-16-be")):
        if 0 not in low and 2 * high.count(0) > len(high) > 0:
            return encoding
    return "utf-8-sig"


def check_frame(frame: pd.DataFrame) -> pd.DataFrame:
    """The frame with names as text and rows numbered from 0; raise if it is no usable table."""
    if isinstance(frame.columns, pd.MultiIndex):
        raise TableError("Expected one line of column names, got several (a MultiIndex).")
    names = [str(name).strip() for name in frame.columns]
    _check_names(names)
    if not len(frame):
        raise TableError("Expected at least one row, got a header alone.")
    if len(frame) > MOST_ROWS:
        raise TooManyRows(f"Expected at most {MOST_ROWS:,} rows, got more. Take a random sample of them.")
    return frame.set_axis(names, axis=1).reset_index(drop=True)


def _check_names(names: list[str]) -> None:
    if not names:
        raise TableError("Expected at least one column, got none.")
    if len(names) > MOST_COLUMNS:
        raise TableError(f"Expected at most {MOST_COLUMNS:,} columns, got {len(names):,}.")
    twice = [name for name, times in Counter(names).items() if times > 1]
    if twice:
        raise TableError(f"Expected every column name once, got {twice[0]!r} {names.count(twice[0])} times.")


def _separator(text: str) -> str:
    """The mark that divides the header most often, outside of quotes; a comma if none does.

    >>> _separator('age;"income, net, in €";y')
    ';'
    """
    unquoted = _QUOTED.sub(r"\1", text[:_HEADER])
    return max(SEPARATORS, key=unquoted.split("\n", 1)[0].count)
