"""What a privatiser reads: rows of a table by schema and preprocessor, or pictures by their format; and labels."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from rlm_core.pictures import PictureFormat, Pictures, are_pictures, read_pictures
from rlm_core.privatiser.folder import reading_of_pictures, reading_of_table
from rlm_core.privatiser.views import CorruptedRows, MovedPictures, Neighbours, Views
from rlm_core.privatiser.vrlm.columns import Columns
from rlm_core.tables.errors import TableError
from rlm_core.tables.files import array_table, read_table
from rlm_core.tables.preprocessor import TablePreprocessor
from rlm_core.tables.schema import TableSchema
from rlm_core.types import quote

Table = pd.DataFrame | Pictures | str | Path | NDArray[Any] | Sequence[Any]
Labels = str | Iterable[Any] | None


class RecordReader:
    """How records become numbers: learnt from public ones, then the same for everybody.

    ``pictures_`` is None for a table, which has ``schema_`` and ``preprocessor_``.
    """

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
        frame, of_rows = split_label(self._frame(public, new=True), y)
        self.n_features_in_ = len(frame.columns)
        self.feature_names_in_ = np.array(frame.columns, dtype=object)
        return frame, of_rows

    def _records(self, source: Any, labels: Labels) -> tuple[pd.DataFrame | Pictures, Iterable[Any] | None]:
        """Rows or pictures as they were fitted, and their labels."""
        if self.pictures_ is None:
            return split_label(self._frame(source), labels)
        return label_pictures(read_pictures(self._as_pictures(source)), labels)

    def _as_pictures(self, source: Any) -> Any:
        """Rows of pixels (n, height·width), as a pipeline may hand them on, as pictures."""
        if are_pictures(source) or isinstance(source, str | Path):
            return source
        flat, form = np.asarray(source), self.pictures_
        assert form is not None
        if flat.ndim != 2 or form.colour or flat.shape[1] != self.n_features_in_:
            width = flat.shape[1] if flat.ndim == 2 else 0
            expected = f"{self.n_features_in_} features as input"  # in scikit-learn's words
            raise ValueError(f"X has {width} features, but LocalPrivatiser is expecting {expected}.")
        return flat.reshape(-1, form.height, form.width)

    def _learn_reading(self, records: pd.DataFrame | Pictures, schema: TableSchema | None) -> NDArray[np.float32]:
        """Public records as numbers; of rows, schema and preprocessing are learnt here."""
        if isinstance(records, Pictures):
            assert self.pictures_ is not None
            return self.pictures_.matrix(records)
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
        if isinstance(table, pd.DataFrame | str | Path | dict) and not hasattr(table, "toarray"):
            return read_table(table)
        frame = array_table(table)
        expected = len(frame.columns) if new else getattr(self, "n_features_in_", len(frame.columns))
        if len(frame.columns) != expected:
            found = len(frame.columns)
            raise ValueError(f"X has {found} features, but LocalPrivatiser is expecting {expected} features as input.")
        return frame

    def _matrix(self, tidy: pd.DataFrame) -> NDArray[np.float32]:
        return self.preprocessor_.transform(tidy, unknown="ignore", allow_missing=True, outliers="clip")


def split_label(frame: pd.DataFrame, y: Labels) -> tuple[pd.DataFrame, Iterable[Any] | None]:
    """The features and the labels, which may be a column of the table."""
    if y is None:
        return frame, None
    if isinstance(y, str):
        if y not in frame:
            raise TableError(f"Expected the label in {', '.join(frame.columns)}, got {y!r}.")
        return frame.drop(columns=y), frame[y]
    if isinstance(y, pd.DataFrame) or not isinstance(y, Iterable):
        got = f"a DataFrame of shape {y.shape}" if isinstance(y, pd.DataFrame) else f"{quote(y)}"
        raise TypeError(f"Expected a list of labels, or the name of their column as text, got {got}.")
    labels = y if isinstance(y, pd.Series) else np.asarray(list(y), dtype=object)
    if np.ndim(labels) != 1:
        raise ValueError(f"Expected a list of labels, got shape {np.shape(labels)}.")
    return frame, labels


def label_pictures(pictures: Pictures, y: Labels) -> tuple[Pictures, Iterable[Any] | None]:
    """Pictures and their labels; text names where a folder has them."""
    return pictures, pictures.labels(y) if isinstance(y, str) else y
