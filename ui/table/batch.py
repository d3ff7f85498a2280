"""Privatise a whole table: draw once, keep it, charge it; every row is one person's release.

The result is kept in the session under (file, rows, mechanism, ε, λ), so that looking at it, or moving
something else, draws nothing. It is charged to the same ledger as single records, once for the table and
before anything is drawn: each person in it has spent that much. What is interrupted half-way is neither kept
nor shown, but it has been charged.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from rlm_core import Budget, RandomisedResponse, release_rows
from rlm_core.types import FloatArray, IntArray
from ui.kit.kept import keep_newest, session_value
from ui.record.release import ledger
from ui.table.csv_file import LoanFile

BLOCK = 2_000
"""Rows that are decoded between two steps of the progress bar."""

MOST_KEPT = 3
"""Results that a session keeps; a large one takes tens of megabytes."""

_STATE, _LAST = "table_releases", "table_last"


@dataclass(frozen=True, kw_only=True, eq=False)
class TableRelease:
    """What the collector has of a table (z̃, ỹ, x̃), and the table itself for the owner's own screen."""

    name: str
    file: LoanFile = field(repr=False)
    mechanism: str
    budget: Budget
    z_private: FloatArray = field(repr=False)
    y_private: IntArray | None = field(repr=False)
    x_decoded: pd.DataFrame = field(repr=False)
    shares: dict[str, pd.Series] = field(repr=False)
    classes: tuple[str, ...]

    @property
    def record(self) -> str:
        """The table's name in the ledger."""
        return record_of(self.file)

    @property
    def epsilon(self) -> float:
        """What each person has spent with it."""
        return self.budget.epsilon_x + (self.budget.epsilon_y if self.y_private is not None else 0.0)

    def table(self, rows: int | None = None) -> pd.DataFrame:
        """z̃, ỹ and x̃ as one table (its first ``rows``), in the order of the file. Nothing else is in it."""
        names = [f"z_private_{i + 1}" for i in range(self.z_private.shape[1])]
        parts = [pd.DataFrame(self.z_private[:rows].round(6), columns=names)]
        if self.y_private is not None:
            parts.append(pd.DataFrame({"y_private": np.array(self.classes, dtype=object)[self.y_private[:rows]]}))
        parts.append(self.x_decoded.iloc[:rows].round(3).add_prefix("x_decoded_"))
        return pd.concat(parts, axis=1)


def record_of(file: LoanFile) -> str:
    """One name for the people of a file; the same table in another file has the same."""
    return f"table {file.digest}"


def cost(file: LoanFile, budget: Budget) -> float:
    """ε for each person: without labels in the file, the label's share is not spent."""
    return budget.epsilon_x + (budget.epsilon_y if file.labels is not None else 0.0)


def kept(file: LoanFile, mechanism: str, budget: Budget) -> TableRelease | None:
    """The last release for exactly this choice. Draws nothing."""
    found: TableRelease | None = _results().get(key(file, mechanism, budget))
    return found


def last() -> TableRelease | None:
    """The last table that was released in this session."""
    return _results().get(st.session_state.get(_LAST))


def draw(
    file: LoanFile, name: str, model: Any, budget: Budget, *, progress: Callable[[int], None] = lambda done: None
) -> TableRelease:
    """A new release of every row; ``progress`` is told how many rows are done."""
    if file.frame.empty:
        raise ValueError("Expected at least one row to release, got 0.")
    rows, send_labels = len(file.frame), file.labels is not None and budget.epsilon_y > 0
    sent = release_rows(
        model.preprocessor.transform(file.frame),
        file.labels if send_labels else None,
        mechanism=model.mechanism(budget.epsilon_x),
        labels=RandomisedResponse(epsilon=budget.epsilon_y, classes=len(model.card.classes)) if send_labels else None,
        ledger=ledger(),
        record=record_of(file),
        progress=lambda done: progress(done // 2),  # the other half is decoding
    )
    z_private, decoded = sent.z_private, []
    sums: dict[str, Any] = {}
    for start in range(0, rows, BLOCK):
        guess = model.preprocessor.inverse(model.decode(z_private[start : start + BLOCK]))
        decoded.append(guess.most_likely())
        for column, table in guess.probabilities.items():
            sums[column] = sums.get(column, 0.0) + table.sum()
        progress((rows + min(start + BLOCK, rows)) // 2)
    result = TableRelease(
        name=name,
        file=file,
        mechanism=sent.mechanism,
        budget=budget,
        z_private=z_private,
        y_private=sent.y_private,
        x_decoded=pd.concat(decoded, ignore_index=True),
        shares={column: total / rows for column, total in sums.items()},
        classes=tuple(model.card.classes),
    )
    st.session_state[_LAST] = key(file, result.mechanism, budget)
    keep_newest(_results(), st.session_state[_LAST], result, most=MOST_KEPT)
    return result


def _results() -> dict[Any, TableRelease]:
    return session_value(_STATE, dict)


def key(file: LoanFile, mechanism: str, budget: Budget) -> tuple[Any, ...]:
    """What a release is kept under: any other choice is another release."""
    return (file.content, len(file.frame), mechanism, budget.epsilon, budget.lam)
