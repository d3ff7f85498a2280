"""The collector's side: a classifier from reports and public numbers alone, and what it says of clean rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray

from rlm_core.collector.validation import Predict, PrivateAccuracy
from rlm_core.privatiser.honesty import not_better, one_answer, too_few, unrelated
from rlm_core.privatiser.labels import true_classes
from rlm_core.privatiser.learning import Reports, learn_from, probabilities
from rlm_core.privatiser.records import Labels, RowClassifier, Table
from rlm_core.privatiser.sides.fitted import AfterLearning, Fitted
from rlm_core.types import FloatArray


@dataclass(frozen=True, kw_only=True)
class Tested:
    """The share of test rows that are predicted rightly, that of their commonest class, and how many they are."""

    accuracy: float
    majority: float
    rows: int


class CollectorSide(Fitted):
    """From reports to a classifier; ``predict``, ``predict_proba`` and ``score`` are there once it has learnt."""

    label_: str | None
    reports_: int
    reports_epsilon_: float
    validation_: PrivateAccuracy | None = None

    def learn(self, reports: Reports, *, validate: Callable[[RowClassifier], PrivateAccuracy] | None = None) -> Self:
        """Fit the classifier to reports: as ``privatise`` made them, as JSON texts, a file of them, or their tally.

        Not from a tally of a V-RLM: its labels leave apart. All its reports must divide ε alike.

        Args:
            reports: of this mechanism.
            validate: asks a group of other people how often a classifier is right about them (``answer``, then
                ``private_accuracy``); ``validation_`` is what they said. A V-RLM asks about ten
                classifiers and keeps the best, whose answer is then rather too high; other kinds ask about the one they
                have. Each question costs every member of the group one more ε.
        """
        self._fitted()
        if not len(self.classes_):
            raise ValueError(
                "Expected classes to learn, got none. Pass classes=[…], or fit(public, y); on the command line, "
                "`rlm fit --label NAME` or `--classes`."
            )
        count = len(self.classes_)
        ask = None if validate is None else partial(self._ask, validate)
        lesson = learn_from(reports, self.method_, count, seed=self.seed, validate=ask)
        self.classifier_, self.validation_ = lesson.classifier, lesson.validation
        self.reports_, self.reports_epsilon_ = lesson.people, lesson.epsilon
        predicted = probabilities(self.method_, self.classifier_, self.method_.prior).argmax(axis=1)
        needed = partial(self.method_.reports_needed, lam=lesson.lam)
        few = too_few(lesson.epsilon, lesson.people, count, needed)
        self._warn(few if few is not None else unrelated(lesson.chance))
        self._warn(lesson.drift)
        self._warn(one_answer(np.bincount(predicted, minlength=count) / len(predicted), self.class_names))
        return self

    def _ask(self, validate: Callable[[RowClassifier], PrivateAccuracy], predict: Predict) -> PrivateAccuracy:
        """The group's answer about a classifier of h, put as one of rows."""
        answer = validate(lambda rows: self.classes_[predict(self.method_.encoder(self.encode_table(rows)))])
        if not isinstance(answer, PrivateAccuracy):
            raise TypeError(
                "Expected a PrivateAccuracy from validate, as rlm_core.private_accuracy makes it of the group's bits, "
                f"got a value of type {type(answer).__name__}."
            )
        return answer

    @AfterLearning
    def predict_proba(self, X: Table) -> FloatArray:
        """p(y | x) of clean rows: (n, K), in the order of ``classes_``."""
        h = self.method_.encoder(self.encode_table(X))
        return probabilities(self.method_, self.classifier_, h)

    @AfterLearning
    def predict(self, X: Table) -> NDArray[Any]:
        """The most likely class of clean rows, as ``classes_`` has it."""
        most_likely = self.predict_proba(X).argmax(axis=1)
        labels: NDArray[Any] = self.classes_[most_likely]
        return labels

    @AfterLearning
    def score(self, X: Table, y: Labels = None) -> float:
        """The share of rows whose class is predicted rightly; y may be the name of a column.

        A row of a class that the mechanism does not know counts as wrong; one without a label is an error.
        """
        return self.tested(X, y).accuracy

    def tested(self, X: Table, y: Labels = None) -> Tested:
        """What :meth:`score` says, beside what the commonest class of the test rows would get."""
        records, labels = self._records(X, y if y is not None else self.label_)
        if labels is None:
            raise ValueError("Expected labels to score with, got none.")
        truth = true_classes(labels, self.class_names)
        if len(truth) != len(records):
            raise ValueError(f"Expected {len(records)} labels, got {len(truth)}.")
        names = np.array(self.class_names)
        right = names[self.predict_proba(records).argmax(axis=1)] == truth
        known, counts = np.unique(truth, return_counts=True)
        commonest = truth == known[counts.argmax()]
        self._warn(not_better(right, commonest))
        return Tested(accuracy=float(right.mean()), majority=float(commonest.mean()), rows=len(truth))
