"""What a table's columns are, as data that people can read and edit."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any, cast

import pandas as pd

from rlm_core.tables.errors import TableError
from rlm_core.tables.feature import KINDS, Feature, Kind
from rlm_core.tables.feature_checks import MOST_TOLD, feature_of
from rlm_core.tables.files import Source, read_table
from rlm_core.tables.infer import LeftOut, infer_as, infer_column, read_column
from rlm_core.tables.marks import column_marks

FORMAT = "rlm-schema/1"


@dataclass(frozen=True, kw_only=True)
class TableSchema:
    """The features of a table, in order, and the columns that are left out with the reason.

    Infer it from *public* rows, edit it if it guessed wrong (:meth:`to_json`), and read everybody's
    rows with it: kinds, levels and ranges never come from the people.

    >>> schema = TableSchema.infer(pd.DataFrame({"age": [31, 45, 27], "job": ["cook", "cook", "nurse"]}))
    >>> [(feature.name, feature.kind) for feature in schema.features]
    [('age', 'integer'), ('job', 'category')]
    """

    features: tuple[Feature, ...]
    left_out: tuple[LeftOut, ...] = ()

    def __post_init__(self) -> None:
        if not self.features:
            reasons = "; ".join(f"{each.name}: {each.reason}" for each in self.left_out[:5])
            reasons = reasons or "there is no column besides the label"
            raise TableError(f"Expected at least one column to learn from, got none ({reasons}).")

    @classmethod
    def infer(cls, public: Source, *, label: str | None = None) -> TableSchema:
        """Kinds, levels and ranges of a public table; the column ``label`` is no feature.

        Raises:
            TableError: No column can be used, or the label is not one of them.
        """
        frame = read_table(public)
        if label is not None and label not in frame:
            raise TableError(f"Expected the label in {', '.join(frame.columns)}, got label={label!r}.")
        columns = [str(name) for name in frame if name != label]
        marks = column_marks(frame[columns])
        found = [infer_column(frame[name], decimal=marks[name].decimal) for name in columns]
        return cls(
            features=tuple(each for each in found if isinstance(each, Feature)),
            left_out=tuple(each for each in found if isinstance(each, LeftOut)),
        )

    def edited(self, public: Source, kinds: Mapping[str, str | None]) -> TableSchema:
        """The same with other kinds for some columns; None leaves one out. Levels and ranges come from the public rows.

        >>> table = pd.DataFrame({"floor": [1, 2, 3, 2], "age": [31, 45, 27, 50]})
        >>> schema = TableSchema.infer(table).edited(table, {"floor": "category", "age": None})
        >>> [(feature.name, feature.choices) for feature in schema.features], schema.left_out[0].reason
        ([('floor', ('1', '2', '3'))], 'left out by hand')
        """
        frame = read_table(public)
        known = {feature.name: feature for feature in self.features}
        for name, kind in kinds.items():
            if name not in frame:
                raise TableError(f"Expected a column in {', '.join(frame.columns[:20])}, got {name!r}.")
            if kind is not None and kind not in KINDS:
                raise TableError(f"Expected kind in {', '.join(KINDS)} for {name!r}, got {kind!r}.")
        features, left_out = [], []
        reasons = {each.name: each for each in self.left_out}
        marks = column_marks(frame[[name for name in frame if name in known or name in reasons]])
        for name in map(str, frame.columns):
            if name not in known and name not in reasons:
                continue
            kind = kinds.get(name, known[name].kind if name in known else None)
            if kind is None:
                left_out.append(reasons.get(name, LeftOut(name=name, reason="left out by hand")))
            else:
                same = name in known and known[name].kind == kind
                decimal = marks[name].decimal
                features.append(known[name] if same else infer_as(frame[name], cast(Kind, kind), decimal=decimal))
        return TableSchema(features=tuple(features), left_out=tuple(left_out))

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the features."""
        return tuple(feature.name for feature in self.features)

    def read(self, table: Source) -> pd.DataFrame:
        """Cells as this schema says: numbers as float64, words as they are; other columns are ignored.

        Raises:
            TableError: A column is missing, or a cell cannot be read; the message names row and column.
        """
        frame = read_table(table)
        missing = [name for name in self.columns if name not in frame]
        if missing:
            raise TableError(f"Expected the column {', '.join(missing[:5])}, got {', '.join(frame.columns[:20])}.")
        return pd.DataFrame({feature.name: read_column(frame[feature.name], feature) for feature in self.features})

    def to_json(self) -> str:
        """Readable, editable JSON."""
        features = [_without_defaults(feature) for feature in self.features]
        left_out = [asdict(each) for each in self.left_out]
        return json.dumps({"format": FORMAT, "features": features, "left_out": left_out}, indent=1, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> TableSchema:
        """The schema that ``to_json`` wrote, or somebody edited: every field is checked."""
        try:
            data: Any = json.loads(text)
            if data["format"] != FORMAT:
                raise ValueError(f"format={data['format']!r}")
            left_out = tuple(
                LeftOut(name=str(each["name"]), reason=str(each["reason"])) for each in data.get("left_out", [])
            )
            given = list(data["features"])
        except (AttributeError, KeyError, TypeError, ValueError, RecursionError) as error:
            raise TableError(f"Expected the JSON of a schema of format {FORMAT!r}, got {str(error)[:200]!r}.") from None
        features, wrong = [], list[str]()
        for each in given:
            try:
                features.append(feature_of(each))
            except TableError as error:
                wrong.append(str(error))
        if wrong:
            more = f" And {len(wrong) - MOST_TOLD} columns more." if len(wrong) > MOST_TOLD else ""
            raise TableError(" ".join(wrong[:MOST_TOLD]) + more)
        twice = [name for name, times in Counter(feature.name for feature in features).items() if times > 1]
        if twice:
            raise TableError(f"Expected every feature once in a schema, got a name twice: {twice[0]!r}.")
        return cls(features=tuple(features), left_out=left_out)


def _without_defaults(feature: Feature) -> dict[str, Any]:
    values = asdict(feature)
    empty = {field.name: field.default for field in fields(Feature)} | {"title": feature.name, "unit": ""}
    return {name: value for name, value in values.items() if name in ("name", "kind") or value != empty[name]}
