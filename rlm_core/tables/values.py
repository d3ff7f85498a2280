"""From the cells of any table to numbers, dates and words: what people write, read in one place.

Cells are read through their distinct values: a column of a million rows has a few thousand. A
function here never guesses for a column as a whole; that is ``infer``.
"""

from __future__ import annotations

import calendar
import datetime
import math
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd

from rlm_core.tables.errors import TableError
from rlm_core.types import FloatArray

MISSING = frozenset({"", "?", "na", "n/a", "#n/a", "<na>", "nan", "nat", "null", "nil"})
"""Cells that say nothing, in lower case. "None" is not one of them: it is a word of many tables."""

TRUE = frozenset({"true", "t", "yes", "y"})
FALSE = frozenset({"false", "f", "no", "n"})
LARGEST = 1e100
"""Numbers beyond are refused: their squares would overflow."""

LARGEST_WRITTEN_OUT = 1e21
"""From here on whole numbers are written with an exponent, as JavaScript's ``String`` does."""

MONTHS = {
    name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)
}  # spelt out: strptime's %b depends on the locale

_WHOLE = re.compile(r"-?\d+\.0+", re.ASCII)
_FRACTION = re.compile(r"-?\d+\.\d+", re.ASCII)
_MIDNIGHT = re.compile(r"(\d{4}-\d{2}-\d{2})[ T]00:00:00", re.ASCII)
_TIME = r"(?:[ T].*)?"
_YEAR = re.compile(r"[1-9]\d{3}(?:\.\d+)?", re.ASCII)
_YEAR_FIRST = re.compile(rf"(\d{{4}})[-/.](\d{{1,2}})[-/.](\d{{1,2}}){_TIME}")
_YEAR_LAST = re.compile(rf"(\d{{1,2}})[-/.](\d{{1,2}})[-/.](\d{{4}}|\d{{2}}){_TIME}")
_DAY_NAME = re.compile(rf"(\d{{1,2}})[ -]([A-Za-z]{{3,9}})\.?,?[ -](\d{{4}}|\d{{2}}){_TIME}")
_NAME_DAY = re.compile(rf"([A-Za-z]{{3,9}})\.? (\d{{1,2}}),? (\d{{4}}){_TIME}")
_NAME_YEAR = re.compile(r"([A-Za-z]{3,9})[ -](\d{4})")
_YEAR_MONTH = re.compile(r"(\d{4})-(\d{2})")


def as_text(column: pd.Series, *, decimal: str = ".") -> pd.Series:
    """Every cell as stripped text, None where it says nothing; a list or other object is an error.

    A number is written as its value says, not as the column's type does (:func:`number_text`): one missing cell makes
    pandas turn a column of integers into floats, and nobody's text may depend on that. ``decimal`` is
    the mark of its fraction, as the column's texts have it.
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        codes, distinct = column.cat.codes.to_numpy(), column.cat.categories.astype(object)
    elif column.dtype != object and _is_read_once(column.dtype):
        codes, distinct = pd.factorize(column)
    else:
        cells = [_cell(value, row, column.name, decimal) for row, value in enumerate(column.astype(object))]
        return pd.Series(cells, dtype=object)
    texts = np.array(
        [*(_cell(value, row, column.name, decimal) for row, value in enumerate(distinct)), None], dtype=object
    )
    return pd.Series(texts[codes], dtype=object)  # the code of a missing value is -1: the last


def _is_read_once(dtype: Any) -> bool:
    """Words and numbers: each of the few different ones is looked at once."""
    is_number = pd.api.types.is_numeric_dtype(dtype) and not pd.api.types.is_bool_dtype(dtype)
    return bool(pd.api.types.is_string_dtype(dtype) or is_number)


def _cell(value: Any, row: int, name: object, decimal: str) -> str | None:
    if value is None or value is pd.NA or value is pd.NaT or value is np.ma.masked:
        return None
    if isinstance(value, str):
        return _known(value)
    if isinstance(value, bool | np.bool_):
        return "true" if value else "false"
    if isinstance(value, datetime.date | np.datetime64):
        return None if np.isnat(np.datetime64(value)) else _date_text(value)
    if isinstance(value, int | float | np.integer | np.floating | Decimal):
        return _with_mark(number_text(value), decimal)
    raise TableError(
        f"Expected a word, a number or a date in row {row}, column {name}, got a value of type {type(value).__name__}."
    )


def _date_text(value: datetime.date | np.datetime64) -> str:
    """As it is, numpy's as pandas' own: in a column of nothing else pandas makes that of it."""
    if isinstance(value, np.datetime64):
        with suppress(ValueError):  # beyond its years
            return str(pd.Timestamp(value))
    return str(value)


def as_float(value: Any) -> float:
    """A number as float64; one beyond all of them is infinite, whatever type holds it."""
    try:
        return float(value)
    except OverflowError:  # a whole number, which Python would not even write if it has many digits
        return math.inf if value > 0 else -math.inf


def number_text(value: Any) -> str | None:
    """A number as text, the same for whatever type holds it: by its float64, a whole one without a point.

    >>> number_text(1), number_text(1.0), number_text(Decimal("2.50")), number_text(float("nan"))
    ('1', '1', '2.5', None)
    >>> number_text(10**5000), number_text(Decimal("-1e5000"))
    ('inf', '-inf')
    """
    if value.is_nan() if isinstance(value, Decimal) else value != value:
        return None
    number = as_float(value)
    return str(int(number)) if number.is_integer() and abs(number) < LARGEST_WRITTEN_OUT else str(number)


def _with_mark(number: str | None, decimal: str) -> str | None:
    """A number as its column writes it, so that a point of ours is never one of thousands; 1.5e-07 is nobody's."""
    return number if number is None or "e" in number.lower() else number.replace(".", decimal)


