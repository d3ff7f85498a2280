"""From a row to numbers and back: the preprocessing of the paper's appendix, kept with the model.

Numbers: missing ones become the mean, then x ↦ (x − mean) / std. Categories: one-hot. Rows
with a number more than 10 standard deviations from the mean are left out of the fit (only
there: a collector cannot refuse a person). Of own tables (``unknown="ignore"``) that is not for columns
of two values, whose rarer one is no outlier, and not where more than 1 % of the rows would go: there
all rows stay, and numbers count as 10 deviations at most. Balancing the classes belongs to the split.

Two decisions the paper leaves open:
- Mean and deviation are fitted on the mechanism's data only, once with the outliers, to find
  them, and again without, so that the columns have mean 0 and deviation 1.
- All levels are one-hot as in the paper, also the 35 sub-grades and 51 states of a loan, but levels
  of less than 0.1 % of the rows (some states) share one level, ``RARE``: a softmax cannot learn
  what it hardly sees, and a borrower from Iowa must still be encodable.

The fitted object is plain data (``to_json``): one row can be encoded without any dataset.
Source: paper, appendix "Data Pre-Processing".
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Literal, Self

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray

from rlm_core.tables.columns import (
    OUTLIER_DEVIATIONS,
    CategoryColumn,
    NumberColumn,
    Rows,
    Unknown,
    fit_levels,
    moments,
    read_codes,
    read_numbers,
    require_columns,
    row_count,
)
from rlm_core.tables.errors import TableError
from rlm_core.tables.feature import Feature
from rlm_core.types import BoolArray, FloatArray, finite

FORMAT = 1
Outliers = Literal["keep", "clip"]
CLIP_DEVIATIONS = 4.0
MOST_OUTLIERS = 0.01
"""Of own tables' rows: if more have an outlier, all are kept."""


@dataclass(frozen=True, kw_only=True)
class Block:
    """Columns start..stop of the matrix belong to one feature; ``levels`` is empty for a number."""

    name: str
    kind: Literal["number", "category"]
    start: int
    stop: int
    levels: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, eq=False)
class DecodedTable:
    """Rows as a decoder sees them: numbers in their units, a probability for every level."""

    numbers: pd.DataFrame
    probabilities: dict[str, pd.DataFrame]

    def most_likely(self) -> pd.DataFrame:
        """One value a feature: the number, or the level of highest probability."""
        best = {name: table.idxmax(axis=1) for name, table in self.probabilities.items()}
        return pd.concat([self.numbers, pd.DataFrame(best, index=self.numbers.index)], axis=1)


