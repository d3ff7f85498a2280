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
from ui.kit.formats import number, percent, times
from ui.kit.html import figures_html, table_html, table_row
from ui.record import release, text
from ui.record.inference import posterior
from ui.record.release import Drawn, Subject

ShowDecoded = Callable[[FloatArray, str], str]
"""A decoded record x̃ (input_dim,) and a caption, to HTML that shows them."""


def draw_again(subject: Subject, model: Any, budget: Budget) -> None:
    """The button that spends: one more report about the same record."""
    cost = budget.epsilon if budget.epsilon_y > 0 else budget.epsilon_x
    st.button(
        f"Draw again (spends ε = {number(cost)})",
        key="draw_again",
        on_click=guarded(_draw),
        args=(subject, model, budget),
        icon=":material/casino:",
        help="A new report about the same record, with new noise. The collector then has both.",
    )


def _draw(subject: Subject, model: Any, budget: Budget) -> None:
    release.draw(subject, model, budget)


def spent_line(subject: Subject) -> str:
    """What this record has spent, in one line."""
    count = len(list(release.ledger().of(subject.record)))
    total = release.ledger().spent(subject.record)
    reports = "1 report" if count == 1 else f"{count} reports"
    return f"Released about this record so far: <b>{reports}, ε = {number(total)} in total</b>."


def ledger_view(subject: Subject, model: Any, drawn: Drawn, *, show_decoded: ShowDecoded | None = None) -> None:
    """All releases of the record, their sum, and what the average of the draws gives away."""
    entries = list(release.ledger().of(subject.record))
    total = release.ledger().spent(subject.record)
    odds = "no limit" if math.isinf(total) else f"× {times(math.exp(min(total, 700.0)))}"
    st.html(
        figures_html(
            (str(len(entries)), "reports about this record"),
            (f"ε = {number(total)}", "spent in total"),
            (odds, "the odds may now have moved by"),
        )
    )
    st.caption(text.LEDGER)
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
    rows = (
        table_row(
            index,
            html.escape(entry.mechanism),
            number(entry.epsilon_x),
            number(entry.epsilon_y) if entry.epsilon_y else "not sent",
            number(entry.epsilon),
        )
        for index, entry in reversed(list(enumerate(entries, start=1)))
    )
    return table_html(("#", "mechanism", "ε<sub>x</sub>", "ε<sub>y</sub>", "ε"), rows, around="rlm-scroll")