def whole_text(text: str) -> str:
    """The same word; a whole number that was written with a point, as in "1.0", without it.

    >>> [whole_text(text) for text in ("1.0", "-3.00", "1.5", "v1.0", "1.0.0")]
    ['1', '-3', '1.5', 'v1.0', '1.0.0']
    """
    return text.partition(".")[0] if _WHOLE.fullmatch(text) else text


def value_text(text: str) -> str:
    """The same word; a number that was written with a point, as its value says: without zeros at its end.

    >>> [value_text(text) for text in ("1.0", "2.50", "-3.25", "10", "v1.0", "1.0.0")]
    ['1', '2.5', '-3.25', '10', 'v1.0', '1.0.0']
    """
    return text.rstrip("0").removesuffix(".") if _FRACTION.fullmatch(text) else text


def same_text(text: str) -> str:
    """One spelling for what other types of a column, or other programs, write otherwise: numbers, truth, whole days.

    >>> [same_text(text) for text in ("2.50", "TRUE", "False", "2020-01-31 00:00:00", "Truest", "v1.0")]
    ['2.5', 'true', 'false', '2020-01-31', 'Truest', 'v1.0']
    """
    if text.lower() in ("true", "false"):
        return text.lower()
    day = _MIDNIGHT.fullmatch(text)
    return day[1] if day else value_text(text)


def _known(text: str) -> str | None:
    stripped = text.strip()
    return None if stripped.lower() in MISSING else stripped


def by_distinct(text: pd.Series, parse: Callable[[list[str]], list[Any]]) -> tuple[np.ndarray[Any, Any], list[Any]]:
    """The parsed value of every cell, and the list of distinct texts: ``parse`` sees each of those once."""
    codes, distinct = pd.factorize(text)
    parsed = [*parse([str(each) for each in distinct]), None]
    return np.array(parsed, dtype=object)[codes], list(distinct)


def parse_date(text: str, *, day_first: bool = True) -> float | None:
    """A date as a year with its day as the fraction; a month stands for its first day. None if it is none.

    >>> [parse_date(text) for text in ("2020-01-01", "01.07.2021", "Jul 2, 2021", "Dec-2015", "soon")]
    [2020.0, 2021.495890410959, 2021.4986301369863, 2015.9150684931508, None]
    """
    if match := _YEAR_FIRST.fullmatch(text):
        return _year(match[1], match[2], match[3])
    if match := _YEAR_LAST.fullmatch(text):
        day, month = (match[1], match[2]) if day_first else (match[2], match[1])
        return _year(match[3], month, day)
    if match := _DAY_NAME.fullmatch(text):
        return _year(match[3], match[2], match[1])
    if match := _NAME_DAY.fullmatch(text):
        return _year(match[3], match[1], match[2])
    if match := _NAME_YEAR.fullmatch(text):
        return _year(match[2], match[1], "1")
    if match := _YEAR_MONTH.fullmatch(text):
        return _year(match[1], match[2], "1")
    return None


