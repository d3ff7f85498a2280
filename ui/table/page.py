"""Privatise a row: one loan on your device, side by side with the collector; or a CSV file, which travels."""

from __future__ import annotations

import numpy as np
import streamlit as st

from rlm_core.collector.inference import Posterior
from rlm_core.types import FloatArray
from ui.app import cache, controls
from ui.app.errors import guarded
from ui.app.public_demo import REFUSED, raw_data_allowed
from ui.app.shell import heading, require_app
from ui.kit.address import in_address
from ui.kit.promise import promise
from ui.record import observer
from ui.record.download import downloads, take_home
from ui.record.loan import decoded_loan, short_loan
from ui.record.observer import Received
from ui.record.sides import sides
from ui.table import text
from ui.table.batch_view import table_view
from ui.table.export import decoded_csv, decoded_values

DATASET = "lending_club"
ONE, MANY = "One loan", "A CSV file"


def show() -> None:
    """The whole page."""
    require_app()
    top = st.container()  # what it says depends on the choice below it
    source = st.segmented_control(
        "Loans from",
        (ONE, MANY),
        default=ONE,
        required=True,
        **in_address("rows"),
        label_visibility="collapsed",
    )
    with top:
        heading("Privatise a row", text.LEDE_TABLE if source == MANY else text.LEDE)
    if source == MANY:
        table_bench()
    else:
        workbench()


@st.fragment
@guarded
def workbench() -> None:
    """Both sides; they run again when a report arrives, and at no other time."""
    box = sides("row", (DATASET,), record_name="loan", show_record=imagined)
    if not box.reports:
        take_home((DATASET,))
        return
    with st.expander("Take it with you: the report, the decoded row, a summary"):
        newest = box.reports[-1]
        x = observer.decoded(newest)
        shown = observer.best_record(newest, observer.belief([newest])) if x is None else x
        decoded = cache.model(newest.mechanism).preprocessor.inverse(np.asarray(shown)[None])
        downloads(newest, decoded_csv=decoded_csv(decoded), decoded_values=decoded_values(decoded))


@st.fragment
@guarded
def table_bench() -> None:
    """The CSV way, on the server; it says so before a file can be chosen."""
    if not raw_data_allowed():
        st.info(REFUSED, icon=":material/public:")
        return
    st.html(f'<div class="rlm-promise">{text.CSV_TRAVELS}</div>')
    place = st.container()  # the columns depend on the mechanism, which is chosen below them
    st.header("Choose a budget", anchor=False)
    budget = controls.budget_controls(features="loan")
    st.html(f'<div class="rlm-promise">{promise(budget.epsilon)}</div>')
    table_view(place, controls.choose_mechanism(DATASET, budget.epsilon), budget)


def imagined(each: Received, found: Posterior) -> str:
    """The loan as the collector imagines it: x̃, and its best one."""
    decoded = observer.decoded(each)
    best = _figure(observer.best_record(each, found), each, "its best loan, given this report")
    return best if decoded is None else _figure(decoded, each, "x̃, decoded from the report") + best


def _figure(x: FloatArray, each: Received, words: str) -> str:
    loan = decoded_loan(x, cache.model(each.mechanism).preprocessor)
    return f"<figure>{short_loan(loan, side='collector', decoded=True)}<figcaption>{words}</figcaption></figure>"
