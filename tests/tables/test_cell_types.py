"""A cell is read by its value, not by the type that pandas chose for its column: that one depends on the other rows."""

from __future__ import annotations

import io
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from rlm_core.privatiser import LocalPrivatiser
from rlm_core.privatiser.advice import advise
from rlm_core.privatiser.labels import label_numbers, true_classes
from rlm_core.tables import TableError, TableSchema

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


SPELT = {
    "CSV of pandas": (["True", "False"], "True"),
    "CSV of R": (["TRUE", "FALSE"], "TRUE"),
    "truth": ([True, False], True),
    "nullable": (pd.array([True, False], dtype="boolean"), True),
    "days": (pd.to_datetime(["2020-01-31", "2021-01-31"]), "2020-01-31"),
    "CSV of days": (["2020-01-31", "2021-01-31"], pd.Timestamp("2020-01-31")),
    "numbers": ([2.5, 1.5], "2.50"),
    "CSV of numbers": (["2.50", "1.50"], 2.5),
}


@pytest.mark.parametrize("public", SPELT)
@pytest.mark.parametrize("people", SPELT)
def test_labels_of_one_value_are_one_class_whatever_file_they_are_from(public: str, people: str) -> None:
    """Fitted on a CSV file, people in a typed one, and the other way round."""
    values, (others, first) = SPELT[public][0], SPELT[people]
    frame = PUBLIC.assign(y=pd.Series([values[at % 2] for at in range(240)]))
    privatiser = LocalPrivatiser(epsilon=4.0, reports=5_000).fit(frame, "y")
    asked = [*others[:2], first]
    same_kind = ("numbers" in public, "days" in public) == ("numbers" in people, "days" in people)
    if same_kind:
        numbers = label_numbers(asked, privatiser.class_names)
        assert numbers.tolist() == [numbers[0], 1 - numbers[0], numbers[0]]
        assert true_classes(asked, privatiser.class_names).tolist() == [privatiser.class_names[n] for n in numbers]
    else:
        with pytest.raises(TableError, match="Expected a label in "):
            label_numbers(asked, privatiser.class_names)


def test_two_classes_that_differ_by_spelling_alone_stay_two() -> None:
    assert label_numbers(["True", "true", "no"], ["True", "true", "no"]).tolist() == [0, 1, 2]
    with pytest.raises(TableError, match="got 'TRUE'"):
        label_numbers(["TRUE"], ["True", "true", "no"])


def test_truth_is_the_level_that_a_csv_file_has_for_it() -> None:
    words = ["True", "False", "unknown"] * 80
    privatiser = LocalPrivatiser(epsilon=4.0, reports=5_000).fit(PUBLIC.assign(flag=words))
    row = {"floor": 1, "size": 20.0}
    for written in (True, np.True_, "true", "TRUE"):
        encoded = privatiser.encode_table(row | {"flag": written})
        np.testing.assert_array_equal(encoded, privatiser.encode_table(row | {"flag": "True"}))
    assert (privatiser.encode_table(row | {"flag": "never"}) != encoded).any()


class Polars:
    """A table of another library: columns with names, of which an array would lose the names."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.frame, self.columns = frame, list(frame)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return self.frame.to_numpy()

    def to_pandas(self) -> pd.DataFrame:
        return self.frame.copy()


@pytest.mark.parametrize("other", [pa.Table.from_pandas, pa.RecordBatch.from_pandas, Polars])
def test_tables_of_other_libraries_keep_the_names_of_their_columns(other: Callable[[pd.DataFrame], Any]) -> None:
    labelled = PUBLIC.assign(y=["no", "yes"] * 120)
    by_name = LocalPrivatiser(epsilon=4.0, reports=5_000).fit(other(labelled), "y")
    assert by_name.schema_.columns == ("floor", "size")
    turned = other(PUBLIC[["size", "floor"]])
    np.testing.assert_array_equal(by_name.encode_table(turned), by_name.encode_table(PUBLIC))
    apart = LocalPrivatiser(epsilon=4.0, reports=5_000).fit(other(PUBLIC), pa.chunked_array([labelled["y"]]))
    assert apart.class_names == by_name.class_names == ("no", "yes")
    indexed = other(labelled.set_index("floor"))
    if not isinstance(indexed, Polars):
        assert set(LocalPrivatiser(epsilon=4.0, reports=5_000).fit(indexed, "y").schema_.columns) == {"floor", "size"}
    advice = advise(other(labelled), "y", people=500, accuracy=0.6, epsilons=(4.0,), splits=1, draws=1)
    assert advice.rows == 240
