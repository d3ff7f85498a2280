"""From the spellings in Lending Club files to the values of ``schema``, column by column.

The public CSV writes " 36 months", "13.56%", "Dec-2015"; other copies have numbers and
dates. A value that cannot be read is an error that names its row and column; an empty one
is missing.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import numpy as np
import pandas as pd

from rlm_core.data.schema import Feature

MONTHS = {
    name: number for number, name in enumerate("jan feb mar apr may jun jul aug sep oct nov dec".split(), start=1)
}  # spelt out: strptime's %b depends on the locale

# Spellings of other vintages of the same table, in lower case.
SYNONYMS: dict[str, dict[str, str]] = {
    "term": {"36": "36 months", "60": "60 months", "36.0": "36 months", "60.0": "60 months"},
    "home_ownership": {"any": "OTHER", "none": "OTHER"},
    "application_type": {"joint": "Joint App"},
    "verification_status": {"verified - income": "Verified", "verified - income source": "Source Verified"},
}


def tidy_column(column: pd.Series, feature: Feature) -> pd.Series:
    """The column with the values of ``feature``: float64, or words with None where missing."""
    if feature.is_category:
        return _by_distinct(column, lambda text: _words(text, feature), f"one of {', '.join(feature.choices)}")
    if pd.api.types.is_numeric_dtype(column):
        return column.astype(np.float64) + 0.0  # -0.0 becomes 0.0
    if feature.name == "earliest_cr_line":
        dates = tidy_dates(column)
        years = (dates.dt.year + (dates.dt.month - 1) / 12).to_numpy(dtype=np.float64)
        return pd.Series(years, index=column.index, name=column.name)
    return _by_distinct(column, _numbers, "numbers")


def tidy_dates(column: pd.Series) -> pd.Series:
    """Months as the first day of each: from "Dec-2015", from "2015-12-01", or from dates."""
    if pd.api.types.is_datetime64_any_dtype(column):
        return column
    return _by_distinct(column, _months, "months such as Dec-2015")


def _by_distinct(column: pd.Series, tidy: Callable[[pd.Series], pd.Series], expected: str) -> pd.Series:
    """Apply ``tidy`` to the distinct values only: a column of a million loans has a few thousand.

    ``tidy`` gets stripped text, missing where empty; what it leaves missing of the rest is an error.
    """
    codes, distinct = pd.factorize(column)
    values = pd.Series([*distinct, None], dtype=object)  # the code of a missing value is -1: the last
    text = values.astype("string").str.strip()
    text = text.mask(text == "")
    tidied = tidy(text)
    bad = np.flatnonzero(text.notna().to_numpy(dtype=bool) & tidied.isna().to_numpy(dtype=bool))
    if bad.size:
        row = int(np.flatnonzero(np.isin(codes, bad))[0])
        value = column.iloc[row]
        raise ValueError(f"Expected {expected} in column {column.name}, got {value!r} in row {row}.")
    return pd.Series(tidied.to_numpy()[codes], index=column.index, name=column.name, dtype=tidied.dtype)


def _numbers(text: pd.Series) -> pd.Series:
    plain = text.str.removesuffix("%").str.replace(",", "")
    numbers = pd.to_numeric(plain, errors="coerce").astype("Float64")
    return pd.Series(numbers.to_numpy(dtype=np.float64, na_value=np.nan) + 0.0)


def _words(text: pd.Series, feature: Feature) -> pd.Series:
    if "n/a" in feature.choices:
        text = text.fillna("n/a")  # not given is an answer of its own here
    spellings = {choice.lower(): choice for choice in feature.choices} | SYNONYMS.get(feature.name, {})
    words = [spellings.get(value.lower()) if isinstance(value, str) else None for value in text]
    return pd.Series(words, dtype=object)


def _months(text: pd.Series) -> pd.Series:
    return pd.Series([_month(value) for value in text], dtype="datetime64[s]")


def _month(value: object) -> np.datetime64:
    """The first day of the month, or NaT."""
    text = value if isinstance(value, str) else ""
    if match := re.fullmatch(r"([A-Za-z]{3})-(\d{4})", text):
        year, month = int(match[2]), MONTHS.get(match[1].lower(), 0)
    elif match := re.fullmatch(r"(\d{4})-(\d{2})(-\d{2})?([ T].*)?", text):
        year, month = int(match[1]), int(match[2])
    else:
        month = 0
    return np.datetime64(f"{year:04}-{month:02}-01", "s") if 1 <= month <= 12 else np.datetime64("NaT", "s")
