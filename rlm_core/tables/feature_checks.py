"""What is wrong with a column's description that somebody wrote or edited: by column, field and value."""

from __future__ import annotations

import datetime
import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from rlm_core.tables.decimals import MARKS
from rlm_core.tables.errors import TableError
from rlm_core.tables.feature import BOOLEAN, KINDS, Feature
from rlm_core.tables.values import LARGEST

MOST_TOLD = 5
"""Problems that one message lists."""


def feature_of(data: Any) -> Feature:
    """The feature that a JSON object describes; TableError with all that is wrong with it."""
    if not isinstance(data, Mapping) or not isinstance(data.get("name"), str):  # it may be empty, as an index's is
        raise TableError(f"Expected an object with a name for every feature, got {str(data)[:80]}.")
    name, known = data["name"], [field.name for field in fields(Feature)]
    strange = [each for each in data if each not in known]
    if strange:
        raise TableError(
            f"Expected the fields {', '.join(known)} for {name!r}, got the field {str(strange[0])[:80]!r}."
        )
    values = {"title": name, "unit": ""} | dict(data)
    for field in ("choices", "missing"):
        words = values.get(field, [])
        if not isinstance(words, list) or not all(isinstance(each, str) for each in words):
            raise TableError(f"Expected a list of words for {field} of {name!r}, got {str(words)[:80]}.")
        values[field] = tuple(words)
    if "kind" not in values:
        raise TableError(f"Expected kind in {', '.join(KINDS)} for {name!r}, got none.")
    feature = Feature(**values)
    found = problems(feature)
    if found:
        raise TableError(" ".join(found[:MOST_TOLD]))
    return feature


def problems(feature: Feature) -> list[str]:
    """One sentence for each thing that is wrong with a feature.

    >>> problems(Feature(name="age", title="Age", unit="", kind="number", low=90, high=18))
    ["Expected low below high for 'age', got low=90 and high=18."]
    """
    name, found = feature.name, list[str]()
    for field in ("title", "unit", "help"):
        if not isinstance(getattr(feature, field), str):
            found.append(f"Expected a text for {field} of {name!r}, got {getattr(feature, field)!r}.")
    for field in ("day_first", "bounded"):
        if not isinstance(getattr(feature, field), bool):
            found.append(f"Expected true or false for {field} of {name!r}, got {getattr(feature, field)!r}.")
    if feature.decimal not in MARKS:
        found.append(f"Expected '.' or ',' for decimal of {name!r}, got {str(feature.decimal)[:80]!r}.")
    if feature.kind not in KINDS:
        return [*found, f"Expected kind in {', '.join(KINDS)} for {name!r}, got {feature.kind!r}."]
    return found + (_of_words(feature) if feature.is_category else _of_numbers(feature))


def _of_words(feature: Feature) -> list[str]:
    name, choices = feature.name, feature.choices
    if feature.kind == "boolean":
        right = choices == BOOLEAN
        return [] if right else [f"Expected the choices {', '.join(BOOLEAN)} for {name!r}, a boolean, got {choices}."]
    if not choices:
        return [f"Expected some choices for {name!r}, got none."]
    found = []
    twice = [choice for choice, times in Counter(choices).items() if times > 1]
    if twice:
        found.append(f"Expected every choice of {name!r} once, got {twice[0][:80]!r} {choices.count(twice[0])} times.")
    if any(choice != choice.strip() or not choice for choice in choices):
        strange = next(choice for choice in choices if choice != choice.strip() or not choice)
        found.append(f"Expected choices without spaces around them for {name!r}, got {strange[:80]!r}.")
    if feature.bounded:
        found.append(f"Expected no bounds for {name!r}, which is of kind category, got bounded=True.")
    return found


def _of_numbers(feature: Feature) -> list[str]:
    name, found = feature.name, list[str]()
    for field in ("low", "high", "step"):
        value = getattr(feature, field)
        if value is None:
            continue
        if isinstance(value, bool) or not isinstance(value, int | float) or not abs(value) <= LARGEST:
            found.append(f"Expected a number of at most 1e100 for {field} of {name!r}, got {str(value)[:80]!r}.")
        elif feature.kind == "date" and field != "step" and not datetime.MINYEAR <= value < datetime.MAXYEAR + 1:
            found.append(f"Expected a year from 1 to 9999 for {field} of {name!r}, which is a date, got {value:g}.")
    if feature.choices:
        listed = ", ".join(feature.choices)[:80]
        found.append(f"Expected no choices for {name!r}, which is of kind {feature.kind}, got {listed!r}.")
    if found:
        return found
    low, high = feature.low, feature.high
    if low is not None and high is not None and not low < high:
        found.append(f"Expected low below high for {name!r}, got low={low:g} and high={high:g}.")
    if feature.bounded and low is None and high is None:
        found.append(f"Expected low or high for {name!r}, which is bounded, got neither.")
    return found


def bounds(feature: Feature) -> tuple[float, float]:
    """Where numbers are cut: nowhere unless it is bounded."""
    if not feature.bounded:
        return -math.inf, math.inf
    return (-math.inf if feature.low is None else feature.low), (math.inf if feature.high is None else feature.high)
