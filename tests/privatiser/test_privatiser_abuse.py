"""Clumsy and hostile use of LocalPrivatiser: a clear error of ours, or the right result; never a silent wrong one."""

from __future__ import annotations

import datetime
import hashlib
import json
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pyarrow
import pytest
from safetensors.numpy import save_file

from rlm_core.data import adult_sample
from rlm_core.privatiser import LocalPrivatiser
from rlm_core.privatiser.card import checksum_of
from rlm_core.tables import TableError, TablePreprocessor, TableSchema

ADULT, LABEL = adult_sample(), "income-per-year"
PUBLIC, PEOPLE = ADULT[:600], ADULT[600:700]
FITTED = LocalPrivatiser(epsilon=4.0, reports=4_500).fit(PUBLIC, LABEL)
ROWS = PEOPLE.drop(columns=LABEL)
JOBS = pd.DataFrame({"age": [31.0, 45.0], "job": ["cook", "nurse"]})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"epsilon": "4"}, "a number for epsilon, got epsilon='4'"),
        ({"epsilon": 1e-320}, "1e-6 <= epsilon <= 1e6 or inf"),
        ({"epsilon": 1e308}, "1e-6 <= epsilon <= 1e6 or inf"),
        ({"seed": "x"}, "seed >= 0, a whole number, got seed='x'"),
        ({"seed": -1}, "seed >= 0"),
        ({"seed": 1.5}, "seed >= 0"),
        ({"schema": "schema.json"}, "a TableSchema for schema, got a value of type str"),
        ({"schema": {"features": []}}, "a TableSchema for schema, got a value of type dict"),
        ({"classes": 5}, "a list of classes, got a value of type int"),
        ({"classes": {"<=50K", ">50K"}}, "a list of classes, got a value of type set"),
        ({"classes": (each for each in ("<=50K", ">50K"))}, "a list of classes, got a value of type generator"),
        ({"reports": 1.5}, "reports >= 1, a whole number"),
        ({"size": 2.0}, "1 <= size <= 4096"),
    ],
)
def test_arguments_that_no_fit_can_use(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        LocalPrivatiser(**arguments).fit(PUBLIC, LABEL)


def test_numbers_of_numpy_are_numbers(tmp_path: Path) -> None:
    """A count that was summed up is an np.int64; what is saved is plain JSON."""
    given = {"epsilon": np.float32(4), "reports": np.int64(4_500), "size": np.int32(3), "seed": np.uint8(1)}
    privatiser = LocalPrivatiser(**given, classes=np.array(["<=50K", ">50K"])).fit(PUBLIC, LABEL)  # type: ignore[arg-type]
    loaded = LocalPrivatiser.load(privatiser.save(tmp_path / "with a space"))
    assert loaded.method_.digest == privatiser.method_.digest and loaded.get_params()["reports"] == 4_500
    assert type(loaded.plan_.size) is int


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        (1, "a list of labels, or the name of their column as text, got 1"),
        (pd.DataFrame({"y": PUBLIC[LABEL]}), r"got a DataFrame of shape \(600, 1\)"),
        ([10**30, 10**30 + 1, 5] * 200, r"whole numbers up to 2\^53 as labels"),
        (np.array([2**53 + 1, 2**53 + 3] * 300), r"whole numbers up to 2\^53 as labels, got .*9007199254740993"),
        ([b"a", b"b"] * 300, "column label, got a value of type bytes"),
    ],
)
def test_labels_that_cannot_be_told_apart(labels: Any, message: str) -> None:
    with pytest.raises((TypeError, ValueError), match=message):
        LocalPrivatiser().fit(PUBLIC.drop(columns=LABEL), labels)


@pytest.mark.parametrize(
    "labels",
    [
        [" <=50K", ">50K "] * 50,
        pd.Series(["<=50K", ">50K"] * 50, dtype="string"),
        pd.Series(pd.Categorical(["<=50K", ">50K"] * 50, categories=["never", ">50K", "<=50K"])),
        pd.Index(["<=50K", ">50K"] * 50),
    ],
)
def test_labels_in_any_dress_are_the_same_classes(labels: Any) -> None:
    assert len(FITTED.privatise(ROWS, labels)) == 100


