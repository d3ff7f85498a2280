"""Which blocks there are: runs of rows of parquet and npy files, small enough for memory, named by what they hold."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from fsspec.core import url_to_fs
from numpy.typing import NDArray

from rlm_core.tables.errors import TableError

BLOCK_ROWS = 65_536
"""At most so many rows in a block."""

_TABLES = (".csv", ".tsv", ".csv.gz", ".tsv.gz", ".xlsx", ".xls")
_CHUNK = 2**20  # bytes read at a time for a digest


@dataclass(frozen=True, kw_only=True)
class Block:
    """Rows ``start`` to ``start + rows`` of some row groups of a parquet file, or of an npy file.

    ``spans`` are the bytes (offset, length) of the file that hold them: a long row group is divided
    among several blocks, whose spans are then the same.
    """

    path: str
    number: int
    start: int
    rows: int
    spans: tuple[tuple[int, int], ...]
    row_groups: tuple[int, ...] = ()

    def content(self, key: bytes) -> str:
        """HMAC-SHA-256 of the bytes that hold the block and of which of their rows it is, in hexadecimal.

        Without the key, nobody can try guesses of a row against it.
        """
        found = hmac.new(key, f"content\n{self.start}+{self.rows}\n".encode(), hashlib.sha256)
        with _open(self.path) as file:
            for offset, length in self.spans:
                file.seek(offset)
                while length > 0:
                    chunk = file.read(min(_CHUNK, length))
                    if not chunk:
                        raise TableError(f"Expected {length:,} more bytes in {self.path}: it has become shorter.")
                    found.update(chunk)
                    length -= len(chunk)
        return found.hexdigest()

    def batches(self, size: int) -> Iterator[pa.RecordBatch | NDArray[Any]]:
        """Its rows, at most ``size`` at a time: record batches of a parquet file, arrays of an npy file."""
        if self.path.endswith(".npy"):
            yield from self._arrays(size)
            return
        with _open(self.path) as file:
            words = [each.name for each in pq.read_schema(file) if _is_text(each.type)]
            file.seek(0)
            table = pq.ParquetFile(file, read_dictionary=words, pre_buffer=False)
            skip, left = self.start, self.rows
            for batch in table.iter_batches(size, row_groups=list(self.row_groups), use_threads=False):
                here = batch.slice(min(skip, len(batch)))
                skip -= len(batch) - len(here)
                here = here.slice(0, left)
                left -= len(here)
                if len(here):
                    yield here
                if not left:
                    return

    def _arrays(self, size: int) -> Iterator[NDArray[Any]]:
        with _open(self.path) as file:
            shape, dtype = _npy_header(file, self.path)
            row = dtype.itemsize * int(np.prod(shape[1:], dtype=np.int64))
            file.seek(self.spans[0][0])
            for start in range(0, self.rows, size):
                count = min(size, self.rows - start)
                yield np.frombuffer(file.read(count * row), dtype=dtype).reshape(count, *shape[1:])


def find_inputs(pattern: str) -> list[str]:
    """The files that a path, a folder or a pattern names, sorted, each once, as absolute fsspec paths.

    Another table among them is an error: nobody in it is to be left out in silence.
    """
    fs, path = url_to_fs(pattern)
    if fs.isdir(path):
        path = f"{path.rstrip('/')}/*"
    files = sorted(str(each) for each in fs.glob(path))
    found = [each for each in files if each.endswith((".parquet", ".npy"))]
    other = next((each for each in files if each.lower().endswith(_TABLES)), None)
    if other is not None:
        raise TableError(
            f"Expected .parquet or .npy files, got {other}. Bulk work reads no CSV: save it as parquet; or name one "
            "CSV file and one file for --out, without --workers, --scheduler and --block-rows. Nothing was drawn."
        )
    if not found:
        raise FileNotFoundError(f"Expected .parquet or .npy files, found none at {pattern!r}.")
    return [str(fs.unstrip_protocol(each)) for each in found]


def find_blocks(path: str, most: int = BLOCK_ROWS) -> list[Block]:
    """The blocks of a file, in order; only its header or footer is read.

    Whole row groups go together up to ``most`` rows; a longer one is divided.
    """
    if not most >= 1:
        raise ValueError(f"Expected at least 1 row in a block, got {most}.")
    with _open(path) as file:
        return _npy_blocks(file, path, most) if path.endswith(".npy") else _parquet_blocks(file, path, most)


def _parquet_blocks(file: Any, path: str, most: int) -> list[Block]:
    try:
        footer = pq.read_metadata(file)
    except (pa.ArrowInvalid, OSError) as error:
        raise TableError(f"Expected a whole parquet file, got {path}: {error}") from None
    blocks: list[Block] = []
    group: list[int] = []

    def close() -> None:
        rows = sum(footer.row_group(each).num_rows for each in group)
        spans = tuple(span for each in group for span in _spans(footer.row_group(each)))
        for start in range(0, rows, most):
            blocks.append(
                Block(
                    path=path,
                    number=len(blocks),
                    start=start,
                    rows=min(most, rows - start),
                    spans=spans,
                    row_groups=tuple(group),
                )
            )
        group.clear()

    for each in range(footer.num_row_groups):
        if group and sum(footer.row_group(one).num_rows for one in (*group, each)) > most:
            close()
        group.append(each)
    if group:
        close()
    return blocks


def _spans(group: Any) -> list[tuple[int, int]]:
    """Where the columns of a row group are."""
    columns = [group.column(each) for each in range(group.num_columns)]
    return [
        (column.dictionary_page_offset or column.data_page_offset, column.total_compressed_size) for column in columns
    ]


def _npy_blocks(file: Any, path: str, most: int) -> list[Block]:
    shape, dtype = _npy_header(file, path)
    row, first = dtype.itemsize * int(np.prod(shape[1:], dtype=np.int64)), file.tell()
    return [
        Block(
            path=path,
            number=number,
            start=start,
            rows=min(most, shape[0] - start),
            spans=((first + start * row, min(most, shape[0] - start) * row),),
        )
        for number, start in enumerate(range(0, shape[0], most))
    ]


def _npy_header(file: Any, path: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
    """Shape and type of an npy file, which is then at its first row."""
    try:
        version = np.lib.format.read_magic(file)
        reader = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
        shape, by_columns, dtype = reader(file)
    except ValueError as error:
        raise TableError(f"Expected an npy file, got {path}: {error}") from None
    if by_columns or dtype.kind not in "fiub" or len(shape) < 2:
        raise TableError(f"Expected numbers (n, …) in C order in {path}, got {dtype} of shape {shape}.")
    return shape, dtype


def _is_text(kind: Any) -> bool:
    return bool(pa.types.is_string(kind) or pa.types.is_large_string(kind) or pa.types.is_dictionary(kind))


def _open(path: str) -> Any:
    fs, inner = url_to_fs(path)
    return fs.open(inner, "rb")
