"""Reports of record and label apart, as they arrive: checked to be of one mechanism and one division of ε."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rlm_core.release import Releases
from rlm_core.report import Report
from rlm_core.types import FloatArray, IntArray


@dataclass(frozen=True, kw_only=True, eq=False)
class SplitReports:
    """z̃ (n, d) with εx and ỹ (n,) with εy."""

    z: FloatArray = field(repr=False)
    y: IntArray = field(repr=False)
    epsilon_x: float
    epsilon_y: float

    def __len__(self) -> int:
        return len(self.y)

    @property
    def epsilon(self) -> float:
        """What each has spent."""
        return self.epsilon_x + self.epsilon_y


def split_reports(reports: Releases | Sequence[Report], *, digest: str, size: int, classes: int) -> SplitReports:
    """Columns of reports with d = ``size`` numbers and a label each, or an error that says which one is not."""
    return (
        _of_releases(reports, digest, size, classes)
        if isinstance(reports, Releases)
        else _of_list(reports, digest, size, classes)
    )


def _of_releases(sent: Releases, digest: str, size: int, classes: int) -> SplitReports:
    if sent.digest != digest:
        raise ValueError(f"Expected reports by this mechanism, {digest[:8]}…, got {sent.digest[:8]}….")
    numbers = sent.payload.numbers
    if sent.y_private is None or numbers is None or numbers.shape[1] != size:
        raise ValueError(f"Expected reports of {size} numbers and a label, got another form: were labels sent?")
    _check_labels(sent.y_private, classes)
    return SplitReports(z=numbers, y=sent.y_private, epsilon_x=sent.epsilon_x, epsilon_y=sent.epsilon_y)


def _of_list(reports: Sequence[Report], digest: str, size: int, classes: int) -> SplitReports:
    if not reports:
        raise ValueError("Expected at least one report, got none.")
    first = reports[0]
    for at, report in enumerate(reports):
        if report.digest != digest:
            found = (report.digest or "none")[:8]
            raise ValueError(f"Expected report {at} to be by this mechanism, {digest[:8]}…, got {found}….")
        if report.label is None or report.numbers is None or len(report.numbers) != size:
            raise ValueError(f"Expected {size} numbers and a label in report {at}, got another form.")
        if (report.epsilon_x, report.epsilon_y) != (first.epsilon_x, first.epsilon_y):
            raise ValueError(
                f"Expected epsilon_x={first.epsilon_x:g} and epsilon_y={first.epsilon_y:g} in all reports, "
                f"got {report.epsilon_x:g} and {report.epsilon_y:g} in report {at}."
            )
    labels = np.array([report.label for report in reports], dtype=np.int64)
    _check_labels(labels, classes)
    return SplitReports(
        z=np.array([report.numbers for report in reports], dtype=np.float64),
        y=labels,
        epsilon_x=first.epsilon_x,
        epsilon_y=first.epsilon_y,
    )


def _check_labels(labels: IntArray, classes: int) -> None:
    wrong = np.flatnonzero((labels < 0) | (labels >= classes))
    if len(wrong):
        raise ValueError(f"Expected labels below {classes}, got {labels[wrong[0]]} in report {wrong[0]}.")
