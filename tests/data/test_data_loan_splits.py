"""Loan splits: balance, dates, columns."""

from __future__ import annotations

import numpy as np
import pytest

from rlm_core.data.loan_splits import balanced, join_columns, loan_collection, loan_join
from rlm_core.data.schema import PAPER_FEATURES
from rlm_core.data.splits import PARTS

GENERATOR = np.random.default_rng(0)
TARGET = (GENERATOR.random(4000) < 0.2).astype(np.int64)
DATES = np.datetime64("2007-01", "M") + GENERATOR.integers(0, 140, 4000)
ONES = int(TARGET.sum())


def test_balanced_keeps_all_of_class_1_and_as_many_of_class_0() -> None:
    rows = balanced(TARGET, generator=np.random.default_rng(1))
    assert TARGET[rows].sum() == ONES and len(rows) == 2 * ONES == len(np.unique(rows))
    assert not np.array_equal(rows, balanced(TARGET, generator=np.random.default_rng(2)))
    mostly_ones = 1 - TARGET
    assert len(balanced(mostly_ones, generator=np.random.default_rng(1))) == 4000
    with pytest.raises(ValueError, match=r"got values \[0, 1, 2\]"):
        balanced([0, 1, 2], generator=np.random.default_rng(0))


@pytest.mark.parametrize("dates", [None, DATES])
def test_loan_collection_sizes_and_roles(dates: np.ndarray | None) -> None:
    split = loan_collection(TARGET, dates, seed=0)
    total = 2 * ONES
    train = round(0.85 * total)
    assert len(split.mechanism_train) == round(0.75 * train)
    assert len(split.mechanism_train) + len(split.classifier_train) == train
    assert abs(len(split.classifier_test) - (total - train) / 2) <= 1
    rows = np.concatenate([split.rows(part) for part in PARTS])
    assert len(np.unique(rows)) == len(rows) == total  # nobody's loan serves twice
    assert TARGET[rows].sum() == ONES
    assert split.order == ("random" if dates is None else "chronological") and split.order in split.note
    again = loan_collection(TARGET, dates, seed=0)
    assert all(np.array_equal(split.rows(part), again.rows(part)) for part in PARTS)


def test_chronological_order() -> None:
    split = loan_collection(TARGET, DATES, seed=0)
    train = np.r_[split.mechanism_train, split.classifier_train]
    valid = np.r_[split.mechanism_valid, split.classifier_valid]
    assert DATES[train].max() <= DATES[valid].min() <= DATES[valid].max() <= DATES[split.classifier_test].min()
    # Dealt at random between the two, not by date.
    assert DATES[split.mechanism_train].max() > DATES[split.classifier_train].min()


def test_dates_that_cannot_order_the_table() -> None:
    some = DATES.astype("datetime64[D]").copy()
    some[7] = np.datetime64("NaT")
    assert loan_collection(TARGET, some, seed=0).order == "random"
    with pytest.raises(ValueError, match="got 3 for 4000 loans"):
        loan_collection(TARGET, DATES[:3], seed=0)


def test_loan_join_shares_rows() -> None:
    split = loan_join(TARGET, DATES, seed=0)
    assert np.array_equal(split.mechanism_train, split.classifier_train)
    assert np.array_equal(split.mechanism_valid, split.classifier_valid)
    assert len(np.r_[split.classifier_train, split.classifier_valid, split.classifier_test]) == 2 * ONES
    assert np.array_equal(split.classifier_test, loan_collection(TARGET, DATES, seed=0).classifier_test)


def test_join_columns_of_the_paper() -> None:
    columns = join_columns(PAPER_FEATURES)
    assert (len(columns.clean), len(columns.private), columns.absent) == (8, 15, ())
    fewer = join_columns([name for name in PAPER_FEATURES if name != "application_type"])
    assert fewer.absent == ("application_type",) and len(fewer.clean) == 7 and len(fewer.private) == 15
