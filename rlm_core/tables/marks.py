"""Which mark the fractions of a public table's columns have: what their own cells show, else what other numbers do.

Only cells that are text count: a number is itself. In doubt a comma divides thousands.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import pandas as pd

from rlm_core.tables.columns import distinct_values
from rlm_core.tables.decimals import SEPARATOR, decimal_mark, may_be_list, parse_number
from rlm_core.tables.feature import Feature
from rlm_core.tables.infer import exceptions
from rlm_core.tables.values import MISSING

CLEAR_SHARE = 0.05
"""Fewer cells with a decimal comma may be slips of the pen: other columns are not read by them."""


@dataclass(frozen=True, kw_only=True)
class Mark:
    """A column's mark of a fraction. ``because`` says who decided it, if its own cells could be read either way."""

    decimal: str = "."
    because: str = ""


@dataclass(frozen=True, kw_only=True)
class _Texts:
    """The texts of a column and how often each is there; ``shown`` are the marks that its numbers show."""

    cells: Counter[str]
    shown: frozenset[str | None]

    def are_numbers(self, decimal: str) -> bool:
        counts = pd.Series(self.cells, dtype=np.int64)
        read = [parse_number(word, decimal=decimal) for word in self.cells]
        return bool(self.cells) and exceptions(counts, read) is not None

    @property
    def clearly_comma(self) -> bool:
        if self.shown != {","} or not self.are_numbers(","):
            return False
        clear = sum(n for word, n in self.cells.items() if decimal_mark(word) == "," and not may_be_list(word))
        return clear >= CLEAR_SHARE * self.cells.total()

    def divided_by(self, sign: str) -> bool:
        """Whether there are numbers with this sign that could be either."""
        return any(sign in word and decimal_mark(word) is None for word in self.cells)


def column_marks(public: pd.DataFrame) -> dict[str, Mark]:
    """The mark of every column of public rows; a column of which nothing is known has a point.

    A column's own cells go first. Else it is that of the other columns, if some clearly have decimal commas and none
    has points; where no column tells, a file whose cells are divided by semicolons is one with decimal commas.

    >>> marks = column_marks(pd.DataFrame({"a": ["0,5", "2,250"], "b": ["1.234", "2.250"], "c": [1.5, 2]}))
    >>> [(name, mark.decimal, mark.because) for name, mark in marks.items()]
    [('a', ',', ''), ('b', ',', 'as in a'), ('c', '.', '')]
    >>> column_marks(pd.DataFrame({"a": ["1,234", "567"], "b": ["3.5", "1.25"]}))["a"].decimal
    '.'
    """
    texts = {str(name): _texts(public[name]) for name in public}
    commas = [name for name, each in texts.items() if each.clearly_comma]
    points = any("." in each.shown and each.are_numbers(".") for each in texts.values())
    by_semicolon = not commas and not points and public.attrs.get(SEPARATOR) == ";"

    def mark(each: _Texts) -> Mark:
        others = (commas and not points) or (by_semicolon and each.divided_by(","))
        if not (others or each.shown) or each.shown - {","} or not each.are_numbers(","):
            return Mark()
        if each.shown:
            return Mark(decimal=",")
        if commas:
            either_way = each.divided_by(",") or each.divided_by(".")
            return Mark(decimal=",", because=f"as in {commas[0]}" if either_way else "")
        return Mark(decimal=",", because="as in other files that are divided by semicolons")

    return {name: mark(each) for name, each in texts.items()}


def notes_of_marks(public: pd.DataFrame, features: Iterable[Feature]) -> tuple[str, ...]:
    """What is to be said of columns whose numbers could be read either way, and have commas for other columns' sake.

    >>> public = pd.DataFrame({"share": ["0,5", "2,25"], "income": ["5,912", "241"]})
    >>> income = Feature(name="income", title="", unit="", kind="number", decimal=",")
    >>> notes_of_marks(public, [income])[0]
    'income: its commas are read as decimal commas, as in share; set "decimal" in the schema to change that'
    """
    read = [each.name for each in features if each.decimal == ","]
    marks = column_marks(public) if read else {}
    notes = []
    for name in read:
        if marks[name].because:
            commas = _texts(public[name]).divided_by(",")
            how = "commas are read as decimal commas" if commas else "points are read as those of thousands"
            notes.append(f'{name}: its {how}, {marks[name].because}; set "decimal" in the schema to change that')
    return tuple(notes)


def _texts(column: pd.Series) -> _Texts:
    cells = Counter[str]()
    if not (pd.api.types.is_numeric_dtype(column.dtype) or pd.api.types.is_datetime64_any_dtype(column.dtype)):
        at, distinct = distinct_values(column)
        times = np.bincount(at[at >= 0], minlength=len(distinct))
        for word, count in zip(distinct, times.tolist(), strict=True):
            if isinstance(word, str) and word.strip().lower() not in MISSING:
                cells[word.strip()] += count
    return _Texts(cells=cells, shown=frozenset({decimal_mark(word) for word in cells} - {None}))
