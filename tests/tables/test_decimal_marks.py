"""What a comma in a number is: decided once from public rows, kept in the schema, the same for everybody."""

from __future__ import annotations

import json
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rlm_core.privatiser import LocalPrivatiser
from rlm_core.tables import TableError, TableSchema, read_table
from rlm_core.tables.editing import Texts, edit_feature
from rlm_core.tables.files import read_csv

GERMAN = pd.DataFrame({"share": ["0,5", "0,125", "1,75", "2,250"] * 20, "pay": ["1.234", "950", "12.500", "7"] * 20})


def range_of(schema: TableSchema, name: str) -> tuple[float | None, float | None]:
    feature = next(each for each in schema.features if each.name == name)
    return feature.low, feature.high


@pytest.mark.parametrize(
    ("cells", "low", "high"),
    [
        (["0,5", "0,125", "1,75", "2,250"], 0.125, 2.25),
        (["1,234", "2,250", "3,1"], 1.234, 3.1),
        (["1.234,5", "2.250", "7"], 7, 2250),
        (["1.234.567", "1.234"], 1234, 1234567),
        (["1,234", "567", "12,000"], 567, 12000),  # nothing tells: thousands, as ever
        (["1,234.5", "2,250"], 1234.5, 2250),
        (["1.5", "2,250"], 1.5, 2250),
        (["0,125", "0,001"], 0.001, 0.125),  # a leading zero is never one of thousands
    ],
)
def test_a_column_has_one_mark(cells: list[str], low: float, high: float) -> None:
    assert range_of(TableSchema.infer(pd.DataFrame({"x": cells * 20})), "x") == (low, high)


def test_other_columns_tell_what_a_point_is() -> None:
    schema = TableSchema.infer(GERMAN)
    assert range_of(schema, "share") == (0.125, 2.25) and range_of(schema, "pay") == (7, 12_500)
    plain = TableSchema.infer(GERMAN[["pay"]])
    assert range_of(plain, "pay") == (1.234, 950)


def test_a_file_divided_by_semicolons_has_decimal_commas(tmp_path: Path) -> None:
    rows = "".join(f"{word};{at % 3}\n" for at, word in enumerate(["1,234", "2,250", "7,125"] * 20))
    (tmp_path / "public.csv").write_text("x;y\n" + rows)
    schema = TableSchema.infer(tmp_path / "public.csv")
    assert range_of(schema, "x") == (1.234, 7.125)
    frame = read_table(tmp_path / "public.csv")
    privatiser = LocalPrivatiser(reports=5_000).fit(frame, "y")
    assert range_of(privatiser.schema_, "x") == (1.234, 7.125)
    assert range_of(TableSchema.infer(read_csv(("x\ty\n" + rows.replace(";", "\t")).encode())), "x") == (1234, 7125)
    points = "x;y\n" + rows.replace(",", ".")
    assert range_of(TableSchema.infer(read_csv(points.encode())), "x") == (1.234, 7.125)


def test_a_row_is_read_alike_alone_and_beside_others() -> None:
    schema = TableSchema.infer(GERMAN)
    rows = pd.DataFrame({"share": ["1,234", "1.5", "2", "1,234.5"], "pay": ["1.234", "0.5", "1,5", "3"]})
    together = schema.read(rows)
    assert together["share"].tolist() == [1.234, 1.5, 2.0, 1234.5]
    assert together["pay"].tolist() == [1234.0, 0.5, 1.5, 3.0]
    for at in range(len(rows)):
        assert schema.read(rows.iloc[[at]]).iloc[0].equals(together.iloc[at])


def test_the_mark_is_in_the_schema_and_can_be_edited() -> None:
    schema = TableSchema.infer(GERMAN)
    data = json.loads(schema.to_json())
    assert [each["decimal"] for each in data["features"]] == [",", ","]
    assert TableSchema.from_json(schema.to_json()) == schema
    del data["features"][1]["decimal"]  # as an older schema: a point is one
    old = TableSchema.from_json(json.dumps(data))
    assert old.read(pd.DataFrame({"share": ["1,5"], "pay": ["1.234"]}))["pay"][0] == 1.234
    data["features"][1]["decimal"] = ";"
    with pytest.raises(TableError, match=r"Expected '\.' or ',' for decimal of 'pay', got ';'"):
        TableSchema.from_json(json.dumps(data))
    assert "decimal" not in TableSchema.infer(pd.DataFrame({"x": ["1,234", "5"] * 20})).to_json()


def test_words_that_mean_missing_and_bounds_have_the_columns_mark() -> None:
    schema = TableSchema.infer(GERMAN)
    text = schema.to_json().replace('"decimal"', '"missing": ["9,999"], "decimal"', 1)
    read = TableSchema.from_json(text).read(pd.DataFrame({"share": ["9,999", "1,5"], "pay": ["7", "8"]}))
    assert read["share"].isna().tolist() == [True, False]
    share = schema.features[0]
    for typed in ("1,125", "1.125"):
        assert edit_feature(share, GERMAN["share"], Texts(low="0,25", high=typed)).high == 1.125


