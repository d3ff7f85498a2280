"""The ledger as the visitor sees it: what was released for this record, and what it adds up to."""

from __future__ import annotations

import html
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import streamlit as st

from rlm_core import Budget
from rlm_core.types import FloatArray
from ui.app.errors import guarded
from ui.kit import words
from ui.kit.html import percent, times
from ui.record import release
from ui.record.inference import posterior
from ui.record.release import Drawn, Subject, format_epsilon

ShowDecoded = Callable[[FloatArray, str], str]
"""A decoded record x̃ (input_dim,) and a caption, to HTML that shows them."""


def draw_again(subject: Subject, model: Any, budget: Budget) -> None:
    """The button that spends: one more report about the same record."""
    cost = budget.epsilon if budget.epsilon_y > 0 else budget.epsilon_x
    st.button(
        f"Draw again (spends ε = {format_epsilon(cost)})",
        key="draw_again",
        on_click=guarded(release.draw),
        args=(subject, model, budget),
        icon=":material/casino:",
        help="A new report about the same record, with new noise. The collector then has both.",
    )


def spent_line(subject: Subject) -> str:
    """One line for beside the button."""
    count = len(list(release.ledger().of(subject.record)))
    total = release.ledger().spent(subject.record)
    reports = "1 report" if count == 1 else f"{count} reports"
    return f"Released about this record so far: <b>{reports}, ε = {format_epsilon(total)} in total</b>."


def ledger_view(subject: Subject, model: Any, drawn: Drawn, *, show_decoded: ShowDecoded | None = None) -> None:
    """All releases of the record, their sum, and what the average of the draws gives away."""
    entries = list(release.ledger().of(subject.record))
    total = release.ledger().spent(subject.record)
    odds = "no limit" if math.isinf(total) else f"× {times(math.exp(min(total, 700.0)))}"
    st.html(
        '<div class="rlm-figures">'
        f"<div><strong>{len(entries)}</strong><span>reports about this record</span></div>"
        f"<div><strong>ε = {format_epsilon(total)}</strong><span>spent in total</span></div>"
        f"<div><strong>{odds}</strong><span>the odds may now have moved by</span></div></div>"
    )
    st.caption(words.LEDGER)
    same = release.draws_of(subject, model.card.name)
    if len(same) > 1:
        _average_view(subject, model, drawn, same, show_decoded)
    else:
        st.html('<p class="rlm-note">Draw again to see what the average of several reports gives away.</p>')
    with st.expander("Every release, newest first"):
        st.html(_table(entries))


def _average_view(
    subject: Subject, model: Any, drawn: Drawn, same: list[Drawn], show_decoded: ShowDecoded | None
) -> None:
    mean = release.average(same)
    classes = len(subject.classes)
    one, all_of_them = (
        float(posterior(draws, model, classes=classes).classes[subject.label]) for draws in ([drawn], same)
    )
    if show_decoded is not None:
        captions = ("this report alone", f"average of {len(same)} reports", "without noise: only you see this")
        decoded = model.decode(np.stack([drawn.z_private, mean, drawn.z]))
        figures = "".join(show_decoded(x, caption) for x, caption in zip(decoded, captions, strict=True))
        st.html(f'<div class="rlm-strip">{figures}</div>')
    st.html(
        '<p class="rlm-note">'
        f"Averaging the {len(same)} reports by {html.escape(model.card.name)}, the collector misses each of the "
        f"{drawn.z.size} numbers of the clean representation by {release.mean_error(mean, drawn):.2f}, instead of "
        f"{release.mean_error(drawn.z_private, drawn):.2f} with this report alone. "
        f"The true class gets {percent(all_of_them)} instead of {percent(one)}.</p>"
    )


def _table(entries: list[Any]) -> str:
    rows = "".join(
        f"<tr><td>{index}</td><td>{html.escape(entry.mechanism)}</td><td>{format_epsilon(entry.epsilon_x)}</td>"
        f"<td>{format_epsilon(entry.epsilon_y) if entry.epsilon_y else 'not sent'}</td>"
        f"<td>{format_epsilon(entry.epsilon)}</td></tr>"
        for index, entry in reversed(list(enumerate(entries, start=1)))
    )
    return (
        '<div class="rlm-scroll"><table class="rlm-ledger"><tr><th>#</th><th>mechanism</th><th>ε<sub>x</sub></th>'
        f"<th>ε<sub>y</sub></th><th>ε</th></tr>{rows}</table></div>"
    )