def parse_year(text: str) -> float | None:
    """A number that is a year, perhaps with its fraction: not 20200131, nor seconds since 1970.

    No public column becomes one of dates by it: numbers are numbers there.

    >>> [parse_year(text) for text in ("2010", "2010.5", "20200131", "31.12", "'98")]
    [2010.0, 2010.5, None, None, None]
    """
    return float(text) if _YEAR.fullmatch(text) else None


def either_way(words: Iterable[str]) -> str | None:
    """A date that is another one with the month first, if none of the words tells which is first; else None.

    >>> either_way(["01/01/2020", "02/03/2020"]), either_way(["02/03/2020", "31/12/2020"]), either_way(["2020-01-02"])
    ('02/03/2020', None, None)
    """
    found = None
    for word in words:
        if _YEAR_LAST.fullmatch(word):
            one, other = (parse_date(word, day_first=first) for first in (True, False))
            if one is None or other is None:
                return None
            found = word if found is None and one != other else found
    return found


def _year(year: str, month: str, day: str) -> float | None:
    number = int(year)
    if len(year) == 2:  # as POSIX: 69 to 99 are of the last century
        number += 1900 if number >= 69 else 2000
    in_year = int(month) if month.isdigit() else MONTHS.get(month[:3].lower(), 0)
    try:
        date = datetime.date(number, in_year, int(day))
    except ValueError:
        return None
    return number + (date.timetuple().tm_yday - 1) / (366 if calendar.isleap(number) else 365)


def date_text(year: float) -> str:
    """The day that a year with a fraction stands for, as ISO writes it: what :func:`parse_date` reads again.

    >>> date_text(2021.495890410959), date_text(2020.0)
    ('2021-07-01', '2020-01-01')
    """
    number = int(year)
    length = 366 if calendar.isleap(number) else 365
    days = min(round((year - number) * length), length - 1)  # of the same year: there is none after 9999
    return (datetime.date(number, 1, 1) + datetime.timedelta(days=days)).isoformat()


def parse_boolean(text: str) -> str | None:
    """ "yes" or "no"; None if it is neither, in whatever spelling."""
    lower = text.lower()
    return (
        "yes" if lower in TRUE or lower in ("1", "1.0") else "no" if lower in FALSE or lower in ("0", "0.0") else None
    )


def check_numbers(values: FloatArray, name: str) -> FloatArray:
    """The same numbers; an infinity or one beyond 10¹⁰⁰ is an error with its row."""
    bad = np.flatnonzero(np.abs(values) > LARGEST)  # NaN is not
    if bad.size:
        raise TableError(f"Expected a number of at most 1e100 in row {bad[0]}, column {name}, got {values[bad[0]]:g}.")
    return values


def date_numbers(column: pd.Series) -> FloatArray:
    """A column of dates (datetime64) as years with fractions, NaN where missing; as texts have it, from 1 to 9999."""
    if isinstance(column.dtype, pd.ArrowDtype):  # whose dates of days know no time zone
        column = pd.to_datetime(column.astype(object))
    plain = column.dt.tz_localize(None) if getattr(column.dt, "tz", None) is not None else column
    days = np.where(plain.dt.is_leap_year, 366.0, 365.0)
    years: FloatArray = (plain.dt.year + (plain.dt.day_of_year - 1) / days).to_numpy(dtype=np.float64, na_value=np.nan)
    strange = np.flatnonzero((years < datetime.MINYEAR) | (years >= datetime.MAXYEAR + 1))  # NaN is not
    if strange.size:
        row = int(strange[0])
        raise TableError(
            f"Expected a date of the years 1 to 9999 in row {row}, column {column.name}, got the year "
            f"{math.floor(years[row])}."
        )
    return years
