"""Why a report of record and label together cannot be learnt from: no label, another ε, mechanism or form."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from rlm_core.owner.joint import JointLaplace
from rlm_core.owner.joint_bits import JointBits
from rlm_core.owner.pairs import PairSelection
from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.privatiser.method import Method
from rlm_core.privatiser.plan import CODES
from rlm_core.privatiser.vrlm.reports import NO_LABEL, OTHER_EPSILON, OTHER_FORM, OTHER_MECHANISM, Refusal
from rlm_core.report import Report
from rlm_core.report_checks import told_apart


def refusals(
    reports: Sequence[Report], method: Method, classes: int, *, epsilon: float | None = None
) -> list[Refusal | None]:
    """For each report, why it cannot be learnt from at ``epsilon``; None if it can.

    Without ``epsilon`` it is that of most reports with a label: for an error that says who differs. Anybody can send
    most reports, so nothing may be left out by it.
    """
    if not reports:
        return []
    digests = {epsilon: _digest(method, epsilon, classes) for epsilon in {each.epsilon for each in reports}}
    d, codes = method.size, method.plan.kind == CODES

    def alone(report: Report) -> bool:
        """Whether it is of the record alone; of codes, both have the same digest."""
        return report.digest == method.digest and (not codes or report.of == d)

    if epsilon is None:
        labelled = Counter(
            each.epsilon for each in reports if each.digest and each.digest == digests[each.epsilon] and not alone(each)
        )
        epsilon = labelled.most_common(1)[0][0] if labelled else 1.0  # all are refused, at whatever ε
    together, expected = method.together(epsilon, classes), method.sending(epsilon, classes).digest
    width = d * classes if isinstance(together, PairSelection) else 2 * classes
    members = SubsetSelection(epsilon=epsilon, symbols=width).size

    def fits(report: Report) -> bool:
        """Whether a report has the form that this mechanism's have."""
        if isinstance(together, JointBits):  # the last coordinate is constant
            about = report.coordinate is not None and report.coordinate <= d
            return about and report.symbol is not None and report.of == 2**together.width
        if isinstance(together, JointLaplace):
            return report.numbers is not None and len(report.numbers) == d + 1
        if report.members is None or report.of != width or int.from_bytes(report.members).bit_count() != members:
            return False
        if isinstance(together, PairSelection):
            return report.coordinate is None
        return report.coordinate is not None and report.coordinate < d

    def refusal(at: int, report: Report) -> Refusal | None:
        if alone(report):
            message = f"Expected report {at} to be of record and label, got the record alone: no class was sent."
            return Refusal(reason=NO_LABEL, message=message)
        if report.digest is None or report.digest != digests[report.epsilon]:
            if report.digest == expected:  # of the others' ε, which it does not say
                message = f"Expected epsilon={epsilon:g} in report {at}, as its digest says, got {report.epsilon:g}."
                return Refusal(reason=OTHER_MECHANISM, message=message)
            found = (report.digest or "none")[:8]
            message = (
                f"Expected report {at} to be of record and label by this mechanism, {expected[:8]}…, got {found}…."
            )
            return Refusal(reason=OTHER_MECHANISM, message=message)
        if report.epsilon != epsilon:
            asked, got = told_apart(epsilon, report.epsilon)
            message = f"Expected epsilon={asked} in all reports, got {got} in report {at}."
            return Refusal(reason=OTHER_EPSILON, message=message)
        if not fits(report):
            message = (
                f"Expected reports of record and label, {method.plan.kind} of {d}, got another form in report {at}."
            )
            return Refusal(reason=OTHER_FORM, message=message)
        return None

    return [refusal(at, report) for at, report in enumerate(reports)]


def _digest(method: Method, epsilon: float, classes: int) -> str | None:
    """Of reports at this ε; None where there can be none, whatever a stranger wrote."""
    try:
        return method.sending(epsilon, classes).digest
    except ValueError:
        return None
