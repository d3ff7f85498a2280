"""A schema that a person edits: texts to fields, bounds and levels that are used, errors by column."""

from __future__ import annotations

import json
import subprocess
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from rlm_core import LocalPrivatiser
from rlm_core.privatiser.own_mechanism import own_description
from rlm_core.tables import Feature, TableError, TableSchema
from rlm_core.tables.columns import RARE
from rlm_core.tables.editing import Texts, edit_feature, for_table, unseen_levels, with_feature
from rlm_core.tables.feature_checks import problems

PUBLIC = pd.DataFrame(
    {
        "age": [20, 30, 40, 50, 90] * 40,
        "job": ["cook", "nurse", "pilot", "cook", "judge"] * 40,
        "since": ["03/04/2020", "05/06/2021", "01/02/2020", "07/08/2022", "09/10/2019"] * 40,
        "member": ["yes", "no"] * 100,
    }
)
SCHEMA = TableSchema.infer(PUBLIC)
AGE, JOB, SINCE, MEMBER = SCHEMA.features


def edited(feature: Feature, **texts: object) -> Feature:
    return edit_feature(feature, PUBLIC[feature.name], replace(Texts.of(feature), **texts))  # type: ignore[arg-type]


@pytest.mark.parametrize("feature", SCHEMA.features, ids=lambda each: each.kind)
def test_a_form_that_nobody_changed_changes_nothing(feature: Feature) -> None:
    assert edited(feature) == feature
    assert edited(feature, title=" ").title == feature.name  # a title is never empty


def test_bounds_cut_public_rows_and_peoples() -> None:
    bounded = edited(AGE, low="30", high="50,5", title="Age", unit="years")
    assert (bounded.low, bounded.high, bounded.bounded) == (30.0, 50.5, True)
    schema = with_feature(SCHEMA, bounded)
    assert schema.read(PUBLIC)["age"].unique().tolist() == [30.0, 40.0, 50.0, 50.5]
    assert SCHEMA.read(PUBLIC)["age"].max() == 90  # what was inferred cuts nothing
    privatiser = LocalPrivatiser(classes=["no", "yes"], schema=schema).fit(PUBLIC)
    assert privatiser.preprocessor_.numbers[0].mean == pytest.approx(np.mean([30, 30, 40, 50, 50.5]))
    row = {"age": 1e6, "job": "cook", "since": "01/01/2020", "member": "no"}
    within = privatiser.encode_table({**row, "age": 50.5})  # type: ignore[arg-type]
    assert np.array_equal(privatiser.encode_table(row), within)  # type: ignore[arg-type]
    assert edited(bounded, low="", high="").bounded is False
    one_sided = edited(AGE, low="", high="50")
    assert one_sided.low is None and one_sided.bounded and TableSchema.from_json(schema.to_json()) == schema


def test_the_digest_follows_bounds_and_old_schemas_keep_theirs() -> None:
    plain, bounded = (
        LocalPrivatiser(classes=["no", "yes"], schema=each).fit(PUBLIC)
        for each in (SCHEMA, with_feature(SCHEMA, edited(AGE, high="90")))  # 90 is what there was: nothing is cut
    )
    assert plain.method_.digest == bounded.method_.digest
    cut = LocalPrivatiser(classes=["no", "yes"], schema=with_feature(SCHEMA, edited(AGE, high="80"))).fit(PUBLIC)
    assert cut.method_.digest != plain.method_.digest
    assert "bounded" not in SCHEMA.to_json()


def test_dates_have_days_as_bounds_and_an_order() -> None:
    assert Texts.of(SINCE).low == "2019-10-09"
    bounded = edited(SINCE, low="2020-01-01")
    assert bounded.low == 2020.0 and bounded.bounded
    other = edited(SINCE, day_first=False)
    assert Texts.of(other).low == "2019-09-10" and not other.day_first and not other.bounded
    with pytest.raises(TableError, match="Expected a date in row 0, column since, got '31/12/2020'"):
        edit_feature(SINCE, pd.Series(["31/12/2020"] * 9, name="since"), replace(Texts.of(SINCE), day_first=False))


def test_levels_are_added_and_removed_and_the_rest_is_rare() -> None:
    fewer = edited(JOB, levels=" cook \n\nnurse\nastronaut")
    assert fewer.choices == ("cook", "nurse", "astronaut") and unseen_levels(fewer, PUBLIC["job"]) == ("astronaut",)
    privatiser = LocalPrivatiser(classes=["no", "yes"], schema=with_feature(SCHEMA, fewer)).fit(PUBLIC)
    (job,) = [each for each in privatiser.preprocessor_.categories if each.name == "job"]
    assert job.levels == ("cook", "nurse", RARE) and job.rare == ("astronaut",)
    rare = [
        privatiser.encode_table({"age": 30, "job": word, "since": "", "member": "no"})  # type: ignore[arg-type]
        for word in ("pilot", "judge", "astronaut", "never heard of")
    ]
    assert all(np.array_equal(each, rare[0]) for each in rare)


