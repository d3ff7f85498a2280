"""The schema on the page: one line a column, its kind to be changed or left out."""

from __future__ import annotations

from typing import Any

import pandas as pd
import streamlit as st

from rlm_core.tables import Feature, TableError, TableSchema
from rlm_core.tables.feature import KINDS
from ui.kit.formats import without_markup
from ui.own import text
from ui.own.tables import Table

OUT = "left out"
LONGEST = 60


def edit_schema(table: Table, label: str, *, key: str) -> TableSchema | None:
    """The inferred schema, with the visitor's changes; None if there is none that can be used (the page says why)."""
    try:
        inferred = table.schema(label)
    except TableError as error:
        st.error(without_markup(str(error), most=500), icon=":material/table_chart:")
        return None
    lines = pd.DataFrame(
        [{"column": each.name, "kind": each.kind, "values": values(each)} for each in inferred.features]
        + [{"column": each.name, "kind": OUT, "values": each.reason} for each in inferred.left_out]
    )
    used, out = len(inferred.features), len(inferred.left_out)
    with st.expander(f"Columns: {used} used, {out} left out", expanded=False):
        st.caption(text.SCHEMA_HELP)
        edited = st.data_editor(
            lines,
            key=key,
            hide_index=True,
            height=min(36 * len(lines) + 38, 330),
            disabled=["column", "values"],
            column_config={"kind": st.column_config.SelectboxColumn("kind", options=[*KINDS, OUT], required=True)},
        )
    changed: dict[str, Any] = {
        name: None if kind == OUT else kind
        for name, kind, before in zip(edited["column"], edited["kind"], lines["kind"], strict=True)
        if kind != before
    }
    try:
        return inferred.edited(table.frame, changed) if changed else inferred
    except TableError as error:
        st.error(without_markup(str(error), most=500), icon=":material/table_chart:")
        return None


def values(feature: Feature) -> str:
    """What a column may hold, in short."""
    if feature.is_category:
        listed = ", ".join(feature.choices)
        return listed if len(listed) <= LONGEST else f"{len(feature.choices)} words: {listed[: LONGEST - 14]}…"
    return f"{plain(feature.low)} to {plain(feature.high)}"


def plain(number: float | None) -> str:
    """Without an exponent where that is short: 1,455,435 rather than 1.45544e+06.

    >>> plain(1455435.0), plain(0.05263), plain(3e18)
    ('1,455,435', '0.05263', '3e+18')
    """
    value = float(number or 0.0)
    return f"{value:,.0f}" if 1e4 <= abs(value) < 1e12 else f"{value:,g}"
