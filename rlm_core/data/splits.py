"""Who gets which rows: the splits of the paper's appendix, as pure index functions.

Every experiment simulates two parties. The mechanism is trained on auxiliary data D₁; the
classifier is trained on what is collected from other people, D₂. A split is five sets of
row numbers, one for each use:

    mechanism_train    mechanism_valid
    classifier_train   classifier_valid   classifier_test

For images, ``mechanism_train``, ``classifier_train`` and ``classifier_valid`` count rows of
the training set, ``mechanism_valid`` and ``classifier_test`` rows of the test set. For loans
all five count rows of the one table.

The same arguments give the same split on every machine (``numpy.random.Generator``, PCG64).
Source: paper, appendix "Experimental Setup", sections "Data Collection", "Novel-Class
Classification" and "Data Join".
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.types import IntArray

AUXILIARY_SHARE = 0.75  # η: what the mechanism gets
CLASSIFIER_TRAIN_SHARE = 0.9  # the paper's 9:1
CHRONOLOGICAL_TRAIN_SHARE = 0.85  # of the loans, the oldest

Part = Literal["mechanism_train", "mechanism_valid", "classifier_train", "classifier_valid", "classifier_test"]
PARTS: tuple[Part, ...] = (
    "mechanism_train",
    "mechanism_valid",
    "classifier_train",
    "classifier_valid",
    "classifier_test",
)
TEST_SET_PARTS: frozenset[Part] = frozenset({"mechanism_valid", "classifier_test"})


@dataclass(frozen=True, kw_only=True, eq=False)
class Split:
    """Row numbers of each part, sorted; ``order`` says how rows were dealt, ``note`` the details."""

    mechanism_train: IntArray
    mechanism_valid: IntArray
    classifier_train: IntArray
    classifier_valid: IntArray
    classifier_test: IntArray
    seed: int
    order: Literal["random", "chronological"]
    note: str

    def rows(self, part: Part) -> IntArray:
        """The row numbers of one part."""
        if part not in PARTS:
            raise ValueError(f"Expected part in {', '.join(PARTS)}, got part={part!r}.")
        rows: IntArray = getattr(self, part)
        return rows

    def sizes(self) -> dict[str, int]:
        """How many rows each part has."""
        return {part: len(self.rows(part)) for part in PARTS}


def _check_share(name: str, share: float) -> None:
    if not 0 <= share < 1:
        raise ValueError(f"Expected 0 <= {name} < 1, got {name}={share:g}.")


def _cut(rows: IntArray, share: float) -> tuple[IntArray, IntArray]:
    """The first ``share`` of the rows (rounded to the nearest), and the others."""
    at = round(share * len(rows))
    return rows[:at], rows[at:]


def data_collection(
    train_rows: int, test_rows: int, *, seed: int, auxiliary_share: float = AUXILIARY_SHARE
) -> Split:
    """The data collection split of MNIST and CIFAR-10.

    The training set is dealt at random: ``auxiliary_share`` (the paper's η) to the mechanism,
    the rest to the classifier, there 9:1 into training and validation.

    The paper splits "both sets using 75 %" and validates the mechanism on "the mechanism test
    set". We read it so: 75 % of the *test* set validate the mechanism, and the other 25 % are
    the classifier's test set. That share stays 75 % whatever η is, so that an ablation over
    η reports on the same test rows. A smaller η gives a subset of the rows of a larger one;
    η = 0 gives the classifier everything (the paper's benchmarks in that ablation).

    >>> data_collection(60_000, 10_000, seed=0).sizes()  # doctest: +NORMALIZE_WHITESPACE
    {'mechanism_train': 45000, 'mechanism_valid': 7500,
     'classifier_train': 13500, 'classifier_valid': 1500, 'classifier_test': 2500}
    """
    _check_share("auxiliary_share", auxiliary_share)
    generator = np.random.default_rng(seed)
    test = generator.permutation(test_rows)
    train = generator.permutation(train_rows)
    mechanism, classifier = _cut(train, auxiliary_share)
    # Dealt from the end, so the validation rows of two values of η overlap as far as they can.
    classifier_train, classifier_valid = _cut(classifier, CLASSIFIER_TRAIN_SHARE)
    mechanism_valid, classifier_test = _cut(test, AUXILIARY_SHARE)
    return Split(
        mechanism_train=np.sort(mechanism),
        mechanism_valid=np.sort(mechanism_valid),
        classifier_train=np.sort(classifier_train),
        classifier_valid=np.sort(classifier_valid),
        classifier_test=np.sort(classifier_test),
        seed=seed,
        order="random",
        note=f"{auxiliary_share:.0%} of the training rows to the mechanism, the rest 9:1 to the classifier",
    )


def _deal_classes(
    labels: IntArray, novel: int, share: float, generator: np.random.Generator
) -> tuple[IntArray, IntArray, IntArray]:
    """Rows of the known classes for the mechanism; novel and other rows, equally many, shuffled."""
    known: list[IntArray] = []
    held_out: list[IntArray] = []
    for label in np.unique(labels[labels != novel]):
        mechanism, other = _cut(generator.permutation(np.flatnonzero(labels == label)), share)
        known.append(mechanism)
        held_out.append(other)
    others = generator.permutation(np.concatenate(held_out))
    novel_rows = generator.permutation(np.flatnonzero(labels == novel))
    count = min(len(others), len(novel_rows))
    return np.concatenate(known), novel_rows[:count], others[:count]


def novel_class(train_labels: ArrayLike, test_labels: ArrayLike, *, seed: int, novel: int = 9) -> Split:
    """The novel-class split: a mechanism that never saw one class, and a classifier for it.

    Of every other class the mechanism gets 8/9 (training set: to learn; test set: to
    validate). The remaining 1/9 and all of ``novel`` are the classifier's: training set 9:1
    into training and validation, test set for the test. Within each of these the two sides,
    novel and not, are equally many: the larger side loses its excess rows at random.

    The split returns rows; the classifier's label is ``labels == novel``.
    """
    train, test = np.asarray(train_labels), np.asarray(test_labels)
    for name, labels in (("train_labels", train), ("test_labels", test)):
        if not (labels == novel).any() or not (labels != novel).any():
            raise ValueError(f"Expected {name} with rows of class {novel} and of others, got novel={novel}.")
    generator = np.random.default_rng(seed)
    mechanism_valid, test_novel, test_other = _deal_classes(test, novel, 8 / 9, generator)
    mechanism_train, novel_rows, other_rows = _deal_classes(train, novel, 8 / 9, generator)
    train_novel, valid_novel = _cut(novel_rows, CLASSIFIER_TRAIN_SHARE)
    train_other, valid_other = _cut(other_rows, CLASSIFIER_TRAIN_SHARE)
    return Split(
        mechanism_train=np.sort(mechanism_train),
        mechanism_valid=np.sort(mechanism_valid),
        classifier_train=np.sort(np.concatenate([train_novel, train_other])),
        classifier_valid=np.sort(np.concatenate([valid_novel, valid_other])),
        classifier_test=np.sort(np.concatenate([test_novel, test_other])),
        seed=seed,
        order="random",
        note=f"8/9 of every class but {novel} to the mechanism; {novel} against the others for the classifier",
    )


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
            raise ValueError(f"Expected one issue_date a loan, got {dates.shape} dates, {np.shape(target)} loans.")
        if not np.isnat(dates).any():  # a table with some dates cannot be put in order
            rows = rows[np.argsort(dates[rows], kind="stable")]  # loans of one month stay shuffled
            order = "chronological"
    train, later = _cut(rows, CHRONOLOGICAL_TRAIN_SHARE)
    valid, test = _cut(later, 0.5)
    return train, valid, test, order


def loan_collection(
    target: ArrayLike,
    issue_date: ArrayLike | None = None,
    *,
    seed: int,
    auxiliary_share: float = AUXILIARY_SHARE,
) -> Split:
    """The data collection split of Lending Club.

    Classes are balanced first (paper's order). Then, where every loan has an issue date, the
    oldest 85 % train and the rest is the older half for validation, the newer for the test;
    otherwise the same shares at random, and ``order`` says which it was. Training and
    validation rows are dealt to mechanism and classifier at random, ``auxiliary_share`` to
    the mechanism: nobody's loan serves both. The test rows are all the classifier's, since
    the mechanism needs no test set.
    """
    _check_share("auxiliary_share", auxiliary_share)
    generator = np.random.default_rng(seed)
    train, valid, test, order = _loan_periods(target, issue_date, generator)
    mechanism_train, classifier_train = _cut(generator.permutation(train), auxiliary_share)
    mechanism_valid, classifier_valid = _cut(generator.permutation(valid), AUXILIARY_SHARE)
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