@pytest.mark.parametrize(
    "dress",
    [
        lambda rows: rows[rows.columns[::-1]],
        lambda rows: rows.assign(extra="ignored"),
        lambda rows: rows.astype(str),
        lambda rows: rows.astype(object),
        lambda rows: rows.astype(dict.fromkeys(rows.columns, "category")),
        lambda rows: rows.convert_dtypes(),
        lambda rows: rows.convert_dtypes(dtype_backend="pyarrow"),
        lambda rows: rows.set_axis([0] * len(rows)),
        lambda rows: rows.rename(columns=lambda name: f" {name} "),
    ],
)
def test_the_same_people_in_another_dress_are_encoded_alike(dress: Callable[[pd.DataFrame], pd.DataFrame]) -> None:
    assert np.array_equal(FITTED.encode_table(dress(ROWS)), FITTED.encode_table(ROWS))


def test_dates_where_numbers_belong_and_the_other_way_round() -> None:
    """A timestamp was read as its year where an age belongs, and 20200131 as a year."""
    with pytest.raises(TableError, match="Expected numbers in column age, got dates"):
        FITTED.privatise(ROWS.assign(age=pd.Timestamp("2020-01-01")))
    days = pd.DataFrame({"day": pd.date_range("2020-01-01", periods=50), "size": np.arange(50) % 7})
    schema = TableSchema.infer(days)
    with pytest.raises(TableError, match="Expected a date in row 1, column day, got '20200131'"):
        schema.read(pd.DataFrame({"day": [2020.5, 20200131], "size": 1}))
    with pytest.raises(TableError, match="Expected day to be of kind number, but its cells cannot be read so"):
        schema.edited(days, {"day": "number"})


@pytest.mark.parametrize(
    "read", [lambda cells: cells, lambda cells: cells.astype(object), lambda cells: cells.astype(str)]
)
def test_a_number_is_a_year_or_no_date_in_every_dress(read: Callable[[pd.Series], pd.Series]) -> None:
    """It was a year in a column of numbers alone, and no date beside a word."""
    schema = TableSchema.infer(
        pd.DataFrame({"day": pd.date_range("2010-01-05", periods=50), "size": np.arange(50) % 7})
    )
    assert schema.read({"day": 2010, "size": 3})["day"].tolist() == [2010.0]
    rows = pd.DataFrame({"day": read(pd.Series([2010.0, 2020.5])), "size": 3})
    assert schema.read(rows)["day"].tolist() == [2010.0, 2020.5]
    assert schema.read(rows.astype(object).replace({"day": {2010.0: "2010-07-02"}}))["day"].tolist()[1] == 2020.5
    for wrong in (20200131, 1577836800, 31, -1, True):
        with pytest.raises(TableError, match="Expected a date in row 1, column day, got"):
            schema.read(pd.DataFrame({"day": read(pd.Series([2010, wrong])), "size": 3}))
    years = pd.DataFrame({"built": read(pd.Series([*range(1998, 2016)] * 3)), "size": 3})
    assert TableSchema.infer(years).features[0].kind == "integer"


@pytest.mark.parametrize("digits", [400, 5_000])
def test_a_number_of_many_digits_is_refused_or_an_unknown_word(digits: int) -> None:
    """Python writes no number of more than 4,300 digits: its own error named no row."""
    large = {"age": 10**digits} | {name: ROWS[name].iloc[0] for name in ROWS if name != "age"}
    for people in (large, pd.DataFrame([large], dtype=object), pd.DataFrame([large | {"age": -large["age"]}])):
        with pytest.raises(TableError, match="Expected a number of at most 1e100 in row 0, column age, got -?inf"):
            FITTED.encode_table(people)  # type: ignore[arg-type]
    unknown = ROWS[:1].astype(object)
    of_word, of_number = (FITTED.encode_table(unknown.assign(workclass=cell)) for cell in ("never seen", -large["age"]))
    assert np.array_equal(of_word, of_number)
    known, word = {"age": 31.0, "job": "cook"}, {"age": 31.0, "job": large["age"]}
    strict = TablePreprocessor.fit(pd.DataFrame([known]), TableSchema.infer(JOBS).features)
    with pytest.raises(TableError, match="Expected a finite number in row 0, column age, got inf"):
        strict.transform(known | {"age": large["age"]})
    with pytest.raises(TypeError, match="Expected a word in row 0, column job, got (1000|a number of too many digits)"):
        strict.transform(word)


