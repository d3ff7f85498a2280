"""The collector's side of one row: reports that came from the browser, checked, and what they say about the label.

The Bayesian observer of :mod:`rlm_core.collector.inference`: it knows the mechanism and some public rows with labels,
and nothing of the visitor's row.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from rlm_core.collector.inference import Posterior, infer, posterior_limit
from rlm_core.joint_rows import JointBitsRows, JointLaplaceRows, JointSelectionRows
from rlm_core.owner.joint import JointLaplace, JointSelection
from rlm_core.owner.joint_bits import JointBits
from rlm_core.privatiser.method import Method
from rlm_core.privatiser.received import receive
from rlm_core.report import Report
from rlm_core.types import FloatArray
from ui.kit.formats import number, percent
from ui.kit.html import shares
from ui.own.queue import Training
from ui.own.task import Fitted

MOST = 200
"""Reports that are kept for one mechanism."""

TITLE = "<h2>The collector — this server</h2>"
EMPTY = (
    f'{TITLE}<div class="arrived"><div class="count"><span>received about your row</span><strong>nothing</strong></div>'
    "</div><p>Your row was filled in by your browser and stays there. The mechanism came to the browser, "
    "not the row to the mechanism.</p><p>Send one report, and this side shows what came, and what it says about the "
    "label.</p>"
)


@dataclass
class Inbox:
    """Reports in the order of their arrival; ``last`` is the id of the newest message, ``problem`` what was wrong."""

    reports: list[tuple[Report, str]] = field(default_factory=list)
    ids: set[str] = field(default_factory=set)
    last: str = ""
    problem: str = ""

    @property
    def size(self) -> int:
        """Bytes of all reports."""
        return sum(len(text.encode()) for _, text in self.reports)


def take(box: Inbox, training: Training, message: Any) -> None:
    """Take a report that was drawn in the browser: whatever comes is checked, and what is wrong with it is said."""
    if not isinstance(message, dict) or not isinstance(message.get("id"), str) or message["id"] in box.ids:
        return
    box.ids.add(message["id"])
    box.last, box.problem = message["id"], ""
    try:
        if len(box.reports) >= MOST:
            raise ValueError(f"This mechanism has got {MOST} reports; train again to go on.")
        text = message.get("report")
        if not isinstance(text, str) or training.fitted is None:
            raise ValueError("Expected a report as text.")
        report = Report.from_json(text)
        if not math.isfinite(report.epsilon):
            raise ValueError("Expected a finite epsilon: at ∞ nothing is private, so nothing is taken.")
        log_likelihood(report, training.fitted)  # raises on a report of another mechanism, or of another form
        box.reports.append((report, text))
    except (TypeError, ValueError) as error:
        box.problem = f"The collector could not read this report. {error}"


def log_likelihood(report: Report, fitted: Fitted) -> FloatArray:
    """log p(report | public row m, with its label where one was sent) + constant: (M,)."""
    method, h, y = fitted.privatiser.method_, fitted.prior_h, fitted.prior_y
    classes, epsilon = len(fitted.privatiser.classes_), report.epsilon
    assert isinstance(method, Method), "the page fits by the rule, which never takes a V-RLM"
    if report.digest == method.digest and not _is_pair(report, fitted):  # the record alone
        mechanism = method.mechanism(epsilon)
        return np.asarray(mechanism.log_density_pairs(mechanism.vector(report)[None], mechanism.noise.clip(h))[0])
    sent = receive([report], method, classes).payload
    together = method.together(epsilon, classes)
    rows = np.concatenate([h, y[:, None]], axis=1)
    if isinstance(together, JointBits):
        bits = JointBitsRows(joint=together)
        return np.asarray(bits.log_density_pairs(bits.written(sent), bits.represent(rows))[0])
    if isinstance(together, JointLaplace):
        numbers = JointLaplaceRows(joint=together)
        return np.asarray(numbers.log_density_pairs(np.asarray(sent.numbers), numbers.represent(rows))[0])
    if isinstance(together, JointSelection):
        selection = JointSelectionRows(joint=together)
        said = np.concatenate([[report.coordinate], report.in_set()]).astype(np.float64)[None]
        return np.asarray(selection.log_density_pairs(said, selection.represent(rows))[0])
    return np.where(report.in_set()[method.codes(h) * classes + y], 0.0, -epsilon)


def _is_pair(report: Report, fitted: Fitted) -> bool:
    return report.of is not None and report.of == fitted.privatiser.method_.size * len(fitted.privatiser.classes_)


def belief(reports: Sequence[tuple[Report, str]], fitted: Fitted) -> Posterior:
    """Over the labels, after these reports of one row."""
    likelihood = np.sum([log_likelihood(report, fitted) for report, _ in reports], axis=0)
    return infer(likelihood, fitted.prior_y, classes=len(fitted.privatiser.classes_))


def _most(prior: FloatArray, total: float) -> str:
    """How sure reports with this ε in all can make whoever knows the prior, whatever they say."""
    most = float(posterior_limit(prior, total).max())
    return f"With ε = {number(total)} in all, nothing that was sent can make it surer than {percent(most)} of a label."


def collector_html(box: Inbox, training: Training) -> str:
    """What came, and what it says about the label."""
    if not box.reports or training.fitted is None:
        return EMPTY
    fitted, (_, text) = training.fitted, box.reports[-1]
    names = list(fitted.privatiser.class_names)
    total = math.fsum(each.epsilon for each, _ in box.reports)
    found = belief(box.reports, fitted)
    guess = int(found.classes.argmax())
    bars = shares(
        names,
        found.classes,
        side="collector",
        limits=posterior_limit(found.prior, total),
        priors=found.prior,
    )
    count = "1 report" if len(box.reports) == 1 else f"{len(box.reports)} reports"
    return (
        f'{TITLE}<div class="arrived"><div class="count"><span>received about your row</span><strong>{count}</strong>'
        f"<span>ε = {number(total)} spent in all</span></div></div><h3>What does it say about the label?</h3>{bars}"
        '<p class="note"><b class="rlm-dot"></b> before · <b class="rlm-tick"></b> the most that ε allows</p>'
        f"<p>Best guess: <b>{html.escape(names[guess])}</b>, with {percent(float(found.classes[guess]))}; before, "
        f"{percent(float(found.prior[guess]))}. {_most(found.prior, total)}</p>"
        f"<details open><summary>The newest report: {len(text.encode()):,} bytes, all that crossed</summary>"
        f'<code class="report-text">{html.escape(text)}</code></details>'
    )
