"""An audit as one HTML file: the claim, what was proved, every event that was counted, and what it does not mean."""

from __future__ import annotations

import hashlib
import platform
from datetime import UTC, datetime
from html import escape

import numpy as np

from rlm_core import __version__
from rlm_core.audit.any_mechanism import AnyMechanism
from rlm_core.audit.audit_mechanism import AuditResult, most_provable
from rlm_core.audit.code_origin import code_origin
from rlm_core.audit.pair import OutputView, compare_outputs
from rlm_core.html_page import html_page

WIDTH, HEIGHT, LEFT, BOTTOM = 720, 240, 44, 44
COLOURS = ("#0072B2", "#D55E00")
PICTURED = 20_000
CANNOT = (
    "An audit can only find violations. It never shows that a mechanism is private: another pair of records, a "
    "rarer event or a cleverer one may still tell records apart. What makes a mechanism private is a proof."
)


def page(mechanism: AnyMechanism, result: AuditResult) -> str:
    """The file's text. Draws some more outputs, for its pictures."""
    pair = mechanism.pairs[result.pair]
    views = compare_outputs(mechanism, *pair, samples=min(result.samples, PICTURED), confidence=result.confidence)
    most = most_provable(
        result.samples, width=max(mechanism.input_dim, mechanism.output_dim), confidence=result.confidence
    )
    return html_page(
        f"Audit of {mechanism.name}",
        f"<h1>Audit of {escape(mechanism.name)}</h1><p><b>{escape(verdict(result, most))}</b></p><p>{CANNOT}</p>"
        + _facts(mechanism, result, most)
        + "<h2>Events that were counted</h2><p class='note'>Each is a rule that guesses from an output which of the "
        "two records it came from, chosen on other outputs than those counted here. If ε-LDP holds, a guess is right "
        "at most e^ε times as often as wrong. All bounds hold together with the stated confidence.</p>"
        + _events(result)
        + "<h2>The outputs of both records</h2>"
        + histogram(views.values)
        + histogram(views.low_bits)
        + "<p class='note'>Blue: first record, vermilion: second. Below: the place of the last binary digit of a "
        "number, where floating-point noise gives itself away. The pictures have samples of their own.</p>"
        + _origin(mechanism),
    )


def verdict(result: AuditResult, most: float) -> str:
    """One sentence, which claims no more than was found."""
    at = f"with {result.confidence:.4%} confidence"
    if not result.ok:
        return f"The claim ε = {result.epsilon:g} is refuted: ε is at least {result.lower_bound:.3f}, {at}."
    if most <= result.epsilon:
        return (
            f"Nothing can be said: {result.samples:,} samples prove at most {most:.2f}, and ε = {result.epsilon:g} is "
            "claimed. More samples are needed."
        )
    return f"No violation was found: ε is at least {result.lower_bound:.3f}, {at}; ε = {result.epsilon:g} is claimed."


def _facts(mechanism: AnyMechanism, result: AuditResult, most: float) -> str:
    facts = {
        "claimed ε": f"{result.epsilon:g}",
        "proved: ε is at least": f"{result.lower_bound:.4f}",
        "confidence": f"{result.confidence:.5%}",
        "samples of each record": f"{result.samples:,}",
        "the most that so many could prove": f"{most:.2f}",
        "numbers in a record, in an output": f"{mechanism.input_dim}, {mechanism.output_dim}",
        "pairs of records tried": f"{len(mechanism.pairs)}",
    }
    return (
        "<table>" + "".join(f"<tr><td>{name}</td><td>{value}</td></tr>" for name, value in facts.items()) + "</table>"
    )


def _events(result: AuditResult) -> str:
    head = "<tr><th>event</th><th>right</th><th>wrong</th><th>proves ε ≥</th></tr>"
    events = sorted(result.events, key=lambda each: -each.lower_bound)
    body = "".join(
        f"<tr><td>{escape(each.event)}</td><td>{each.correct:,}</td><td>{each.wrong:,}</td>"
        f"<td>{each.lower_bound:.4f}</td></tr>"
        for each in events
    )
    return f"<table>{head}{body}</table>"


def histogram(view: OutputView) -> str:
    """Both output distributions over the same bins, as outlines."""
    top = max(1, int(view.counts.max()), int(view.counts_other.max()))
    low, high = float(view.left[0]), float(view.right[-1])

    def x(value: float) -> float:
        return LEFT + (value - low) / max(high - low, 1e-300) * (WIDTH - LEFT - 12)

    def y(count: float) -> float:
        return HEIGHT - BOTTOM - count / top * (HEIGHT - BOTTOM - 12)

    parts = [f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(view.quantity)}" font-size="12">']
    for counts, colour in zip((view.counts, view.counts_other), COLOURS, strict=True):
        parts += [
            f'<rect x="{x(left):.1f}" y="{y(count):.1f}" width="{max(x(right) - x(left), 0.5):.1f}" '
            f'height="{HEIGHT - BOTTOM - y(count):.1f}" fill="{colour}" fill-opacity="0.35" stroke="{colour}"/>'
            for left, right, count in zip(view.left, view.right, counts, strict=True)
        ]
    ends = (view.labels[0], view.labels[-1]) if view.labels else (f"{low:.4g}", f"{high:.4g}")
    for place, anchor, text in ((LEFT, "start", ends[0]), (WIDTH - 12, "end", ends[1])):
        parts.append(
            f'<text x="{place}" y="{HEIGHT - BOTTOM + 18}" text-anchor="{anchor}" fill="currentColor">'
            f"{escape(text)}</text>"
        )
    middle = (LEFT + WIDTH) / 2
    parts.append(
        f'<text x="{middle}" y="{HEIGHT - 6}" text-anchor="middle" fill="currentColor">{escape(view.quantity)}</text>'
    )
    return "".join(parts) + "</svg>"


def _origin(mechanism: AnyMechanism) -> str:
    marks = ", ".join(
        hashlib.sha256(np.ascontiguousarray(each).tobytes()).hexdigest()[:16] for each in mechanism.records
    )
    when = datetime.now(UTC).strftime("%Y-%m-%d %H:%M UTC")
    return (
        f"<h2>Origin</h2><p class='note'>{when}; rlm-ldp {__version__}, numpy {np.__version__}, Python "
        f"{platform.python_version()}. Records (SHA-256 of their float64 bytes, first 16 digits): {marks}.</p>"
        f"<p class='note'>What was audited: {escape(str(code_origin(mechanism.call)))}. The digest is of that file, "
        "not of what it imports.</p>"
    )
