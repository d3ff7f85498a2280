"""Where the rows come from: three examples that come with the project, or a file of the visitor's, read within bounds.

No Streamlit here: a page calls :func:`read_upload` through :mod:`ui.app.decoding`, in a process with limits of its own.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

import pandas as pd

from rlm_core.privatiser.records import notes_of_dates, notes_of_levels
from rlm_core.tables import Feature, TableError, TableSchema
from rlm_core.tables.files import Limits, notes_of_rows, read_bytes
from rlm_core.tables.infer import LeftOut, infer_column
from rlm_core.tables.marks import column_marks, notes_of_marks

LIMITS = Limits(bytes=40 * 2**20, rows=50_000, columns=500, cells=3_000_000)
"""So that 50,000 rows of some forty columns come in as CSV; reading them takes seconds, and has limits of its own."""

MOST_NUMBERS = 25_000_000
"""Rows times columns after encoding: a word of a category becomes a column."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Table:
    """Rows with the name of their table, and the column that is probably the label.

    ``digest`` tells it from another one of the same name; ``doubts`` say how columns were read that
    could be read in two ways; ``note`` what else is to be said of the table.
    """

    name: str
    frame: pd.DataFrame
    label: str
    columns: tuple[Feature | LeftOut, ...]
    digest: str = ""
    doubts: tuple[str, ...] = ()
    note: str = ""

    def schema(self, label: str) -> TableSchema:
        """What the columns are, without the label's; raises a TableError where none can be used."""
        others = [each for each in self.columns if each.name != label]
        return TableSchema(
            features=tuple(each for each in others if isinstance(each, Feature)),
            left_out=tuple(each for each in others if isinstance(each, LeftOut)),
        )


def read_upload(data: bytes, name: str) -> Table:
    """The table in a file, and what its columns are: looking at every cell may take longer than reading it.

    Runs in another process, once for a file. Its size is known before, that of the table is not.
    """
    frame = read_bytes(data, LIMITS)
    columns = inferred(frame)
    return Table(
        name=name,
        frame=frame,
        label=probable_label(frame),
        columns=columns,
        digest=hashlib.sha256(data).hexdigest(),
        doubts=doubts(frame, columns),
        note="".join(f"{each[0].upper()}{each[1:]}." for each in notes_of_rows(frame)),
    )


def inferred(frame: pd.DataFrame) -> tuple[Feature | LeftOut, ...]:
    """What every column is, or why it is left out: as ``TableSchema.infer`` says, before a label is chosen."""
    marks = column_marks(frame)
    return tuple(infer_column(frame[name], decimal=marks[str(name)].decimal) for name in frame)


def doubts(frame: pd.DataFrame, columns: Sequence[Feature | LeftOut]) -> tuple[str, ...]:
    """Of each column that could have been read otherwise, or is not read whole: its name, and how it was read."""
    features = [each for each in columns if isinstance(each, Feature)]
    return notes_of_marks(frame, features) + notes_of_dates(frame, features) + notes_of_levels(frame, features)


def check_width(schema: TableSchema, rows: int) -> None:
    """Raise if the encoded table would be too large to train on here."""
    width = sum(len(feature.choices) + 1 if feature.is_category else 1 for feature in schema.features)
    if rows * width > MOST_NUMBERS:
        raise TableError(
            f"Expected at most {MOST_NUMBERS // rows:,} columns after encoding for {rows:,} rows, got {width:,}. "
            "Leave out columns with many different words, or take fewer rows."
        )


def _adult() -> Table:
    from rlm_core.data import adult_sample

    note = "9,000 people of the US census of 1994 (UCI, CC BY 4.0). Who earns more than $50,000 a year?"
    frame = adult_sample()
    return Table(name="Adult", frame=frame, label="income-per-year", columns=inferred(frame), note=note)


def _bundled(name: str, title: str, label: str, note: str, classes: Sequence[str] | None = None) -> Table:
    from sklearn import datasets

    loaded = getattr(datasets, f"load_{name}")(as_frame=True)
    names = classes or [str(each) for each in loaded.target_names]
    frame = loaded.data.assign(**{label: [names[number] for number in loaded.target]})
    return Table(name=title, frame=frame, label=label, columns=inferred(frame), note=note)


def _breast_cancer() -> Table:
    note = "569 tumours, measured under a microscope (UCI, CC BY 4.0). Malignant or benign?"
    return _bundled("breast_cancer", "Breast cancer", "diagnosis", note)


def _wine() -> Table:
    note = "178 wines and 13 measurements of each (UCI, CC BY 4.0). Which of three growers?"
    return _bundled("wine", "Wine", "grower", note, classes=["first", "second", "third"])


EXAMPLES = {"Adult": _adult, "Breast cancer": _breast_cancer, "Wine": _wine}


@lru_cache(maxsize=len(EXAMPLES))
def example(name: str) -> Table:
    """One of the examples; public, so all visitors share it."""
    return EXAMPLES[name]()


def probable_label(frame: pd.DataFrame) -> str:
    """The last column with 2 to 20 different values; the last one if there is none."""
    few = [name for name in frame if 2 <= frame[name].nunique() <= 20]
    return str(few[-1] if few else frame.columns[-1])
