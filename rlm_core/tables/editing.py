"""Changing a schema by hand, one column at a time: what a person types, checked against the public rows.

Nothing here looks at anybody else's rows; a schema that is refused leaves the old one as it was.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pandas as pd

from rlm_core.tables.columns import RARE
from rlm_core.tables.decimals import parse_number
from rlm_core.tables.errors import TableError
from rlm_core.tables.feature import Feature
from rlm_core.tables.feature_checks import bounds, problems
from rlm_core.tables.infer import MOST_LEVELS, LeftOut, read_column
from rlm_core.tables.schema import TableSchema
from rlm_core.tables.values import LARGEST, MISSING, as_text, date_text, number_text, parse_date


@dataclass(frozen=True, kw_only=True)
class Texts:
    """What a person may write of a column: bounds of numbers and dates (empty: none), levels one a line."""

    title: str = ""
    unit: str = ""
    low: str = ""
    high: str = ""
    levels: str = ""
    day_first: bool = True

    @classmethod
    def of(cls, feature: Feature) -> Texts:
        """A column as a form shows it."""
        low, high = (bound_text(feature, each) for each in (feature.low, feature.high))
        levels = "\n".join(feature.choices) if feature.kind == "category" else ""
        return cls(
            title=feature.title, unit=feature.unit, low=low, high=high, levels=levels, day_first=feature.day_first
        )


def bound_text(feature: Feature, bound: float | None) -> str:
    """A bound as one writes it: a number, of a date column a day."""
    if bound is None:
        return ""
    return date_text(bound) if feature.kind == "date" else number_text(bound) or ""


def edit_feature(feature: Feature, column: pd.Series, texts: Texts) -> Feature:
    """The feature as the texts say; ``column`` has its public cells.

    Bounds that were changed make it bounded: numbers beyond count as the bound. Words that are no level share one.

    Raises:
        TableError: What was wrong, by column and field, and what is accepted.
    """
    before = Texts.of(feature)
    title, unit = texts.title.strip() or feature.name, texts.unit.strip()
    edited = replace(feature, title=title, unit=unit)
    if feature.kind == "category":
        if texts.levels != before.levels:  # a level may have a line's end in it, which the form cannot show
            edited = replace(edited, choices=_levels(feature, texts.levels))
    elif not feature.is_category:
        if feature.kind == "date" and texts.day_first != feature.day_first:
            edited = _other_order(edited, column, texts.day_first)
            before = replace(before, low=texts.low, high=texts.high)  # those of the form were of the other order
        if (texts.low, texts.high) != (before.low, before.high):
            low, high = _bound(feature, "lower", texts.low), _bound(feature, "upper", texts.high)
            edited = replace(edited, low=low, high=high, bounded=low is not None or high is not None)
    wrong = problems(edited)
    if wrong:
        raise TableError(" ".join(wrong))
    _check_public(edited, column)
    return edited


def with_feature(schema: TableSchema, feature: Feature) -> TableSchema:
    """The schema with one of its columns as it was edited."""
    if feature.name not in schema.columns:
        raise TableError(f"Expected a column in {', '.join(schema.columns[:20])}, got {feature.name!r}.")
    return replace(schema, features=tuple(feature if each.name == feature.name else each for each in schema.features))


def for_table(schema: TableSchema, public: pd.DataFrame, label: str | None) -> TableSchema:
    """A schema that was brought, for this table and label: columns that it does not name are left out.

    Raises:
        TableError: It names the label or a column that is not there, a public cell cannot be read by it, or its levels
            are none that a person could have written in the form.
    """
    if label in schema.columns:
        raise TableError(f"Expected features besides the label, got the label {label!r} among them.")
    there = [str(name) for name in public.columns]
    strangers = [name for name in schema.columns if name not in there]
    if strangers:
        listed = ", ".join(map(repr, strangers[:5]))
        raise TableError(f"Expected columns of this table ({', '.join(there[:20])}), got {listed}.")
    wrong = []
    for feature in schema.features:
        try:
            if feature.kind == "category":
                _check_levels(feature.name, feature.choices)
            _check_public(feature, public[feature.name])
        except TableError as error:
            wrong.append(str(error))
    if wrong:
        raise TableError(" ".join(wrong[:5]))
    reasons = {each.name: each for each in schema.left_out}
    out = [name for name in there if name not in schema.columns and name != label]
    return replace(
        schema,
        left_out=tuple(
            reasons.get(name, LeftOut(name=name, reason="not in the schema that was brought")) for name in out
        ),
    )


def unseen_levels(feature: Feature, column: pd.Series) -> tuple[str, ...]:
    """Levels that no public row has: they can be chosen, and count as rare."""
    if feature.kind != "category":
        return ()
    seen = set(read_column(column, feature))
    return tuple(choice for choice in feature.choices if choice not in seen)


def _levels(feature: Feature, text: str) -> tuple[str, ...]:
    words = [line.strip() for line in text.splitlines() if line.strip()]
    if not words:
        raise TableError(f"Expected at least one level for {feature.title}, one a line, got none.")
    _check_levels(feature.title, words)
    return tuple(words)


def _check_levels(name: str, words: Sequence[str]) -> None:
    """Raise for too many, and for words that mean something else."""
    if len(words) > MOST_LEVELS:
        raise TableError(f"Expected at most {MOST_LEVELS} levels for {name}, got {len(words)}.")
    if RARE in words:
        raise TableError(f"Expected levels other than {RARE} for {name}: it is there by itself, for all other words.")
    silent = next((word for word in words if word.lower() in MISSING), None)
    if silent is not None:
        raise TableError(f"Expected words that say something as levels of {name}, got {silent!r}, which means missing.")


def _bound(feature: Feature, which: str, text: str) -> float | None:
    if not text.strip():
        return None
    is_date = feature.kind == "date"
    found = parse_date(text.strip(), day_first=feature.day_first) if is_date else _number(text, feature.decimal)
    if found is None or not math.isfinite(found) or abs(found) > LARGEST:
        what = "a date such as 2020-01-31" if is_date else "a number"
        raise TableError(f"Expected {what} for the {which} bound of {feature.title}, or nothing, got {text[:80]!r}.")
    return found


def _number(text: str, decimal: str) -> float | None:
    """By the column's mark of a fraction; but what Python writes of a number, as a form shows it, is that number."""
    plain = parse_number(text)
    return plain if plain is not None and "," not in text else parse_number(text, decimal=decimal)


def _other_order(feature: Feature, column: pd.Series, day_first: bool) -> Feature:
    """Dates read the other way round, with the range that the public rows then have."""
    other = replace(feature, day_first=day_first, low=None, high=None, bounded=False)
    values = read_column(column, other)
    return replace(other, low=float(values.min()), high=float(values.max()))


def _check_public(feature: Feature, column: pd.Series) -> None:
    """Raise unless the public cells can be read so, and differ."""
    read = read_column(column, feature)
    if not feature.is_category:
        if read.notna().any() and np.ptp(read.dropna()) > 0:
            return
        low, high = bounds(feature)
        span = f" between {low:g} and {high:g}" if feature.bounded else ""
        raise TableError(
            f"Expected public rows that differ in {feature.name}{span}, got the same value in all of them."
        )
    if not read.isin(feature.choices).any():
        known = ", ".join(sorted(set(map(str, as_text(column).dropna())))[:5])
        raise TableError(
            f"Expected a level of {feature.name} that some public row has ({known}, …), got {_listed(feature.choices)}."
        )


def _listed(words: Sequence[str]) -> str:
    return ", ".join(words[:5]) + (", …" if len(words) > 5 else "")
