"""Loans as numbers: the preprocessor of any table, with the features of ``schema``."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import pandas as pd

from rlm_core.data.schema import features as loan_features
from rlm_core.tables.columns import Unknown
from rlm_core.tables.feature import Feature
from rlm_core.tables.preprocessor import DecodedTable, TablePreprocessor

DecodedLoans = DecodedTable


@dataclass(frozen=True, kw_only=True)
class LoanPreprocessor(TablePreprocessor):
    """A :class:`TablePreprocessor` whose features are those known when a loan is granted."""

    @classmethod
    def fit(
        cls,
        frame: pd.DataFrame,
        features: Sequence[Feature] | None = None,
        *,
        unknown: Unknown = "error",
        columns: Sequence[str] | None = None,
    ) -> LoanPreprocessor:
        """Learn means, deviations and levels of these columns (default: of all)."""
        chosen = loan_features(frame.columns if columns is None else columns) if features is None else features
        return super().fit(frame, chosen, unknown=unknown)

    def choices(self, name: str) -> tuple[str, ...]:
        """The values of a category that can be encoded, in the schema's order."""
        column = next((column for column in self.categories if column.name == name), None)
        if column is None:
            names = ", ".join(column.name for column in self.categories)
            raise ValueError(f"Expected a category in {names}, got name={name!r}.")
        known = {*column.levels, *column.rare}
        return tuple(choice for choice in loan_features([name])[0].choices if choice in known)
