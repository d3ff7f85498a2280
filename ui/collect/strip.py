"""A few of the reports as the collector may look at them: decoded, with the label that was reported."""

from __future__ import annotations

import html
from typing import Any

from ui.collect.reports import Reports
from ui.kit.html import picture
from ui.kit.pictures import SHAPES, as_picture
from ui.record.loan import decoded_loan, short_loan

PICTURES, LOANS = 9, 3


def first_reports(reports: Reports, model: Any, *, labels_sent: bool = True) -> str:
    """The first reports as HTML: pictures, or loans in short. A label that was not sent is known otherwise."""
    dataset = model.card.dataset
    count = PICTURES if dataset in SHAPES else LOANS
    decoded = model.decode(reports.z_private[:count])
    labels = [reports.classes[label] for label in reports.y_private[:count]]
    figures = "".join(
        f"<figure>{_show(x, label, model)}{'ỹ' if labels_sent else 'y'} = {html.escape(label)}</figure>"
        for x, label in zip(decoded, labels, strict=True)
    )
    return f'<div class="rlm-strip">{figures}</div>'


def _show(x: Any, label: str, model: Any) -> str:
    if model.card.dataset in SHAPES:
        alt = f"a decoded report, labelled {label}"
        return picture(as_picture(x, model.card.dataset), alt=alt, side="collector", size=84)
    return short_loan(decoded_loan(x, model.preprocessor), side="collector", decoded=True)