@pytest.mark.parametrize(
    ("feature", "texts", "message"),
    [
        (AGE, {"low": "old"}, "Expected a number for the lower bound of age, or nothing, got 'old'"),
        (AGE, {"high": "nan"}, "Expected a number for the upper bound of age"),
        (AGE, {"high": "1e400"}, "Expected a number for the upper bound of age"),
        (AGE, {"low": "95"}, "Expected low below high for 'age', got low=95 and high=90"),
        (AGE, {"low": "95", "high": "99"}, "public rows that differ in age between 95 and 99"),
        (SINCE, {"low": "soon"}, "Expected a date such as 2020-01-31 for the lower bound of since"),
        (JOB, {"levels": " \n"}, "at least one level for job"),
        (JOB, {"levels": "cook\ncook"}, "every choice of 'job' once, got 'cook' 2 times"),
        (JOB, {"levels": "cook\n(rare)"}, r"levels other than \(rare\) for job"),
        (JOB, {"levels": "cook\nN/A"}, "got 'N/A', which means missing"),
        (JOB, {"levels": "king\nqueen"}, r"level of job that some public row has \(cook, judge, nurse, pilot"),
    ],
)
def test_what_is_wrong_is_named(feature: Feature, texts: dict[str, str], message: str) -> None:
    with pytest.raises(TableError, match=message):
        edited(feature, **texts)


def test_every_column_that_is_wrong_in_a_file_is_named() -> None:
    data = json.loads(SCHEMA.to_json())
    age, job, since, member = data["features"]
    for feature, message in (
        (age | {"low": "x"}, "Expected a number of at most 1e100 for low of 'age', got 'x'"),
        (age | {"low": True}, "low of 'age'"),
        (age | {"high": float("nan")}, "high of 'age', got 'nan'"),
        (age | {"low": 91}, "low below high for 'age'"),
        (age | {"bounded": "yes"}, "true or false for bounded of 'age', got 'yes'"),
        (age | {"title": 3}, "a text for title of 'age', got 3"),
        (age | {"kind": "colour"}, "kind in number, integer, category, boolean, date for 'age', got 'colour'"),
        (age | {"choices": ["a"]}, "no choices for 'age', which is of kind integer"),
        (age | {"nonsense": 1}, "for 'age', got the field 'nonsense'"),
        ({"name": "age"}, "Expected kind in .* for 'age', got none"),
        ({"kind": "number"}, "an object with a name"),
        ("age", "an object with a name"),
        (job | {"choices": "cook"}, "a list of words for choices of 'job'"),
        (job | {"choices": []}, "some choices for 'job'"),
        (job | {"choices": ["a", "a"]}, "every choice of 'job' once"),
        (job | {"choices": [" a"]}, "without spaces around them for 'job', got ' a'"),
        (job | {"bounded": True}, "no bounds for 'job', which is of kind category"),
        (member | {"choices": ["no", "maybe"]}, "the choices no, yes for 'member', a boolean"),
        (since | {"low": None, "high": None, "bounded": True}, "low or high for 'since'"),
    ):
        with pytest.raises(TableError, match=message):
            TableSchema.from_json(json.dumps(data | {"features": [feature]}))
    both = json.dumps(data | {"features": [age | {"low": "x"}, job | {"choices": []}]})
    with pytest.raises(TableError, match="low of 'age', got 'x'. Expected some choices for 'job'"):
        TableSchema.from_json(both)
    for text in ("[" * 100_000, '{"format": "rlm-schema/1", "features": 3}'):
        with pytest.raises(TableError, match="Expected the JSON of a schema"):
            TableSchema.from_json(text)


def test_a_schema_that_was_brought_fits_the_table() -> None:
    only = TableSchema(features=(AGE,))
    found = for_table(only, PUBLIC, "member")
    assert [each.name for each in found.left_out] == ["job", "since"]
    with pytest.raises(TableError, match="got the label 'age' among them"):
        for_table(only, PUBLIC, "age")
    with pytest.raises(TableError, match=r"columns of this table \(age, job, since, member\), got 'wage'"):
        for_table(TableSchema(features=(replace(AGE, name="wage"),)), PUBLIC, "member")
    both = TableSchema(features=(replace(AGE, name="job"), replace(JOB, choices=("king",), name="since")))
    with pytest.raises(TableError, match="column job, got 'cook'. Expected a level of since"):
        for_table(both, PUBLIC, "member")


def test_inferred_schemas_have_no_problems() -> None:
    assert [problems(each) for each in SCHEMA.features] == [[]] * 4
    odd = pd.DataFrame({"word": [RARE, "a", "b"] * 40, "number": np.arange(120) % 7})
    word = TableSchema.infer(odd).features[0]
    assert word.choices == ("a", "b")  # the rare ones' own name is no level


