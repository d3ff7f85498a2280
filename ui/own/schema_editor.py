"""The schema on the page: the columns at a glance, one of them to be changed, and all of them as a file."""

from __future__ import annotations

from functools import partial
from typing import Any

import pandas as pd
import streamlit as st

from rlm_core.tables import Feature, TableError, TableSchema
from rlm_core.tables.editing import Texts, bound_text
from rlm_core.tables.feature import KINDS
from ui.app.errors import guarded
from ui.app.public_demo import raw_data_allowed
from ui.kit.formats import without_markup
from ui.kit.take_along import file_button
from ui.own import text
from ui.own.schema_edit import SchemaEdit, bring, change_column, change_kind, schema_edit
from ui.own.tables import Table

OUT = "left out"
LONGEST = 60
LONGEST_TITLE = 80


def edit_schema(table: Table, label: str, *, key: str) -> TableSchema | None:
    """The schema with the visitor's changes; None if there is none that can be used (the page says why)."""
    try:
        inferred = table.schema(label)
    except TableError as error:
        st.error(without_markup(str(error), most=500), icon=":material/table_chart:")
        return None
    edit = schema_edit(key, inferred)
    for doubt in table.doubts:
        if any(doubt.startswith(f"{name}: ") for name in edit.as_inferred):
            st.caption(without_markup(f"{doubt}.", most=300))
    used, out = len(edit.schema.features), len(edit.schema.left_out)
    with st.expander("Columns: look and change"):  # a browser folds it when its label changes
        st.caption(f"{used} used, {out} left out. {text.SCHEMA_HELP}")
        overview(edit.schema)
        one_column(edit, table.frame, key)
        as_file(edit, table.frame, label, key)
    return edit.schema


def overview(schema: TableSchema) -> None:
    """A line a column."""
    lines = [{"column": shown(each), "kind": each.kind, "values": values(each)} for each in schema.features]
    lines += [{"column": each.name, "kind": OUT, "values": each.reason} for each in schema.left_out]
    st.dataframe(pd.DataFrame(lines), hide_index=True, height=min(36 * len(lines) + 38, 254))


def one_column(edit: SchemaEdit, frame: pd.DataFrame, key: str) -> None:
    """Kind at once, the rest in a form: fields that are wrong stay as they were typed."""
    names = [*edit.schema.columns, *(each.name for each in edit.schema.left_out)]
    order = [str(name) for name in frame.columns if str(name) in names]
    first, second = st.columns(2)
    with first:
        name = st.selectbox("Column to change", order, key=f"{key}_column", on_change=edit.look_away)
    feature = edit.feature(name)
    of_column = f"{key}_{name}_{edit.version}"
    kinds, kind_key = [*KINDS, OUT], f"{of_column}_{edit.kinds}_kind"
    with second:
        st.selectbox(
            "Kind",
            kinds,
            index=kinds.index(feature.kind if feature else OUT),
            key=kind_key,
            on_change=guarded(take_kind),
            args=(edit, frame, name, kind_key),
        )
    if feature is None:
        reason = next(each.reason for each in edit.schema.left_out if each.name == name)
        st.caption(without_markup(f"Left out: {reason.rstrip('.')}. Choose a kind to take it in.", most=300))
        complain(edit.problem)
        return
    with st.form(f"{of_column}_form"):
        fields(feature, of_column)
        complain(edit.problem)
        st.form_submit_button(
            "Apply",
            key=f"{of_column}_apply",
            on_click=guarded(take_column),
            args=(edit, frame, name, of_column),
        )
    if edit.notice:
        st.caption(without_markup(edit.notice, most=500))


def complain(problem: str) -> None:
    """What was wrong with a change, beside what was changed."""
    if problem:
        st.error(f"{without_markup(problem, most=700)} The columns are as before.", icon=":material/table_chart:")


