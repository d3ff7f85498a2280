"""What can be known of a label when it is chosen: enough rows have one, and it has two to a hundred classes.

No Streamlit here: the page asks before a training is offered, and the training asks again before it fits anything.
"""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from typing import TYPE_CHECKING

from rlm_core.privatiser.advice import FEWEST_ROWS
from rlm_core.privatiser.labels import check_classes, rows_of_classes
from rlm_core.tables import TableError

if TYPE_CHECKING:
    from ui.own.tables import Table

_known: weakref.WeakKeyDictionary[Table, dict[str, str]] = weakref.WeakKeyDictionary()
"""What was found, by the table: looking at 50,000 labels at every step would be slow."""


def check_label(rows: Mapping[str, int]) -> None:
    """Raise if there is too little to learn from; ``rows`` says how many each class has.

    >>> check_label({"yes": 30, "no": 30})
    >>> check_label({"yes": 60})
    Traceback (most recent call last):
    ValueError: Expected at least two classes, got one class, 'yes': there is nothing to tell apart.
    """
    labelled = sum(rows.values())
    if labelled < FEWEST_ROWS:
        raise TableError(f"Expected at least {FEWEST_ROWS} rows with a label, got {labelled}: too few to learn from.")
    check_classes(list(rows))


def problem_with(table: Table, label: str) -> str:
    """Why this label cannot be learnt; empty if it can."""
    known = _known.setdefault(table, {})
    if label not in known:
        known[label] = _problem(table, label)
    return known[label]


def _problem(table: Table, label: str) -> str:
    try:
        check_label(rows_of_classes(table.frame[label]))
    except ValueError as error:
        return str(error)
    return ""
