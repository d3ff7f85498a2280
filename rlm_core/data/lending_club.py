"""Lending Club loans: one table from any of the files people have.

``RLM_LENDING_CLUB`` names the file: the public 2007-2018 CSV
(``accepted_2007_to_2018Q4.csv``, also gzipped), or a parquet file with the same column
names. Whatever the spelling in the file, the table has the values of ``schema``: numbers
as float64, categories as words, and only what is known when a loan is granted.

Kept are loans that ended: fully paid (target 0), charged off or in default (target 1).
Loans outside the credit policy, and those still running, are not.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rlm_core.catalogue import DATASETS
from rlm_core.data.cache import data_dir
from rlm_core.data.loan_columns import tidy_column, tidy_dates
from rlm_core.data.schema import FEATURES, PAPER_FEATURES, STAND_INS, features
from rlm_core.data.splits import Part, Split
from rlm_core.types import IntArray

ENVIRONMENT_VARIABLE = "RLM_LENDING_CLUB"
FILE_NAMES = ("accepted_2007_to_2018Q4.csv", "accepted_2007_to_2018Q4.csv.gz", "pooled.parquet")
OUTCOMES = {"Fully Paid": 0, "Charged Off": 1, "Default": 1}
MAX_MISSING = 0.3
"""A column with a larger share of missing values is left out ("too many", says the paper)."""
CHUNK_ROWS = 200_000


@dataclass(frozen=True, kw_only=True, eq=False)
class LoanTable:
    """Loans, one a row: ``frame`` (features only), ``target`` (1 = charged off), and what is known of them.

    ``issue_date`` is None unless every loan has one. ``left_out`` gives the reason for every
    feature of the paper that this source does not have.
    """

    name: str = "lending_club"
    frame: pd.DataFrame = field(repr=False)
    target: IntArray = field(repr=False)
    issue_date: NDArray[np.datetime64] | None = field(default=None, repr=False)
    left_out: dict[str, str]
    classes: tuple[str, ...] = DATASETS["lending_club"].classes
    source: str = "unknown"

    @property
    def features(self) -> tuple[str, ...]:
        """The columns, in order."""
        return tuple(self.frame.columns)

    def select(self, split: Split, part: Part) -> tuple[pd.DataFrame, IntArray]:
        """Loans and targets of one part of a split."""
        rows = split.rows(part)
        return self.frame.iloc[rows], self.target[rows]


def find_file() -> Path:
    """The file that ``RLM_LENDING_CLUB`` names, or one in the cache's ``lending_club`` folder.

    Raises:
        FileNotFoundError: There is none; the message says what to do.
    """
    named = os.environ.get(ENVIRONMENT_VARIABLE)
    folder = data_dir() / "lending_club"
    candidates = [Path(named).expanduser()] if named else [folder / name for name in FILE_NAMES]
    for path in candidates:
        if path.is_file():
            return path
    if named:
        raise FileNotFoundError(f"Expected {ENVIRONMENT_VARIABLE} to name a file, got {named!r}.")
    raise FileNotFoundError(
        "No Lending Club file. Get accepted_2007_to_2018Q4.csv (Kaggle, wordsforthewise/lending-club, CC0) "
        f"and name it in the environment variable {ENVIRONMENT_VARIABLE}, or put it into {folder}."
    )


def load(
    path: Path | None = None, *, sources: Sequence[str] | None = ("A", "B"), columns: Sequence[str] | None = None
) -> LoanTable:
    """Read a file of loans.

    Args:
        path: The file; by default the one of :func:`find_file`.
        sources: In a file that pools several tables (column ``source``), those whose name starts
            with one of these; None for all. A and B come closest to the paper's features.
        columns: Features to use. By default the paper's 23, and the two stand-ins where a
            source lacks some of them.
    """
    path = find_file() if path is None else path
    wanted = tuple(columns) if columns is not None else (*PAPER_FEATURES, *STAND_INS)
    features(wanted)  # raises if one is not known when a loan is granted
    raw = _read(path, {*wanted, "issue_d", "loan_status", "source"})
    if "loan_status" not in raw:
        raise ValueError(f"Expected a column loan_status in {path.name}, got {len(raw.columns)} others.")
    description = path.name
    if "source" in raw and sources is not None:
        raw = raw[raw["source"].astype(str).str.startswith(tuple(sources))]
        description += f", sources {'+'.join(sources)}"
    raw = _ended(raw).reset_index(drop=True)
    if raw.empty:
        raise ValueError(f"Expected loans that ended in {path.name}, got none.")
    frame, left_out = _usable(raw, wanted)
    if columns is None and not any(name in left_out for name in PAPER_FEATURES):
        frame = frame[list(PAPER_FEATURES)]  # the paper's own list: no stand-in needed
        left_out = {}
    dates = tidy_dates(raw["issue_d"]).to_numpy(dtype="datetime64[s]") if "issue_d" in raw else None
    return LoanTable(
        frame=frame,
        target=np.array([OUTCOMES[status] for status in raw["loan_status"]], dtype=np.int64),
        issue_date=None if dates is None or np.isnat(dates).any() else dates,
        left_out=left_out,
        source=description,
    )


def _ended(raw: pd.DataFrame) -> pd.DataFrame:
    return raw[raw["loan_status"].isin(list(OUTCOMES))]


def _read(path: Path, columns: set[str]) -> pd.DataFrame:
    """The wanted columns, whatever the file's format; of a CSV only loans that ended (it is large)."""
    if path.suffix == ".parquet":
        frame = pd.read_parquet(path)
        return frame[[name for name in frame.columns if name in columns]]
    if path.suffix == ".csv" or path.name.endswith(".csv.gz"):
        with pd.read_csv(path, usecols=columns.__contains__, dtype=str, chunksize=CHUNK_ROWS) as chunks:
            return pd.concat([_ended(chunk) if "loan_status" in chunk else chunk for chunk in chunks])
    raise ValueError(f"Expected a .csv, .csv.gz or .parquet file, got {path.name!r}.")


def _usable(raw: pd.DataFrame, wanted: Sequence[str]) -> tuple[pd.DataFrame, dict[str, str]]:
    """Tidy columns, and the reason for each one that is left out."""
    tidy: dict[str, pd.Series] = {}
    left_out: dict[str, str] = {}
    for name in wanted:
        if name not in raw:
            left_out[name] = "not in the file"
            continue
        column = tidy_column(raw[name], FEATURES[name])
        missing = float(column.isna().mean())
        if missing > MAX_MISSING:
            left_out[name] = f"{missing:.0%} missing"
        elif column.nunique(dropna=True) < 2:
            left_out[name] = "one value only"
        else:
            tidy[name] = column
    return pd.DataFrame(tidy), left_out