@pytest.mark.parametrize("kind", ["date32", "timestamp", "timestamp with a zone"])
def test_dates_of_arrow_are_dates(kind: str) -> None:
    days = [datetime.date(2020, 1, 1) + datetime.timedelta(days=at) for at in range(60)]
    types = {
        "date32": pyarrow.date32(),
        "timestamp": pyarrow.timestamp("us"),
        "timestamp with a zone": pyarrow.timestamp("us", tz="UTC"),
    }
    column = pd.Series(days, dtype=pd.ArrowDtype(pyarrow.date32())).astype(pd.ArrowDtype(types[kind]))
    table = pd.DataFrame({"day": column, "size": np.arange(60) % 7})
    schema = TableSchema.infer(table)
    assert schema.features[0].kind == "date"
    assert schema.read(table)["day"][31] == pytest.approx(2020 + 31 / 366)
    gap = table.assign(day=column.where(pd.Series(range(60)) > 0))
    assert math.isnan(schema.read(gap)["day"][0])


def test_many_values_in_a_mapping_are_no_row() -> None:
    with pytest.raises(TableError, match="one row as a mapping, got many values in column age: pass a DataFrame"):
        LocalPrivatiser(classes=["a", "b"]).fit({"age": [1, 2, 3]})  # type: ignore[arg-type]


@pytest.mark.filterwarnings("ignore::rlm_core.privatiser.UtilityWarning")  # a hundred test rows may see no gain
def test_test_rows_without_a_known_label_are_no_zero() -> None:
    FITTED.learn(FITTED.privatise(ADULT[600:5_100], LABEL))
    with pytest.raises(TableError, match="in some test row, got 'rich'"):
        FITTED.score(ROWS, ["rich"] * 100)
    with pytest.raises(TableError, match="a label in every test row, got none in row 1"):
        FITTED.score(ROWS, ["<=50K", None] * 50)
    known = list(PEOPLE[LABEL])
    assert FITTED.score(ROWS, ["rich", *known[1:]]) <= FITTED.score(ROWS, known)  # a class that is new counts as wrong


@pytest.mark.parametrize("reports", [None, 5, {"a": 1}, pd.DataFrame({"report": ["{}"]})])
def test_what_are_no_reports(reports: Any) -> None:
    with pytest.raises(TypeError, match="Expected what privatise gave, a list of reports or a file of them"):
        FITTED.learn(reports)


def test_a_folder_is_no_file_of_reports(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="a file of reports, got the folder"):
        FITTED.learn(tmp_path)


def test_a_column_without_a_name_survives_a_folder(tmp_path: Path) -> None:
    """As pandas writes an index to CSV; here one that is no identifier."""
    table = pd.DataFrame({"": [1, 2, 3, 4] * 50, "job": ["cook", "nurse"] * 100})
    table.to_csv(tmp_path / "table.csv", index=False)
    privatiser = LocalPrivatiser(classes=["no", "yes"]).fit(tmp_path / "table.csv")
    loaded = LocalPrivatiser.load(privatiser.save(tmp_path / "mine"))
    assert loaded.schema_.columns == ("", "job") and len(loaded.privatise(table[:2], ["no", "yes"])) == 2


@pytest.mark.parametrize("first", ["0001-01-01", "0999-12-31", "1900-01-01"])
@pytest.mark.parametrize("as_text", [True, False])
def test_a_column_with_early_dates_survives_a_folder(tmp_path: Path, first: str, as_text: bool) -> None:
    """Databases say 0001-01-01 where they know no date; the folder was written, and could not be loaded."""
    days = pd.Series([first, "2020-01-31", "2021-02-28"] * 60)
    table = pd.DataFrame(
        {"since": days if as_text else days.map(datetime.date.fromisoformat), "job": ["cook", "nurse"] * 90}
    )
    privatiser = LocalPrivatiser(classes=["no", "yes"], reports=9_000).fit(table)
    loaded = LocalPrivatiser.load(privatiser.save(tmp_path / "mine"))
    assert loaded.schema_.features[0].low == int(first[:4]) + (364 / 365 if first.endswith("12-31") else 0)
    assert len(loaded.privatise(table[:3], ["no", "yes", "no"])) == 3


