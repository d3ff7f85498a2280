"""The people's side: what each person's device would send for a row, or answer about a classifier."""

from __future__ import annotations

from typing import Any

from rlm_core.baselines.krr import LabelMechanism
from rlm_core.owner.budget import Ledger
from rlm_core.privatiser.labels import label_numbers
from rlm_core.privatiser.records import AsFitted, Labels, RowClassifier, Table
from rlm_core.privatiser.sides.fitted import Fitted
from rlm_core.release import OnProgress, Releases, release_rows
from rlm_core.types import IntArray


class PeopleSide(Fitted):
    """From rows to reports, by the one release path."""

    def privatise(
        self,
        people: Table,
        labels: Labels | AsFitted = AsFitted.LABELS,
        *,
        ledger: Ledger | None = None,
        record: str = "record",
        progress: OnProgress | None = None,
    ) -> Releases:
        """What each person's device would send: the release path, with the operating system's randomness.

        THE LABEL IS SENT TOO, without being asked for, if ``fit`` was told the name of its column and these rows have
        that column (version 1.0.0 sent the record alone). Pass None to keep it at home, or leave the column out. ε is
        of both together: a V-RLM then gives λε of it to the record and (1 − λ)ε to the label, so that the record has
        more noise than alone, where it has all of ε.

        Args:
            people: rows with the columns of the public table.
            labels: their labels, or the name of the column. Unless said: the column that ``fit`` was told, if the
                rows have it (or where it was told that pictures have theirs). None sends records alone, as do rows
                without that column, and whatever was fitted on labels that were no column.
            ledger, record: charged before anything is drawn.
            progress: is told how many rows are done.
        """
        records, numbers = self._people(people, labels, ledger)
        classes = None if numbers is None else len(self.classes_)
        sending = self.method_.sending(self.epsilon, classes, lam=self.lam)
        return release_rows(
            self._numbers(records),
            numbers,
            mechanism=sending.mechanism,
            pairs=sending.pairs,
            labels=sending.labels,
            ledger=ledger,
            record=record,
            progress=progress,
        )

    def answer(
        self,
        people: Table,
        labels: Labels | AsFitted = AsFitted.LABELS,
        *,
        predict: RowClassifier,
        ledger: Ledger | None = None,
        record: str = "record",
    ) -> Releases:
        """Whether a classifier is right about each of these people: one bit each, by randomised response with all of ε.

        For ``learn(reports, validate=…)``. The bit is found out on the person's device and is all that leaves, so it is
        ε-LDP for record and label together; whoever also sent a report, or answers again, has spent ε once more.

        Args:
            people, labels, ledger, record: as in :meth:`privatise`; labels are needed.
            predict: the classifier, from rows to classes.
        """
        records, numbers = self._people(people, labels, ledger)
        if numbers is None:
            raise ValueError("Expected labels to compare with what the classifier says, got none.")
        right = label_numbers(predict(records), self.class_names) == numbers
        yes_or_no = LabelMechanism(epsilon=self.epsilon, classes=2)
        return release_rows(right.astype(float)[:, None], mechanism=yes_or_no, ledger=ledger, record=record)

    def _people(self, people: Table, labels: Labels | AsFitted, ledger: Ledger | None) -> tuple[Any, IntArray | None]:
        """Records as they were fitted and class numbers, checked while nothing has been spent."""
        self._fitted()
        if ledger is not None and not isinstance(ledger, Ledger):
            raise TypeError(f"Expected a Ledger for ledger, got a value of type {type(ledger).__name__}.")
        records, given = self._records(people, labels)
        if given is None:
            return records, None
        if not len(self.classes_):
            raise ValueError("Expected no labels: classes are unknown. Pass classes=[…], or fit(public, y).")
        numbers = label_numbers(given, self.class_names)
        if len(numbers) != len(records):
            raise ValueError(f"Expected {len(records)} labels, got {len(numbers)}.")
        return records, numbers