@dataclass(frozen=True, kw_only=True)
class TablePreprocessor:
    """Fitted preprocessing: numbers first, then one block a category.

    ``rows`` and ``outliers`` say how many rows it was fitted on and how many it left out.
    """

    numbers: tuple[NumberColumn, ...]
    categories: tuple[CategoryColumn, ...]
    rows: int
    outliers: int

    @classmethod
    def fit(cls, frame: pd.DataFrame, features: Sequence[Feature], *, unknown: Unknown = "error") -> Self:
        """Learn means, deviations and levels. ``frame`` must be the mechanism's rows only.

        Missing values are allowed. A number that never varies gets deviation 1. With ``unknown="ignore"`` words
        that a feature does not list are no error, every category has a level for them, ``RARE``, and few rows are
        left out.
        """
        chosen = tuple(features)
        require_columns(frame, [feature.name for feature in chosen])
        if frame.empty:
            raise TableError("Expected at least one row to fit, got 0 rows.")
        raw = {f.name: read_numbers(frame, f.name, allow_missing=True) for f in chosen if not f.is_category}
        limits = {name: _limits(values, own=unknown == "ignore") for name, values in raw.items()}
        kept = np.ones(len(frame), dtype=np.bool_)
        for name, values in raw.items():
            kept &= _within(values, limits[name])
        if unknown == "ignore" and not (kept.mean() >= 1 - MOST_OUTLIERS and frame.loc[kept].notna().any().all()):
            kept[:] = True
            cut = {name: np.clip(values, *limits[name]) for name, values in raw.items()}
            limits = {name: _with_all(limits[name], values) for name, values in raw.items()}
            raw = cut
        numbers = []
        for name, values in raw.items():
            mean, std = moments(values[kept])
            numbers.append(NumberColumn(name=name, mean=mean, std=std, low=limits[name][0], high=limits[name][1]))
        return cls(
            numbers=tuple(numbers),
            categories=tuple(fit_levels(frame.loc[kept, f.name], f, unknown=unknown) for f in chosen if f.is_category),
            rows=int(kept.sum()),
            outliers=int((~kept).sum()),
        )

    @property
    def columns(self) -> tuple[str, ...]:
        """The features it needs."""
        return (*(number.name for number in self.numbers), *(category.name for category in self.categories))

    @property
    def blocks(self) -> tuple[Block, ...]:
        """Which columns of the matrix belong to which feature, in order."""
        blocks = [Block(name=number.name, kind="number", start=i, stop=i + 1) for i, number in enumerate(self.numbers)]
        start = len(blocks)
        for column in self.categories:
            stop = start + len(column.levels)
            levels = column.levels
            blocks.append(Block(name=column.name, kind="category", start=start, stop=stop, levels=levels))
            start = stop
        return tuple(blocks)

    @property
    def output_dim(self) -> int:
        """Number of columns p of the matrix."""
        return len(self.numbers) + sum(len(column.levels) for column in self.categories)

    def inliers(self, frame: pd.DataFrame) -> BoolArray:
        """Rows without an outlier, by the fit's own limits; missing numbers are none.

        Of the rows of the fit, exactly those it kept. For the mechanism's training rows.
        """
        kept = np.ones(len(frame), dtype=np.bool_)
        for column in self.numbers:
            values = read_numbers(frame, column.name, allow_missing=True)
            kept &= _within(values, (column.low, column.high))
        return kept

    def transform(
        self,
        table: Rows,
        *,
        unknown: Unknown = "error",
        allow_missing: bool = False,
        outliers: Outliers = "keep",
    ) -> NDArray[np.float32]:
        """Encode rows, or one row as a mapping: (n, p) float32. Other columns are ignored.

        Args:
            table: Values as in the schema: numbers, and words for categories.
            unknown: "error" raises for a level that the fit did not see; "ignore" leaves its
                block 0, or 1 at ``RARE`` if the block has that level.
            allow_missing: Missing numbers become the mean, missing categories the commonest
                level; otherwise they raise.
            outliers: "clip" cuts numbers at 4 deviations from the mean, so that no cell outweighs all others.

        Raises:
            ValueError, TypeError: The message names row, column and value.
        """
        if unknown not in ("error", "ignore"):
            raise ValueError(f"Expected unknown 'error' or 'ignore', got unknown={unknown!r}.")
        require_columns(table, self.columns)
        matrix = np.zeros((row_count(table), self.output_dim), dtype=np.float32)  # (n, p)
        for i, number in enumerate(self.numbers):
            values = read_numbers(table, number.name, allow_missing=allow_missing)
            standard = np.where(np.isnan(values), 0.0, (values - number.mean) / number.std)
            matrix[:, i] = np.clip(standard, -CLIP_DEVIATIONS, CLIP_DEVIATIONS) if outliers == "clip" else standard
        start = len(self.numbers)
        for category in self.categories:
            codes = read_codes(table, category, unknown=unknown, allow_missing=allow_missing)
            known = np.flatnonzero(codes >= 0)
            matrix[known, start + codes[known]] = 1
            start += len(category.levels)
        return matrix

    def inverse(self, decoded: ArrayLike) -> DecodedTable:
        """Undo the encoding: numbers in their units, and the probabilities of every category.

        ``decoded`` is (n, p): standardised numbers, and in each category's block probabilities
        (apply the softmax first). Numbers are not rounded or clipped to the schema's range.
        """
        matrix = finite("decoded", decoded)
        if matrix.ndim != 2 or matrix.shape[1] != self.output_dim:
            raise ValueError(f"Expected decoded of shape (n, {self.output_dim}), got {matrix.shape}.")
        count = len(self.numbers)
        outside = (matrix[:, count:] < -1e-6) | (matrix[:, count:] > 1 + 1e-6)
        if outside.any():
            value = matrix[:, count:][outside][0]
            raise ValueError(f"Expected probabilities in 0..1 for the categories of decoded, got {value:g}.")
        means = np.array([column.mean for column in self.numbers])
        stds = np.array([column.std for column in self.numbers])
        names = [column.name for column in self.numbers]
        return DecodedTable(
            numbers=pd.DataFrame(matrix[:, :count] * stds + means, columns=names),
            probabilities={
                block.name: pd.DataFrame(matrix[:, block.start : block.stop], columns=list(block.levels))
                for block in self.blocks
                if block.kind == "category"
            },
        )

    def to_json(self) -> str:
        """All of it as JSON text; floats survive exactly."""
        return json.dumps({"format": FORMAT, **asdict(self)}, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Self:
        """The preprocessor that ``to_json`` wrote."""
        try:
            data = json.loads(text)
            if data["format"] != FORMAT:
                raise ValueError(f"format={data['format']!r}")
            numbers = tuple(NumberColumn(**column) for column in data["numbers"])
            categories = tuple(
                CategoryColumn(**{**column, "levels": tuple(column["levels"]), "rare": tuple(column["rare"])})
                for column in data["categories"]
            )
            return cls(numbers=numbers, categories=categories, rows=data["rows"], outliers=data["outliers"])
        except (KeyError, TypeError, ValueError) as error:
            raise TableError(f"Expected the JSON of a preprocessor of format {FORMAT}, got {error!r}.") from error


def _limits(values: FloatArray, *, own: bool) -> tuple[float, float]:
    """Ten deviations around the mean; a column of two values in an own table has no outliers."""
    mean, std = moments(values)
    limits = mean - OUTLIER_DEVIATIONS * std, mean + OUTLIER_DEVIATIONS * std
    has_two = own and len(np.unique(values[~np.isnan(values)])) == 2
    return _with_all(limits, values) if has_two else limits


def _with_all(limits: tuple[float, float], values: FloatArray) -> tuple[float, float]:
    """The limits, moved out so far that no value is beyond."""
    return min(limits[0], float(np.nanmin(values))), max(limits[1], float(np.nanmax(values)))


def _within(values: FloatArray, limits: tuple[float, float]) -> BoolArray:
    """Which numbers are no outliers; a missing one is none, and is imputed."""
    outside: BoolArray = (values < limits[0]) | (values > limits[1])
    return ~outside
