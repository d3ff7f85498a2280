"""A label that was mistyped in a public row is a class of its own, and that is said; of ordinary labels nothing is."""

from __future__ import annotations

import json
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine

from rlm_core.cli import main
from rlm_core.data import adult_sample
from rlm_core.privatiser import LocalPrivatiser, UtilityWarning
from rlm_core.privatiser.honesty import doubtful_classes, label_among_features
from rlm_core.privatiser.labels import columns_of_classes, rows_of_classes
from rlm_core.tables import TableError, TableSchema

LABEL = "income-per-year"
ADULT = adult_sample()[:2_000]
TABLE = pd.DataFrame({"a": np.arange(2_000) * 7 % 37, "b": np.arange(2_000) % 11})


def heard(call: Callable[[], object]) -> str:
    """What is warned of during a call, but for too few reports."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", UtilityWarning)
        call()
    return "\n".join(str(each.message) for each in found if "are few for" not in str(each.message))


def of(**rows: int) -> list[str]:
    """So many labels of each kind."""
    return [name for name, count in rows.items() for _ in range(count)]


@pytest.mark.parametrize("slip", [">50K.", " >50k", "\t>50K ", ">50k;", "> 50K"])
def test_a_mistyped_label_is_named_with_its_rows(slip: str) -> None:
    labels = ADULT[LABEL].where(np.arange(2_000) != np.flatnonzero(ADULT[LABEL] == ">50K")[0], slip)
    said = heard(lambda: LocalPrivatiser(reports=4_500).fit(ADULT.drop(columns=LABEL), labels))
    if slip.strip() == ">50K":  # white space around a label is no part of it
        assert said == ""
    elif slip == "> 50K":
        assert "but '> 50K' (1 row) is very rare." in said
    else:
        assert f"'>50K' ({(labels == '>50K').sum()} rows)" in said and f"{slip.strip()!r} (1 row)" in said
        assert "differ only by case" in said and "very rare" not in said
    if said:
        assert said.startswith("Each different label of 2,000 public rows is a class of its own, but '")
        assert "correct the rows, or say which classes there are: classes=[…]" in said


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ({"no": 900, "No": 100}, "'no' (900 rows) and 'No' (100 rows) differ only by case"),
        ({"no": 500, "yes": 499, "yes!": 1}, "'yes' (499 rows) and 'yes!' (1 row) differ only by case"),
        ({"a": 5, "A": 5, "a.": 5, "b": 5}, "'a' (5 rows), 'A' (5 rows) and 'a.' (5 rows) differ"),
        ({"no": 500, "yes": 500, "maybe": 2}, "'maybe' (2 rows) is very rare"),
        ({"no": 500, "yes": 500, "x": 2, "y": 1}, "'x' (2 rows) and 'y' (1 row) are very rare"),
        ({"no": 50_000, "yes": 50_000, "maybe": 99}, "'maybe' (99 rows) is very rare"),
        ({"no": 500, "No": 500, "x": 1}, "'No' (500 rows) differ only by case, white space or a sign at the end; 'x'"),
    ],
)
def test_what_is_said(rows: dict[str, int], message: str) -> None:
    said = doubtful_classes(rows)
    assert said is not None and message in said


@pytest.mark.parametrize(
    "rows",
    [
        {"no": 94, "yes": 6},
        {"no": 284_315, "yes": 492},  # card fraud: 0.17 %
        {"no": 500, "yes": 500, "maybe": 3},
        {"no": 50_000, "yes": 50_000, "maybe": 101},
        {"no": 2, "yes": 1},
        {f"class {number}": 2 for number in range(10)},  # few, but as many as of the others
        {f"class {number}": 30 + 700 // (number + 1) for number in range(100)},
        {"+": 300, "-": 383},  # signs alone
        {"A": 50, "A+": 50, "A-": 50, "AB": 9, "AB-": 4},
        {"1": 10, "-1": 10, "1.5": 10, "15": 10},
        {".": 5, ",": 5},
        {},
    ],
)
def test_ordinary_classes_are_left_in_peace(rows: dict[str, int]) -> None:
    assert doubtful_classes(rows) is None


@pytest.mark.parametrize("load", [load_breast_cancer, load_wine, load_digits, load_iris])
def test_ordinary_tables_are_left_in_peace(load: Callable[..., Any]) -> None:
    x, y = load(return_X_y=True)
    assert heard(lambda: LocalPrivatiser(reports=10**6).fit(x, y)) == ""
    names = load().target_names.astype(str)[y]
    assert heard(lambda: LocalPrivatiser(reports=10**6).fit(x[::3], names[::3])) == ""


def test_adult_and_a_small_minority_are_left_in_peace() -> None:
    assert heard(lambda: LocalPrivatiser(reports=10**6).fit(ADULT, LABEL)) == ""
    for labels in (
        of(no=1_880, yes=120),
        list(np.arange(2_000) % 10),
        [True, False] * 1_000,
        [None, "a", "b", "b"] * 500,
    ):
        assert heard(lambda labels=labels: LocalPrivatiser(reports=10**6).fit(TABLE, labels)) == ""  # type: ignore[misc]


def test_classes_that_are_said_are_not_doubted() -> None:
    labels = of(no=1_000, yes=999) + ["Yes"]
    privatiser = LocalPrivatiser(reports=10**6, classes=["no", "yes"])
    assert heard(lambda: privatiser.fit(TABLE, labels)) == "" and list(privatiser.classes_) == ["no", "yes"]


def test_many_doubtful_classes_make_no_long_message() -> None:
    letters = {name: 9 for letter in "abcdefghijklmnopqrstuvwxyz" for name in (letter, letter.upper())}
    said = doubtful_classes(letters)
    assert said is not None and "so do 21 more groups" in said and len(said) < 800
    rare = doubtful_classes({"no": 5_000, "yes": 5_000} | {f"{number} {'x' * 500}": 1 for number in range(90)})
    assert rare is not None and "and 85 more are very rare" in rare and len(rare) < 800


def test_rows_without_a_label_count_for_no_class() -> None:
    assert rows_of_classes(["a", None, float("nan"), "a", 1, 1.0]) == {"a": 2, "1": 2}


def test_the_command_shows_it(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    labels = of(no=1_000, yes=998) + ["Yes", "yes,"]
    TABLE.assign(label=labels).to_csv(tmp_path / "public.csv", index=False)
    call = ["fit", str(tmp_path / "public.csv"), "--label", "label", "--out", str(tmp_path / "mine")]
    assert main([*call, "--json"]) == 0
    printed = capsys.readouterr()
    assert "warning: Each different label of 2,000 public rows is a class of its own" in printed.err
    assert "'yes' (998 rows)" in json.loads(printed.out)["warnings"][0]
    assert main([*call, "--force", "--classes", "no,yes"]) == 0
    assert "class of its own" not in capsys.readouterr().err


# --- a label that is also a feature ---


def fit_with_the_label_inside() -> LocalPrivatiser:
    """As the README's lines do if the label's column was not taken out of the table."""
    privatiser = LocalPrivatiser(epsilon=4.0, reports=4_500, classes=["<=50K", ">50K"])
    heard(lambda: privatiser.fit(ADULT))
    return privatiser


def test_a_label_among_the_features_is_named() -> None:
    said = heard(lambda: LocalPrivatiser(reports=10**6, classes=["<=50K", ">50K"]).fit(ADULT))
    assert said.startswith(f"The feature '{LABEL}' has exactly the classes as values.")
    assert f"fit(public, '{LABEL}'), on the command line --label, or leave it out of the table" in said
    assert heard(lambda: LocalPrivatiser(reports=10**6, classes=["<=50K", ">50K"]).fit(ADULT, LABEL)) == ""
    assert heard(lambda: LocalPrivatiser(reports=10**6, classes=["<=50K", ">50K"]).fit(ADULT.drop(columns=LABEL))) == ""
    with pytest.warns(UtilityWarning, match="all is well"):  # yes and no are the values of many a column: no error
        LocalPrivatiser(reports=10**6, classes=["no", "yes"]).fit(TABLE.assign(insured=["yes", "no"] * 1_000))


@pytest.mark.parametrize("column", [[1, 0], [1.0, 0.0], [True, False], ["1", " 0 "], ["1.0", None]])
def test_values_are_compared_as_labels_are(column: list[Any]) -> None:
    table, classes = TABLE.assign(c=column * 1_000), ["true", "false"] if column[0] is True else ["0", "1"]
    assert columns_of_classes(table, table.columns, classes) == (["c"] if None not in column else [])
    assert columns_of_classes(table.assign(c=[*column * 999, "x", "y"]), table.columns, classes) == []


def test_a_schema_of_ones_own_has_said_what_a_feature_is() -> None:
    privatiser = LocalPrivatiser(reports=10**6, classes=["<=50K", ">50K"], schema=TableSchema.infer(ADULT))
    assert heard(lambda: privatiser.fit(ADULT)) == ""


def test_many_such_features_make_no_long_message() -> None:
    said = label_among_features([f"column {number}" for number in range(60)])
    assert said is not None and said.startswith("The features 'column 0', ") and "'column 4' and 55 more have" in said
    assert label_among_features([]) is None


def test_labels_that_are_a_feature_are_refused_everywhere() -> None:
    """Reports with the label in the record, and a test that has it too: 99.6 % of Adult was right."""
    privatiser = fit_with_the_label_inside()
    people = ADULT[:100]
    with_labels: list[Callable[[Any], object]] = [
        lambda labels: privatiser.privatise(people, labels),
        lambda labels: privatiser.answer(people, labels, predict=lambda rows: rows["age"]),  # type: ignore[call-overload, index, return-value]
    ]
    heard(lambda: privatiser.learn(privatiser.privatise(ADULT, list(ADULT[LABEL]))))
    with_labels.append(lambda labels: privatiser.score(people, labels))
    for call in with_labels:
        for labels in (people[LABEL], people[LABEL].rename(f" {LABEL} "), people[LABEL].str.lower(), LABEL):
            with pytest.raises(TableError, match=f"Expected labels that are no feature, got the column ' ?{LABEL} ?'"):
                call(labels)


def test_labels_of_another_name_and_columns_that_are_no_feature_are_taken() -> None:
    schema = TableSchema.infer(ADULT.drop(columns=LABEL))
    privatiser = LocalPrivatiser(reports=10**6, classes=["<=50K", ">50K"], schema=schema).fit(ADULT)
    assert len(privatiser.privatise(ADULT[:5], ADULT[LABEL][:5])) == 5
    assert privatiser.notes_[-1] == f"{LABEL}: not in the schema that was brought"
    plain = LocalPrivatiser(reports=10**6).fit(ADULT, LABEL)
    assert len(plain.privatise(ADULT[:5], ADULT[LABEL][:5])) == 5


def test_the_command_warns_of_a_label_among_the_features(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    TABLE.assign(ill=["yes", "no"] * 1_000).to_csv(tmp_path / "public.csv", index=False)
    call = ["fit", str(tmp_path / "public.csv"), "--classes", "yes,no", "--out", str(tmp_path / "mine"), "--json"]
    assert main(call) == 0
    printed = capsys.readouterr()
    assert "warning: The feature 'ill' has exactly the classes as values." in printed.err
    assert "The feature 'ill'" in json.loads(printed.out)["warnings"][0]


@pytest.mark.parametrize("name", ["\x00", "a\x00", "a\nb", "\x7f", "a\x85b", "\ud800"])
def test_classes_that_a_file_or_a_terminal_would_change_are_refused(name: str) -> None:
    """numpy cuts zero characters at the end off: after save and load another class was predicted."""
    with pytest.raises(ValueError, match="Expected class names without control characters, got "):
        LocalPrivatiser(classes=["x", name]).fit(TABLE)
    with pytest.raises(ValueError, match="without control characters"):
        LocalPrivatiser().fit(TABLE, ["x", name] * 1_000)
