"""The collector's side as HTML: what arrived, what it decodes to, and what can be inferred, alone and together."""

from __future__ import annotations

import html
import math
from collections.abc import Callable, Sequence

from rlm_core.collector.inference import Posterior, posterior_limit
from ui.kit.formats import number, percent, times
from ui.kit.html import shares
from ui.record import observer
from ui.record.observer import Received

ShowRecord = Callable[[Received, Posterior], str]
"""A report, and what it makes the collector believe, to the record as it imagines it: HTML."""

TITLE = "<h2>The collector — this server</h2>"


def empty_html(record_name: str) -> str:
    """Before anything arrived."""
    return (
        f'{TITLE}<div class="arrived"><div class="count"><span>received about you</span><strong>nothing</strong></div>'
        f"</div><p>This side has seen no {record_name}, no label and no rehearsal. Send one report, and it shows the "
        "bytes that came, what they decode to, and what can be inferred from them about you.</p>"
        '<div class="could"></div>'  # filled by static/device/view/limits.js, with the slider's ε
    )


def collector_html(reports: Sequence[Received], *, record_name: str, show_record: ShowRecord) -> str:
    """The newest report, and all of its dataset together."""
    if not reports:
        return empty_html(record_name)
    newest = reports[-1]
    same = [each for each in reports if each.dataset == newest.dataset]
    alone = observer.belief([newest])
    pictures = show_record(newest, alone)
    limits = posterior_limit(alone.prior, newest.report.epsilon)
    bars = shares(newest.classes, alone.classes, side="collector", limits=limits, priors=alone.prior)
    return (
        f'{TITLE}<div class="arrived">{pictures}{_count(same)}</div>'
        f"<h3>What can it infer?</h3>{bars}"
        '<p class="note"><b class="rlm-dot"></b> before the report · '
        '<b class="rlm-tick"></b> the most that ε allows</p>'
        f"<p>{verdict(newest, alone)}</p>{_together(same) if len(same) > 1 else ''}{_bytes(newest)}{_ledger(same)}"
    )


def verdict(each: Received, found: Posterior) -> str:
    """The best guess in a sentence, with what its parts say and what ε allows."""
    guess = int(found.classes.argmax())
    name = html.escape(each.classes[guess])
    words = f"Best guess: <b>{name}</b>, with {percent(float(found.classes[guess]))}."
    label = observer.of_label(each)
    if label is not None:
        record, reported = observer.of_record(each).classes, int(label.argmax())
        words += (
            f" From the record alone {percent(float(record[guess]))}; from the label alone "
            f"{percent(float(label[guess]))}"
            + ("." if reported == guess else f" (the label that came says {html.escape(each.classes[reported])}).")
        )
    elif not observer.is_pair(each):
        words += " No label came."
    limit = float(posterior_limit(found.prior[guess], each.report.epsilon))
    return _unbroken(f"{words} ε = {number(each.report.epsilon)} allows at most {percent(limit)}.")


def _unbroken(words: str) -> str:
    """No line ends between a number and its %."""
    return words.replace(" %", "\u00a0%")


def spoken(reports: Sequence[Received]) -> str:
    """For screen readers, after a report has arrived."""
    if not reports:
        return ""
    found = observer.belief([reports[-1]])
    guess = int(found.classes.argmax())
    name, share = reports[-1].classes[guess], percent(float(found.classes[guess]))
    return f"One report arrived. The collector’s best guess is {name}, with {share}."


def _count(same: Sequence[Received]) -> str:
    total, last = math.fsum(each.report.epsilon for each in same), same[-1].report.epsilon
    count = "1 report" if len(same) == 1 else f"{len(same)} reports"
    return (
        f'<div class="count"><span>received about you</span><strong>{count}</strong>'
        f"<span>ε = {number(total)} spent in all; another at this ε would make it {number(total + last)}</span></div>"
    )


def _together(same: Sequence[Received]) -> str:
    found = observer.belief(same)
    guess, total = int(found.classes.argmax()), math.fsum(each.report.epsilon for each in same)
    limit = float(posterior_limit(found.prior[guess], total))
    return _unbroken(
        f'<p class="together"><b>All {len(same)} together</b>, taken as reports about one record: '
        f"{html.escape(same[0].classes[guess])}, with {percent(float(found.classes[guess]))}. The odds may have "
        f"moved by {times(math.exp(min(total, 700.0)))}; at most {percent(limit)} is allowed.</p>"
    )


def _bytes(newest: Received) -> str:
    return (
        f"<details><summary>The report: {newest.size:,} bytes, all that crossed</summary>"
        f'<code class="report-text">{html.escape(newest.text)}</code></details>'
    )


def _ledger(same: Sequence[Received]) -> str:
    rows = "".join(
        f"<li>{html.escape(each.mechanism)}: ε = {number(each.report.epsilon)}, {each.size:,} bytes</li>"
        for each in reversed(same)
    )
    return f'<details><summary>Every report that arrived</summary><ol reversed class="ledger">{rows}</ol></details>'
