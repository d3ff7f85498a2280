"""Arrays, lists, and tables of other libraries, as frames."""

from __future__ import annotations

import math
from contextlib import suppress
from typing import Any

import numpy as np
import pandas as pd

from rlm_core.tables.errors import TableError
from rlm_core.tables.files import check_frame, with_index

_UNEVEN = "Expected rows with the same number of cells, got rows of different lengths."


def plain_table(source: Any) -> Any:
    """A frame of what is a table in another library (Arrow, Polars), whose columns have names; others as they are."""
    if isinstance(source, pd.DataFrame) or not hasattr(source, "columns") or not hasattr(source, "to_pandas"):
        return source
    return with_index(source.to_pandas())


def array_table(values: Any) -> pd.DataFrame:
    """Rows (n, p), or pictures (n, height, width) or (n, height, width, channels), as a table with a column each."""
    if hasattr(values, "toarray"):
        raise TableError("Expected a dense array, got a sparse one: sparse data is not supported. Call .toarray().")
    try:
        array = _unmasked(values)
    except ValueError:  # numpy's words of an inhomogeneous shape
        raise TableError(_UNEVEN) from None
    if array.dtype.kind == "c":
        raise TableError("Complex data not supported: expected real numbers.")
    if array.dtype == object and array.ndim == 1 and any(isinstance(row, list | tuple | np.ndarray) for row in array):
        raise TableError(_UNEVEN)
    if array.dtype.kind not in "fiubO" or array.ndim < 2:
        raise TableError(
            f"Expected an array of numbers (n, …), got {array.dtype} of shape {array.shape}. "
            "Reshape your data: one row a record."
        )
    if not array.size and len(array):
        raise TableError(f"Expected columns, got 0 feature(s) (shape={array.shape}) while a minimum of 1 is required.")
    flat = array.reshape(len(array), math.prod(array.shape[1:]))
    frame = pd.DataFrame(flat, columns=[f"x{column}" for column in range(flat.shape[1])], dtype=flat.dtype)
    with suppress(UnicodeEncodeError):  # half of a pair of code units is no text to pandas: such cells stay objects
        frame = frame.infer_objects()
    return check_frame(frame)


def _unmasked(values: Any) -> np.ndarray[Any, Any]:
    """The values as an array; what is masked is missing, and whatever else is there stays what it is.

    Of a list, every cell keeps its own type: numpy's common one would make True a 1 beside somebody's number.
    """
    if isinstance(values, list | tuple):
        values = [_unmasked(row) if isinstance(row, np.ma.MaskedArray) else row for row in values]
    if not hasattr(values, "__array__"):
        return np.array(values, dtype=object)
    if not np.ma.is_masked(values) or values.dtype.kind not in "fiubO":  # other kinds are refused, masked or not
        return np.asarray(values)
    if values.dtype.kind in "fiu":
        return np.asarray(values.astype(np.float64).filled(np.nan))
    return np.asarray(values.astype(object).filled(None))
