"""What a comma in a number is: decided once from public rows, kept in the schema, the same for everybody."""

from __future__ import annotations

import json
from pathlib import Path

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
