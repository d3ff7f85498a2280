"""Reports of record and label apart, as they arrive: checked to be of one mechanism and one division of ε."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from rlm_core.release import Releases
from rlm_core.report import Report
from rlm_core.report_checks import told_apart
from rlm_core.types import FloatArray, IntArray

NO_LABEL = "without a label"
OTHER_EPSILON = "at another epsilon"
OTHER_MECHANISM = "by another mechanism"
OTHER_FORM = "of another form"
"""Why nothing can be learnt from a report, whatever its kind."""

GO_ON = " To go on without such reports: `rlm learn --skip`, or usable() in rlm_core.privatiser.received."


@dataclass(frozen=True, kw_only=True)
class Refusal:
    """Why a report cannot be used: in a few words, which are counted, and as an error."""

    reason: str
    message: str

    def error(self, reports: int) -> ValueError:
        """To raise; of many reports it says how to go on without this one."""
        return ValueError(self.message + (GO_ON if reports > 1 else ""))


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

    @property
    def lam(self) -> float | None:
        """The record's share of it; None where nothing is private."""
        return None if math.isinf(self.epsilon) else self.epsilon_x / self.epsilon


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
    refused = next(filter(None, split_refusals(reports, digest=digest, size=size, classes=classes)), None)
    if refused is not None:
        raise refused.error(len(reports))
    return SplitReports(
        z=np.array([report.numbers for report in reports], dtype=np.float64),
        y=np.array([report.label for report in reports], dtype=np.int64),
        epsilon_x=reports[0].epsilon_x,
        epsilon_y=reports[0].epsilon_y,
    )


def split_refusals(
    reports: Sequence[Report], *, digest: str, size: int, classes: int, division: tuple[float, float] | None = None
) -> list[Refusal | None]:
    """For each report, why it cannot be learnt from at ``division``, (εx, εy); None if it can.

    Without ``division`` it is that of most reports: for an error that says who differs. Anybody can send most reports,
    so nothing may be left out by it.
    """
    if division is None:
        divided = Counter(
            (each.epsilon_x, each.epsilon_y) for each in reports if each.digest == digest and each.label is not None
        )
        division = divided.most_common(1)[0][0] if divided else (0.0, 0.0)
    expected_x, expected_y = division

    def refusal(at: int, report: Report) -> Refusal | None:
        if report.digest != digest:
            found = (report.digest or "none")[:8]
            message = f"Expected report {at} to be by this mechanism, {digest[:8]}…, got {found}…."
            return Refusal(reason=OTHER_MECHANISM, message=message)
        if report.label is None:
            message = f"Expected {size} numbers and a label in report {at}, got no label: its sender kept the class."
            return Refusal(reason=NO_LABEL, message=message)
        if report.numbers is None or len(report.numbers) != size:
            message = f"Expected {size} numbers and a label in report {at}, got another form."
            return Refusal(reason=OTHER_FORM, message=message)
        if report.label >= classes:
            message = f"Expected labels below {classes}, got {report.label} in report {at}."
            return Refusal(reason=OTHER_FORM, message=message)
        if (report.epsilon_x, report.epsilon_y) != division:
            asked_x, got_x = told_apart(expected_x, report.epsilon_x)
            asked_y, got_y = told_apart(expected_y, report.epsilon_y)
            message = (
                f"Expected epsilon_x={asked_x} and epsilon_y={asked_y} in all reports, "
                f"got {got_x} and {got_y} in report {at}."
            )
            return Refusal(reason=OTHER_EPSILON, message=message)
        return None

    return [refusal(at, report) for at, report in enumerate(reports)]


def _check_labels(labels: IntArray, classes: int) -> None:
    wrong = np.flatnonzero((labels < 0) | (labels >= classes))
    if len(wrong):
        raise ValueError(f"Expected labels below {classes}, got {labels[wrong[0]]} in report {wrong[0]}.")
