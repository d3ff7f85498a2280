"""Tables at random: each is read and encoded, or refused by our own error; never anything else."""

from __future__ import annotations

import gzip
import io
import tempfile
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rlm_core.privatiser import KINDS, LocalPrivatiser
from rlm_core.tables import TableError, TablePreprocessor, TableSchema
from rlm_core.tables.columns import RARE
from rlm_core.tables.files import Limits, read_bytes

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
    st.dates(),
    st.dates().map(str) | st.none(),
    st.datetimes(),
    st.decimals(allow_nan=True),
    st.binary(max_size=3),
    st.lists(st.integers(), max_size=2),
    st.sampled_from([1, "a", 2.5, None, True, np.float32(3), np.int8(4), pd.NaT, pd.NA]),
]


@st.composite
def tables(draw: st.DrawFn, fewest_rows: int = 0, fewest_columns: int = 0) -> pd.DataFrame:
    rows = draw(st.integers(fewest_rows, 40))
    columns = draw(st.lists(st.sampled_from(CELLS), min_size=fewest_columns, max_size=4))
    values = {f"c{at}": draw(st.lists(cell, min_size=rows, max_size=rows)) for at, cell in enumerate(columns)}
    frame = pd.DataFrame({name: pd.Series(cells, dtype=object) for name, cells in values.items()})
    return frame.infer_objects() if draw(st.booleans()) else frame


@pytest.mark.slow
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


TEXTS = st.lists(
    st.sampled_from([",", ";", "\t", "\n", "\r\n", '"', "a", "b", "1", "2.5", "?", "ä", "\0", "\ufeff", " ", "x" * 40]),
    max_size=60,
).map("".join)


def packed(frame: pd.DataFrame) -> bytes:
    """As a parquet file, where that can be written."""
    file = io.BytesIO()
    try:
        frame.to_parquet(file)
    except (ValueError, TypeError, OverflowError, pyarrow.ArrowException):
        return b"PAR1"
    return file.getvalue()


@settings(max_examples=150, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    data=st.binary(max_size=60)
    | TEXTS.map(str.encode)
    | TEXTS.map(lambda text: text.encode("utf-16"))
    | TEXTS.map(lambda text: gzip.compress(text.encode()))
    | tables().map(packed),
    cut=st.integers(0, 20),
)
def test_random_files_are_read_or_refused_by_us(data: bytes, cut: int) -> None:
    """Whole, and with their end cut off."""
    for each in (data, data[: len(data) - cut]):
        try:
            frame = read_bytes(each, Limits(bytes=10_000, rows=30, columns=5, cells=100))
        except TableError as error:
            assert str(error).startswith("Expected")
            continue
        assert 1 <= len(frame) <= 30 and 1 <= len(frame.columns) <= 5 and frame.size <= 100


@pytest.mark.slow
@settings(max_examples=100, deadline=None, suppress_health_check=list(HealthCheck))
@given(
    public=tables(fewest_rows=10, fewest_columns=1),
    people=tables(),
    kind=st.sampled_from(["auto", *KINDS]),
    seed=st.integers(0, 9),
)
def test_a_random_table_is_fitted_and_privatised_or_refused_by_us(
    public: pd.DataFrame, people: pd.DataFrame, kind: str, seed: int
) -> None:
    """What was fitted is never refused by the folder that keeps it, nor a public row by what is loaded from there."""
    labels = np.random.default_rng(seed).integers(0, 3 if seed > 6 else 2, len(public))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # about usefulness, and k-means of a few equal rows
        try:
            privatiser = LocalPrivatiser(epsilon=1.0, reports=100, kind=kind, seed=seed).fit(public, labels)
        except ValueError as error:
            assert str(error).startswith("Expected"), error
            return
        try:
            reports = privatiser.privatise(people, [privatiser.classes_[0]] * len(people))
            privatiser.learn(reports)
        except ValueError as error:
            assert str(error).startswith(("Expected", "X has")), error
        with tempfile.TemporaryDirectory() as folder:
            loaded = LocalPrivatiser.load(privatiser.save(Path(folder) / "mine"))
        assert len(loaded.privatise(public[:1], labels[:1])) == 1