def test_an_index_in_a_parquet_file_is_a_column(tmp_path: Path) -> None:
    """It was dropped without a word."""
    PUBLIC.set_index("age").to_parquet(tmp_path / "table.parquet")
    assert LocalPrivatiser().fit(tmp_path / "table.parquet", LABEL).schema_.columns[0] == "age"


# --- folders from strangers ---


def edit_card(folder: Path, change: Callable[[dict[str, Any]], object]) -> None:
    """As somebody would who knows how: with a new checksum of the card itself."""
    path = folder / "card.json"
    card = json.loads(path.read_text(encoding="utf-8"))
    change(card)
    path.write_text(json.dumps(card | {"sha256": checksum_of(card)}), encoding="utf-8")


def rehash(card: dict[str, Any], folder: Path) -> None:
    card["files"] = {name: hashlib.sha256((folder / name).read_bytes()).hexdigest() for name in card["files"]}


CARD = ("classes", "class_type", "label", "radius", "constant", "digest", "data", "seconds", "files", "parameters")


@pytest.mark.parametrize("field", CARD)
def test_a_card_with_a_field_gone_or_of_another_type(field: str, tmp_path: Path) -> None:
    """Loads as it was where the field does not matter (label, class_type, seconds), else our own error."""
    folder = FITTED.save(tmp_path / "mine")
    whole = (folder / "card.json").read_text(encoding="utf-8")
    for value in ("gone", None, 5, "x", [], {}, [1]):
        (folder / "card.json").write_text(whole, encoding="utf-8")
        edit_card(folder, lambda card, value=value: card.pop(field) if value == "gone" else card.update({field: value}))  # type: ignore[misc]
        try:
            loaded = LocalPrivatiser.load(folder)
        except ValueError as error:
            assert str(error).startswith("Expected")
        else:
            assert field in ("label", "class_type", "seconds") and loaded.epsilon == 4.0


def test_a_card_that_lists_no_checksums_or_no_epsilon_is_refused(tmp_path: Path) -> None:
    """Without a list nothing was compared, and without ε the default would have been taken."""
    folder = FITTED.save(tmp_path / "mine")
    edit_card(folder, lambda card: card.update(files={}))
    with pytest.raises(ValueError, match="no checksum of encoder.safetensors"):
        LocalPrivatiser.load(folder)
    FITTED.save(folder)
    edit_card(folder, lambda card: card.update(parameters={}))
    with pytest.raises(ValueError, match="no epsilon among the parameters"):
        LocalPrivatiser.load(folder)


@pytest.mark.parametrize("name", ["encoder.safetensors", "prior.safetensors", "schema.json", "preprocessor.json"])
@pytest.mark.parametrize("data", [b"", b"junk", b"{}", b"\0" * 50, b"[" * 100_000], ids=range(5))
def test_junk_with_the_right_checksum_is_refused(name: str, data: bytes, tmp_path: Path) -> None:
    folder = FITTED.save(tmp_path / "mine")
    (folder / name).write_bytes(data)
    with pytest.raises(ValueError, match=f"The file {name} .* is damaged: .* Copy the folder again, or fit it anew"):
        LocalPrivatiser.load(folder)
    edit_card(folder, lambda card: rehash(card, folder))
    with pytest.raises(ValueError, match="Expected"):
        LocalPrivatiser.load(folder)


def test_public_rows_of_another_width_are_refused(tmp_path: Path) -> None:
    folder = FITTED.save(tmp_path / "mine")
    save_file({"h": np.zeros((3, 2), np.float32)}, folder / "prior.safetensors")
    edit_card(folder, lambda card: rehash(card, folder))
    with pytest.raises(ValueError, match=r"public rows of \d+ numbers in prior.safetensors, got shape \(3, 2\)"):
        LocalPrivatiser.load(folder)
