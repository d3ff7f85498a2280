"""What is this column? Rules that look at the public rows once, and say why a column is left out."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pandas as pd

from rlm_core.tables.columns import MIN_LEVEL_SHARE, RARE
from rlm_core.tables.decimals import parse_number
from rlm_core.tables.errors import TableError
from rlm_core.tables.feature import BOOLEAN, Feature, Kind
from rlm_core.tables.feature_checks import bounds
from rlm_core.tables.identifiers import is_identifier
from rlm_core.tables.values import (
    FALSE,
    TRUE,
    as_text,
    by_distinct,
    check_numbers,
    date_numbers,
    parse_boolean,
    parse_date,
    parse_year,
    same_text,
    whole_text,
)
from rlm_core.types import FloatArray

MOST_LEVELS = 100
"""Further levels of a category share one with the rare ones."""

FREE_TEXT_LEVELS = 20
"""A column of words is free text or an identifier if it has more different ones than this and than half its rows."""

LONGEST_WORD = 60
NUMBER_SHARE = 0.9
"""A column is one of numbers (or dates) if so many of its cells are; the other words then count as missing."""

MOST_MISSING_WORDS = 20


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A column that is not used, and why."""

    name: str
    reason: str


def infer_column(column: pd.Series, *, decimal: str = ".") -> Feature | LeftOut:
    """The feature that a public column is, or the reason why it is none; ``decimal`` is its mark of a fraction."""
    name = str(column.name)
    dtype = column.dtype
    of_cells = column.cat.categories.dtype if isinstance(dtype, pd.CategoricalDtype) else dtype
    if isinstance(of_cells, pd.PeriodDtype | pd.IntervalDtype) or pd.api.types.is_timedelta64_dtype(of_cells):
        return LeftOut(name=name, reason=f"cells of type {of_cells} are not read; words, numbers and dates are")
    if pd.api.types.is_datetime64_any_dtype(dtype):
        return _from_numbers(name, date_numbers(column), "date")
    if pd.api.types.is_bool_dtype(dtype):
        values = column.astype(object)
        return _two_valued(name, {bool(value) for value in values if value is not None and value is not pd.NA})
    if pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_complex_dtype(dtype):
        return _from_numbers(name, column.to_numpy(dtype=np.float64, na_value=np.nan), None)
    return _from_text(name, column, decimal)


def infer_as(column: pd.Series, kind: Kind, *, decimal: str = ".") -> Feature:
    """The feature that a public column is if somebody says what kind it is; TableError if it cannot be that."""
    name, text = str(column.name), as_text(column)
    counts = text.value_counts()
    found: Feature | LeftOut | None
    if kind == "boolean":
        known = {word for word, times in counts.items() if parse_boolean(str(word)) is not None}
        found = _two_valued(name, {parse_boolean(str(word)) for word in known}) if len(known) == len(counts) else None
    elif kind == "category":
        found = _category(name, counts) if len(counts) > 1 else infer_column(column)
    elif pd.api.types.is_datetime64_any_dtype(column.dtype):
        found = infer_column(column) if kind == "date" else None
    else:
        dates = kind == "date"
        found = _dates_in_words(name, text, counts) if dates else _numbers_in_words(name, column, decimal, kind)
    if isinstance(found, Feature):
        return found if found.is_category or kind == "date" else replace(found, kind=kind)
    reason = "its cells cannot be read so" if found is None else found.reason
    raise TableError(f"Expected {name} to be of kind {kind}, but {reason}.")


def _two_valued(name: str, found: set[Any]) -> Feature | LeftOut:
    if not found:
        return LeftOut(name=name, reason="no row has a value")
    if len(found) == 1:
        return LeftOut(name=name, reason=f"every row has the same value, {next(iter(found))!s}")
    return Feature(name=name, title=name, unit="", kind="boolean", choices=BOOLEAN)


