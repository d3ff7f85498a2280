"""The loan preprocessor: round trip, imputation, outliers, rare levels, and clear errors."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

from rlm_core.data.loan_preprocessor import LoanPreprocessor
from rlm_core.data.samples import loan_examples
from rlm_core.tables.columns import RARE

EXAMPLES = loan_examples().frame
FITTED = LoanPreprocessor.fit(EXAMPLES)


def test_matrix_is_standardised_numbers_then_one_hot_blocks() -> None:
    matrix = FITTED.transform(EXAMPLES)
    assert matrix.dtype == np.float32 and matrix.shape == (24, FITTED.output_dim)
    assert (FITTED.rows, FITTED.outliers) == (24, 0)
    stop = 0
    for block in FITTED.blocks:
        assert block.start == stop
        stop = block.stop
        part, column = matrix[:, block.start : block.stop], EXAMPLES[block.name]
        if block.kind == "number":
            expected = ((column - column.mean()) / column.std(ddof=0)).to_numpy()[:, None]
            assert np.allclose(part, expected, atol=1e-5) and block.levels == ()
        else:
            assert np.array_equal(part, np.array([[value == level for level in block.levels] for value in column]))
    assert stop == FITTED.output_dim
    assert [block.kind for block in FITTED.blocks] == sorted((block.kind for block in FITTED.blocks), reverse=True)


def test_round_trip() -> None:
    decoded = FITTED.inverse(FITTED.transform(EXAMPLES))
    for column in decoded.numbers:
        assert np.allclose(decoded.numbers[column], EXAMPLES[column], rtol=1e-5, atol=1e-4)
    for name, table in decoded.probabilities.items():
        assert (table.sum(axis=1) == 1).all() and (table.idxmax(axis=1) == EXAMPLES[name]).all()
    best = decoded.most_likely()
    assert set(best.columns) == set(EXAMPLES.columns)
    assert (best["purpose"] == EXAMPLES["purpose"]).all()


def test_json_keeps_everything_and_one_row_needs_no_dataset() -> None:
    text = FITTED.to_json()
    again = LoanPreprocessor.from_json(text)
    assert again == FITTED
    row = EXAMPLES.iloc[3].to_dict()
    assert np.array_equal(again.transform(row), FITTED.transform(EXAMPLES)[3:4])
    assert np.array_equal(again.transform({**row, "loan_amnt": 35000}), again.transform(row))  # int or float
    for bad in ("{}", "[]", "no json", json.dumps({**json.loads(text), "format": 99})):
        with pytest.raises(ValueError, match="Expected the JSON of a preprocessor"):
            LoanPreprocessor.from_json(bad)


def test_missing_numbers_become_the_mean_of_the_others() -> None:
    frame = pd.DataFrame({"dti": [10.0, np.nan, 30.0], "grade": ["A", "A", "B"]})
    fitted = LoanPreprocessor.fit(frame)
    assert fitted.numbers[0].mean == 20 and fitted.numbers[0].std == 10
    matrix = fitted.transform(pd.DataFrame({"dti": [None, 40.0], "grade": [None, "B"]}), allow_missing=True)
    assert matrix.tolist() == [[0, 1, 0], [2, 0, 1]]  # the commonest grade is A


def test_outliers_are_left_out_of_the_fit_but_encoded() -> None:
    frame = pd.DataFrame({"annual_inc": [*np.linspace(50_000, 70_000, 400), 6e6], "grade": ["A"] * 400 + ["G"]})
    fitted = LoanPreprocessor.fit(frame)
    assert (fitted.rows, fitted.outliers) == (400, 1)
    assert fitted.inliers(frame).tolist() == [True] * 400 + [False]
    assert fitted.numbers[0].mean == pytest.approx(60_000)  # the deviation is that of the rows kept
    kept = fitted.transform(frame[:400])
    assert kept[:, 0].std() == pytest.approx(1, abs=1e-5)
    assert fitted.categories[0].levels == ("A",)  # G was only seen in the outlier
    huge = fitted.transform({"annual_inc": 6e6, "grade": "A"})
    assert np.isfinite(huge).all() and huge[0, 0] > 100
    nine = pd.DataFrame({"annual_inc": [*np.linspace(50_000, 70_000, 400), 65_000.0]})
    assert LoanPreprocessor.fit(nine).outliers == 0


def test_rare_levels_share_one() -> None:
    states = ["CA"] * 3000 + ["NY"] * 2000 + ["IA", "ID"]
    fitted = LoanPreprocessor.fit(pd.DataFrame({"addr_state": states}))
    assert fitted.categories[0].levels == ("CA", "NY", RARE)
    codes = fitted.transform(pd.DataFrame({"addr_state": ["IA", "NY", "ID", "WY"]}))  # WY was never seen
    assert codes.tolist() == [[0, 0, 1], [0, 1, 0], [0, 0, 1], [0, 0, 1]]
    assert len(fitted.choices("addr_state")) == 51
    assert fitted.inverse(codes).most_likely()["addr_state"].tolist() == [RARE, "NY", RARE, RARE]
    with pytest.raises(ValueError, match=r"row 0, column addr_state, got '\(rare\)'"):
        fitted.transform({"addr_state": RARE})  # a level of ours, not a value of a loan
    common = LoanPreprocessor.fit(pd.DataFrame({"grade": ["A", "B", "B"]}))
    assert common.choices("grade") == ("A", "B")
    with pytest.raises(ValueError, match="got name='dti'"):
        common.choices("dti")


def test_unknown_levels() -> None:
    fitted = LoanPreprocessor.fit(pd.DataFrame({"grade": ["A", "B"], "dti": [1.0, 2.0]}))
    loan = {"grade": "G", "dti": 1.0}
    with pytest.raises(ValueError, match="Expected one of A, B in row 0, column grade, got 'G'"):
        fitted.transform(loan)
    assert fitted.transform(loan, unknown="ignore").tolist() == [[-1, 0, 0]]
    with pytest.raises(ValueError, match="unknown='skip'"):
        fitted.transform(loan, unknown="skip")
    rare = LoanPreprocessor.fit(pd.DataFrame({"grade": ["A"] * 5000 + ["B"]}))
    assert rare.transform({"grade": "Z"}, unknown="ignore").tolist() == [[0, 1]]


@pytest.mark.parametrize(
    ("column", "value", "error", "message"),
    [
        ("dti", float("nan"), ValueError, "finite number in row 7, column dti, got nan"),
        ("dti", None, ValueError, "finite number in row 7, column dti, got nan"),
        ("dti", float("inf"), ValueError, "finite number in row 7, column dti, got inf"),
        ("dti", "12.5", TypeError, "a number in row 7, column dti, got '12.5'"),
        ("dti", True, TypeError, "a number in row 7, column dti, got True"),
        ("grade", None, ValueError, "a value in row 7, column grade, got none"),
        ("grade", 3, TypeError, "a word in row 7, column grade, got 3"),
        ("grade", "a", ValueError, "row 7, column grade, got 'a'"),
    ],
)
def test_bad_values_are_named(column: str, value: object, error: type[Exception], message: str) -> None:
    frame = EXAMPLES.astype({"dti": object}).copy()
    frame.at[7, column] = value
    with pytest.raises(error, match=message):
        FITTED.transform(frame)
    if value is None:
        assert np.isfinite(FITTED.transform(frame, allow_missing=True)).all()
    else:  # an infinity or a word is never "missing"; NaN is
        missing = isinstance(value, float) and np.isnan(value)
        if not missing:
            with pytest.raises(error):
                FITTED.transform(frame, allow_missing=True)


def test_columns_and_shapes_are_checked() -> None:
    with pytest.raises(ValueError, match="column dti, grade, got a row without"):
        FITTED.transform({k: v for k, v in EXAMPLES.iloc[0].to_dict().items() if k not in ("dti", "grade")})
    with pytest.raises(ValueError, match="got 'recoveries'"):
        LoanPreprocessor.fit(EXAMPLES.assign(recoveries=0.0))
    with pytest.raises(ValueError, match="0 rows"):
        LoanPreprocessor.fit(EXAMPLES[:0])
    with pytest.raises(ValueError, match="column of missing values"):
        LoanPreprocessor.fit(pd.DataFrame({"dti": [np.nan, np.nan]}))
    width = FITTED.output_dim
    with pytest.raises(ValueError, match=rf"shape \(n, {width}\), got \(1, {width - 1}\)"):
        FITTED.inverse(np.zeros((1, width - 1)))
    with pytest.raises(ValueError, match=r"probabilities in 0\.\.1 .* got -3"):
        FITTED.inverse(np.full((1, width), -3.0))
    with pytest.raises(ValueError, match="finite"):
        FITTED.inverse(np.full((1, width), np.nan))


def test_a_number_that_never_varies() -> None:
    fitted = LoanPreprocessor.fit(pd.DataFrame({"dti": [0.1] * 7}))
    assert fitted.numbers[0].std == 1
    assert abs(fitted.transform({"dti": 0.1})[0, 0]) < 1e-6


def test_some_columns_only() -> None:
    fitted = LoanPreprocessor.fit(EXAMPLES, columns=["grade", "dti"])
    assert fitted.columns == ("dti", "grade")
    assert fitted.transform(EXAMPLES).shape == (24, 1 + len(fitted.choices("grade")))
