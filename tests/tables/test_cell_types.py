"""A cell is read by its value, not by the type that pandas chose for its column: that one depends on the other rows."""

from __future__ import annotations

import io
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rlm_core.privatiser import LocalPrivatiser
from rlm_core.tables import TableSchema

FLOORS: list[Any] = [1, 2, 3, 2, 1, 3] * 40
PUBLIC = pd.DataFrame({"floor": FLOORS, "size": [float(20 + at % 7) for at in range(240)]})
GAP: list[Any] = [*FLOORS[:-1], None]

TYPES: dict[str, Callable[[list[Any]], Any]] = {
    "int64 or float64": lambda cells: pd.Series(cells),
    "float32": lambda cells: pd.Series(cells, dtype="float32"),
    "Int64": lambda cells: pd.Series(cells, dtype="Int64"),
    "Float64": lambda cells: pd.Series(cells, dtype="Float64"),
    "Arrow integers": lambda cells: pd.Series(cells, dtype="int64[pyarrow]"),
    "Arrow numbers": lambda cells: pd.Series(cells, dtype="double[pyarrow]"),
    "objects": lambda cells: pd.Series(cells, dtype=object),
    "mixed objects": lambda cells: pd.Series(
        [cell if at % 2 else None if cell is None else float(cell) for at, cell in enumerate(cells)], dtype=object
    ),
    "decimals": lambda cells: pd.Series([None if cell is None else Decimal(f"{cell}.00") for cell in cells]),
    "words": lambda cells: pd.Series([None if cell is None else str(cell) for cell in cells], dtype=object),
    "words with a point": lambda cells: pd.Series([None if cell is None else f"{cell}.0" for cell in cells]),
    "categories": lambda cells: pd.Series(pd.Categorical(cells)),
    "categories of mixed types": lambda cells: pd.Series(pd.Categorical(cells, categories=[1.0, 2, "3", 3, "other"])),
}


def schema(public: pd.DataFrame) -> TableSchema:
    return TableSchema.infer(public).edited(public, {"floor": "category"})


def fitted(public: pd.DataFrame) -> LocalPrivatiser:
    return LocalPrivatiser(epsilon=4.0, reports=5_000, classes=["no", "yes"], schema=schema(public)).fit(public)


FITTED = fitted(PUBLIC)


@pytest.mark.parametrize("cells", [FLOORS, GAP], ids=["whole", "with a gap"])
@pytest.mark.parametrize("kind", TYPES)
def test_public_levels_are_those_of_the_values(kind: str, cells: list[Any]) -> None:
    public = PUBLIC.assign(floor=TYPES[kind](cells))
    assert schema(public).features[0].choices == ("1", "2", "3")


def test_public_rows_with_a_gap_make_the_same_levels() -> None:
    """One row less says its floor: the same levels in the same order, and people are encoded alike."""
    other = fitted(PUBLIC.assign(floor=GAP))
    assert other.preprocessor_.categories == FITTED.preprocessor_.categories
    assert np.array_equal(other.encode_table(PUBLIC), FITTED.encode_table(PUBLIC))


@pytest.mark.parametrize("kind", TYPES)
def test_a_row_is_encoded_alike_alone_and_in_any_batch(kind: str) -> None:
    """Whether or not somebody else in the batch leaves the cell empty."""
    expected = FITTED.encode_table(PUBLIC)
    assert (expected[:, 1:4].sum(axis=0) == 80).all()  # three levels, nobody with the rare ones
    make = TYPES[kind]
    assert np.array_equal(FITTED.encode_table(PUBLIC.assign(floor=make(FLOORS))), expected)
    batch = PUBLIC.assign(floor=make(GAP))
    assert np.array_equal(FITTED.encode_table(batch)[:-1], expected[:-1])
    for row in (0, 1, 2):
        assert np.array_equal(FITTED.encode_table(batch[row : row + 1])[0], expected[row])
        alone = {"floor": batch["floor"][row], "size": 20.0 + row}
        assert np.array_equal(FITTED.encode_table(alone)[0], expected[row])  # type: ignore[arg-type]


@pytest.mark.parametrize("gap", [False, True])
def test_a_file_that_pandas_wrote_is_read_alike(gap: bool) -> None:
    """CSV of a column with a gap has "1.0" where the whole one has "1"."""
    file = io.StringIO()
    PUBLIC.assign(floor=GAP if gap else FLOORS).to_csv(file, index=False)
    words = pd.read_csv(io.StringIO(file.getvalue()), dtype=str, na_filter=False)
    assert np.array_equal(FITTED.encode_table(words)[:-1], FITTED.encode_table(PUBLIC)[:-1])


def test_levels_of_an_older_schema_keep_their_spelling() -> None:
    """It may say "1.0"; a schema with both spellings tells them apart where the cell does."""
    text = schema(PUBLIC).to_json()
    old = TableSchema.from_json(text.replace('"1"', '"1.0"').replace('"2"', '"2.0"').replace('"3"', '"3.0"'))
    for cells in ([1, 3], [1.0, 3.0], ["1", "3.0"]):
        assert old.read(pd.DataFrame({"floor": cells, "size": 1.0}))["floor"].tolist() == ["1.0", "3.0"]
    both = TableSchema.from_json(text.replace('"2"', '"1.0"'))
    read = both.read(pd.DataFrame({"floor": ["1", "1.0", 1, 1.0, "1.00"], "size": 1.0}))["floor"]
    assert read.tolist() == ["1", "1.0", "1", "1", "1"]


def test_words_for_missing_are_known_by_their_value() -> None:
    said = TableSchema.from_json(schema(PUBLIC).to_json().replace('"choices"', '"missing": ["-1"], "choices"'))
    for cells in ([-1, 2], [-1.0, np.nan], ["-1.0", "2"]):
        assert said.read(pd.DataFrame({"floor": cells, "size": 1.0}))["floor"][0] is None


def test_numbers_beyond_2_to_the_53_are_read_alike() -> None:
    """A gap makes them floats, which hold 53 bits: so every type is read by its float."""
    large = 2**53 + 1
    batches = [pd.DataFrame({"floor": cells, "size": 1.0}) for cells in ([large, 1], [large, None])]
    first, second = (schema(PUBLIC).read(batch)["floor"][0] for batch in batches)
    assert first == second
