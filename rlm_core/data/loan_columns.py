"""From the spellings in Lending Club files to the values of ``schema``, column by column.

The public CSV writes " 36 months", "13.56%", "Dec-2015"; other copies have numbers and
dates. A value that cannot be read is an error that names its row and column; an empty one
is missing.
"""

from __future__ import annotations

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
        return _tidy_category(column, feature)
    if feature.name == "earliest_cr_line" and not pd.api.types.is_numeric_dtype(column):
        dates = tidy_dates(column)
        years: pd.Series = (dates.dt.year + (dates.dt.month - 1) / 12).astype(np.float64)
        return years.rename(column.name)
    return _tidy_number(column)


def _fail(column: pd.Series, bad: pd.Series, expected: str) -> None:
    """Raise for the first row of ``bad``, if there is one."""
    if bad.any():
        row = int(np.flatnonzero(bad.to_numpy())[0])
        value = column.iloc[row]
        raise ValueError(f"Expected {expected} in column {column.name}, got {value!r} in row {row}.")


def _tidy_number(column: pd.Series) -> pd.Series:
    if pd.api.types.is_numeric_dtype(column):
        return column.astype(np.float64) + 0.0  # -0.0 becomes 0.0
    text = column.astype("string").str.strip().str.removesuffix("%").str.replace(",", "")
    text = text.mask(text == "")
    numbers = pd.to_numeric(text, errors="coerce").astype("Float64")
    _fail(column, text.notna() & numbers.isna(), "numbers")
    values = numbers.to_numpy(dtype=np.float64, na_value=np.nan) + 0.0
    return pd.Series(values, index=column.index, name=column.name)


def _tidy_category(column: pd.Series, feature: Feature) -> pd.Series:
    text = column.astype("string").str.strip()
    text = text.mask(text == "")
    if "n/a" in feature.choices:
        text = text.fillna("n/a")  # not given is an answer of its own here
    spellings = {choice.lower(): choice for choice in feature.choices} | SYNONYMS.get(feature.name, {})
    words = text.str.lower().map(spellings)
    _fail(column, (text.notna() & words.isna()), f"one of {', '.join(feature.choices)}")
    return words.astype(object).where(words.notna(), None)


def tidy_dates(column: pd.Series) -> pd.Series:
    """Months as the first day of each: from "Dec-2015", from "2015-12-01", or from dates."""
    if pd.api.types.is_datetime64_any_dtype(column):
        return column
    text = column.astype("string").str.strip()
    text = text.mask(text == "")
    english = text.str.extract(r"^([A-Za-z]{3})-(\d{4})$")
    iso = text.str.extract(r"^(\d{4})-(\d{2})(?:-\d{2})?(?:[ T].*)?$")
    named = english[0].str.lower().map(MONTHS).astype("Float64")
    month = named.fillna(pd.to_numeric(iso[1]).astype("Float64"))
    year = pd.to_numeric(english[1].fillna(iso[0])).astype("Float64")
    _fail(column, text.notna() & ~month.between(1, 12).fillna(False), "months such as Dec-2015")
    parts = pd.DataFrame({"year": year, "month": month, "day": 1}).astype("Float64")
    return pd.to_datetime(parts, errors="coerce")
