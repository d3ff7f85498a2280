"""What both sides know once there is a fit; before, asking for it is an error that says what is missing."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import update_wrapper
from types import MethodType
from typing import Any, Self

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import NotFittedError

from rlm_core.privatiser.honesty import UtilityWarning
from rlm_core.privatiser.labels import label_texts
from rlm_core.privatiser.learning import AnyClassifier, AnyMethod
from rlm_core.privatiser.records import RecordReader, Table
from rlm_core.privatiser.vrlm.method import SplitMethod
from rlm_core.tables.columns import OUTLIER_DEVIATIONS


class Fitted(RecordReader):
    """The fitted kind of report, its classes, and the arguments that matter after the fit."""

    epsilon: float
    lam: float | None
    seed: int
    device: str
    method_: AnyMethod
    classifier_: AnyClassifier
    classes_: NDArray[Any]
    fit_notes_: tuple[str, ...] = ()

    @property
    def plan_(self) -> Any:
        """Kind and size of the reports, by the rule or by arguments."""
        return self._fitted().method_.plan

    @property
    def central_dp_(self) -> dict[str, Any] | None:
        """What the encoder's training spent under central DP, and what that covers; None without."""
        method = self._fitted().method_
        return method.central if isinstance(method, SplitMethod) else None

    @property
    def class_names(self) -> tuple[str, ...]:
        """The classes as text, as reports, cards and pages have them."""
        return tuple(str(each) for each in label_texts(self.classes_))

    @property
    def notes_(self) -> tuple[str, ...]:
        """What the fit left out, and why: columns, rows, labels; then columns that a schema of one's own does not name.

        Without such a schema the last are what could be read in two ways, and how it was.
        """
        if self._fitted().pictures_ is not None:
            return self.fit_notes_
        columns = [f"{each.name}: {each.reason}" for each in self.schema_.left_out]
        few, rows = self.preprocessor_.outliers, self.preprocessor_.rows + self.preprocessor_.outliers
        outliers = (
            f"rows: {few:,} of {rows:,} public ones, with a number beyond {OUTLIER_DEVIATIONS:g} deviations; means, "
            "deviations and levels are those of the others"
        )
        return (*columns, *([outliers] if few else []), *self.fit_notes_)

    def encode_table(self, people: Table) -> NDArray[np.float32]:
        """Records as the encoder's input: (n, p), every feature as fitted. NOT private."""
        return self._numbers(self._fitted()._records(people, None)[0])

    @contextmanager
    def _anew(self) -> Iterator[None]:
        """For a fit: what was fitted and learnt before is forgotten, and comes back if the fit is refused."""
        before = dict(vars(self))
        for name in before:
            if name.endswith("_"):
                del vars(self)[name]
        try:
            yield
        except BaseException:
            vars(self).clear()
            vars(self).update(before)
            raise

    def _fitted(self, attribute: str = "method_") -> Self:
        if not hasattr(self, attribute):
            first = "learn(reports)" if attribute == "classifier_" and hasattr(self, "method_") else "fit(public)"
            raise NotFittedError(f"Expected {first} before this: this LocalPrivatiser has not got so far.")
        return self

    def _warn(self, message: str | None) -> None:
        if message is not None:
            warnings.warn(message, UtilityWarning, stacklevel=3)


class AfterLearning:
    """A method that is there once something was learnt: before, asking for it raises NotFittedError, which says so."""

    def __init__(self, method: Callable[..., Any]) -> None:
        self.method = method
        update_wrapper(self, method)  # type: ignore[arg-type]

    def __get__(self, instance: Fitted | None, owner: type) -> Callable[..., Any]:
        if instance is None:
            return self.method
        instance._fitted("classifier_")
        return MethodType(self.method, instance)