def _from_numbers(
    name: str,
    values: FloatArray,
    kind: Kind | None,
    *,
    missing: tuple[str, ...] = (),
    day_first: bool = True,
    decimal: str = ".",
) -> Feature | LeftOut:
    check_numbers(values, name)
    present = values[~np.isnan(values)]
    if not present.size:
        return LeftOut(name=name, reason="no row has a value")
    low, high = float(present.min()), float(present.max())
    if low == high:
        return LeftOut(name=name, reason=f"every row has the same value, {low:g}")
    whole = bool((present == np.trunc(present)).all())
    if kind is None and whole and is_identifier(name, present):
        return LeftOut(name=name, reason="a different whole number in every row: an identifier")
    return Feature(
        name=name,
        title=name,
        unit="year" if kind == "date" else "",
        kind=kind or ("integer" if whole and low >= 0 else "number"),
        low=low,
        high=high,
        missing=missing,
        day_first=day_first,
        decimal=decimal,
    )


def _from_text(name: str, column: pd.Series, decimal: str) -> Feature | LeftOut:
    text = as_text(column)
    counts = text.value_counts()  # without the missing ones
    if counts.empty:
        return LeftOut(name=name, reason="no row has a value")
    if len(counts) == 1:
        return LeftOut(name=name, reason=f"every row has the same value, {str(counts.index[0])[:LONGEST_WORD]}")
    lower = {str(word).lower() for word in counts.index}
    if lower <= TRUE | FALSE and lower & TRUE and lower & FALSE:
        return Feature(name=name, title=name, unit="", kind="boolean", choices=BOOLEAN)
    numbers = _numbers_in_words(name, column, decimal)
    return numbers or _dates_in_words(name, text, counts) or _category(name, counts)


def _numbers_in_words(name: str, column: pd.Series, decimal: str, kind: Kind | None = None) -> Feature | LeftOut | None:
    """A column of numbers written as words, if nearly all of it is; cells that are numbers are themselves.

    Whoever says the ``kind`` knows that it is no identifier.
    """
    text = as_text(column, decimal=decimal)
    counts = text.value_counts()
    missing = exceptions(counts, [parse_number(str(word), decimal=decimal) for word in counts.index])
    if missing is None:
        return None
    values, _ = by_distinct(text, lambda words: [parse_number(word, decimal=decimal) for word in words])
    return _from_numbers(name, values.astype(np.float64), kind, missing=missing, decimal=decimal)


def _dates_in_words(name: str, text: pd.Series, counts: pd.Series) -> Feature | LeftOut | None:
    """A column of dates, the day first unless more of them can be read with the month first."""
    parsed = {first: [parse_date(str(word), day_first=first) for word in counts.index] for first in (True, False)}
    known = {first: sum(value is not None for value in values) for first, values in parsed.items()}
    day_first = known[True] >= known[False]
    missing = exceptions(counts, parsed[day_first])
    if missing is None:
        return None
    values, _ = by_distinct(text, lambda words: [parse_date(word, day_first=day_first) for word in words])
    return _from_numbers(name, values.astype(np.float64), "date", missing=missing, day_first=day_first)


def exceptions(counts: pd.Series, parsed: list[float | None]) -> tuple[str, ...] | None:
    """The few words that could not be read, which then count as missing; None if they are too many."""
    bad = np.array([value is None for value in parsed])
    if bad.sum() > MOST_MISSING_WORDS or counts.to_numpy()[~bad].sum() < NUMBER_SHARE * counts.sum():
        return None
    return tuple(sorted(str(word) for word in counts.index[bad]))


def _category(name: str, spelt: pd.Series) -> Feature | LeftOut:
    counts = spelt.groupby([whole_text(str(word)) for word in spelt.index]).sum().sort_values(ascending=False)
    rows = int(counts.sum())
    if len(counts) > max(FREE_TEXT_LEVELS, rows / 2) or max(map(len, map(str, counts.index[:100]))) > LONGEST_WORD * 5:
        return LeftOut(
            name=name, reason=f"{len(counts):,} different texts in {rows:,} rows: free text or an identifier"
        )
    common = counts[counts >= max(1.0, MIN_LEVEL_SHARE * rows)][:MOST_LEVELS]
    if common.empty or common.sum() < rows / 10:
        return LeftOut(name=name, reason=f"{len(counts):,} levels, and none of them common")
    words = tuple(sorted(str(word) for word in common.index if word != RARE))  # which is the rare ones' own name
    if not words:
        return LeftOut(name=name, reason=f"{len(counts):,} levels, and none of them common")
    return Feature(name=name, title=name, unit="", kind="category", choices=words)


