"""One column of text to numbers, words or labels; what cannot be read is marked, with the reason.

Each distinct text is read once: a column of 50,000 loans has a few thousand of them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rlm_core.data.lending_club import OUTCOMES
from rlm_core.data.loan_columns import SYNONYMS, tidy_dates
from rlm_core.data.schema import Feature
from rlm_core.types import BoolArray, IntArray

# 12000, 1.5e4, and with proper thousands 12,000; not 9,82, which would be read as 982.
_NUMBER = re.compile(r"[+-]?(\d{1,3}(,\d{3})+(\.\d*)?|\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?", re.ASCII)
_DECIMAL_COMMA = re.compile(r"[+-]?\d+,\d+")
_Read = Callable[[str], tuple[Any, str | None]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Parsed:
    """A column's values, which of them are bad, and why (by code of the distinct text)."""

    values: NDArray[Any]
    bad: BoolArray
    codes: IntArray = field(repr=False)
    reasons: list[str | None] = field(repr=False)

    def messages(self, limit: int) -> Iterator[tuple[int, str]]:
        """Position and reason of the first bad cells."""
        for place in np.flatnonzero(self.bad)[:limit]:
            yield int(place), str(self.reasons[self.codes[place]])


def read_cells(texts: Sequence[str], feature: Feature, choices: Sequence[str] = ()) -> Parsed:
    """A feature's column: float64, or words of ``choices`` in the schema's spelling."""
    if feature.is_category:
        spellings = {choice.lower(): choice for choice in choices}
        spellings |= {text: word for text, word in SYNONYMS.get(feature.name, {}).items() if word in choices}
        return _column(texts, lambda text: _word(text, feature, choices, spellings), object)
    return _column(texts, lambda text: _number(text, feature), np.float64)


def read_labels(texts: Sequence[str], classes: Sequence[str]) -> Parsed:
    """Labels as class numbers, from the class's name, its number, or Lending Club's own status."""
    names = {name.lower(): code for code, name in enumerate(classes)}
    names |= {str(code): code for code in range(len(classes))} | {f"{code}.0": code for code in range(len(classes))}
    names |= {status.lower(): code for status, code in OUTCOMES.items()}
    allowed = " or ".join(f"‘{name}’ ({code})" for code, name in enumerate(classes))

    def read(text: str) -> tuple[int, str | None]:
        code = names.get(text.strip().lower())
        return (code, None) if code is not None else (0, f"Expected {allowed}, got {shortened(text)}.")

    return _column(texts, read, np.int64)


def _column(texts: Sequence[str], read: _Read, kind: type) -> Parsed:
    codes, distinct = pd.factorize(np.array(texts, dtype=object))
    pairs = [read(text) for text in distinct]
    values: NDArray[Any] = np.empty(len(pairs), dtype=kind)
    values[:] = [value for value, _ in pairs]
    reasons = [reason for _, reason in pairs]
    wrong = np.array([reason is not None for reason in reasons], dtype=np.bool_)
    return Parsed(values=values[codes], bad=wrong[codes], codes=codes, reasons=reasons)


def plain_number(text: str) -> float | None:
    """A number with or without thousands, dollar and percent sign; None if it is none.

    >>> plain_number(" $12,000 "), plain_number("9.82%"), plain_number("9,82")
    (12000.0, 9.82, None)
    """
    plain = _bare(text)
    return float(plain.replace(",", "")) + 0.0 if _NUMBER.fullmatch(plain) else None  # -0.0 becomes 0.0


def _bare(text: str) -> str:
    return text.strip().removeprefix("$").removesuffix("%").strip()


def _number(text: str, feature: Feature) -> tuple[float, str | None]:
    plain = _bare(text)
    if not plain:
        return np.nan, f"Expected a number for {feature.title}, got an empty cell."
    if (value := plain_number(text)) is not None:
        return value, feature.problem(value)
    if feature.name == "earliest_cr_line" and (year := _year(plain)) is not None:
        return year, feature.problem(year)
    hint = " Write decimals with a point." if _DECIMAL_COMMA.fullmatch(plain) else ""
    return np.nan, f"Expected a number for {feature.title}, got {shortened(text)}.{hint}"


def _year(text: str) -> float | None:
    """A month such as Apr-2003 as a year with a fraction."""
    try:
        (date,) = tidy_dates(pd.Series([text], name="date"))
    except ValueError:
        return None
    return float(date.year + (date.month - 1) / 12)


def _word(
    text: str, feature: Feature, choices: Sequence[str], spellings: dict[str, str]
) -> tuple[str | None, str | None]:
    plain = " ".join(text.split())
    if not plain and "n/a" in choices:
        return "n/a", None  # not given is an answer of its own here
    if (word := spellings.get(plain.lower())) is not None:
        return word, None
    got = shortened(text) if plain else "an empty cell"
    return None, f"Expected {feature.title} to be one of {listed(choices)}, got {got}."


def listed(choices: Sequence[str]) -> str:
    """Allowed values for reading, the first few if they are many.

    >>> listed(["A", "B"]), listed([str(n) for n in range(50)])
    ('A, B', '0, 1, 2, 3, 4, 5, 6, 7, 8, 9 and 40 more')
    """
    if len(choices) <= 14:
        return ", ".join(choices)
    return f"{', '.join(choices[:10])} and {len(choices) - 10} more"


def shortened(text: str, length: int = 40) -> str:
    """A value as it was entered, in quotes, not longer than can be read.

    >>> shortened("x" * 100, 5)
    '‘xxxxx…’'
    """
    return f"‘{text if len(text) <= length else text[:length] + '…'}’"
