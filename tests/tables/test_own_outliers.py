"""Public rows with outliers: few are left out and that is said; where many would be, all stay and are cut."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from rlm_core.privatiser import LocalPrivatiser
from rlm_core.tables import TablePreprocessor, TableSchema

GENERATOR = np.random.default_rng(0)
BASE = pd.DataFrame({"a": GENERATOR.normal(size=2_000), "b": GENERATOR.normal(size=2_000)})


def fitted(public: pd.DataFrame) -> TablePreprocessor:
    schema = TableSchema.infer(public)
    return TablePreprocessor.fit(schema.read(public), schema.features, unknown="ignore")


def test_few_outliers_are_left_out_and_counted() -> None:
    public = BASE.assign(a=BASE["a"].where(BASE.index >= 5, 1e6))
    preprocessor = fitted(public)
    assert (preprocessor.rows, preprocessor.outliers) == (1_995, 5)
    assert preprocessor.numbers[0].std < 2
    privatiser = LocalPrivatiser(reports=5_000).fit(public)
    assert privatiser.notes_ == (
        "rows: 5 of 2,000 public ones, with a number beyond 10 deviations; means, deviations and levels are those "
        "of the others",
    )
    assert LocalPrivatiser(reports=5_000).fit(BASE).notes_ == ()


def test_the_rarer_of_two_values_is_no_outlier() -> None:
    """Nearly every row had one of 400 rare ones: hardly any row was left, and nothing said so."""
    rare = pd.DataFrame({f"flag{at}": (np.arange(2_000) % 400 == at).astype(int) for at in range(400)})
    preprocessor = fitted(pd.concat([BASE, rare], axis=1))
    assert (preprocessor.rows, preprocessor.outliers) == (2_000, 0)
    assert all(0 < number.std < 0.1 for number in preprocessor.numbers[2:])


def test_where_many_rows_would_go_all_stay_and_are_cut() -> None:
    counts = {f"count{at}": np.where(np.arange(2_000) % 250 == at, 50 + at, np.arange(2_000) % 2) for at in range(250)}
    public = pd.concat([BASE, pd.DataFrame(counts)], axis=1)
    preprocessor = fitted(public)
    assert (preprocessor.rows, preprocessor.outliers) == (2_000, 0)
    schema = TableSchema.infer(public)
    assert preprocessor.inliers(schema.read(public)).all()
    assert LocalPrivatiser(reports=5_000).fit(public).notes_ == ()


def test_a_column_whose_only_values_are_in_rows_with_outliers() -> None:
    """It was called a column of missing values."""
    public = BASE.assign(a=BASE["a"].where(BASE.index >= 5, 1e6), late=np.where(BASE.index < 5, BASE["b"], np.nan))
    preprocessor = fitted(public)
    assert (preprocessor.rows, preprocessor.outliers) == (2_000, 0)
    assert preprocessor.numbers[2].mean == pytest.approx(BASE["b"][:5].mean())


def test_loans_keep_the_rule_of_the_paper() -> None:
    """Own tables alone have exceptions: a word that nobody listed is an error of a loan's table."""
    public = BASE.assign(flag=(BASE.index < 10).astype(float))
    schema = TableSchema.infer(public)
    assert TablePreprocessor.fit(schema.read(public), schema.features).outliers == 10
