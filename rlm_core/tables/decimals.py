"""Numbers that people write: thousands' commas, decimal commas, signs; and which mark a public table's fractions have.

"1,234" alone could be either. So a column's mark is decided once, from public rows (:func:`decimal_marks`), and kept
in the schema; what a cell is then depends on nobody else's.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pandas as pd

from rlm_core.tables.columns import distinct_values

MARKS = (".", ",")
"""What can divide a number from its fraction; the other one then divides thousands."""

_GROUPED = {
    ".": re.compile(r"[+-]?(?!0)\d{1,3}(,\d{3})+(\.\d*)?"),
    ",": re.compile(r"[+-]?(?!0)\d{1,3}(\.\d{3})+(,\d*)?"),
}  # by the mark of the fraction; a leading 0 is never one of thousands
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")

SEPARATOR = "separator"
"""The attribute of a frame that says what divided its cells, if it was a CSV file."""


def parse_number(text: str, *, decimal: str = ".") -> float | None:
    """A finite number, also with thousands' commas, a decimal comma, a percent or a currency sign; None if it is none.

    ``decimal`` is the column's mark of a fraction: it says what "1,234" and "1.234" are, which alone could be either.
    Where a number has both marks, the later one is that of its fraction.

    >>> [parse_number(text) for text in ("1,234.5", "1.234,5", "3,14", "17%", "$5", "1e3", "five")]
    [1234.5, 1234.5, 3.14, 17.0, 5.0, 1000.0, None]
    >>> [[parse_number(text, decimal=mark) for text in ("1,234", "1.234", "0,125", "0.125")] for mark in MARKS]
    [[1234.0, 1.234, 0.125, 0.125], [1.234, 1234.0, 0.125, 0.125]]
    """
    plain = _plain(text)
    mark = max(MARKS, key=plain.rfind) if all(each in plain for each in MARKS) else decimal
    if _GROUPED[mark].fullmatch(plain):
        plain = plain.replace("." if mark == "," else ",", "").replace(",", ".")
    elif _DECIMAL_COMMA.fullmatch(plain):
        plain = plain.replace(",", ".")
    if "_" in plain:  # Python reads 1_000; nobody else does
        return None
    try:
        return float(plain) + 0.0  # -0.0 becomes 0.0
    except (ValueError, OverflowError):
        return None


def decimal_mark(text: str) -> str | None:
    """The mark of the fraction that a number shows; None for words, whole numbers, and what could be either.

    >>> [decimal_mark(text) for text in ("3,14", "0,125", "1.234,5", "1.234.567", "1,234.5", "1.5")]
    [',', ',', ',', ',', '.', '.']
    >>> [decimal_mark(text) for text in ("1,234", "7", "a,b")]
    [None, None, None]
    """
    plain = _plain(text)
    there = [each for each in MARKS if each in plain]
    if not there:
        return None
    mark = max(there, key=plain.rfind)
    other = "." if mark == "," else ","
    if len(there) == 1 and _GROUPED[other].fullmatch(plain):  # groups of three: thousands, if there are several
        return other if plain.count(mark) > 1 else None
    return None if parse_number(plain, decimal=mark) is None else mark


def _plain(text: str) -> str:
    return text.strip().removesuffix("%").strip(" $€£")


def decimal_marks(public: pd.DataFrame) -> dict[str, str]:
    """The mark of the fraction in every column of public rows: what its own cells show, else what the other columns do.

    Where no cell of the table tells, a file whose cells are divided by semicolons is one with decimal commas.

    >>> decimal_marks(pd.DataFrame({"a": ["0,5", "2,250"], "b": ["1.234", "2.250"], "c": [1, 2]}))
    {'a': ',', 'b': ',', 'c': ','}
    >>> decimal_marks(pd.DataFrame({"a": ["1,234", "567"], "b": ["3.5", "1.25"]}))
    {'a': '.', 'b': '.'}
    """
    words = {str(name): _words(public[name]) for name in public}
    shown = {name: {decimal_mark(word) for word in words[name]} - {None} for name in words}
    everywhere = set[str | None]().union(*shown.values())
    by_semicolon = not everywhere and public.attrs.get(SEPARATOR) == ";"

    def has_comma(name: str) -> bool:
        return shown[name] == {","} or (not shown[name] and everywhere == {","})

    def may_have_one(name: str) -> bool:
        return by_semicolon and any("," in word for word in words[name])

    return {name: "," if has_comma(name) or may_have_one(name) else "." for name in words}


def _words(column: pd.Series) -> Sequence[str]:
    if pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_datetime64_any_dtype(column.dtype):
        return ()
    distinct: Sequence[Any] = distinct_values(column)[1]
    return [each for each in distinct if isinstance(each, str)]
