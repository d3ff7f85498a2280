"""The same record at six budgets: a teaching view that releases six times, and says so."""

from __future__ import annotations

import math

import streamlit as st

from rlm_core import Budget
from ui.app import cache
from ui.app.controls import AUTOMATIC
from ui.app.errors import guarded
from ui.kit.formats import number
from ui.record import release, text
from ui.record.ledger import ShowDecoded
from ui.record.release import Subject

EPSILONS = (10.0, 8.0, 6.0, 4.0, 2.0, 1.0)


def strip_view(subject: Subject, dataset: str, lam: float, choice: str, *, show_decoded: ShowDecoded) -> None:
    """x̃ at each of :data:`EPSILONS`, if all were released; otherwise the button that releases the missing."""
    st.caption(text.STRIP)
    budgets = [Budget(epsilon=epsilon, lam=lam) for epsilon in EPSILONS]
    names = [cache.chosen_mechanism(dataset, each.epsilon) if choice == AUTOMATIC else choice for each in budgets]
    drawn = [release.kept(subject, name, each) for name, each in zip(names, budgets, strict=True)]
    missing = [index for index, each in enumerate(drawn) if each is None]
    if missing:
        cost = math.fsum(budgets[index].epsilon for index in missing)
        st.button(
            f"Release {len(missing)} more reports (spends ε = {number(cost)})",
            key="draw_strip",
            on_click=guarded(_release),
            args=(subject, [(names[index], budgets[index]) for index in missing]),
        )
        return
    figures = []
    for name, each in zip(names, drawn, strict=True):
        assert each is not None
        decoded = cache.model(name).decode(each.z_private[None])[0]
        label = "" if each.report.label is None else f", ỹ = {subject.classes[each.report.label]}"
        figures.append(show_decoded(decoded, f"ε = {number(each.budget.epsilon)}{label}"))
    st.html('<div class="rlm-strip">' + "".join(figures) + "</div>")


def _release(subject: Subject, wanted: list[tuple[str, Budget]]) -> None:
    for name, budget in wanted:
        release.draw(subject, cache.model(name), budget)
