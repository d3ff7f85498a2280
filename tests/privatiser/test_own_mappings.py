"""Rows one by one, as programs have them: mappings, lists of mappings, and what is neither."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest

from rlm_core.privatiser import LocalPrivatiser
from rlm_core.tables import TableError

LABEL = "ill"


@pytest.fixture(scope="module")
def fitted(easy: Any) -> LocalPrivatiser:
    return LocalPrivatiser(epsilon=8.0, reports=3_000).fit(easy.public, LABEL)


def test_a_list_of_mappings_is_read_as_each_is_alone(easy: Any, fitted: LocalPrivatiser) -> None:
    rows = easy.people[:4].drop(columns=LABEL).to_dict("records")
    rows[1]["age"], rows[2]["job"] = None, "pilot"
    rows[3] = dict(reversed(rows[3].items()))
    together = fitted.encode_table(rows)
    assert np.array_equal(together, np.concatenate([fitted.encode_table(row) for row in rows]))
    assert np.array_equal(together, fitted.encode_table(pd.DataFrame(rows)))
    assert len(fitted.privatise(rows)) == len(fitted.privatise(tuple(rows), ["no", "yes"] * 2)) == 4
    assert len(fitted.privatise(easy.people[:4].to_dict("records"))) == 4  # with the label's column, as fitted


def test_public_rows_may_be_mappings(easy: Any, fitted: LocalPrivatiser) -> None:
    same = LocalPrivatiser(epsilon=8.0, reports=3_000).fit(easy.public.to_dict("records"), LABEL)
    assert same.method_.digest == fitted.method_.digest


def test_a_row_that_lacks_a_column_is_named(easy: Any, fitted: LocalPrivatiser) -> None:
    """Alone it is refused, so in a batch it is no missing value."""
    rows = easy.people[:3].drop(columns=LABEL).to_dict("records")
    del rows[1]["job"]
    with pytest.raises(TableError, match="Expected the column job in row 1, as in others, got age, hours"):
        fitted.privatise(rows)
    with pytest.raises(TableError, match="Expected the column job"):
        fitted.privatise(rows[1])


@pytest.mark.parametrize("which", ["row", "column"])
def test_a_series_may_be_a_row_or_a_column(which: str, easy: Any, fitted: LocalPrivatiser) -> None:
    series = easy.people.iloc[0] if which == "row" else easy.people["age"]
    with pytest.raises(TableError, match=r"one row as a mapping or a list of them, got a Series: pass table\[:1\]"):
        fitted.privatise(series, None)
    assert len(fitted.privatise(dict(easy.people.iloc[0]), None)) == len(fitted.privatise(easy.people[:1], None)) == 1


@pytest.mark.parametrize("rows", [[], [{}], [{}, {"age": 1}], [{"age": [1, 2]}], [{"age": 1}, 5]])
def test_what_is_no_list_of_rows_is_refused(rows: Any, fitted: LocalPrivatiser) -> None:
    with pytest.raises((TypeError, ValueError), match="Expected|Reshape"):
        fitted.privatise(rows)


def test_a_table_of_labels_alone_says_so() -> None:
    table = pd.DataFrame({LABEL: ["no", "yes"] * 50})
    with pytest.raises(TableError, match="Expected at least one column besides the label 'ill', got none"):
        LocalPrivatiser().fit(table, LABEL)


def test_columns_that_a_schema_does_not_name_are_notes(easy: Any, fitted: LocalPrivatiser, tmp_path: Any) -> None:
    privatiser = LocalPrivatiser(epsilon=8.0, reports=3_000, schema=fitted.schema_)
    table = easy.public.assign(remark="x", height=np.arange(600))
    expected = tuple(f"{name}: not in the schema that was brought" for name in ("remark", "height"))
    assert privatiser.fit(table, LABEL).notes_ == expected
    loaded = LocalPrivatiser.load(privatiser.save(tmp_path / "mine"))
    assert loaded.notes_ == expected and loaded.get_params() == privatiser.get_params()
    assert privatiser.fit(easy.public, LABEL).notes_ == ()
