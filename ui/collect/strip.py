"""A few of the reports as the collector may look at them: decoded, with what was reported."""

from __future__ import annotations

import html
from typing import Any

import numpy as np

from rlm_core.collector.pair_decoder import pair_pictures
from ui.collect import text
from ui.collect.pairs import Pairs
from ui.collect.reports import Reports
from ui.kit.html import picture
from ui.kit.pictures import SHAPES, as_picture
from ui.record.loan import decoded_loan, short_loan

PICTURES, LOANS = 9, 3
VISIBLE = 0.1
"""Pictures that differ by less everywhere, of a range from 0 to 1, look the same side by side."""


def first_reports(reports: Reports | Pairs, model: Any, *, labels_sent: bool = True) -> str:
    """The first reports as HTML: pictures, or loans in short; a sentence where all pictures would look the same.

    A label that was not sent is known otherwise.
    """
    count = PICTURES if model.card.dataset in SHAPES else LOANS
    if isinstance(reports, Pairs):
        return _first_sets(reports, model, count)
    decoded = model.decode(reports.z_private[:count])
    labels = [reports.classes[label] for label in reports.y_private[:count]]
    figures = "".join(
        f"<figure>{_show(x, f'a decoded report, labelled {label}', model)}{'ỹ' if labels_sent else 'y'} = "
        f"{html.escape(label)}</figure>"
        for x, label in zip(decoded, labels, strict=True)
    )
    return f'<div class="rlm-strip">{figures}</div>'


def _first_sets(pairs: Pairs, model: Any, count: int) -> str:
    members, frequencies = pairs.members(count), model.decoder.frequencies.cpu().numpy()
    prototypes = model.decode(np.eye(pairs.codes))  # a code without noise is its mean record
    decoded = pair_pictures(members, epsilon=min(pairs.epsilon, 100.0), frequencies=frequencies, prototypes=prototypes)
    if model.card.dataset in SHAPES and np.ptp(decoded, axis=0).max() < VISIBLE:
        held, width = int(members[0].sum()), members.shape[1]
        return f'<p class="rlm-note">{text.ALIKE.format(reports=len(pairs), held=held, pairs=width)}</p>'
    figures = "".join(
        f"<figure>{_show(x, 'what one report shows', model)}{int(each.sum())} of {each.size} pairs</figure>"
        for x, each in zip(decoded, members, strict=True)
    )
    return f'<div class="rlm-strip">{figures}</div><p class="rlm-note">{text.FIRST_SETS}</p>'


def _show(x: Any, alt: str, model: Any) -> str:
    if model.card.dataset in SHAPES:
        return picture(as_picture(x, model.card.dataset), alt=alt, side="collector", size=84)
    return short_loan(decoded_loan(x, model.preprocessor), side="collector", decoded=True)
