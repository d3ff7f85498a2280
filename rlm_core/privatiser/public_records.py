"""Public records with labels, to be split for rehearsals: rows of a table, or pictures."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

import pandas as pd

from rlm_core.pictures import PictureFormat, are_pictures, read_pictures
from rlm_core.privatiser.compare import Rehearsal
from rlm_core.privatiser.honesty import UtilityWarning, doubtful_classes
from rlm_core.privatiser.labels import find_classes, label_numbers, rows_of_classes
from rlm_core.privatiser.records import check_apart, label_pictures, split_label
from rlm_core.tables.arrays import array_table, plain_table
from rlm_core.tables.editing import for_table
from rlm_core.tables.errors import TableError
from rlm_core.tables.files import read_table
from rlm_core.tables.schema import TableSchema
from rlm_core.types import IntArray

ROWS, PICTURES = "rows", "pictures"
"""What public records are called in sentences."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PublicRecords:
    """Labels as class numbers, and what makes a rehearsal of a split and a seed."""

    kind: str
    y: IntArray = field(repr=False)
    classes: tuple[str, ...]
    rehearsal: Callable[[Sequence[IntArray], int], Rehearsal] = field(repr=False)
    left_out: tuple[str, ...] = ()


def public_records(public: Any, label: str | Sequence[Any], schema: TableSchema | None) -> PublicRecords:
    """A table (rows without a label are left out), or pictures; see :func:`~rlm_core.privatiser.advice.advise`."""
    return _pictures(public, label) if are_pictures(public) else _rows(public, label, schema)


def _rows(public: Any, label: str | Sequence[Any], schema: TableSchema | None) -> PublicRecords:
    public = plain_table(public)
    lists = isinstance(public, pd.DataFrame | dict) or not hasattr(public, "__len__") or isinstance(public, str)
    table = read_table(public) if lists else array_table(public)
    check_apart(table, label, schema)
    features, labels = split_label(table, label)
    given = pd.Series(labels).reset_index(drop=True)
    if len(given) != len(features):
        raise TableError(f"Expected {len(features)} labels, got {len(given)}.")
    known = (given.notna() & (given.astype(str).str.strip() != "")).to_numpy()
    features, given = features[known].reset_index(drop=True), given[known].reset_index(drop=True)
    classes = _found(given)
    if schema is not None:
        for_table(schema, features, label if isinstance(label, str) else None)
    y, of_table = label_numbers(given, classes), schema or TableSchema.infer(features)
    return PublicRecords(
        kind=ROWS,
        y=y,
        classes=classes,
        rehearsal=lambda parts, seed: Rehearsal.of(features, y, len(classes), parts, schema=of_table, seed=seed),
        left_out=tuple(f"{each.name}: {each.reason}" for each in of_table.left_out),
    )


def _pictures(public: Any, label: str | Sequence[Any]) -> PublicRecords:
    """All of them are public, so that one format serves every split, and each is decoded once."""
    pictures, labels = label_pictures(read_pictures(public), label)
    given = list(labels or ())
    if len(given) != len(pictures):
        raise TableError(f"Expected {len(pictures)} labels, got {len(given)}.")
    classes = _found(given)
    y, form = label_numbers(given, classes), PictureFormat.infer(pictures)
    x = form.matrix(pictures)

    def rehearsal(parts: Sequence[IntArray], seed: int) -> Rehearsal:
        return Rehearsal.of_encoded(
            form, [x[part] for part in parts], [y[part] for part in parts], len(classes), seed=seed
        )

    return PublicRecords(kind=PICTURES, y=y, classes=classes, rehearsal=rehearsal)


def _found(labels: Iterable[Any]) -> tuple[str, ...]:
    """The classes among the labels; those that look mistyped are warned of."""
    classes, doubt = find_classes(labels), doubtful_classes(rows_of_classes(labels))
    if doubt is not None:
        warnings.warn(doubt, UtilityWarning, stacklevel=5)  # of the call of advise
    return classes
