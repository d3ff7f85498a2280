"""Reading the values of rows, one column at a time, with errors that name row and column.

``NumberColumn`` and ``CategoryColumn`` are what the preprocessor learnt of a column.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rlm_core.tables.errors import TableError
from rlm_core.tables.feature import Feature
from rlm_core.tables.values import as_float
from rlm_core.types import FloatArray, IntArray, quote

RARE = "(rare)"
"""The level that rare ones share, and, where a table says so, those that nobody has seen before."""

MIN_LEVEL_SHARE = 0.001
OUTLIER_DEVIATIONS = 10.0

Rows = pd.DataFrame | Mapping[str, Any]
"""A table, or one row as a mapping from column to value."""
Unknown = Literal["error", "ignore"]


@dataclass(frozen=True, kw_only=True)
class NumberColumn:
    """A standardised number; values outside ``low``..``high`` were outliers of the fit."""

    name: str
    mean: float
    std: float
    low: float
    high: float

    def __post_init__(self) -> None:
        for field in ("mean", "std", "low", "high"):
            value = getattr(self, field)
            if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
                raise TableError(f"Expected a finite number for {field} of column {self.name}, got {value!r}.")
        if not self.std > 0.0:
            raise TableError(f"Expected std > 0 of column {self.name}, got std={self.std!r}.")


@dataclass(frozen=True, kw_only=True)
class CategoryColumn:
    """A one-hot category: its levels in order, those of ``rare`` under ``RARE``, and the commonest."""

    name: str
    levels: tuple[str, ...]
    rare: tuple[str, ...]
    commonest: str

    def __post_init__(self) -> None:
        words = (*self.levels, *self.rare, self.commonest)
        if not all(isinstance(word, str) for word in words):
            raise TableError(f"Expected words for the levels of column {self.name}, got {words!r:.80}.")
        if not self.levels or len(set(self.levels)) < len(self.levels):
            raise TableError(f"Expected different levels of column {self.name}, got {self.levels!r:.80}.")
        if (self.rare or RARE in self.levels) and self.levels[-1] != RARE:
            raise TableError(f"Expected {RARE!r} as the last level of column {self.name}, got {self.levels[-1]!r}.")
        if self.commonest not in (*self.levels, *self.rare):
            raise TableError(f"Expected the commonest level of {self.name} among them, got {self.commonest!r}.")

    def codes(self, values: Iterable[Any]) -> IntArray:
        """Position of each value among the levels; -1 for none."""
        lookup = {level: code for code, level in enumerate(self.levels) if level != RARE}
        lookup |= dict.fromkeys(self.rare, len(self.levels) - 1)  # RARE comes last
        at, distinct = distinct_values(values)
        found = [lookup.get(value, -1) if isinstance(value, str) else -1 for value in distinct]
        codes: IntArray = np.array([*found, -1], dtype=np.int64)[at]
        return codes


def distinct_values(values: Iterable[Any]) -> tuple[IntArray, Sequence[Any]]:
    """Where each value is among the distinct ones, -1 for a missing one; so that Python looks at each of those once."""
    column = (
        np.asarray(values) if isinstance(values, np.ndarray | pd.Series) else np.array([*values, None], object)[:-1]
    )
    try:
        at, distinct = pd.factorize(column)
    except TypeError:  # a list or another value that cannot be hashed
        return np.arange(len(column)), list(column)
    return at.astype(np.int64), list(distinct)


def require_columns(table: Rows, names: Iterable[str]) -> None:
    """Raise unless the rows have all these columns."""
    missing = [name for name in names if name not in table]
    if missing:
        raise TableError(f"Expected a row with column {', '.join(missing)}, got a row without.")


def row_count(table: Rows) -> int:
    """Number of rows; a mapping is one."""
    return len(table) if isinstance(table, pd.DataFrame) else 1


def moments(values: FloatArray) -> tuple[float, float]:
    """Mean and deviation of the values that are there; deviation 1 if they are all the same."""
    present = values[~np.isnan(values)]
    if not present.size:
        raise TableError("Expected some numbers in every column, got a column of missing values.")
    # Rounding can leave a constant column a deviation that is tiny but not 0.
    return float(present.mean()), float(present.std()) if np.ptp(present) > 0 else 1.0


def fit_levels(values: Iterable[Any], feature: Feature, *, unknown: Unknown = "error") -> CategoryColumn:
    """The levels of a category: those of at least 0.1 % of the rows, and ``RARE`` for the others.

    With ``unknown="ignore"`` every category has the level ``RARE``, for words that the schema does not know.
    """
    column = pd.Series(values, dtype=object)
    counts: dict[Any, int] = column.value_counts().to_dict()
    strangers = [level for level in counts if level not in feature.choices]
    if strangers and unknown == "error":
        raise TableError(f"Expected {feature.name} in {', '.join(feature.choices)}, got {strangers[0]!r}.")
    if not counts:
        raise TableError(f"Expected some values in column {feature.name}, got none.")
    common = [c for c in feature.choices if counts.get(c, 0) >= max(1, MIN_LEVEL_SHARE * len(column))]
    # A level that no row had cannot be learnt: it joins the rare ones if there are any, else it is unknown.
    has_rare = unknown == "ignore" or len(common) < len(counts)
    return CategoryColumn(
        name=feature.name,
        levels=(*common, RARE) if has_rare else tuple(common),
        rare=tuple(choice for choice in feature.choices if choice not in common) if has_rare else (),
        commonest=max((level for level in counts if level in feature.choices), key=lambda c: counts[c], default=RARE),
    )


def _values(table: Rows, name: str) -> NDArray[Any]:
    """A column: float64 if its type says so, else objects as they are."""
    if isinstance(table, pd.DataFrame):
        column = table[name]
        if pd.api.types.is_numeric_dtype(column.dtype) and not pd.api.types.is_bool_dtype(column.dtype):
            return column.to_numpy(dtype=np.float64, na_value=np.nan)
        return column.to_numpy(dtype=object)
    single = np.empty(1, dtype=object)
    single[0] = table[name]
    return single


def _where(table: Rows, position: int, name: str) -> str:
    row = table.index[position] if isinstance(table, pd.DataFrame) else position
    return f"row {row}, column {name}"


def _is_missing(value: Any) -> bool:
    return value is None or value is pd.NA or value is pd.NaT or (isinstance(value, float) and np.isnan(value))


def read_numbers(table: Rows, name: str, *, allow_missing: bool) -> FloatArray:
    """A column as float64, NaN where missing; raise for words, infinities and (unless allowed) gaps."""
    raw = _values(table, name)
    if raw.dtype == np.float64:
        values: FloatArray = raw
    else:
        values = np.empty(len(raw))
        for position, value in enumerate(raw):
            if _is_missing(value):
                values[position] = np.nan
            elif isinstance(value, int | float | np.integer | np.floating) and not isinstance(value, bool):
                values[position] = as_float(value)
            else:
                raise TypeError(f"Expected a number in {_where(table, position, name)}, got {quote(value)}.")
    bad = np.isinf(values) | (np.isnan(values) & (not allow_missing))
    if bad.any():
        position = int(np.flatnonzero(bad)[0])
        raise TableError(f"Expected a finite number in {_where(table, position, name)}, got {values[position]}.")
    return values


def read_codes(table: Rows, column: CategoryColumn, *, unknown: Unknown, allow_missing: bool) -> IntArray:
    """Level numbers of a column; -1 where the level is unknown and that is to be ignored."""
    values = _values(table, column.name)
    codes = column.codes(values)
    rare = column.levels.index(RARE) if RARE in column.levels else -1
    stand_in = rare if column.commonest == RARE else int(column.codes([column.commonest])[0])
    wrong = np.flatnonzero(codes < 0)
    at, distinct = distinct_values(values[wrong])
    allowed = np.array([unknown == "ignore" and isinstance(value, str) for value in distinct] + [allow_missing])
    refused = wrong[~allowed[at]]
    if refused.size:
        raise _wrong(values[refused[0]], _where(table, int(refused[0]), column.name), column)
    codes[wrong] = np.where(at < 0, stand_in, rare)
    return codes


def _wrong(value: Any, where: str, column: CategoryColumn) -> Exception:
    if _is_missing(value):
        return TableError(f"Expected a value in {where}, got none.")
    if not isinstance(value, str):
        return TypeError(f"Expected a word in {where}, got {quote(value)}.")
    known = ", ".join(level for level in (*column.levels, *column.rare) if level != RARE)
    return TableError(f"Expected one of {known} in {where}, got {value!r}.")
