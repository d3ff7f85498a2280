"""Rows as programs have them one by one: mappings from column to value, as a table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pandas as pd

from rlm_core.tables.errors import TableError


def table_of_mappings(source: Any) -> Any:
    """A list of mappings as a table, whose cells keep their own types; any other source as it is.

    A row is read as it is alone, so it must have every column: a value that is missing is None.

    >>> table_of_mappings([{"age": 31, "job": "cook"}, {"age": None, "job": "nurse"}])["age"].tolist()
    [31, None]

    Raises:
        TableError: A row lacks a column of another one, or the source is a Series, which may be a row or a column.
    """
    if isinstance(source, pd.Series):
        raise TableError(
            "Expected a DataFrame, or one row as a mapping or a list of them, got a Series: pass table[:1] or "
            "dict(row) for a row, .to_frame() for a column."
        )
    if not isinstance(source, list | tuple) or not source or not all(isinstance(row, Mapping) for row in source):
        return source
    columns = list(dict.fromkeys(name for row in source for name in row))
    for at, row in enumerate(source):
        lacking = [name for name in columns if name not in row]
        if lacking:
            raise TableError(
                f"Expected the column {lacking[0]} in row {at}, as in others, got {', '.join(map(str, row))}."
            )
    return pd.DataFrame({name: pd.Series([row[name] for row in source], dtype=object) for name in columns})
