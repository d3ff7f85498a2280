"""Tables at random: each is read and encoded, or refused by our own error; never anything else."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rlm_core.tables import TableError, TablePreprocessor, TableSchema
from rlm_core.tables.columns import RARE

CELLS: list[st.SearchStrategy[Any]] = [
    st.floats(),
    st.floats(-1e6, 1e6) | st.none(),
    st.integers(),
    st.integers(0, 9),
    st.booleans() | st.none(),
    st.text(max_size=8),
    st.sampled_from(["red", "green", "?", "", None, "NA", "None"]),
    st.sampled_from(["2020-01-31", "31/01/2020", "12/31/2020", "Jan-2020", "", "soon"]),
    st.sampled_from(["1,234", "3,14", "17%", "$5", "-", "1e5", "1e400", "inf", "nan", "1_000"]),
    st.dates(datetime.date(1900, 1, 1)),
    st.datetimes(),
    st.decimals(allow_nan=True),
    st.binary(max_size=3),
    st.lists(st.integers(), max_size=2),
    st.sampled_from([1, "a", 2.5, None, True, np.float32(3), np.int8(4), pd.NaT, pd.NA]),
]


@st.composite
def tables(draw: st.DrawFn) -> pd.DataFrame:
    rows = draw(st.integers(0, 40))
    columns = draw(st.lists(st.sampled_from(CELLS), min_size=0, max_size=4))
    values = {f"c{at}": draw(st.lists(cell, min_size=rows, max_size=rows)) for at, cell in enumerate(columns)}
    frame = pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in values.items()})
    return frame.infer_objects() if draw(st.booleans()) else frame


@settings(max_examples=120, deadline=None, suppress_health_check=list(HealthCheck))
@given(public=tables(), people=tables())
def test_a_random_table_is_encoded_or_refused_by_us(public: pd.DataFrame, people: pd.DataFrame) -> None:
    try:
        schema = TableSchema.infer(public)
        preprocessor = TablePreprocessor.fit(schema.read(public), schema.features, unknown="ignore")
    except TableError as error:
        assert str(error).startswith("Expected")
        return
    assert TableSchema.from_json(schema.to_json()) == schema
    assert TablePreprocessor.from_json(preprocessor.to_json()) == preprocessor
    for table in (public, people):
        try:
            tidy = schema.read(table)
        except TableError as error:
            assert str(error).startswith("Expected")
            continue
        matrix = preprocessor.transform(tidy, unknown="ignore", allow_missing=True, outliers="clip")
        assert matrix.shape == (len(table), preprocessor.output_dim) and np.isfinite(matrix).all()
        for block in preprocessor.blocks:
            if block.kind == "category":  # every person has exactly one level, an unknown one the rare ones'
                assert (matrix[:, block.start : block.stop].sum(axis=1) == 1).all() and RARE in block.levels
