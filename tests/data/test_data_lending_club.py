"""The loan table: from the public CSV's spelling, and from parquet, to the schema's values."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from data_fakes import public_spelling

from rlm_core.data import LoanPreprocessor, load, split_of
from rlm_core.data.lending_club import load as load_loans
from rlm_core.data.loan_columns import tidy_column, tidy_dates
from rlm_core.data.schema import FEATURES, PAPER_FEATURES, STAND_INS, features


@pytest.fixture
def public_csv(cache: Path) -> Path:
    raw = public_spelling(400)
    raw.loc[0, "loan_status"] = "Current"
    raw.loc[1, "loan_status"] = "Does not meet the credit policy. Status:Fully Paid"
    raw.loc[2, "loan_status"] = "Default"
    raw.loc[3, "revol_util"] = np.nan
    raw.loc[4, "home_ownership"] = "ANY"
    path = cache / "accepted_2007_to_2018Q4.csv"
    with path.open("w") as file:
        raw.to_csv(file, index=False)
        file.write("Total amount funded in policy code 1: 460296150" + "," * (raw.shape[1] - 1) + "\n")
    return path


def test_public_csv(public_csv: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RLM_LENDING_CLUB", str(public_csv))
    table = load("lending_club")
    assert table.features == PAPER_FEATURES and len(table.features) == 23 and table.left_out == {}
    assert len(table.frame) == len(table.target) == 398  # running, off-policy and the footer are gone
    assert table.target[0] == 1  # row 2 of the file, in default
    assert np.isnan(table.frame["revol_util"].iloc[1])
    assert table.frame["home_ownership"].iloc[2] == "OTHER"
    assert set(table.frame["term"]) == {"36 months", "60 months"} and "n/a" in set(table.frame["emp_length"])
    assert table.frame["int_rate"].dtype == np.float64
    assert table.issue_date is not None
    split = split_of(table, seed=0)
    assert split.order == "chronological"
    x, y = table.select(split, "mechanism_train")
    matrix = LoanPreprocessor.fit(x).transform(x, allow_missing=True)
    assert matrix.shape[0] == len(y) and np.isfinite(matrix).all()


def test_gzipped_csv_is_found_in_the_cache(public_csv: Path, cache: Path) -> None:
    frame = pd.read_csv(public_csv, dtype=str)
    (cache / "lending_club").mkdir()
    frame.to_csv(cache / "lending_club" / "accepted_2007_to_2018Q4.csv.gz", index=False)
    pd.testing.assert_frame_equal(load("lending_club").frame, load_loans(public_csv).frame)


def test_pooled_parquet_takes_sources_and_records_what_is_left_out(cache: Path) -> None:
    raw = public_spelling(90).drop(columns="mort_acc")
    raw["source"] = np.repeat(["A_first", "B_second", "C_third"], 30)
    raw["term"] = [int(term.split()[0]) for term in raw["term"]]
    raw["issue_d"] = tidy_dates(raw["issue_d"]).where(raw["source"] == "A_first")
    raw["earliest_cr_line"] = tidy_dates(raw["earliest_cr_line"]).where(raw["source"] == "A_first")
    raw["initial_list_status"] = "f"
    path = cache / "pooled.parquet"
    raw.to_parquet(path)
    table = load_loans(path)
    assert len(table.frame) == 60 and table.source == "pooled.parquet, sources A+B"
    assert table.left_out == {
        "mort_acc": "not in the file",
        "earliest_cr_line": "50% missing",
        "initial_list_status": "one value only",
    }
    assert set(STAND_INS) <= set(table.features) and len(table.features) == 23 - 3 + 2
    assert table.issue_date is None and split_of(table, seed=0).order == "random"
    first = load_loans(path, sources=("A",))
    assert len(first.frame) == 30 and first.issue_date is not None and "earliest_cr_line" in first.features
    assert len(load_loans(path, sources=None).frame) == 90
    with pytest.raises(ValueError, match="got none"):
        load_loans(path, sources=("D",))


def test_what_is_known_only_afterwards_is_refused(public_csv: Path) -> None:
    with pytest.raises(ValueError, match="got 'total_pymnt', 'recoveries'"):
        load_loans(public_csv, columns=["loan_amnt", "total_pymnt", "recoveries"])
    later = {"loan_status", "total_pymnt", "total_rec_prncp", "total_rec_int", "total_rec_late_fee", "recoveries"}
    later |= {"collection_recovery_fee", "last_pymnt_d", "last_pymnt_amnt", "last_credit_pull_d", "out_prncp"}
    later |= {"last_fico_range_low", "last_fico_range_high", "hardship_flag", "debt_settlement_flag", "target"}
    assert not later & set(FEATURES)
    chosen = load_loans(public_csv, columns=["grade", "fico_range_low"])
    assert chosen.features == ("grade", "fico_range_low")


def test_files_that_are_not_there_or_not_loans(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(FileNotFoundError, match="accepted_2007_to_2018Q4.csv .* RLM_LENDING_CLUB"):
        load("lending_club")
    monkeypatch.setenv("RLM_LENDING_CLUB", str(cache / "nowhere.csv"))
    with pytest.raises(FileNotFoundError, match="Expected RLM_LENDING_CLUB to name a file, got .*nowhere.csv"):
        load("lending_club")
    (cache / "a.csv").write_text("x,loan_amnt\n1,2\n")
    with pytest.raises(ValueError, match="Expected a column loan_status in a.csv"):
        load_loans(cache / "a.csv")
    (cache / "a.xlsx").write_text("")
    with pytest.raises(ValueError, match=r"\.parquet file, got 'a.xlsx'"):
        load_loans(cache / "a.xlsx")


@pytest.mark.parametrize(
    ("name", "raw", "tidy"),
    [
        ("term", [" 36 months", 60, "60"], ["36 months", "60 months", "60 months"]),
        ("int_rate", ["13.56%", " 7.5 ", ""], [13.56, 7.5, np.nan]),
        ("annual_inc", ["65,000", 1.0, None], [65000.0, 1.0, np.nan]),
        ("emp_length", ["10+ years", None, "< 1 year"], ["10+ years", "n/a", "< 1 year"]),
        ("home_ownership", ["ANY", "NONE", "Rent"], ["OTHER", "OTHER", "RENT"]),
        ("application_type", ["INDIVIDUAL", "JOINT", "Joint App"], ["Individual", "Joint App", "Joint App"]),
        ("earliest_cr_line", ["Aug-2003", "1999-01-01", None], [2003 + 7 / 12, 1999.0, np.nan]),
    ],
)
def test_spellings(name: str, raw: list[object], tidy: list[object]) -> None:
    column = tidy_column(pd.Series(raw, name=name, dtype=object), FEATURES[name])
    pd.testing.assert_series_equal(column, pd.Series(tidy, name=name, dtype=column.dtype))


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("int_rate", "high", "Expected numbers in column int_rate, got 'high' in row 1"),
        ("grade", "H", "Expected one of A, B, C, D, E, F, G in column grade, got 'H' in row 1"),
        ("earliest_cr_line", "Foo-2003", "in column earliest_cr_line, got 'Foo-2003' in row 1"),
        ("earliest_cr_line", "2003-13-01", "in column earliest_cr_line, got '2003-13-01' in row 1"),
    ],
)
def test_values_that_cannot_be_read(name: str, value: str, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        tidy_column(pd.Series([None, value], name=name, dtype=object), FEATURES[name])


def test_every_feature_is_described() -> None:
    for feature in FEATURES.values():
        assert feature.title and feature.help
        if feature.is_category:
            assert len(feature.choices) >= 2 and len(set(feature.choices)) == len(feature.choices)
            assert feature.problem(feature.choices[0]) is None and "got 'x!'" in (feature.problem("x!") or "")
        else:
            assert feature.low is not None and feature.high is not None and feature.step
            assert feature.low < feature.high and not feature.choices
            assert feature.problem(feature.low) is None and feature.problem(feature.high) is None
            for bad in (feature.low - 1, feature.high + 1, float("nan"), "7", True, None):
                assert feature.problem(bad) is not None
    assert FEATURES["open_acc"].problem(2.5) == "Expected a whole number for Open credit lines, got 2.5."
    assert FEATURES["dti"].problem(-1) == "Expected Debt-to-income ratio in 0..100 %, got -1."
    with pytest.raises(ValueError, match="got 'loan_status'"):
        features(["loan_status"])
