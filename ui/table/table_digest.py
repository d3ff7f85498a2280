"""One name for the people of a table, whatever the file that it came in.

The ledger adds up what a table's people have spent, so the same table must not look new because of a line end,
a separator, the order of its columns, a column that nobody uses, or 12000 written as $12,000. What it cannot
know: a table with a changed cell, fewer rows or another order of rows is another one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from ui.table.cells import plain_number


def table_digest(columns: Mapping[str, Sequence[str]]) -> str:
    """Sixteen hexadecimal digits of the columns' values, by the columns' names.

    >>> table_digest({"a": ["$1,000", "x"], "b": ["1", "2"]}) == table_digest({"b": ["1.0", " 2"], "a": ["1e3", "X "]})
    True
    """
    digest = hashlib.sha256()
    for name in sorted(columns):
        codes, distinct = pd.factorize(np.array(columns[name], dtype=object))
        values = np.array([plain_value(text) for text in distinct], dtype=object)[codes]
        digest.update("\x1f".join([name, *values, "\x1e"]).encode())
    return digest.hexdigest()[:16]


def plain_value(text: str) -> str:
    """A cell for comparing: a number as Python writes it, words in lower case with single spaces."""
    value = plain_number(text)
    return " ".join(text.split()).casefold() if value is None else repr(value)