def test_a_kind_that_was_chosen_by_hand_keeps_the_mark() -> None:
    public = GERMAN.assign(pay=["1,5", "2,5", "3,25", "4"] * 20)
    schema = TableSchema.infer(public).edited(public, {"pay": "category"}).edited(public, {"pay": "number"})
    assert range_of(schema, "pay") == (1.5, 4)


def test_categories_are_known_by_their_value() -> None:
    """2.50 in the public file is 2.5 in the people's."""
    public = pd.DataFrame({"size": ["2.50", "3.75", "4.00"] * 30, "n": range(90)})
    schema = TableSchema.infer(public).edited(public, {"size": "category"})
    for cells in ([2.5, 4.0], ["2.5", "4"], ["2.500", "4.0"]):
        assert schema.read(pd.DataFrame({"size": cells, "n": 1}))["size"].tolist() == ["2.50", "4"]
    other = TableSchema.from_json(schema.to_json().replace('"3.75"', '"2.5"'))  # both are levels: told apart
    assert other.read(pd.DataFrame({"size": ["2.5", "2.50"], "n": 1}))["size"].tolist() == ["2.5", "2.50"]


NUMBERS: list[list[Any]] = [
    [1.234, 2.5, 12.345, 1234567.891, 1.5e-07, -0.125, None],
    [np.float64(1.234), np.float32(0.5), np.int64(1234), 2, True],
    [Decimal("238.961"), Decimal("1.234"), Decimal("1234.5")],
    [1.234, "1,234", "1.234", "2,5"],
]


@pytest.mark.parametrize("cells", NUMBERS)
def test_cells_that_are_numbers_are_themselves(cells: list[Any]) -> None:
    """1.234 beside decimal commas was read as 1234."""
    schema = TableSchema.infer(GERMAN)
    texts = {"1,234": 1.234, "1.234": 1234.0, "2,5": 2.5}
    expected = [np.nan if cell is None else texts.get(cell, cell) for cell in cells]
    column = pd.Series(cells, dtype=object)
    read = schema.read(pd.DataFrame({"share": column, "pay": column}))
    for name in read:
        assert read[name].tolist() == pytest.approx([float(each) for each in expected], nan_ok=True)
    for cell, value in zip(cells, expected, strict=True):
        alone = schema.read(pd.DataFrame([{"share": cell, "pay": cell}]))
        assert alone["pay"].tolist() == pytest.approx([float(value)], nan_ok=True)


def test_public_numbers_are_themselves_and_take_no_mark(tmp_path: Path) -> None:
    money = [Decimal("238.961"), Decimal("1.234"), Decimal("12.500"), Decimal("7.001")]
    mixed = [1.234, "0,5", Decimal("2.125"), "1,75"]
    pd.DataFrame({"money": money * 20, "share": ["0,5", "0,125", "1,75", "2,250"] * 20}).to_parquet(
        tmp_path / "a.parquet"
    )
    schema = TableSchema.infer(tmp_path / "a.parquet")
    assert [each.decimal for each in schema.features] == [".", ","] and range_of(schema, "money") == (1.234, 238.961)
    assert schema.read(tmp_path / "a.parquet")["money"].tolist() == [float(each) for each in money * 20]
    own = pd.DataFrame({"x": pd.Series(mixed * 20, dtype=object), "kind": pd.Series([1.5, "red"] * 40, dtype=object)})
    schema = TableSchema.infer(own)
    assert range_of(schema, "x") == (0.5, 2.125) and schema.features[1].choices == ("1.5", "red")
    assert range_of(schema.edited(own, {"x": "category"}).edited(own, {"x": "number"}), "x") == (0.5, 2.125)


INCOME = ["5,912", "241", "12,000", "7,125"] * 50


@pytest.mark.parametrize(
    "other",
    [
        ["1,2", "1,3", "2,4", "2"] * 50,  # answers
        ["7,5", *["good", "bad"] * 99, "good"],
        ["7,5", *["31", "45"] * 99, "31"],  # a slip of the pen
        ["0,5", "red", "blue", "1,75"] * 50,
        ["0,5", "1.5", "2,5", "7"] * 50,
        ["0,5", "0,25"] * 3 + [None] * 194,
    ],
)
def test_only_numbers_with_decimal_commas_decide_for_others(other: list[Any]) -> None:
    clear = other[-1] is None  # few cells, all of them clear
    schema = TableSchema.infer(pd.DataFrame({"income": INCOME, "other": other}))
    assert range_of(schema, "income") == ((5.912, 241) if clear else (241, 12_000))


def test_columns_with_points_keep_the_others_as_of_old() -> None:
    table = pd.DataFrame({"income": INCOME, "share": ["0,5", "1,75"] * 100, "rate": ["0.5", "1.25"] * 100})
    assert range_of(TableSchema.infer(table), "income") == (241, 12_000)
    assert range_of(TableSchema.infer(table.drop(columns="rate")), "income") == (5.912, 241)


def test_of_levels_of_one_value_the_first_is_meant() -> None:
    public = pd.DataFrame({"size": ["1.50", "1.500", "2"] * 30, "n": range(90)})
    schema = TableSchema.infer(public).edited(public, {"size": "category"})
    assert schema.read(pd.DataFrame({"size": ["1.5", 1.5, "1.500", "1.5000"], "n": 1}))["size"].tolist() == [
        "1.50",
        "1.50",
        "1.500",
        "1.50",
    ]
