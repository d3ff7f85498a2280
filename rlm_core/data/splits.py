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
Classification" and "Data Join". The splits of loans are in ``loan_splits``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.catalogue import NOVEL_CLASS
from rlm_core.types import IntArray

AUXILIARY_SHARE = 0.75  # η: what the mechanism gets
CLASSIFIER_TRAIN_SHARE = 0.9  # the paper's 9:1

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


def check_share(name: str, share: float) -> None:
    """Raise unless ``share`` is in [0, 1): whoever comes second must get something."""
    if not 0 <= share < 1:
        raise ValueError(f"Expected 0 <= {name} < 1, got {name}={share:g}.")


def cut(rows: IntArray, share: float) -> tuple[IntArray, IntArray]:
    """The first ``share`` of the rows (rounded to the nearest), and the others."""
    at = round(share * len(rows))
    return rows[:at], rows[at:]


def data_collection(train_rows: int, test_rows: int, *, seed: int, auxiliary_share: float = AUXILIARY_SHARE) -> Split:
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
    check_share("auxiliary_share", auxiliary_share)
    generator = np.random.default_rng(seed)
    test = generator.permutation(test_rows)
    train = generator.permutation(train_rows)
    mechanism, classifier = cut(train, auxiliary_share)
    # Validation is the tail of the permutation: for a smaller η it only grows.
    classifier_train, classifier_valid = cut(classifier, CLASSIFIER_TRAIN_SHARE)
    mechanism_valid, classifier_test = cut(test, AUXILIARY_SHARE)
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
        mechanism, other = cut(generator.permutation(np.flatnonzero(labels == label)), share)
        known.append(mechanism)
        held_out.append(other)
    others = generator.permutation(np.concatenate(held_out))
    novel_rows = generator.permutation(np.flatnonzero(labels == novel))
    count = min(len(others), len(novel_rows))
    return np.concatenate(known), novel_rows[:count], others[:count]


def novel_class(train_labels: ArrayLike, test_labels: ArrayLike, *, seed: int, novel: int = NOVEL_CLASS) -> Split:
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
    train_novel, valid_novel = cut(novel_rows, CLASSIFIER_TRAIN_SHARE)
    train_other, valid_other = cut(other_rows, CLASSIFIER_TRAIN_SHARE)
    return Split(
        mechanism_train=np.sort(mechanism_train),
        mechanism_valid=np.sort(mechanism_valid),
        classifier_train=np.sort(np.concatenate([train_novel, train_other])),
        classifier_valid=np.sort(np.concatenate([valid_novel, valid_other])),
        classifier_test=np.sort(np.concatenate([test_novel, test_other])),
        seed=seed,
        order="random",
        note=f"8/9 of every class but {novel} to the mechanism; {novel} against the rest for the classifier",
    )
