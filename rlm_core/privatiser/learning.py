"""From reports to a classifier, whatever kind they are of: checked, compared with the public rows, learnt from."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from rlm_core.collector.kernel_classifier import KernelClassifier
from rlm_core.collector.validation import PrivateAccuracy, Validate
from rlm_core.privatiser import association
from rlm_core.privatiser.method import Learnt, Method
from rlm_core.privatiser.received import check_digest, read_all, receive
from rlm_core.privatiser.vrlm.method import SplitMethod
from rlm_core.privatiser.vrlm.reports import split_reports
from rlm_core.release import Releases
from rlm_core.report import Report
from rlm_core.report_tally import ReportTally
from rlm_core.types import FloatArray

Reports = Releases | ReportTally | Iterable[Report | str] | str | Path

AnyMethod = Method | SplitMethod
AnyClassifier = Learnt | KernelClassifier


@dataclass(frozen=True, kw_only=True, eq=False)
class Lesson:
    """What was learnt, from how many people at which ε and λ; whether they look like the public rows (None if so).

    ``chance``: how often reports as telling as these would come if records told nothing of the label; None where they
    were tallied. ``validation``: what a group said of the classifier; None if nobody was asked.
    """

    classifier: AnyClassifier
    people: int
    epsilon: float
    drift: str | None
    chance: float | None = None
    lam: float | None = None
    validation: PrivateAccuracy | None = None


def learn_from(
    reports: Reports, method: AnyMethod, classes: int, *, seed: int = 0, validate: Validate | None = None
) -> Lesson:
    """The collector's classifier; an error says which report is not one of this mechanism.

    ``seed`` is of what learns from reports of a V-RLM (which public records stand for all); other kinds have none.
    ``validate`` asks a group about classifiers of h: of a V-RLM about several, of other kinds about the one there is.
    """
    if isinstance(method, SplitMethod):
        if isinstance(reports, ReportTally):
            raise ValueError(
                "Expected reports, got their tally: record and label of a V-RLM leave apart, and sums of one without "
                "the other do not tell a class."
            )
        given = reports if isinstance(reports, Releases) else read_all(reports)
        sent = split_reports(given, digest=method.digest, size=method.size, classes=classes)
        classifier = method.learn(sent, classes, seed=seed, validate=validate)
        return Lesson(
            classifier=classifier,
            people=len(sent),
            epsilon=sent.epsilon,
            drift=method.drift(sent),
            chance=association.of_split(sent, classes),
            lam=sent.lam,
            validation=classifier.validation,
        )
    if isinstance(reports, ReportTally):
        check_digest(reports.digest, reports.epsilon, method, classes)
        learnt = method.learn_tally(reports.body, reports.epsilon, classes)
        people, epsilon, drift, chance = reports.people, reports.epsilon, None, None
    else:
        received = receive(reports, method, classes)
        learnt = method.learn(received.payload, received.epsilon, classes)
        people, epsilon, drift = len(received.payload), received.epsilon, received.drift
        chance = association.chance(method, received.payload, epsilon, classes)
    answer = None if validate is None else validate(lambda h: method.probabilities(learnt, h).argmax(axis=1))
    return Lesson(classifier=learnt, people=people, epsilon=epsilon, drift=drift, chance=chance, validation=answer)


def probabilities(method: AnyMethod, classifier: AnyClassifier, h: FloatArray) -> FloatArray:
    """p(y | x) from a clean h: (n, d) to (n, K)."""
    if isinstance(method, SplitMethod):
        assert isinstance(classifier, KernelClassifier)
        return method.probabilities(classifier, h)
    assert not isinstance(classifier, KernelClassifier)
    return method.probabilities(classifier, h)
