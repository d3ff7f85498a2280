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
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from rlm_core.owner.payload import Payload
from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.release import Releases
from rlm_core.tables.errors import TableError

FORMAT = "rlm-reports/1"
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
    """Back from :func:`part_bytes`; an error for anything else."""
    try:
        table = pq.read_table(io.BytesIO(data), use_threads=False)
        shared: Any = json.loads((table.schema.metadata or {})[_KEY])
        if shared["format"] != FORMAT:
            raise ValueError(f"format={shared['format']!r}")
        payload = _payload(table, shared["of"], shared["epsilon_x"])
        return Releases(
            mechanism=shared["mechanism"],
            digest=shared["digest"],
            epsilon_x=float(shared["epsilon_x"]),
            epsilon_y=float(shared["epsilon_y"]),
            payload=payload,
            y_private=_column(table, "label"),
        )
    except (pa.ArrowInvalid, KeyError, TypeError, ValueError) as error:
        raise TableError(f"Expected a part of reports of format {FORMAT!r}, got {error!r}.") from None


def _payload(table: pa.Table, of: int | None, epsilon: float) -> Payload:
    coordinates = _column(table, "coordinate")
    if "numbers" in table.column_names:
        column = table["numbers"].combine_chunks()
        return Payload(numbers=column.flatten().to_numpy().reshape(len(column), -1), coordinates=coordinates)
    if of is None:
        raise ValueError("no number of symbols")
    if "symbol" in table.column_names:
        return Payload(symbols=_column(table, "symbol"), of=of, coordinates=coordinates)
    column = table["set"].combine_chunks()
    width = column.type.byte_width
    packed = np.frombuffer(column.buffers()[1], dtype=np.uint8)[column.offset * width :][: len(column) * width]
    members = np.unpackbits(packed.reshape(-1, width), axis=1, count=of).astype(np.bool_)
    return Payload(
        members=members, channel=SubsetSelection(epsilon=float(epsilon), symbols=of), coordinates=coordinates
    )


def _column(table: pa.Table, name: str) -> NDArray[np.int64] | None:
    if name not in table.column_names:
        return None
    values: NDArray[np.int64] = table[name].to_numpy().astype(np.int64)
    return values


def _integers(values: NDArray[np.int64]) -> pa.Array:
    """As small as they fit: the type tells nothing that of, the classes and the dimension do not."""
    return pa.array(values.astype(np.min_scalar_type(int(values.max(initial=0)))))
