"""Levels that look like numbers are the same words to the browser as to Python, however a cell is written."""

from __future__ import annotations

import json
import subprocess

import pandas as pd
import pytest
from device_server import DEVICE

from rlm_core.privatiser import LocalPrivatiser
from rlm_core.privatiser.own_mechanism import own_description
from rlm_core.tables import TableSchema

PUBLIC = pd.DataFrame({"floor": [1, 2, 10] * 60, "size": [20, 30, 40, 50] * 45})
CELLS: list[object] = [1, 1.0, "1", "1.0", " 2 ", "2.00", 10, 1.5, "v1.0", 7, "", None]
WORDS: list[object] = [True, False, "True", "TRUE", "false", "2020-01-31", "2020-01-31 00:00:00", "2020-01-31T00:00:00"]
LEVELS = {
    "numbers": [1, 2, 10] * 60,
    "truth and days": ["True", "False", "2020-01-31"] * 60,
    "spelt twice": ["True", "true", "2020-01-31 00:00:00"] * 60,
}


@pytest.mark.parametrize("levels", LEVELS)
def test_a_cell_is_one_level_in_both(node: str, levels: str) -> None:
    public, cells = PUBLIC.assign(floor=LEVELS[levels]), [*CELLS, *WORDS]
    schema = TableSchema.infer(public).edited(public, {"floor": "category"})
    privatiser = LocalPrivatiser(classes=["no", "yes"], reports=9_000, schema=schema).fit(public)
    expected = [privatiser.encode_table({"floor": cell, "size": 35})[0].tolist() for cell in cells]  # type: ignore[arg-type]
    assert len({tuple(row) for row in expected}) == 4  # every level, and what is none
    script = """
      const { tableRow } = await import(process.argv[1]);
      const { preprocessor, cells } = JSON.parse(process.argv[2]);
      console.log(JSON.stringify(cells.map((floor) => Array.from(tableRow({ floor, size: 35 }, preprocessor)))));
    """
    given = json.dumps({"preprocessor": own_description(privatiser)["preprocessor"], "cells": cells})
    command = [node, "--input-type=module", "-e", script, (DEVICE / "table_row.js").as_uri(), given]
    found = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert json.loads(found.stdout) == expected


def test_a_column_may_be_called_like_what_every_object_inherits(node: str) -> None:
    """A row without it had a function there, not nothing."""
    names = ["constructor", "toString", "__proto__", "floor"]
    public = pd.DataFrame({name: PUBLIC["floor" if at % 2 else "size"] for at, name in enumerate(names)})
    schema = TableSchema.infer(public).edited(public, {"toString": "category"})
    privatiser = LocalPrivatiser(classes=["no", "yes"], reports=9_000, schema=schema).fit(public)
    rows = [{"floor": 2}, {"floor": 2, "toString": 10}, dict.fromkeys(names, 1)]
    expected = [privatiser.encode_table(dict.fromkeys(names) | row)[0].tolist() for row in rows]  # type: ignore[arg-type]
    script = """
      const { tableRow } = await import(process.argv[1]);
      const { preprocessor, rows } = JSON.parse(process.argv[2]);
      console.log(JSON.stringify(rows.map((row) => Array.from(tableRow(row, preprocessor)))));
    """
    given = json.dumps({"preprocessor": own_description(privatiser)["preprocessor"], "rows": rows})
    command = [node, "--input-type=module", "-e", script, (DEVICE / "table_row.js").as_uri(), given]
    found = subprocess.run(command, check=True, capture_output=True, text=True, timeout=60)
    assert json.loads(found.stdout) == expected
