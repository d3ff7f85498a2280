"""Reports as Arrow columns: one parquet part for each block, no Python object for each report.

What all reports of a part share is in the schema's metadata, under the key ``rlm``, as JSON:

    format "rlm-reports/1", mechanism, digest, epsilon_x, epsilon_y, and of (how many symbols; null for numbers)

and a row for each report has the columns that its mechanism sends, and no others:

    numbers      fixed_size_list<double>[d]       Laplace, Duchi, the joint report as numbers
    set          fixed_size_binary[⌈k/8⌉]         the k bits of a set, packed as by numpy.packbits
    symbol       uint8, uint16 or uint32          k-RR, the joint report as bits
    coordinate   the same                         which public coordinate a joint report is about
    label        the same                         k-RR of the label, where ε was split by λ

:func:`read_part` gives back what was sent, and a Report in format 2 for each row.
"""

from __future__ import annotations

import io
import json
from dataclasses import replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from rlm_core.owner.payload import Payload
from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.release import Releases
from rlm_core.report_checks import whole
from rlm_core.tables.errors import TableError
from rlm_core.types import quote

FORMAT = "rlm-reports/1"
MOST_ROWS = 2**20
"""Reports of a part, or one for every bit of its file if those are more: a block has 65,536 unless its owner says."""

UNPACKED, LEAST = 300, 2**27
"""Bytes of its columns for each byte of the file, and what any part may take: of what we send, sets of one of 9,600
pairs pack best, to a 240th, and a block of them has 79 MB."""

_MOST = 2**20  # symbols, coordinates and labels: as many as a tally has places for
_KEY = b"rlm"


def to_table(releases: Releases) -> pa.Table:
    """The columns of some releases."""
    payload, of = releases.payload, releases.payload.of
    columns: dict[str, pa.Array] = {}
    if payload.numbers is not None:
        flat = pa.array(np.ascontiguousarray(payload.numbers).reshape(-1))
        columns["numbers"] = pa.FixedSizeListArray.from_arrays(flat, payload.numbers.shape[1])
    elif payload.members is not None:
        of = payload.members.shape[1]
        packed = np.packbits(payload.members, axis=1)
        kind = pa.binary(packed.shape[1])
        columns["set"] = pa.Array.from_buffers(kind, len(packed), [None, pa.py_buffer(packed.tobytes())])
    elif payload.symbols is not None:
        columns["symbol"] = _integers(payload.symbols)
    if payload.coordinates is not None:
        columns["coordinate"] = _integers(payload.coordinates)
    if releases.y_private is not None:
        columns["label"] = _integers(releases.y_private)
    shared = {
        "format": FORMAT,
        "mechanism": releases.mechanism,
        "digest": releases.digest,
        "epsilon_x": releases.epsilon_x,
        "epsilon_y": releases.epsilon_y,
        "of": of,
    }
    return pa.table(columns).replace_schema_metadata({_KEY: json.dumps(shared)})


def part_bytes(releases: Releases) -> bytes:
    """A parquet file of some releases."""
    buffer = io.BytesIO()
    pq.write_table(to_table(releases), buffer, compression="zstd", use_dictionary=False)  # noise has no dictionary
    return buffer.getvalue()


def read_part(data: bytes) -> Releases:
    """Back from :func:`part_bytes`, in memory that the bytes bound; an error for anything else.

    What all reports of a part share is checked as a report's, and so are their columns.
    """
    try:
        file = pq.ParquetFile(io.BytesIO(data))
        _check_size(file, len(data))
        table = file.read(use_threads=False)
        shared: Any = json.loads((table.schema.metadata or {})[_KEY])
        if shared["format"] != FORMAT or shared["digest"] is None:
            raise ValueError(f"format={quote(shared['format'])}, digest={quote(shared['digest'])}")
        if any(column.null_count for column in table.columns):
            raise ValueError("a report with nothing in it")
        releases = Releases(
            mechanism=shared["mechanism"],
            digest=shared["digest"],
            epsilon_x=shared["epsilon_x"],
            epsilon_y=shared["epsilon_y"],
            payload=_payload(table, shared["of"], shared["epsilon_x"]),
            y_private=_column(table, "label"),
        )
        first = releases.report(0)  # raises for a mechanism, digest or ε that no report has
        return replace(releases, epsilon_x=first.epsilon_x, epsilon_y=first.epsilon_y)
    except (pa.ArrowException, OSError, LookupError, TypeError, ValueError, OverflowError, RecursionError) as error:
        raise TableError(f"Expected a part of reports of format {FORMAT!r}, got {error!r}.") from None


def _check_size(file: pq.ParquetFile, packed: int) -> None:
    """From the file's own contents, before anything is unpacked."""
    contents = file.metadata
    rows, width = contents.num_rows, sum(_width(each) for each in file.schema_arrow)
    if not 1 <= rows <= max(MOST_ROWS, 8 * packed):
        raise ValueError(f"{rows:,} reports in {packed:,} bytes")
    size = max(rows * width, *(contents.row_group(each).total_byte_size for each in range(contents.num_row_groups)))
    if size > max(LEAST, UNPACKED * packed):
        raise ValueError(f"{size / 2**20:,.0f} MB of columns in {packed:,} bytes")


def _width(field: pa.Field) -> int:
    """Bytes of a cell: all columns of a part are as wide in each row."""
    kind = field.type
    if pa.types.is_fixed_size_list(kind) and kind.value_type == pa.float64():
        return 8 * int(kind.list_size)
    if pa.types.is_fixed_size_binary(kind) or kind in (pa.uint8(), pa.uint16(), pa.uint32()):
        return int(kind.byte_width)
    raise ValueError(f"a column {quote(field.name)} of {str(kind)[:80]}")


def _payload(table: pa.Table, of: int | None, epsilon: float) -> Payload:
    coordinates = _column(table, "coordinate")
    if "numbers" in table.column_names:
        column = table["numbers"].combine_chunks()
        numbers = column.flatten().to_numpy().reshape(len(column), -1)
        if not np.isfinite(numbers).all():
            raise ValueError("numbers that are not finite")
        return Payload(numbers=numbers, coordinates=coordinates)
    whole("of", of, below=_MOST + 1, least=2)
    assert of is not None
    if "symbol" in table.column_names:
        return Payload(symbols=_column(table, "symbol", below=of), of=of, coordinates=coordinates)
    column = table["set"].combine_chunks()
    width = column.type.byte_width
    if width != -(-of // 8):
        raise ValueError(f"{width} bytes for a set of {of} symbols")
    packed = np.frombuffer(column.buffers()[1], dtype=np.uint8)[column.offset * width :][: len(column) * width]
    members = np.unpackbits(packed.reshape(-1, width), axis=1, count=of).astype(np.bool_)
    return Payload(
        members=members, channel=SubsetSelection(epsilon=float(epsilon), symbols=of), coordinates=coordinates
    )


def _column(table: pa.Table, name: str, *, below: int = _MOST) -> NDArray[np.int64] | None:
    if name not in table.column_names:
        return None
    values: NDArray[np.int64] = table[name].to_numpy().astype(np.int64)
    if values.max() >= below:
        raise ValueError(f"{name}={values.max()}, not below {below}")
    return values


def _integers(values: NDArray[np.int64]) -> pa.Array:
    """As small as they fit: the type tells nothing that of, the classes and the dimension do not."""
    return pa.array(values.astype(np.min_scalar_type(int(values.max(initial=0)))))
