"""What a column is: the rules of inference, reading by the schema, and its JSON."""

from __future__ import annotations

import datetime
import json

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_wine

from rlm_core.data import adult_sample
from rlm_core.data.schema import FEATURES
from rlm_core.tables import TableError, TableSchema
from rlm_core.tables.feature import Feature
from rlm_core.tables.identifiers import is_identifier

ROWS = 200
GENERATOR = np.random.default_rng(0)


def only(values: object, name: str = "column") -> tuple[str, object]:
    """The kind of one column beside a number, or why it is left out."""
    frame = pd.DataFrame({name: values, "other number": np.arange(len(values)) % 7})  # type: ignore[arg-type]
    schema = TableSchema.infer(frame)
    for feature in schema.features:
        if feature.name == name:
            return feature.kind, feature
    return "left out", next(each.reason for each in schema.left_out if each.name == name)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (np.linspace(-1, 1, ROWS), "number"),
        (["1,234.5", "2,000"] * 100, "number"),
        (["3,14", "2,72"] * 100, "number"),
        (["17%", "20.5 %"] * 100, "number"),
        ([3, 5] * 100, "integer"),
        (["3", "5"] * 100, "integer"),
        ([3, None] * 100, "left out"),
        ([True, False] * 100, "boolean"),
        (["yes", "No"] * 100, "boolean"),
        (["T", "F"] * 100, "boolean"),
        (["red", "green", "blue", "?"] * 50, "category"),
        (pd.Categorical(["a", "b"] * 100), "category"),
        (pd.date_range("2020-01-01", periods=ROWS), "date"),
        (pd.date_range("2020-01-01", periods=ROWS, tz="Europe/Paris"), "date"),
        ([datetime.date(2020, 1, 1), datetime.date(2021, 5, 3)] * 100, "date"),
        (["2020-01-31", "2021-02-28 10:00:00"] * 100, "date"),
        (["31/01/2020", "12/02/2021"] * 100, "date"),
        (["01/31/2020", "02/12/2021"] * 100, "date"),
        (["31 Jan 2020", "Feb 3, 2021"] * 100, "date"),
        (["Dec-2015", "Jan-2016"] * 100, "date"),
        (["31.01.20", "12.02.21"] * 100, "date"),
        (["2020-01-31", "31/01/2020", "31 Jan 2020", "Dec-2015", "Jan 3, 2021"] * 40, "date"),
    ],
)
def test_kinds(values: object, kind: str) -> None:
    assert only(values)[0] == kind


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([None] * ROWS, "no row has a value"),
        (["?", ""] * 100, "no row has a value"),
        ([np.nan] * ROWS, "no row has a value"),
        ([7] * ROWS, "same value, 7"),
        (["same"] * ROWS, "same value, same"),
        ([True] * ROWS, "same value, True"),
        (np.arange(ROWS) + 1000, "identifier"),
        ([f"a name {i}" for i in range(ROWS)], "200 different texts in 200 rows"),
        (["x" * 400, "y" * 400] * 100, "free text"),
    ],
)
def test_what_is_left_out_says_why(values: object, reason: str) -> None:
    kind, why = only(values)
    assert kind == "left out" and reason in str(why)


def test_ids_by_name_but_not_measurements() -> None:
    numbers = GENERATOR.permutation(10 * ROWS)[:ROWS]
    assert only(numbers, "customer_id")[0] == "left out"
    assert only(numbers, "income")[0] == "integer"


DISTINCT = GENERATOR.choice(10**9, ROWS, replace=False) + 10**8


@pytest.mark.parametrize("values", [DISTINCT, list(map(str, DISTINCT))], ids=["numbers", "words"])
@pytest.mark.parametrize(
    "name",
    "PassengerId customerID CustomerID Id ID user_id rowid row_id rowNumber userid user_no CLIENTNUM EmployeeNumber "
    "uuid requestGuid SSN ssn customer_ssn SocialSecurityNumber index".split()
    + ["Unnamed: 0", "Unnamed: 0.1", "", "Customer Id"],
)
def test_identifiers_of_a_sample_are_known_by_their_name(name: str, values: object) -> None:
    """Of some rows of a larger table: no two are equal, and there are gaps between them."""
    assert only(values, name) == ("left out", "a different whole number in every row: an identifier")


@pytest.mark.parametrize(
    "name",
    "paid PAID unpaid grid GRID valid isValid humid Covid COVID fnlwgt acid AminoAcid lipid rapid thyroid android "
    "assn lessn monkey turnkey account customer_number_of_calls numbers Unnamed unnamed_0".split(),
)
def test_names_that_only_end_like_an_identifier_are_measured(name: str) -> None:
    assert only(DISTINCT, name)[0] == "integer"


def test_no_column_of_our_own_tables_is_called_an_identifier() -> None:
    names = [*adult_sample(), *FEATURES, *load_wine().feature_names, *load_breast_cancer().feature_names]
    assert [name for name in names if is_identifier(name, DISTINCT.astype(np.float64))] == []


def test_what_is_called_an_identifier_and_is_not_distinct_stays() -> None:
    """A customer who comes twice can be told by it."""
    assert only([*DISTINCT[1:], DISTINCT[1]], "customerID")[0] == "integer"


def test_ten_thousand_levels() -> None:
    words = [f"w{i % 10_000}" for i in range(30_000)]
    assert only(words) == ("left out", "10,000 levels, and none of them common")
    kind, feature = only(words[:15_000] + ["common", "usual"] * 7_500)
    assert kind == "category" and feature.choices == ("common", "usual")  # type: ignore[attr-defined]