def fields(feature: Feature, key: str) -> None:
    """What of a column can be written: title and unit; bounds, or levels."""
    now = Texts.of(feature)
    has_unit = feature.kind in ("number", "integer")
    first, *rest = st.columns(2 if has_unit else 1)
    first.text_input("Title", now.title, max_chars=LONGEST_TITLE, key=f"{key}_title")
    for second in rest:
        second.text_input("Unit", now.unit, max_chars=LONGEST_TITLE, key=f"{key}_unit")
    if feature.kind == "category":
        st.text_area("Levels, one a line", now.levels, height=140, key=f"{key}_levels", help=text.LEVELS_HELP)
    elif not feature.is_category:
        first, second = st.columns(2)
        first.text_input("Lower bound", now.low, key=f"{key}_low", help=text.BOUNDS_HELP)
        second.text_input("Upper bound", now.high, key=f"{key}_high", help=text.BOUNDS_HELP)
    if feature.kind == "date":
        st.checkbox("The day comes first: 03/04/2020 is in April", now.day_first, key=f"{key}_day_first")


def as_file(edit: SchemaEdit, frame: pd.DataFrame, label: str, key: str) -> None:
    """The schema to take along, to bring back, and as it was at first."""
    with st.container(horizontal=True, gap="small"):
        file_button(
            "Schema as JSON", edit.schema.to_json(), name="schema.json", key=f"{key}_take", icon=":material/download:"
        )
        st.button(
            "As it was inferred",
            key=f"{key}_reset",
            icon=":material/undo:",
            on_click=guarded(partial(edit.take, edit.inferred)),
            disabled=edit.schema == edit.inferred,
        )
    if raw_data_allowed():  # else the address that takes files is closed
        st.file_uploader(
            "Bring an edited schema (JSON)",
            type=["json"],
            key=f"{key}_bring",
            max_upload_size=1,
            on_change=guarded(take_file),
            args=(edit, frame, label, f"{key}_bring"),
        )
        complain(edit.file_problem)


def take_kind(edit: SchemaEdit, frame: pd.DataFrame, name: str, key: str) -> None:
    """The kind that was chosen; where it cannot be, the old one is shown again."""
    kind = st.session_state[key]
    edit.kinds += 1
    change_kind(edit, frame, name, None if kind == OUT else kind)


def take_column(edit: SchemaEdit, frame: pd.DataFrame, name: str, key: str) -> None:
    """What the form says."""
    written: dict[str, Any] = {
        field: st.session_state[f"{key}_{field}"]
        for field in ("title", "unit", "low", "high", "levels", "day_first")
        if f"{key}_{field}" in st.session_state
    }
    change_column(edit, frame, name, **written)


def take_file(edit: SchemaEdit, frame: pd.DataFrame, label: str, key: str) -> None:
    """The file that was brought; taking it away changes nothing but what was said of it."""
    file = st.session_state[key]
    if file is None:
        edit.look_away()
    else:
        bring(edit, frame, label, file.getvalue())


def shown(feature: Feature) -> str:
    """A column's name, with its title and unit where they say more."""
    title = f"{feature.name}: {feature.title}" if feature.title != feature.name else feature.name
    return f"{title} ({feature.unit})" if feature.unit and feature.kind != "date" else title


def values(feature: Feature) -> str:
    """What a column may hold, in short."""
    if feature.is_category:
        listed = ", ".join(feature.choices)
        return listed if len(listed) <= LONGEST else f"{len(feature.choices)} words: {listed[: LONGEST - 14]}…"
    write = bound_text if feature.kind == "date" else lambda _, bound: "" if bound is None else plain(bound)
    low, high = (write(feature, each) for each in (feature.low, feature.high))
    span = f"{low} to {high}" if low and high else f"from {low}" if low else f"up to {high}" if high else "any"
    return f"{span}, cut there" if feature.bounded else span


def plain(number: float) -> str:
    """Without an exponent where that is short: 1,455,435 rather than 1.45544e+06.

    >>> plain(1455435.0), plain(0.05263), plain(3e18)
    ('1,455,435', '0.05263', '3e+18')
    """
    value = float(number)
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e12 else f"{value:,g}"
