"""Privatise a row: one loan from a form, or a table from a CSV file, across the privacy boundary."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import streamlit as st

from rlm_core.types import FloatArray, IntArray
from ui.app import controls
from ui.app.errors import guarded
from ui.app.shell import heading, require_app
from ui.kit.address import in_address
from ui.kit.formats import times
from ui.kit.promise import promise
from ui.record import release
from ui.record.download import downloads
from ui.record.inference import inference_view
from ui.record.ledger import draw_again, ledger_view, spent_line
from ui.record.loan import decoded_loan, short_loan
from ui.record.pipeline import Stage, label_stages, noise_stage, pipeline, reach_of, report_stage, representation_stage
from ui.record.release import Drawn, Subject
from ui.table import text
from ui.table.batch_view import table_view
from ui.table.comparison import comparison, distances, moved_sentence
from ui.table.export import decoded_csv, decoded_values
from ui.table.form import loan_form

DATASET = "lending_club"
ONE, MANY = "One loan", "A CSV file"


def show() -> None:
    """The whole page."""
    require_app()
    heading("Privatise a row", text.LEDE)
    workbench()


@st.fragment
@guarded
def workbench() -> None:
    """Everything that changes with a control; the frame around it is not run again."""
    st.header("Choose loans", anchor=False)
    source = st.segmented_control(
        "Loans from",
        (ONE, MANY),
        default=ONE,
        required=True,
        **in_address("rows"),
        label_visibility="collapsed",
    )
    place = st.container()  # the fields depend on the mechanism, which is chosen below them
    st.header("Choose a budget", anchor=False)
    budget = controls.budget_controls(features="loan")
    st.html(f'<div class="rlm-promise">{promise(budget.epsilon)}</div>')
    model = controls.choose_mechanism(DATASET, budget.epsilon)
    if source == MANY:
        table_view(place, model, budget)
        return
    with place:
        loan, subject = loan_form(model.preprocessor, model.card.classes)
    one_loan(loan, subject, model, release.current(subject, model, budget))


def one_loan(loan: dict[str, Any], subject: Subject, model: Any, drawn: Drawn) -> None:
    """The pipeline of one loan, what it looks like on the other side, and what follows from that."""
    decoded = model.preprocessor.inverse(model.decode(drawn.z_private[None]))
    guess = dict(decoded.most_likely().iloc[0])

    st.header("The way of your loan", anchor=False)
    st.html(f'<div class="rlm-frame">{loan_pipeline(loan, guess, subject, model, drawn)}</div>')
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        draw_again(subject, model, drawn.budget)
        st.html(f'<p class="rlm-note">{spent_line(subject)}</p>')

    st.header("What became of each feature?", anchor=False)
    moved = moved_sentence(distances(loan, decoded, model.preprocessor))
    st.html(f'<p class="rlm-lede">{moved}</p>')
    st.html(f'<div class="rlm-frame">{comparison(loan, decoded, model.preprocessor)}</div>')
    st.caption(f"{text.COMPARISON} {text.ONLY_YOU}")

    st.header("What can the collector infer?", anchor=False)
    inference_view(subject, model, drawn, show_records=lambda rows, p: public_loans(model, rows, p))

    st.header("What has been given away so far?", anchor=False)
    ledger_view(subject, model, drawn, show_decoded=lambda x, words: small_loan(x, words, model))

    st.header("Take it with you", anchor=False)
    downloads(subject, model, drawn, decoded_csv=decoded_csv(decoded), decoded_values=decoded_values(decoded))


def loan_pipeline(loan: Mapping[str, Any], guess: Mapping[str, Any], subject: Subject, model: Any, drawn: Drawn) -> str:
    """x, h → z, noise, y on the owner's side; z̃, x̃, ỹ on the collector's."""
    radius, table = model.card.radius, model.preprocessor
    reach = reach_of(drawn.h, drawn.z_private, drawn.noise)
    label, label_private = label_stages(drawn, subject)
    original = Stage(
        letter="x",
        title="your loan",
        body=short_loan(loan, side="owner"),
        caption=f"{len(table.numbers)} numbers and {len(table.categories)} words (six are shown), written as "
        f"{table.output_dim} numbers. They never leave this side.",
    )
    decoded = Stage(
        letter="x̃",
        title="decoded",
        body=short_loan(guess, side="collector", decoded=True),
        caption="What a decoder makes of what arrived. A guess in the shape of a loan, not your loan.",
    )
    return pipeline(
        [
            original,
            representation_stage(drawn, radius=radius, reach=reach),
            noise_stage(drawn, radius=radius, reach=reach),
            label,
        ],
        [report_stage(drawn, reach=reach), decoded, label_private],
    )


def small_loan(x: FloatArray, words: str, model: Any) -> str:
    """A decoded loan with a caption under it."""
    return f"<figure>{short_loan(decoded_loan(x, model.preprocessor), side='collector', decoded=True)}{words}</figure>"


def public_loans(model: Any, rows: IntArray, probabilities: FloatArray) -> str:
    """The public loans that most likely sent the report, as the decoder shows their clean z."""
    loans = model.preprocessor.inverse(model.decode(model.bundle.prior_z[rows[:3]])).most_likely()
    names = [model.card.classes[label] for label in model.bundle.prior_y[rows[:3]]]
    figures = "".join(
        f"<figure>{short_loan(dict(loans.iloc[index]), side='neutral', decoded=True)}{name}"
        f"<small>{times(float(p) * len(model.bundle.prior_y))} × as likely as before</small></figure>"
        for index, (name, p) in enumerate(zip(names, probabilities[:3], strict=True))
    )
    return (
        '<p class="rlm-note">The public loans that most likely sent this report, as the decoder shows them, and how '
        f'the report has changed the belief in each:</p><div class="rlm-strip">{figures}</div>'
    )