def test_a_number_that_means_missing_is_missing_whatever_type_holds_it() -> None:
    schema = with_feature(SCHEMA, replace(AGE, missing=("-1", "unknown")))
    for cells in ([-1, 30], [-1.0, 30.0], ["-1", "30"], ["unknown", "30"], ["-1.0", 30]):
        read = TableSchema(features=schema.features[:1]).read(pd.DataFrame({"age": cells}))["age"]
        assert np.isnan(read[0]) and read[1] == 30


def test_the_browser_reads_an_edited_schema_as_python_does() -> None:
    """Bounds and words for missing: the same numbers for the same cells."""
    import shutil

    node = shutil.which("node")
    if node is None:
        pytest.skip("no node found")
    from rlm_core.device.owner_file import SCRIPTS

    age = replace(edited(AGE, low="25", high="60"), missing=("-1", "unknown"))
    privatiser = LocalPrivatiser(classes=["no", "yes"], schema=with_feature(SCHEMA, age)).fit(PUBLIC)
    cells = [10, 25, 30.5, 60, 1e9, -1, "-1", "unknown", "", None, "-1.0"]
    row = {"job": "cook", "since": 2020.5, "member": "no"}
    expected = [
        privatiser.encode_table({"age": cell, **row, "since": "02/07/2020"})[0, 0].item()  # type: ignore[arg-type]
        for cell in cells
    ]
    script = """
      const { tableRow } = await import(process.argv[1]);
      const { preprocessor, cells, row } = JSON.parse(process.argv[2]);
      console.log(JSON.stringify(cells.map((age) => tableRow({ age, ...row }, preprocessor)[0])));
    """
    given = json.dumps({"preprocessor": own_description(privatiser)["preprocessor"], "cells": cells, "row": row})
    command = [node, "--input-type=module", "-e", script, (SCRIPTS / "table_row.js").as_uri(), given]
    found = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert json.loads(found.stdout) == pytest.approx(expected)


@pytest.mark.parametrize("times", [(30, 30), (30, 1), (1, 30)])
def test_of_levels_of_one_value_both_take_the_first(times: tuple[int, int]) -> None:
    """Also where one of them is rare, or has no public row."""
    import shutil

    node = shutil.which("node")
    if node is None:
        pytest.skip("no node found")
    from rlm_core.device.owner_file import SCRIPTS

    sizes = [*["1.50"] * times[0], *["1.500"] * times[1], *["2"] * 1100]
    public = pd.DataFrame({"size": sizes, "n": np.arange(len(sizes)) % 7})
    sizes_as = Feature(name="size", title="size", unit="", kind="category", choices=("2", "1.500", "1.50", "3.0"))
    schema = with_feature(TableSchema.infer(public), sizes_as)
    privatiser = LocalPrivatiser(classes=["no", "yes"], schema=schema).fit(public)
    cells = ["1.5", 1.5, "1.50", "1.500", "1.5000", "2.0", 3, "4"]
    expected = [privatiser.encode_table({"size": cell, "n": 3})[0].tolist() for cell in cells]  # type: ignore[arg-type]
    assert expected[0] == expected[1] == expected[2] == expected[4] != expected[3]
    script = """
      const { tableRow } = await import(process.argv[1]);
      const { preprocessor, cells } = JSON.parse(process.argv[2]);
      console.log(JSON.stringify(cells.map((size) => Array.from(tableRow({ size, n: 3 }, preprocessor)))));
    """
    given = json.dumps({"preprocessor": own_description(privatiser)["preprocessor"], "cells": cells})
    command = [node, "--input-type=module", "-e", script, (SCRIPTS / "table_row.js").as_uri(), given]
    found = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert json.loads(found.stdout) == expected


@pytest.mark.parametrize("bound", [1e99, -5.0, 0.5, 10_000.0])
def test_a_date_is_bounded_by_years_that_a_calendar_has(bound: float) -> None:
    """A page would show such a bound as a day at every run, and could not."""
    since = {"name": "since", "kind": "date", "low": bound}
    brought = json.dumps(json.loads(SCHEMA.to_json()) | {"features": [since]})
    with pytest.raises(TableError, match="year from 1 to 9999 for low of 'since'"):
        TableSchema.from_json(brought)


def test_the_last_day_of_all_is_shown() -> None:
    assert Texts.of(replace(SINCE, high=9999.9999)).high == "9999-12-31"


@pytest.mark.parametrize(
    ("levels", "problem"),
    [
        (("cook", *map(str, range(100))), "at most 100 levels"),
        (("cook", RARE), "there by itself"),
        (("cook", "N/A"), "means missing"),
    ],
)
def test_levels_that_are_brought_are_held_to_the_forms_rules(levels: tuple[str, ...], problem: str) -> None:
    with pytest.raises(TableError, match=problem):
        for_table(TableSchema(features=(replace(JOB, choices=levels),)), PUBLIC, "member")


def test_a_level_of_two_lines_stays_one_when_only_the_title_changes() -> None:
    two_lines = replace(JOB, choices=("cook", "head\nnurse"))
    assert edited(two_lines, title="Work").choices == ("cook", "head\nnurse")
