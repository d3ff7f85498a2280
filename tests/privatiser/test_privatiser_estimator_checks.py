"""scikit-learn's own checks of an estimator: all that it generates for this one pass.

``predict``, ``predict_proba`` and ``score`` are not there before ``learn(reports)`` (as scikit-learn's
``available_if`` does it), since ``fit`` sees public rows, and their labels only tell the classes. So it is no
classifier to scikit-learn, and the checks of predictions right after ``fit`` do not apply. They are run all the same,
on one that learns from its public rows' own reports as it is fitted; those that cannot hold are listed with the reason.
Tags tell it that missing values and words are values of a table.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, Self

import pytest
from sklearn.base import ClassifierMixin
from sklearn.utils.estimator_checks import estimator_checks_generator

from rlm_core.privatiser import LocalPrivatiser, UtilityWarning

Check = tuple[LocalPrivatiser, Callable[[LocalPrivatiser], None]]


class LearntAtOnce(ClassifierMixin, LocalPrivatiser):  # type: ignore[misc]
    """Fitted and learnt in one step, from the reports of the rows that it was fitted to."""

    def fit(self, public: Any, y: Any = None, **given: Any) -> Self:
        super().fit(public, y, **given)
        return self if y is None else self.learn(self.privatise(public, y))


CANNOT_APPLY = {
    "check_fit_idempotent": "A release takes no seed: two collections of the same rows are learnt from differently.",
    "check_classifiers_train": "It asks for 83 % on a few hundred rows, each sent with noise: nobody promises that.",
    "check_classifiers_regression_target": "Numbers as labels are classes by their text; more than 100 are refused.",
    "check_supervised_y_2d": "A column of labels is refused by our own error, not flattened with a warning.",
    "check_classifier_data_not_an_array": "Labels must be a list, a column or an array that can be read one by one.",
    "check_array_api_input": "Skipped by scikit-learn itself, unless SCIPY_ARRAY_API is set.",
}
"""Of a classifier, and why each is not one of ours."""

CHECKS: list[Check] = list(estimator_checks_generator(LocalPrivatiser(reports=2_000), legacy=True))
OF_A_CLASSIFIER: list[Check] = list(estimator_checks_generator(LearntAtOnce(reports=2_000), legacy=True))


def name(case: Any) -> str:
    check = case[1]
    return str(getattr(check, "func", check).__name__)


def run(case: Check) -> None:
    estimator, check = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UtilityWarning)
        check(estimator)


@pytest.mark.parametrize("case", CHECKS, ids=name)
def test_estimator_check(case: Check) -> None:
    run(case)


@pytest.mark.slow
@pytest.mark.parametrize("case", [each for each in OF_A_CLASSIFIER if name(each) not in CANNOT_APPLY], ids=name)
def test_check_of_a_classifier(case: Check) -> None:
    run(case)


def test_there_are_checks_and_none_is_listed_in_vain() -> None:
    assert len(CHECKS) > 30
    assert set(CANNOT_APPLY) <= set(map(name, OF_A_CLASSIFIER))
