"""Numbers that people write: thousands' commas, decimal commas, signs.

"1,234" alone could be either. So a column's mark is decided once, from public rows (``marks``), and kept in the
schema; what a cell is then depends on nobody else's.
"""

from __future__ import annotations

import re

MARKS = (".", ",")
"""What can divide a number from its fraction; the other one then divides thousands."""

_GROUPED = {
    ".": re.compile(r"[+-]?(?!0)\d{1,3}(,\d{3})+(\.\d*)?"),
    ",": re.compile(r"[+-]?(?!0)\d{1,3}(\.\d{3})+(,\d*)?"),
}  # by the mark of the fraction; a leading 0 is never one of thousands
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+")
_LIST = re.compile(r"([1-9]\d?),([1-9]\d?)")

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


def may_be_list(text: str) -> bool:
    """Whether a number with a decimal comma could also be two chosen answers of a survey, in order.

    >>> [may_be_list(text) for text in ("1,2", "3,12", "0,5", "3,1", "1,05", "-1,2", "1,25 %")]
    [True, True, False, False, False, False, False]
    """
    found = _LIST.fullmatch(text.strip())
    return found is not None and int(found[1]) < int(found[2])


def _plain(text: str) -> str:
    return text.strip().removesuffix("%").strip(" $€£")
