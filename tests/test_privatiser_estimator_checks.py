"""scikit-learn's own checks of an estimator: all that it generates for this one pass.

``predict``, ``predict_proba`` and ``score`` are not there before ``learn(reports)`` (as scikit-learn's
``available_if`` does it), since ``fit`` sees public rows, and their labels only tell the classes. So the checks
of predictions right after ``fit`` do not apply. Tags tell it that
missing values and words are values of a table.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any

import pytest
from sklearn.utils.estimator_checks import estimator_checks_generator

from rlm_core.privatiser import LocalPrivatiser, UtilityWarning

CHECKS: list[tuple[LocalPrivatiser, Callable[[LocalPrivatiser], None]]] = list(
    estimator_checks_generator(LocalPrivatiser(reports=2_000), legacy=True)
)


def name(case: Any) -> str:
    check = case[1]
    return str(getattr(check, "func", check).__name__)


@pytest.mark.parametrize("case", CHECKS, ids=name)
def test_estimator_check(case: tuple[LocalPrivatiser, Callable[[LocalPrivatiser], None]]) -> None:
    estimator, check = case
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UtilityWarning)
        check(estimator)


def test_there_are_checks() -> None:
    assert len(CHECKS) > 30
