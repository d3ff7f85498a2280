"""Run an audit for a visitor: once per choice, one at a time on the server, and visible while it runs.

An audit draws thousands of real releases, of made-up records: nobody's data is in it. Its result is
kept for the visit under what was chosen, so that an unrelated control measures nothing anew. The
draws themselves are thrown away.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import dataclass

from rlm_core.audit import AuditResult, Progress
from rlm_core.audit.broken import BROKEN
from rlm_core.audit.pair import Comparison, compare_outputs
from rlm_core.audit.registered import audit_registered, records_between
from rlm_core.baselines.privunit import PrivUnit
from rlm_core.registry import REGISTRY, Entry
from ui.kit.kept import keep_newest, session_value

ENTRIES: dict[str, Entry] = REGISTRY | BROKEN
MOST_KEPT = 40
EVERY = 0.12  # seconds between two pictures of the dial
_ONE_AT_A_TIME = threading.BoundedSemaphore(1)


@dataclass(frozen=True, kw_only=True)
class Question:
    """What is measured: which mechanism, claiming which ε, with how many outputs per record."""

    name: str
    epsilon: float
    samples: int

    @property
    def entry(self) -> Entry:
        """The mechanism's entry, registered or broken."""
        return ENTRIES[self.name]

    @property
    def delta(self) -> float:
        """The δ that it claims beside ε: 0 for mechanisms that draw exactly."""
        made = self.entry.make(self.epsilon, self.entry.dimension)
        return made.delta if isinstance(made, PrivUnit) else 0.0


def last_result(question: Question) -> AuditResult | None:
    """The last result for exactly this question, if it was asked in this visit."""
    return _runs().get(question)


def history() -> list[tuple[Question, AuditResult]]:
    """All kept results, newest first."""
    return list(reversed(_runs().items()))


def forget(question: Question) -> None:
    """Drop a result, so that it is measured again."""
    _runs().pop(question, None)


def measure(question: Question, show: Callable[[Progress | None], None]) -> AuditResult:
    """Audit, and keep the result. ``show`` gets None while another visitor's audit is running.

    Moving a control meanwhile ends it at the next picture, as Streamlit stops a script there.
    """
    if not _ONE_AT_A_TIME.acquire(blocking=False):
        show(None)
        while not _ONE_AT_A_TIME.acquire(timeout=0.3):
            show(None)  # also notices that the visitor has left
    try:
        result = audit_registered(
            question.entry, epsilon=question.epsilon, samples=question.samples, progress=_seldom(show)
        )
    finally:
        _ONE_AT_A_TIME.release()
    keep_newest(_runs(), question, result, most=MOST_KEPT)
    return result


def compared(question: Question, a: int, b: int) -> Comparison:
    """Outputs of the records at two places of the line, counted once per choice."""
    key = (question, a, b)
    found = _pairs().get(key)
    if found is None:
        mechanism = question.entry.make(question.epsilon, question.entry.dimension)
        records = records_between(question.entry, mechanism)
        with _ONE_AT_A_TIME:
            found = compare_outputs(mechanism, records[a], records[b], samples=question.samples)
        keep_newest(_pairs(), key, found, most=MOST_KEPT)
    return found


def _seldom(show: Callable[[Progress | None], None]) -> Callable[[Progress], None]:
    """Pass progress on a few times a second only: each picture costs more than a batch."""
    last = 0.0

    def callback(progress: Progress) -> None:
        nonlocal last
        if time.monotonic() - last >= EVERY:
            show(progress)
            last = time.monotonic()

    return callback


def _runs() -> dict[Question, AuditResult]:
    return session_value("audit_runs", dict)


def _pairs() -> dict[tuple[Question, int, int], Comparison]:
    return session_value("audit_pairs", dict)
