"""Class names and their numbers: labels are compared as text, and an unknown one is an error."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rlm_core.privatiser.plan import MOST_CLASSES
from rlm_core.tables.columns import distinct_values
from rlm_core.tables.errors import TableError
from rlm_core.tables.values import as_text, same_text, whole_text
from rlm_core.types import IntArray, quote

LARGEST_WHOLE = 2**53

FIRST_ROWS = 1_000
"""So many are looked at before a whole column is."""


def label_texts(labels: Iterable[Any]) -> list[str | None]:
    """Every label as text, None where it is missing; 1, 1.0 and "1.0" are the same label, "v1" and "v1.0" are not.

    >>> label_texts([1, 1.0, "1.0", "v1.0", None, True])
    ['1', '1', '1', 'v1.0', None, 'true']
    """
    series = labels if isinstance(labels, pd.Series) else pd.Series(list(labels), dtype=object)
    _check_whole(series)
    at, distinct = distinct_values(as_text(series.rename("label")))
    words = np.array([*(whole_text(str(each)) for each in distinct), None], dtype=object)
    texts: list[str | None] = words[at].tolist()
    return texts


def in_spelling(texts: Sequence[str | None], classes: Sequence[str]) -> list[str | None]:
    """Every label as the classes write it: a CSV file has "True" and "2.50" for a typed column's true and 2.5.

    What is exactly a class goes first; where two classes are the same value, other spellings are of neither.

    >>> in_spelling(["true", "False", "maybe", None], ["False", "True"])
    ['True', 'False', 'maybe', None]
    """
    times = Counter(map(same_text, classes))
    known = {same_text(name): name for name in classes if times[same_text(name)] == 1}
    words = {each for each in texts if each is not None}
    spelt = {each: each if each in classes else known.get(same_text(each), each) for each in words}
    return [None if each is None else spelt[each] for each in texts]


def _check_whole(labels: pd.Series) -> None:
    """Numbers are compared by their float64, so beyond 2^53 two of them could be one class."""
    large = [each for each in labels if isinstance(each, int | np.integer) and abs(int(each)) > LARGEST_WHOLE]
    if large:
        raise TableError(f"Expected whole numbers up to 2^53 as labels, got {quote(large[0])}: write them as text.")


def true_classes(labels: Iterable[Any], classes: Sequence[str]) -> NDArray[np.str_]:
    """Labels of test rows as text: each is there, and one at least is of a class that is known."""
    texts = in_spelling(label_texts(labels), classes)
    if None in texts:
        raise TableError(f"Expected a label in every test row, got none in row {texts.index(None)}.")
    if texts and not set(texts) & set(classes):
        raise TableError(f"Expected a label in {', '.join(classes[:20])} in some test row, got {quote(texts[0])}.")
    return np.array(texts, dtype=np.str_)


def find_classes(labels: Iterable[Any]) -> tuple[str, ...]:
    """The different labels of public rows, sorted; numbers by their value."""
    return check_classes(sorted({each for each in label_texts(labels) if each is not None}, key=_order))


def rows_of_classes(labels: Iterable[Any]) -> dict[str, int]:
    """How many public rows each label has; rows without one are not counted.

    >>> rows_of_classes(["no", "yes", None, "no"])
    {'no': 2, 'yes': 1}
    """
    return dict(Counter(each for each in label_texts(labels) if each is not None))


def notes_of_labels(labels: Iterable[Any], classes: Sequence[str]) -> tuple[str, ...]:
    """What is to be said of public labels that tell nothing: missing ones, and those outside of the classes.

    >>> notes_of_labels(["no", "yes", None, "maybe"], ["no", "yes"])[0]
    'labels: 1 of 4 public rows has none; it was fitted on like the others'
    """
    texts = in_spelling(label_texts(labels), classes)
    others = Counter(each for each in texts if each is not None and each not in classes)
    listed = ", ".join(repr(name[:40]) for name, _ in others.most_common(3)) + (", …" if len(others) > 3 else "")
    counts = ((texts.count(None), "none"), (others.total(), f"one that is not among the classes ({listed})"))
    return tuple(
        f"labels: {count:,} of {len(texts):,} public rows {'has' if count == 1 else 'have'} {what}; "
        f"{'it was' if count == 1 else 'they were'} fitted on like the others"
        for count, what in counts
        if count
    )


def label_list(labels: Any) -> Any:
    """The labels, as a list, Series or array has them; others are refused: a set has no order of its rows."""
    if not isinstance(labels, pd.Series) and callable(getattr(labels, "to_pandas", None)):
        labels = labels.to_pandas()  # a column of Arrow or Polars
    if isinstance(labels, np.ma.MaskedArray):
        return labels.astype(object).filled(None)  # type: ignore[attr-defined]
    if isinstance(labels, str | bytes | pd.DataFrame) or not _is_list(labels):
        got = f"a DataFrame of shape {labels.shape}" if isinstance(labels, pd.DataFrame) else quote(labels)
        raise TypeError(f"Expected a list of labels, or the name of their column as text, got {got}.")
    return labels


def _is_list(values: object) -> bool:
    """Not a set, which has another order in every process, nor an iterator, which can be read once."""
    known = isinstance(values, Sequence | np.ndarray | pd.Series | pd.Index | pd.api.extensions.ExtensionArray)
    return known or hasattr(values, "__array__")


def columns_of_classes(table: pd.DataFrame, names: Iterable[str], classes: Sequence[str]) -> list[str]:
    """Those of the columns whose values are exactly the classes, compared as labels are: one may be the label.

    >>> table = pd.DataFrame({"ill": ["no", "yes", None], "job": ["cook", "no", "yes"], "one": ["no", "no", "no"]})
    >>> columns_of_classes(table, ["ill", "job", "one"], ["yes", "no"])
    ['ill']
    """
    wanted = set(map(same_text, classes))

    def values(column: pd.Series) -> set[str]:
        return {same_text(str(each)) for each in as_text(column).dropna().unique()}

    return [name for name in names if values(table[name][:FIRST_ROWS]) <= wanted == values(table[name])]


def check_classes(classes: Sequence[Any]) -> tuple[str, ...]:
    """Class names as text that can be read, and kept in a file: 2 to 100, all different."""
    if isinstance(classes, str):
        raise TypeError(f"Expected a list of classes, got the text {classes!r}.")
    if not _is_list(classes):
        raise TypeError(f"Expected a list of classes, got a value of type {type(classes).__name__}.")
    names = [each for each in label_texts(list(classes)) if each is not None]
    if len(set(names)) < len(list(classes)):
        raise ValueError(f"Expected different classes, got {list(classes)!r}.")
    if len(names) < 2:
        got = f"one class, {names[0]!r}" if names else "none"
        raise ValueError(f"Expected at least two classes, got {got}: there is nothing to tell apart.")
    strange = next((name for name in names if any(unicodedata.category(each) in ("Cc", "Cs") for each in name)), None)
    if strange is not None:  # numpy cuts zero characters at the end off, so two classes could become one
        raise ValueError(f"Expected class names without control characters, got {quote(strange)}.")
    if len(names) > MOST_CLASSES:
        raise ValueError(
            f"Expected at most {MOST_CLASSES} classes, got {len(names)}: a label with so many values cannot be learnt "
            "from private reports. Is it the right column?"
        )
    return tuple(names)


def label_numbers(labels: Iterable[Any], classes: Sequence[str]) -> IntArray:
    """The number of every label's class; a missing or unknown label is an error with its row and column."""
    numbers = {name: number for number, name in enumerate(classes)}
    texts = in_spelling(label_texts(labels), classes)
    at, distinct = distinct_values(texts)
    known = np.array([*(numbers.get(text, -1) for text in distinct), -1], dtype=np.int64)
    found: IntArray = known[at]
    if found.size and found.min() < 0:
        row = int(found.argmin())
        text = texts[row]
        got = "no label" if text is None else repr(text[:80])
        named = isinstance(labels, pd.Series) and labels.name is not None
        where = f"row {row}, column {labels.name}" if named else f"row {row}"  # type: ignore[attr-defined]
        raise TableError(f"Expected a label in {', '.join(classes[:20])} in {where}, got {got}.")
    return found


def as_given(names: Sequence[str], given: Iterable[Any]) -> NDArray[Any]:
    """Class names in the type of the labels that were given: numbers or truth values, if all of those are; else text.

    >>> as_given(("0", "1"), [1, 0, 1]), as_given(("a", "b"), ["b", "a"])
    (array([0, 1]), array(['a', 'b'], dtype='<U1'))
    """
    values = [each for each, text in zip(given, label_texts(given), strict=True) if text is not None]
    if names and all(isinstance(each, bool | np.bool_) for each in values):
        return np.array([name == "true" for name in names])
    if not names or not all(isinstance(each, int | float | np.integer | np.floating) for each in values):
        return np.array(names, dtype=np.str_)
    if any(isinstance(each, bool | np.bool_) for each in values):  # True beside 2: as text alone they differ from 1
        return np.array(names, dtype=np.str_)
    is_whole = all(isinstance(each, int | np.integer) for each in values)
    return np.array([int(name) if is_whole else float(name) for name in names])


def _order(name: str) -> tuple[int, float, str]:
    try:
        return 0, float(name), name
    except ValueError:
        return 1, 0.0, name
