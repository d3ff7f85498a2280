"""What a privatiser reads: rows of a table by schema and preprocessor, or pictures by their format; and labels."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rlm_core.pictures import PictureFormat, Pictures, are_pictures, read_pictures
from rlm_core.privatiser.folder import reading_of_pictures, reading_of_table
from rlm_core.privatiser.labels import label_list, label_texts
from rlm_core.privatiser.mappings import table_of_mappings
from rlm_core.privatiser.views import CorruptedRows, MovedPictures, Neighbours, Views
from rlm_core.privatiser.vrlm.columns import Columns
from rlm_core.tables.arrays import array_table, plain_table
from rlm_core.tables.editing import for_table
from rlm_core.tables.errors import TableError
from rlm_core.tables.feature import Feature
from rlm_core.tables.files import read_table
from rlm_core.tables.infer import MOST_LEVELS
from rlm_core.tables.preprocessor import TablePreprocessor
from rlm_core.tables.schema import TableSchema
from rlm_core.tables.values import as_text, either_way

Table = pd.DataFrame | Pictures | str | Path | NDArray[Any] | Mapping[str, Any] | Sequence[Any]
Labels = str | Iterable[Any] | None


RowClassifier = Callable[[Table], NDArray[Any]]
"""Clean rows to classes, as ``predict`` does."""


class AsFitted(Enum):
    """Labels that nobody named: where ``fit`` was told to find them, if the people's records have them there."""

    LABELS = "as fitted"


class RecordReader:
    """How records become numbers: learnt from public ones, then the same for everybody.

    ``pictures_`` is None for a table, which has ``schema_`` and ``preprocessor_``.
    """

    schema: TableSchema | None
    label_: str | None
    pictures_: PictureFormat | None
    schema_: TableSchema
    preprocessor_: TablePreprocessor
    n_features_in_: int
    feature_names_in_: NDArray[Any]

    @property
    def reading(self) -> dict[str, Any]:
        """How a record becomes numbers, for the digest."""
        if self.pictures_ is not None:
            return reading_of_pictures(self.pictures_)
        return reading_of_table(self.schema_, self.preprocessor_)

    def _public_records(self, public: Any, y: Labels) -> tuple[pd.DataFrame | Pictures, Iterable[Any] | None]:
        """Public rows or pictures, and their labels."""
        self.pictures_ = None
        if are_pictures(public):
            pictures, labels = label_pictures(read_pictures(public), y)
            self.pictures_ = PictureFormat.infer(pictures)
            self.n_features_in_ = self.pictures_.output_dim
            self.feature_names_in_ = np.array([], dtype=object)
            return pictures, labels
        table = self._frame(public, new=True)
        check_apart(table, y, self.schema)
        frame, of_rows = split_label(table, y)
        self.n_features_in_ = len(frame.columns)
        self.feature_names_in_ = np.array(frame.columns, dtype=object)
        return frame, of_rows

    def _records(self, source: Any, labels: Labels | AsFitted) -> tuple[pd.DataFrame | Pictures, Iterable[Any] | None]:
        """Rows or pictures as they were fitted, and their labels."""
        if self.pictures_ is None:
            frame = self._frame(source)
            check_no_feature(labels, self.schema_.columns)
            return split_label(frame, self._where(labels, there=self.label_ in frame))
        pictures = read_pictures(self._as_pictures(source))
        return label_pictures(pictures, self._where(labels, there=pictures.has_labels(self.label_)))

    def _where(self, labels: Labels | AsFitted, *, there: bool) -> Labels:
        if isinstance(labels, AsFitted):
            return self.label_ if there else None
        return labels

    def _as_pictures(self, source: Any) -> Any:
        """Rows of pixels (n, height·width), as a pipeline may hand them on, as pictures."""
        if are_pictures(source) or isinstance(source, str | Path):
            return source
        flat, form = np.asanyarray(source), self.pictures_  # a masked array stays one, and is refused
        assert form is not None
        if flat.ndim != 2 or form.colour or flat.shape[1] != self.n_features_in_:
            width = flat.shape[1] if flat.ndim == 2 else 0
            expected = f"{self.n_features_in_} features as input"  # in scikit-learn's words
            raise ValueError(f"X has {width} features, but LocalPrivatiser is expecting {expected}.")
        if isinstance(source, list | tuple):  # each row by itself: numpy's common type would depend on the others
            if any(np.ma.is_masked(row) for row in source):
                raise TableError("Expected pictures with all their pixels, got a masked array with some missing.")
            return Pictures(arrays=[np.asarray(row).reshape(form.height, form.width) for row in source])
        return flat.reshape(-1, form.height, form.width)

    def _learn_reading(self, records: pd.DataFrame | Pictures, schema: TableSchema | None) -> NDArray[np.float32]:
        """Public records as numbers; of rows, schema and preprocessing are learnt here."""
        if isinstance(records, Pictures):
            assert self.pictures_ is not None
            return self.pictures_.matrix(records)
        if schema is not None:
            for_table(schema, records, self.label_)
        self.schema_ = schema or TableSchema.infer(records)
        tidy = self.schema_.read(records)
        self.preprocessor_ = TablePreprocessor.fit(tidy, self.schema_.features, unknown="ignore")
        return self._matrix(tidy)

    def _numbers(self, records: pd.DataFrame | Pictures) -> NDArray[np.float32]:
        if isinstance(records, Pictures):
            assert self.pictures_ is not None
            return self.pictures_.matrix(records)
        return self._matrix(self.schema_.read(records))

    def _views(self) -> Views:
        """What a network should give the same code."""
        if self.pictures_ is None:
            return CorruptedRows(blocks=tuple((each.start, each.stop) for each in self.preprocessor_.blocks))
        if self.pictures_.colour:
            return Neighbours()
        return MovedPictures(picture=(self.pictures_.height, self.pictures_.width))

    def _columns(self) -> Columns:
        """What the numbers of a record are; behind the trunk they are numbers, not pixels."""
        if self.pictures_ is None:
            return Columns.of_blocks(self.preprocessor_.blocks)
        return Columns.of_pictures(self.pictures_)

    def _frame(self, table: Table, *, new: bool = False) -> pd.DataFrame:
        table = plain_table(table_of_mappings(table))
        if isinstance(table, pd.DataFrame | str | Path | Mapping) and not hasattr(table, "toarray"):
            return read_table(table)
        frame = array_table(table)
        expected = len(frame.columns) if new else getattr(self, "n_features_in_", len(frame.columns))
        if len(frame.columns) != expected:
            found = len(frame.columns)
            raise ValueError(f"X has {found} features, but LocalPrivatiser is expecting {expected} features as input.")
        return frame

    def _matrix(self, tidy: pd.DataFrame) -> NDArray[np.float32]:
        return self.preprocessor_.transform(tidy, unknown="ignore", allow_missing=True, outliers="clip")


