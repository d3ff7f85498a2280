"""A loan beside what was decoded from its report, feature by feature, as HTML.

Numbers are shown in their units, on a track around the public mean; words as the probabilities
that the decoder gives to each level. How far a feature moved is the owner's knowledge: the
collector has the right-hand column only.
"""

from __future__ import annotations

import html
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from rlm_core.data.loan_preprocessor import DecodedLoans, LoanPreprocessor
from rlm_core.data.schema import FEATURES, Feature
from rlm_core.tables.columns import CategoryColumn, NumberColumn
from ui.kit.formats import percent
from ui.record.loan import format_value, level_name, level_of

_GROUPS = {
    "The loan": "loan_amnt term int_rate installment purpose grade sub_grade initial_list_status application_type",
    "The borrower": "annual_inc dti verification_status emp_length home_ownership addr_state",
    "The credit file": "fico_range_low earliest_cr_line open_acc total_acc revol_bal revol_util mort_acc pub_rec "
    "pub_rec_bankruptcies delinq_2yrs inq_last_6mths",
}
GROUPS: dict[str, tuple[str, ...]] = {title: tuple(names.split()) for title, names in _GROUPS.items()}
"""Every feature of the schema, in an order for reading."""

TRACK = 3.0  # deviations on either side of the mean


@dataclass(frozen=True, kw_only=True)
class Moved:
    """How far one feature moved: standard deviations for a number, 1 − p(your level) for a word."""

    name: str
    distance: float
    kept: bool | None = None  # words only: whether your level is still the most likely


def distances(loan: Mapping[str, Any], decoded: DecodedLoans, preprocessor: LoanPreprocessor) -> list[Moved]:
    """Per feature, numbers first, for the first row of ``decoded``."""
    moved = []
    for number in preprocessor.numbers:
        gap = float(decoded.numbers[number.name].iloc[0]) - float(loan[number.name])
        moved.append(Moved(name=number.name, distance=abs(gap) / number.std))
    for category in preprocessor.categories:
        shares = decoded.probabilities[category.name].iloc[0]
        level = level_of(category, loan[category.name])
        chance = float(shares[level]) if level is not None else 0.0
        moved.append(Moved(name=category.name, distance=1.0 - chance, kept=shares.idxmax() == level))
    return moved


def moved_sentence(moved: list[Moved]) -> str:
    """How far numbers and words moved, in a sentence."""
    numbers = [each.distance for each in moved if each.kept is None]
    words = [each.kept for each in moved if each.kept is not None]
    parts = []
    if numbers:
        parts.append(f"The {len(numbers)} numbers moved by {np.mean(numbers):.2f} standard deviations on average")
    if words:
        parts.append(f"of the {len(words)} words, yours is still the most likely for {sum(words)}")
    return "; ".join(parts) + "."


def comparison(loan: Mapping[str, Any], decoded: DecodedLoans, preprocessor: LoanPreprocessor) -> str:
    """All features: yours, the boundary, decoded, and how far it moved."""
    numbers = {column.name: column for column in preprocessor.numbers}
    categories = {column.name: column for column in preprocessor.categories}
    moved = {each.name: each for each in distances(loan, decoded, preprocessor)}
    body = []
    for title, names in GROUPS.items():
        rows = []
        for name in names:
            if name in numbers:
                value = float(decoded.numbers[name].iloc[0])
                rows.append(_number_row(numbers[name], float(loan[name]), value, moved[name]))
            elif name in categories:
                shares = decoded.probabilities[name].iloc[0]
                rows.append(_word_row(categories[name], str(loan[name]), shares, moved[name]))
        if rows:
            body.append(f"<h5>{title}</h5>{''.join(rows)}")
    return (
        '<div class="rlm-compare" role="table" aria-label="your loan beside the decoded one">'
        '<div class="rlm-compare-head" role="row"><span></span><span class="rlm-own">yours</span>'
        '<span class="rlm-col">decoded from z̃</span><span>how far it moved</span></div>'
        f"{''.join(body)}</div>"
    )


def _row(feature: Feature, yours: str, decoded: str, moved: str) -> str:
    return (
        f'<div class="rlm-compare-row" role="row"><span role="rowheader">{html.escape(feature.title)}</span>'
        f'<span class="rlm-yours">{yours}</span><span class="rlm-theirs">{decoded}</span>'
        f'<span class="rlm-moved">{moved}</span></div>'
    )


def _number_row(column: NumberColumn, yours: float, decoded: float, moved: Moved) -> str:
    feature = FEATURES[column.name]
    here, there = (_place((value - column.mean) / column.std) for value in (yours, decoded))
    low, high = sorted((here, there))
    track = (
        f'<div class="rlm-track" title="from {TRACK:g} standard deviations below the public mean to {TRACK:g} above">'
        f'<u style="left:{low:.1f}%;width:{high - low:.1f}%"></u>'
        f'<i class="rlm-owner" style="left:{here:.1f}%"></i>'
        f'<i class="rlm-collector" style="left:{there:.1f}%"></i></div>'
    )
    return _row(
        feature,
        html.escape(format_value(feature, yours)),
        html.escape(format_value(feature, decoded, decoded=True)),
        f"{track}<em>{moved.distance:.2f} σ</em>",
    )


def _word_row(column: CategoryColumn, yours: str, shares: pd.Series, moved: Moved) -> str:
    feature = FEATURES[column.name]
    level = level_of(column, yours)
    top = shares.sort_values(ascending=False, kind="stable").index[:3].tolist()
    if level is not None and level not in top:
        top[-1:] = [level]
    bars = [_bar(level_name(feature, name), float(shares[name]), mine=name == level) for name in top]
    rest = len(shares) - len(top)
    if rest:
        bars.append(_bar(f"{rest} others" if rest > 1 else "1 other", max(0.0, 1.0 - float(shares[top].sum()))))
    return _row(
        feature,
        html.escape(level_name(feature, yours)),
        f'<ul class="rlm-levels">{"".join(bars)}</ul>',
        f"<em>{percent(1.0 - moved.distance)} left for yours</em>",
    )


def _bar(name: str, share: float, *, mine: bool = False) -> str:
    emphasis = ' class="rlm-marked"' if mine else ""
    return (
        f'<li{emphasis}><span>{html.escape(name)}</span><b><i style="width:{100 * share:.1f}%"></i></b>'
        f"<em>{percent(share)}</em></li>"
    )


def _place(deviations: float) -> float:
    """Position on the track in percent; beyond its ends, at the end."""
    return 50.0 + 50.0 * float(np.clip(deviations / TRACK, -1.0, 1.0))
