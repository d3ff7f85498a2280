"""Reports in a parquet file: the texts of one column, in memory that the file's own bytes bound.

A parquet file of some hundred bytes can name one long cell a million times. So a text that many rows share is kept
once, and what all of them take is bounded before and while they are read.
"""

from __future__ import annotations

import io
from typing import Any

import numpy as np

from rlm_core.report import MOST_CHARACTERS
from rlm_core.tables.errors import TableError

COLUMN = "report"
"""The column that has the reports, one JSON text each."""

UNPACKED, LEAST = 100, 2**23
"""Bytes of memory for each byte of the file, since noise packs badly; and what any file may take: 8 bytes for each of
a million rows."""

_ROWS = 8_192  # read at a time


def read_cells(data: bytes, name: str) -> list[str]:
    """The texts in the column of reports. One that is longer than any report is cut: whoever reads it refuses it."""
    import pyarrow

    try:
        return _cells(data, name)
    except (MemoryError, TableError):
        raise
    except (OSError, ValueError, pyarrow.ArrowException) as error:
        raise TableError(f"Expected a whole parquet file in {name}, got a damaged one: {str(error)[:200]}.") from None


def _cells(data: bytes, name: str) -> list[str]:
    import pyarrow.parquet as pq

    contents, most = pq.read_metadata(io.BytesIO(data)), max(LEAST, UNPACKED * len(data))
    _check_column(contents.schema.to_arrow_schema(), name)
    told = sum(contents.row_group(each).total_byte_size for each in range(contents.num_row_groups))
    _check_size(8 * contents.num_rows + told, most, name)
    file = pq.ParquetFile(io.BytesIO(data), metadata=contents, read_dictionary=[COLUMN])
    texts: list[str] = []
    known: dict[str, str] = {}
    taken = 0
    for batch in file.iter_batches(_ROWS, columns=[COLUMN], use_threads=False):
        words, at = _distinct(batch.column(COLUMN))
        taken += 8 * len(at) + sum(len(word) for word in words if word not in known)
        _check_size(taken, most, name)  # the file's own contents may lie
        words = [known.setdefault(word, word) for word in words]
        texts += [words[each] for each in at]
    return texts


def _distinct(cells: Any) -> tuple[list[str], list[int]]:
    """The different texts of some cells, and which of them each cell has; a missing one has none in it."""
    import pyarrow as pa
    import pyarrow.compute as pc

    column = cells if pa.types.is_dictionary(cells.type) else cells.dictionary_encode()
    used, at = np.unique(column.indices.fill_null(-1).to_numpy(), return_inverse=True)
    words = column.dictionary.take(pa.array(used, mask=used < 0)).cast(pa.large_binary())
    cut = pc.binary_slice(words, 0, MOST_CHARACTERS + 1).to_pylist()
    return [(each or b"").decode("utf-8", errors="replace") for each in cut], at.tolist()


def _check_column(schema: Any, name: str) -> None:
    import pyarrow as pa

    found = [each.type for each in schema if each.name == COLUMN]
    if len(found) != 1:
        listed = ", ".join(each[:80] for each in schema.names[:20])
        got = f"{len(found)} of them" if found else listed or "none"
        raise TableError(f"Expected a column {COLUMN!r} in {name}, got {got}.")
    kind = found[0].value_type if pa.types.is_dictionary(found[0]) else found[0]
    if kind not in (pa.string(), pa.large_string(), pa.string_view(), pa.binary(), pa.large_binary()):
        raise TableError(f"Expected texts in the column {COLUMN!r} of {name}, got {str(kind)[:80]}.")


def _check_size(size: int, most: int, name: str) -> None:
    if size > most:
        raise TableError(
            f"Expected reports of at most {most / 2**20:,.0f} MB in {name}, for its size, got {size / 2**20:,.0f} MB "
            "(unpacked)."
        )