def check_apart(public: pd.DataFrame, y: Any, schema: TableSchema | None) -> None:
    """Raise if a column of labels is also there as a feature: every record would say its label.

    Raises:
        TableError: The table has a column of the Series' name and values.
    """
    if not isinstance(y, pd.Series) or y.name is None or str(y.name) not in public:
        return
    name = str(y.name)
    is_feature = schema is None or name in schema.columns
    if is_feature and label_texts(public[name]) == label_texts(y):
        raise TableError(
            f"Expected labels that are no feature, got the column {name!r} as both: pass its name as the label, "
            f"or the table without it, .drop(columns={name!r})."
        )


def check_no_feature(labels: Any, features: Sequence[str]) -> None:
    """Raise for labels that bear a feature's name: every record would say its label, and be predicted from it.

    By the name alone: whether somebody's row is refused may not depend on what is in it.

    Raises:
        TableError: They are a Series of that name, or the name itself.
    """
    name = labels.name if isinstance(labels, pd.Series) else labels if isinstance(labels, str) else None
    if name is not None and str(name).strip() in features:
        raise TableError(
            f"Expected labels that are no feature, got the column {str(name)!r} as both: fit with its name as the "
            f"label, fit(public, {str(name)!r}), or without it, .drop(columns={str(name)!r}). Labels that "
            "are not that column need another name."
        )


def split_label(frame: pd.DataFrame, y: Labels) -> tuple[pd.DataFrame, Iterable[Any] | None]:
    """The features and the labels, which may be a column of the table."""
    if y is None:
        return frame, None
    if isinstance(y, str):
        if y not in frame:
            raise TableError(f"Expected the label in {', '.join(frame.columns)}, got {y!r}.")
        if len(frame.columns) == 1:
            raise TableError(f"Expected at least one column besides the label {y!r}, got none.")
        return frame.drop(columns=y), frame[y]
    given = label_list(y)
    labels = given if isinstance(given, pd.Series) else np.asarray(list(given), dtype=object)
    if np.ndim(labels) != 1:
        raise ValueError(f"Expected a list of labels, got shape {np.shape(labels)}.")
    return frame, labels


def label_pictures(pictures: Pictures, y: Labels) -> tuple[Pictures, Iterable[Any] | None]:
    """Pictures and their labels; text names where a folder has them."""
    if y is None or isinstance(y, str):
        return pictures, None if y is None else pictures.labels(y)
    return pictures, label_list(y)


def notes_of_schema(public: pd.DataFrame, schema: TableSchema) -> tuple[str, ...]:
    """Columns that a schema of one's own says nothing of, not even that it leaves them out."""
    known = {*schema.columns, *(each.name for each in schema.left_out)}
    return tuple(f"{name}: not in the schema that was brought" for name in public if name not in known)


def notes_of_levels(public: pd.DataFrame, features: Iterable[Feature]) -> tuple[str, ...]:
    """Categories of which not every word is a level."""
    notes = []
    for feature in features:
        if feature.kind == "category" and len(feature.choices) >= MOST_LEVELS:
            words = as_text(public[feature.name]).nunique()
            if words > len(feature.choices):
                notes.append(
                    f"{feature.name}: {words:,} different words; the commonest {len(feature.choices)} are levels, and "
                    "all others share one"
                )
    return tuple(notes)


def notes_of_dates(public: pd.DataFrame, features: Iterable[Feature]) -> tuple[str, ...]:
    """How dates were read that could also be other ones: 01/02/2020 in a column where no day is above 12."""
    notes = []
    for feature in features:
        column = public[feature.name]
        if feature.kind == "date" and not pd.api.types.is_datetime64_any_dtype(column.dtype):
            example = either_way(as_text(column).dropna().unique())
            if example is not None:
                first = "day" if feature.day_first else "month"
                notes.append(
                    f"{feature.name}: dates such as {example} could be read either way; they were read with the "
                    f"{first} first (day_first in the schema)"
                )
    return tuple(notes)
