"""Dates are the same years to the browser as to Python, from the year 1 on, and the same days again."""

from __future__ import annotations

import json
import subprocess

import pandas as pd
import pytest
from device_server import DEVICE

from rlm_core.privatiser import LocalPrivatiser
from rlm_core.privatiser.own_mechanism import own_description
from rlm_core.tables.values import date_text, parse_date

DAYS = ["0001-01-01", "0004-02-29", "0099-07-01", "0100-03-01", "0999-12-31", "1900-03-01", "2020-02-29", "9999-12-31"]


def test_a_day_is_one_number_in_both_and_back(node: str) -> None:
    years = [parse_date(day) for day in DAYS]
    script = """
      const { dateOf, yearOf } = await import(process.argv[1]);
      const days = JSON.parse(process.argv[2]);
      const back = days.map((day) => dateOf(yearOf(day)));
      console.log(JSON.stringify({ years: days.map(yearOf), back, end: dateOf(9999.9999) }));
    """
    command = [node, "--input-type=module", "-e", script, (DEVICE / "schema_form.js").as_uri(), json.dumps(DAYS)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout)
    assert found["years"] == pytest.approx(years, rel=1e-15) and found["back"] == DAYS
    assert found["end"] == date_text(9999.9999) == "9999-12-31"


def test_a_column_with_a_placeholder_of_the_year_1_is_read_as_in_python(node: str) -> None:
    public = pd.DataFrame({"since": ["2020-01-31", "2021-02-28", "0001-01-01"] * 60, "size": [20, 30, 40, 50] * 45})
    privatiser = LocalPrivatiser(classes=["no", "yes"], reports=9_000).fit(public)
    expected = [privatiser.encode_table({"since": day, "size": 35})[0].tolist() for day in DAYS]
    script = """
      const { tableRow } = await import(process.argv[1]);
      const { yearOf } = await import(process.argv[2]);
      const { preprocessor, days } = JSON.parse(process.argv[3]);
      const rows = days.map((day) => ({ since: yearOf(day), size: 35 }));
      console.log(JSON.stringify(rows.map((row) => Array.from(tableRow(row, preprocessor)))));
    """
    scripts = [(DEVICE / name).as_uri() for name in ("table_row.js", "schema_form.js")]
    given = json.dumps({"preprocessor": own_description(privatiser)["preprocessor"], "days": DAYS})
    command = [node, "--input-type=module", "-e", script, *scripts, given]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True, timeout=60).stdout)
    assert all(each == pytest.approx(row, rel=1e-6) for each, row in zip(found, expected, strict=True))
