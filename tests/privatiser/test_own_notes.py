"""What a fit says of public rows that it does not take as they are, and what it refuses."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from rlm_core.privatiser import LocalPrivatiser, UtilityWarning
from rlm_core.privatiser.public_records import public_records
from rlm_core.tables import TableError, TableSchema

TABLE = pd.DataFrame({"a": np.arange(200) % 37, "job": ["cook", "nurse"] * 100, "since": ["01/02/2020"] * 200})


def fitted(public: Any, y: Any = None, **given: Any) -> LocalPrivatiser:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UtilityWarning)
        return LocalPrivatiser(**({"epsilon": 4.0, "reports": 5_000} | given)).fit(public, y)


def notes(privatiser: LocalPrivatiser) -> str:
    return "\n".join(privatiser.notes_)


def test_rows_without_a_label_are_counted(tmp_path: Path) -> None:
    table = TABLE[["a", "job"]].assign(y=["no", "yes", None, "no"] * 50)
    privatiser = fitted(table, "y")
    assert privatiser.notes_ == ("labels: 50 of 200 public rows have none; they were fitted on like the others",)
    assert LocalPrivatiser.load(privatiser.save(tmp_path / "mine")).notes_ == privatiser.notes_
    assert fitted(table.fillna("no"), "y").notes_ == ()


def test_labels_outside_of_the_classes_are_counted() -> None:
    labels = ["no", "yes"] * 98 + ["maybe"] * 3 + ["x"]
    privatiser = fitted(TABLE[["a", "job"]], labels, classes=["no", "yes"])
    assert privatiser.notes_ == (
        "labels: 4 of 200 public rows have one that is not among the classes ('maybe', 'x'); they were fitted on like "
        "the others",
    )
    assert fitted(TABLE[["a", "job"]], ["no", "yes"] * 100, classes=np.array(["no", "yes"])).notes_ == ()


def test_dates_that_could_be_other_ones_are_named() -> None:
    """01/01/2020 to 12/01/2020 were twelve days of January without a word."""
    either = TABLE.assign(since=[f"{1 + at % 12:02}/01/2020" for at in range(200)])
    said = "since: dates such as 02/01/2020 could be read either way; they were read with the day first (day_first in"
    assert said in notes(fitted(either))
    assert "since" not in notes(fitted(either, schema=TableSchema.infer(either)))  # who brings a schema has said it
    told = either.assign(since=either["since"].where(either.index != 7, "31/01/2020"))
    iso = either.assign(since=[f"2020-{1 + at % 12:02}-01" for at in range(200)])
    assert fitted(told).notes_ == fitted(iso).notes_ == ()


def test_columns_that_others_decided_are_named(tmp_path: Path) -> None:
    said = 'are read as decimal commas, as in share; set "decimal" in the schema to change that'
    german = pd.DataFrame({"share": ["0,5", "1,75", "2,25"] * 60, "age": ["31", "45", "7"] * 60})
    table = german.assign(income=["5,912", "241", "12,125"] * 60, pay=["1.234", "950", "7"] * 60)
    found = fitted(table).notes_
    assert found[0] == f"income: its commas {said}"
    assert found[1].startswith("pay: its points are read as those of thousands, as in share;") and len(found) == 2
    assert fitted(table[["income"]].assign(y=["a", "b"] * 90), "y").notes_ == fitted(german).notes_ == ()
    assert fitted(table, schema=TableSchema.infer(table)).notes_ == ()  # who brings a schema has said it
    table[["income", "age"]].to_csv(tmp_path / "public.csv", sep=";", index=False)
    (note,) = fitted(tmp_path / "public.csv").notes_
    assert note.startswith("income: its commas are read as decimal commas, as in other files that are divided by semi")


def test_rows_that_end_early_are_counted(tmp_path: Path) -> None:
    """Spreadsheets leave empty cells at the end away, and a file that was cut looks the same."""
    rows = ["age,y,job", *(f"{20 + at % 50},{'ab'[at % 2]},{('', 'cook', 'nurse')[at % 3]}" for at in range(200))]
    whole, cut = tmp_path / "whole.csv", tmp_path / "cut.csv"
    whole.write_text("\n".join(rows))
    cut.write_text("\n".join(row.rstrip(",") if row.endswith(",") else row for row in [*rows, "31,a"]))
    assert fitted(whole, "y").notes_ == ()
    note = "rows of the file that end before its last column: 68; what they lack is read as missing"
    schema = fitted(whole, "y").schema_
    assert fitted(cut, "y").notes_ == (note,) == fitted(cut, "y", schema=schema).notes_


def test_columns_of_periods_and_intervals_are_left_out_like_others_that_cannot_be_read() -> None:
    """They stopped the fit of everything else."""
    months, hours = pd.period_range("2020-01", periods=200, freq="M"), pd.to_timedelta(np.arange(200), unit="h")
    table = TABLE.assign(month=months, lasted=hours, group=pd.cut(TABLE["a"], 5), y=["no", "yes"] * 100)
    privatiser = fitted(table[["a", "job", "month", "lasted", "group", "y"]], "y")
    assert privatiser.schema_.columns == ("a", "job") and len(privatiser.privatise(table)) == 200
    kinds = [note.partition(" are not read; ")[0] for note in privatiser.notes_]
    assert [kind.split("[")[0] for kind in kinds] == [
        "month: cells of type period",
        "lasted: cells of type timedelta64",
        "group: cells of type interval",
    ]


def test_a_label_that_is_also_a_feature_is_refused() -> None:
    """fit(frame, frame["y"]) made the label a feature: every record had it in itself."""
    table = TABLE[["a", "job"]].assign(y=["no", "yes"] * 100)
    for public in (table, table.assign(y=table["y"].astype("category"))):
        with pytest.raises(
            TableError, match="the column 'y' as both: pass its name as the label, or the table without"
        ):
            fitted(public, public["y"])
        with pytest.raises(TableError, match="the column 'y' as both"):
            public_records(public, public["y"], None)
    apart = fitted(table[["a", "job"]], table["y"])
    assert fitted(table, table["y"], schema=schema_with()).schema_.columns == apart.schema_.columns == ("a", "job")
    other = table["y"].where(table.index != 0, "yes")
    assert "y" in fitted(table, other).schema_.columns  # another column of that name


def schema_with(**changes: Any) -> TableSchema:
    schema = TableSchema.infer(TABLE[["a", "job"]])
    a, job = schema.features
    return replace(schema, features=(replace(a, **changes.get("a", {})), replace(job, **changes.get("job", {}))))


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"job": {"choices": ("pilot", "smith")}}, "a level of job that some public row has"),
        ({"job": {"choices": ("cook", "NA")}}, "got 'NA', which means missing"),
        ({"job": {"choices": ("cook", "(rare)")}}, r"levels other than \(rare\) for job"),
        ({"a": {"low": 100.0, "high": 200.0, "bounded": True}}, "rows that differ in a between 100 and 200"),
        ({"a": {"name": "b", "title": "b"}}, "Expected columns of this table"),
    ],
)
def test_a_schema_that_does_not_suit_the_public_rows_is_refused(changes: dict[str, Any], message: str) -> None:
    """As the page does: a column that says nothing was encoded all the same."""
    with pytest.raises(TableError, match=message):
        fitted(TABLE, schema=schema_with(**changes))
    with pytest.raises(TableError, match=message):
        public_records(TABLE, ["no", "yes"] * 100, schema_with(**changes))


def test_a_schema_that_names_the_label_says_so() -> None:
    with pytest.raises(TableError, match="Expected features besides the label, got the label 'job' among them"):
        fitted(TABLE, "job", schema=schema_with())


def test_advice_says_which_classes_look_mistyped() -> None:
    labels = ["no", "yes"] * 99 + ["Yes", "no"]
    with pytest.warns(UtilityWarning, match="differ only by case"):
        public_records(TABLE, labels, None)
    public_records(TABLE, ["no", "yes"] * 100, None)  # warnings are errors


def test_rows_of_different_lengths_are_refused_by_us() -> None:
    with pytest.raises(TableError, match="Expected rows with the same number of cells, got rows of different lengths"):
        fitted([[1, 2], [2]], ["a", "b"])


def test_what_is_masked_is_missing() -> None:
    values = np.arange(400.0).reshape(200, 2) % 37
    masked = np.ma.masked_array(values, mask=values == 5)
    gaps = np.where(values == 5, np.nan, values)
    assert fitted(masked).method_.digest == fitted(gaps).method_.digest != fitted(values).method_.digest
    whole = np.ma.masked_array(values.astype(int), mask=values == 5)
    assert fitted(whole).method_.digest == fitted(gaps).method_.digest
    labels = np.ma.masked_array(["no", "yes"] * 100, mask=[at < 4 for at in range(200)])
    assert "labels: 4 of 200 public rows have none" in notes(fitted(values, labels))