def test_mixed_types() -> None:
    kind, feature = only([*[i % 50 for i in range(180)], *["unknown", "n.a."] * 10])
    assert kind == "integer" and feature.missing == ("n.a.", "unknown")  # type: ignore[attr-defined]
    assert only([1, "red", 2.5, "blue"] * 50)[0] == "category"
    with pytest.raises(TableError, match="row 1, column column, got a value of type list"):
        only([1, [2], 3] * 10)


def test_reading_by_the_schema() -> None:
    public = pd.DataFrame(
        {
            "age": ["31", "45", "unknown", *["20"] * 30],
            "job": ["cook", "nurse", "cook", *["cook"] * 30],
            "member": ["yes", "no", "?", *["no"] * 30],
            "since": ["13/04/2020", "14/04/2021", "", *["01/02/2020"] * 30],
        }
    )
    schema = TableSchema.infer(public)
    read = schema.read(
        pd.DataFrame({"since": ["03/04/2020"], "age": [None], "job": ["pilot"], "member": [1], "x": [0]})
    )
    assert list(read.columns) == ["age", "job", "member", "since"]
    assert np.isnan(read["age"][0]) and read["job"][0] == "pilot" and read["member"][0] == "yes"
    assert read["since"][0] == pytest.approx(2020 + 93 / 366)  # the third of April: the day comes first
    with pytest.raises(TableError, match="Expected a number in row 1, column age, got 'old'"):
        schema.read(pd.DataFrame({"age": ["3", "old"], "job": "a", "member": 1, "since": ""}))
    with pytest.raises(TableError, match="Expected a date in row 0, column since, got '31/31/2020'"):
        schema.read(pd.DataFrame({"age": ["3"], "job": "a", "member": 1, "since": "31/31/2020"}))
    with pytest.raises(TableError, match="Expected the column job, since"):
        schema.read(pd.DataFrame({"age": [1], "member": 1}))
    for bad in (np.inf, 1e101, "1e400"):
        with pytest.raises(TableError, match="at most 1e100 in row 0, column age"):
            schema.read(pd.DataFrame({"age": [bad], "job": "a", "member": 1, "since": ""}))


def test_dates_of_years_that_no_text_can_say_are_refused() -> None:
    """A folder with them could not be loaded."""
    dates = np.array(["2020-01-01", "2021-01-01"] * 10 + ["20000-01-01"], dtype="datetime64[s]")
    with pytest.raises(TableError, match="years 1 to 9999 in row 20, column since, got the year 20000"):
        TableSchema.infer(pd.DataFrame({"since": dates}))
    with pytest.raises(TableError, match="in row 20, column since, got the year -5"):
        TableSchema.infer(pd.DataFrame({"since": np.where(dates > dates[1], np.datetime64("-0005-03-01"), dates)}))
    early = TableSchema.infer(pd.DataFrame({"since": np.where(dates > dates[1], np.datetime64("0001-01-01"), dates)}))
    assert (early.features[0].low, early.features[0].high) == (1.0, 2021.0)


def test_month_first_where_only_that_can_be_read() -> None:
    feature = only(["01/31/2020", "02/03/2021"] * 30)[1]
    assert isinstance(feature, Feature) and not feature.day_first


def test_json_is_readable_editable_and_checked() -> None:
    public = pd.DataFrame({"age": [31, 45, 27, 30], "job": ["cook", "cook", "nurse", "nurse"], "same": 1})
    schema = TableSchema.infer(public)
    text = schema.to_json()
    assert TableSchema.from_json(text) == schema
    data = json.loads(text)
    assert data["features"][0] == {"name": "age", "kind": "integer", "low": 27.0, "high": 45.0}
    data["features"][0] |= {"title": "Age", "unit": "years"}
    assert TableSchema.from_json(json.dumps(data)).features[0].unit == "years"
    for edit in ({"kind": "colour"}, {"low": "x"}, {"choices": "cook"}, {"nonsense": 1}, {"missing": [1]}):
        with pytest.raises(TableError):
            TableSchema.from_json(json.dumps(data | {"features": [data["features"][0] | edit]}))
    for bad in ("", "{}", "[]", '{"format": "rlm-schema/1", "features": []}', '{"format": 1}', "null"):
        with pytest.raises(TableError):
            TableSchema.from_json(bad)
    twice = data | {"features": data["features"][:1] * 2}
    with pytest.raises(TableError, match="a name twice"):
        TableSchema.from_json(json.dumps(twice))


def test_a_table_without_any_feature() -> None:
    with pytest.raises(TableError, match="at least one column to learn from, got none .same: every row has"):
        TableSchema.infer(pd.DataFrame({"same": [1, 1, 1]}))
    with pytest.raises(TableError, match="label='income'"):
        TableSchema.infer(pd.DataFrame({"age": [1, 2]}), label="income")


@pytest.mark.parametrize("kind", ["integer", "number"])
def test_whoever_says_the_kind_takes_an_identifier_in(kind: str) -> None:
    """The page offers to; a column may only be called like one."""
    table = pd.DataFrame({"Account Id": [at * at for at in range(60)], "age": [at % 7 for at in range(60)]})
    schema = TableSchema.infer(table)
    assert [each.name for each in schema.left_out] == ["Account Id"]
    (taken, _) = schema.edited(table, {"Account Id": kind}).features
    assert (taken.name, taken.kind, taken.low, taken.high) == ("Account Id", kind, 0.0, 59.0**2)