def read_column(column: pd.Series, feature: Feature) -> pd.Series:
    """A column's cells as the schema says: float64 (NaN where missing), or words (None where missing).

    Raises:
        TableError: A cell is no number or no date; the message names its row.
    """
    if feature.is_category:
        return _read_words(column, feature)
    is_date, dtype = feature.kind == "date", column.dtype
    if pd.api.types.is_datetime64_any_dtype(dtype):
        if not is_date and column.notna().any():
            raise TableError(f"Expected numbers in column {feature.name}, got dates.")
        values = date_numbers(column)
    elif pd.api.types.is_numeric_dtype(dtype) and not (is_date or pd.api.types.is_complex_dtype(dtype)):
        values = column.to_numpy(dtype=np.float64, na_value=np.nan) + 0.0  # -0.0 becomes 0.0, as in words
    else:
        values = _read_numbers(as_text(column, decimal="." if is_date else feature.decimal), feature)
    return pd.Series(_within(check_numbers(values, feature.name), feature), name=feature.name)


def _within(values: FloatArray, feature: Feature) -> FloatArray:
    """Numbers that stand for a missing one are missing, and others are cut at the bounds of a bounded column."""
    said = [parse_number(word, decimal=feature.decimal) for word in feature.missing]
    gone = [number for number in said if number is not None]
    if gone and feature.kind != "date":
        values = np.where(np.isin(values, gone), np.nan, values)
    if not feature.bounded:
        return values
    cut: FloatArray = np.clip(values, *bounds(feature))  # NaN stays NaN
    return cut


def _read_numbers(text: pd.Series, feature: Feature) -> FloatArray:
    ignored = set(feature.missing)

    def parse(words: list[str]) -> list[Any]:
        if feature.kind == "date":
            return [_read_date(word, feature) for word in words]
        return [{"true": 1.0, "false": 0.0}.get(word, parse_number(word, decimal=feature.decimal)) for word in words]

    values, _ = by_distinct(text, parse)
    numbers: FloatArray = values.astype(np.float64)
    bad = np.isnan(numbers) & text.notna().to_numpy(dtype=bool) & ~text.isin(ignored).to_numpy(dtype=bool)
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        what = "a date" if feature.kind == "date" else "a number"
        raise TableError(f"Expected {what} in row {row}, column {feature.name}, got {str(text.iloc[row])[:80]!r}.")
    return numbers


def _read_date(word: str, feature: Feature) -> float | None:
    """A date, or a number that is a year, unless the schema says that it is missing."""
    found = parse_date(word, day_first=feature.day_first)
    return parse_year(word) if found is None and word not in feature.missing else found


def _read_words(column: pd.Series, feature: Feature) -> pd.Series:
    text = as_text(column)
    if feature.kind == "boolean":
        spelt = {word: "yes" for word in (*TRUE, "1", "1.0")} | {word: "no" for word in (*FALSE, "0", "0.0")}
        values, _ = by_distinct(text, lambda words: [spelt.get(word.lower(), word) for word in words])
        return pd.Series(values, name=feature.name, dtype=object)
    known = {word: word for word in feature.choices} | dict.fromkeys(feature.missing)
    spelt_otherwise = {same_text(word): known[word] for word in sorted(known, reverse=True)}  # "1.50" before "1.500"
    spelling = spelt_otherwise | known  # as it is written goes first
    values, _ = by_distinct(
        text, lambda words: [spelling.get(word, spelling.get(same_text(word), word)) for word in words]
    )
    return pd.Series(values, name=feature.name, dtype=object)
