"""What a visitor has made of a table's schema: the one in force, what was last wrong with a change, and what it did.

Held by the session. A change that cannot be made leaves the schema as it was, and the form as it was filled in.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any

import pandas as pd

from rlm_core.tables import Feature, TableError, TableSchema
from rlm_core.tables.editing import Texts, edit_feature, for_table, unseen_levels, with_feature
from rlm_core.tables.schema import FORMAT
from ui.app.decoding import decode
from ui.kit.kept import session_value

LARGEST_SCHEMA = 2**20
"""Bytes of a schema that is brought."""


@dataclass(eq=False)
class SchemaEdit:
    """``version`` counts changes: a form of an older schema would show old values; ``kinds``, choices of a kind."""

    inferred: TableSchema
    schema: TableSchema
    version: int = 0
    kinds: int = 0
    problem: str = ""
    file_problem: str = ""
    notice: str = ""

    def take(self, schema: TableSchema, notice: str = "") -> None:
        """This schema is in force from now on."""
        self.look_away()
        self.schema, self.notice, self.version = schema, notice, self.version + 1

    def refuse(self, problem: Exception) -> None:
        """The old one stays."""
        self.look_away()
        self.problem = in_the_forms_words(str(problem))

    def look_away(self) -> None:
        """Another column is looked at: what was said of the last one is not about it."""
        self.problem = self.file_problem = self.notice = ""

    @property
    def as_inferred(self) -> list[str]:
        """The columns that nobody has changed."""
        return [each.name for each in self.schema.features if each in self.inferred.features]

    def feature(self, name: str) -> Feature | None:
        """A column that is used, or None."""
        return next((each for each in self.schema.features if each.name == name), None)


def schema_edit(key: str, inferred: TableSchema) -> SchemaEdit:
    """Of this session and table; another table under the same name begins afresh."""
    found = session_value("own_schemas", dict[str, SchemaEdit])
    if key not in found or found[key].inferred != inferred:
        found[key] = SchemaEdit(inferred=inferred, schema=inferred)
    return found[key]


def change_kind(edit: SchemaEdit, frame: pd.DataFrame, name: str, kind: str | None) -> None:
    """Another kind for a column, found in the public rows; None leaves it out."""
    guessed = next((each for each in edit.inferred.features if each.name == name and each.kind == kind), None)
    try:
        schema = edit.schema.edited(frame, {name: kind})
    except TableError as problem:
        return edit.refuse(problem)
    edit.take(with_feature(schema, guessed) if guessed is not None else schema)


def change_column(edit: SchemaEdit, frame: pd.DataFrame, name: str, **typed: Any) -> None:
    """Fields of :class:`~rlm_core.tables.editing.Texts` as they were typed; the others stay."""
    feature = edit.feature(name)
    if feature is None:
        return
    try:
        edited = edit_feature(feature, frame[name], replace(Texts.of(feature), **typed))
    except TableError as problem:
        return edit.refuse(problem)
    unseen = unseen_levels(edited, frame[name])
    said = f" In no public row, so counted as rare: {', '.join(unseen[:5])}." if unseen else ""
    edit.take(with_feature(edit.schema, edited), f"Applied to {name}.{said}")


def bring(edit: SchemaEdit, frame: pd.DataFrame, label: str, data: bytes) -> None:
    """A schema from a file, if this table can be read by it; looked at in another process, with limits."""
    try:
        if len(data) > LARGEST_SCHEMA:
            raise TableError(f"Expected a schema of at most {LARGEST_SCHEMA // 2**20} MB, got more.")
        edit.take(decode(read_schema, data, frame, label), "The schema that you brought is in force.")
    except ValueError as problem:
        edit.look_away()
        edit.file_problem = str(problem)


def read_schema(data: bytes, frame: pd.DataFrame, label: str) -> TableSchema:
    """A schema in JSON, checked field by field and against the public rows."""
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise TableError("Expected a schema as JSON in UTF-8, got another file.") from None
    _check_form(text)
    return for_table(TableSchema.from_json(text), frame, label)


def in_the_forms_words(problem: str) -> str:
    """A message of the library, which has ``low`` and ``high`` where the form has two fields with names.

    >>> in_the_forms_words("Expected low below high for 'age', got low=100 and high=79.")
    "Expected a lower bound below the upper bound for 'age', got 100 and 79."
    """
    found = re.fullmatch(r"Expected low below high for (.*), got low=(.*) and high=(.*)", problem)
    return (
        "Expected a lower bound below the upper bound for {}, got {} and {}".format(*found.groups())
        if found
        else problem
    )


def _check_form(text: str) -> None:
    """Raise, in plain words, for what is no schema at all; its fields are checked by the library."""
    expected = f"Expected the JSON of a schema as this page gives it (format {FORMAT!r}), got "
    if not text.strip():
        raise TableError(f"{expected}an empty file.")
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        raise TableError(f"{expected}text that is no JSON from line {error.lineno}, sign {error.colno} on.") from None
    except (ValueError, RecursionError):
        raise TableError(f"{expected}JSON that cannot be read: numbers too long, or lists in lists too deep.") from None
    if not isinstance(data, dict):
        raise TableError(f"{expected}{_JSON_NAMES.get(type(data), 'a number')}.")
    if data.get("format") != FORMAT:
        got = f"the format {str(data['format'])[:80]!r}" if "format" in data else "no format"
        raise TableError(f"{expected}{got}.")
    if not isinstance(data.get("features"), list) or not isinstance(data.get("left_out", []), list):
        raise TableError(f"{expected}no list of columns under 'features' or 'left_out'.")
    if not all(isinstance(each, dict) and {"name", "reason"} <= set(each) for each in data.get("left_out", [])):
        raise TableError("Expected a name and a reason for every column of 'left_out', got other entries.")


_JSON_NAMES = {list: "a list", str: "a text", bool: "true or false", type(None): "nothing (null)"}
