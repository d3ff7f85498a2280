"""Splits of the loan table: by date where there are dates, and by column for the data join.

Source: paper, appendix "Experimental Setup", sections "Data Pre-Processing", "Data
Collection" and "Data Join".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.data.splits import AUXILIARY_SHARE, Split, check_share, cut
from rlm_core.types import IntArray

TRAIN_SHARE = 0.85  # of the loans, the oldest; the rest is half validation, half test


def balanced(target: ArrayLike, *, generator: np.random.Generator) -> IntArray:
    """Rows with as many of class 0 as of class 1: the excess of class 0 is dropped at random.

    If class 1 is the larger one nothing is dropped, as in the paper's recipe.

    >>> balanced([0, 1, 0, 0], generator=np.random.default_rng(0)).size
    2
    """
    labels = np.asarray(target)
    if not np.isin(labels, (0, 1)).all():
        raise ValueError(f"Expected target of 0 and 1, got values {np.unique(labels)[:5].tolist()}.")
    zeros, ones = np.flatnonzero(labels == 0), np.flatnonzero(labels == 1)
    kept = generator.permutation(zeros)[: len(ones)]
    return np.sort(np.concatenate([kept, ones]))


def _loan_periods(
    target: ArrayLike, issue_date: ArrayLike | None, generator: np.random.Generator
) -> tuple[IntArray, IntArray, IntArray, Literal["random", "chronological"]]:
    """Balanced rows as 85 % training, 7.5 % validation, 7.5 % test, by date where there are dates."""
    rows = generator.permutation(balanced(target, generator=generator))
    order: Literal["random", "chronological"] = "random"
    if issue_date is not None:
        dates = np.asarray(issue_date, dtype="datetime64[s]")
        if dates.shape != np.shape(target):
            raise ValueError(f"Expected one issue_date a loan, got {dates.size} for {np.size(target)} loans.")
        if not np.isnat(dates).any():  # a table with some dates cannot be put in order
            rows = rows[np.argsort(dates[rows], kind="stable")]  # loans of one month stay shuffled
            order = "chronological"
    train, later = cut(rows, TRAIN_SHARE)
    valid, test = cut(later, 0.5)
    return train, valid, test, order


def loan_collection(
    target: ArrayLike,
    issue_date: ArrayLike | None = None,
    *,
    seed: int,
    auxiliary_share: float = AUXILIARY_SHARE,
) -> Split:
    """The data collection split of Lending Club.

    Classes are balanced first (paper's order; with dates, their shares then differ a little
    from period to period). Then, where every loan has an issue date, the
    oldest 85 % train and the rest is the older half for validation, the newer for the test;
    otherwise the same shares at random, and ``order`` says which it was. Training and
    validation rows are dealt to mechanism and classifier at random, ``auxiliary_share`` to
    the mechanism: nobody's loan serves both. The test rows are all the classifier's, since
    the mechanism needs no test set.
    """
    check_share("auxiliary_share", auxiliary_share)
    generator = np.random.default_rng(seed)
    train, valid, test, order = _loan_periods(target, issue_date, generator)
    mechanism_train, classifier_train = cut(generator.permutation(train), auxiliary_share)
    mechanism_valid, classifier_valid = cut(generator.permutation(valid), AUXILIARY_SHARE)
    return Split(
        mechanism_train=np.sort(mechanism_train),
        mechanism_valid=np.sort(mechanism_valid),
        classifier_train=np.sort(classifier_train),
        classifier_valid=np.sort(classifier_valid),
        classifier_test=np.sort(test),
        seed=seed,
        order=order,
        note=f"classes balanced, 85/7.5/7.5 %, {order}; {auxiliary_share:.0%} of training to the mechanism",
    )


def loan_join(target: ArrayLike, issue_date: ArrayLike | None = None, *, seed: int) -> Split:
    """The rows of the data-join experiment: both sides have every loan, in different columns.

    Periods as in :func:`loan_collection`. The mechanism is trained on, and privatises, the
    same loans, so the mechanism's and the classifier's rows are the same; the columns are
    what is split (:func:`join_columns`).
    """
    train, valid, test, order = _loan_periods(target, issue_date, np.random.default_rng(seed))
    return Split(
        mechanism_train=np.sort(train),
        mechanism_valid=np.sort(valid),
        classifier_train=np.sort(train),
        classifier_valid=np.sort(valid),
        classifier_test=np.sort(test),
        seed=seed,
        order=order,
        note=f"classes balanced, 85/7.5/7.5 %, {order}; mechanism and classifier share all rows",
    )


JOIN_CLEAN_COLUMNS = (
    "earliest_cr_line",
    "open_acc",
    "initial_list_status",
    "application_type",
    "addr_state",
    "home_ownership",
    "emp_length",
    "pub_rec_bankruptcies",
)
"""The eight features that stay clean in the data-join experiment (paper, appendix "Data Join")."""


@dataclass(frozen=True, kw_only=True)
class JoinColumns:
    """Clean columns (D₁), private columns (D₂), and the clean ones this source does not have."""

    clean: tuple[str, ...]
    private: tuple[str, ...]
    absent: tuple[str, ...]


def join_columns(features: Sequence[str]) -> JoinColumns:
    """Split the features of a loan table between the two sides of the data join.

    >>> join_columns(["loan_amnt", "open_acc"]).private
    ('loan_amnt',)
    """
    return JoinColumns(
        clean=tuple(name for name in features if name in JOIN_CLEAN_COLUMNS),
        private=tuple(name for name in features if name not in JOIN_CLEAN_COLUMNS),
        absent=tuple(name for name in JOIN_CLEAN_COLUMNS if name not in features),
    )
