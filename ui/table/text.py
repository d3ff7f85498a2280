"""The row page's words."""

from __future__ import annotations

import math

from ui.kit.formats import number

LEDE = "One row of a table, on your device. Nothing crosses to the collector until you send it."

LEDE_TABLE = "A whole table at once. Every row is one person’s, and gets noise of its own."

CSV_TRAVELS = (
    "<b>A file travels to this server</b>, whole and as it is, and is privatised here by the library. It is forgotten "
    "with your visit. Rows that must not travel belong in the form under <i>One loan</i>, which stays on your device. "
    "Or run <code>rlm privatise loans.csv --model lending-qrlm-k96 --epsilon 4 --out reports.parquet</code> on your "
    "own machine: no row leaves it."
)

CSV_COLUMNS = (
    "Columns are found by their names, in any order; others are ignored. Numbers need a decimal point. A column "
    "**outcome** (repaid or charged off) is optional: with it, the label is privatised too."
)

COUNTED = (
    "Counted in this visit: the same table in another file, or with other line ends, is the same people. A table "
    "with other rows or changed cells counts as new, and a reload of the page starts from nothing: your own count "
    "of what these people have spent is what holds."
)

DISTRIBUTION = (
    "One column of your table, before and after. The smaller ε, the less a single decoded row says about its own "
    "record; what a collector may hope to learn is the shape of the column as a whole. For words, the probabilities of "
    "all rows are added up. A decoder shows the likely, so rare values fade."
)


def budget_of_rows(epsilon: float, rows: int) -> str:
    """What a table costs each person: every row is one person's release."""
    people = "one person’s release" if rows == 1 else f"{rows:,} people’s releases"
    if math.isinf(epsilon):
        return f"<b>Each row is one person’s release.</b> At ε = ∞ these are {people} without any protection."
    return (
        f"<b>Each row is one person’s release at ε = {number(epsilon)}.</b> Different people’s budgets do not add up; "
        "but if somebody is in several rows, or the table is released again, that person’s do."
    )
