"""The parts of "Choose an ε": wish, answer, chart, ε by mechanism, what it means, the model, a page to print."""

from __future__ import annotations

import html

import streamlit as st

from benchmarks import gain
from benchmarks.summary import shown_name
from rlm_core.catalogue import DATASETS
from ui.advise import text
from ui.advise.choice import Wish, fit_words, gain_and_risk, headline, meanings
from ui.advise.print_page import print_page
from ui.app import controls as shared
from ui.components.chart import chart
from ui.kit.address import in_address
from ui.kit.formats import epsilon_up, number
from ui.kit.gain_chart import CAPTION, absent, gain_chart
from ui.kit.html import table_html, table_row
from ui.kit.mechanism_style import looks
from ui.kit.take_along import file_button

FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Multiples of the people measured: those that the model was compared with."""


def controls() -> Wish:
    """Task, people, accuracy, suspicion."""
    dataset = shared.dataset_control(gain.datasets())
    measured = gain.people_measured(dataset)
    factor = st.select_slider(
        "People who send one report",
        FACTORS,
        value=1.0,
        format_func=lambda each: f"{round(each * measured):,}",
        **in_address("people"),
        help=f"We measured with {measured:,} people. Other numbers follow a model, which covers codes (Q-RLM) only.",
    )
    accuracy = st.slider(
        "Accuracy that I need (%)",
        min_value=20,
        max_value=98,
        value=80 if gain.chance(dataset) < 50 else 60,
        **in_address("need"),
        help="How often the model that the collector learns must be right about a new, clean record.",
    )
    suspicion = st.slider(
        "A suspicion before any report (%)",
        min_value=1,
        max_value=90,
        value=10,
        **in_address("suspicion"),
        help="How sure somebody already is of something about one sender: that the digit was a 7, that the loan was "
        "not repaid.",
    )
    return Wish(dataset=dataset, factor=float(factor), accuracy=float(accuracy), suspicion=suspicion / 100)


def answer(wish: Wish) -> None:
    """The smallest ε, and in a sentence what it gives everybody and costs each."""
    st.html(f'<p class="rlm-lede" role="status">{headline(wish)} {gain_and_risk(wish)}</p>')


def mechanisms_section(wish: Wish) -> None:
    """The ε that every mechanism needs."""
    st.header(f"ε by mechanism, for {wish.accuracy:g} %", anchor=False)
    st.html(bars(wish))


def meaning_section(wish: Wish) -> None:
    """What the answer means for each person."""
    if wish.epsilon is None:
        return
    st.header(f"What ε = {epsilon_up(wish.epsilon)} means for each person", anchor=False)
    found = "".join(f"<div><dt>{title}</dt><dd>{sentence}</dd></div>" for title, sentence in meanings(wish))
    st.html(f'<dl class="rlm-meanings">{found}</dl>')


def bars(wish: Wish) -> str:
    """A bar for each mechanism, as long as the ε it needs, with its interval; as HTML."""
    look = looks(need.mechanism for need in wish.needs)
    rows = []
    for need in wish.needs:
        colour = look[need.mechanism][0]
        if need.epsilon is None:
            bar, words = "", f"not reached: best {need.best:.1f} %"
        else:
            low, high = need.low or need.epsilon, min(need.high or 10.0, 10.0)
            bar = f'<i style="width:{10 * min(need.epsilon, 10):.1f}%;background:{colour}"></i>'
            bar += f'<b style="left:{10 * low:.1f}%;width:{max(0.0, 10 * (high - low)):.1f}%"></b>'
            words = f"ε {'≤' if need.at_most else '≈'} {epsilon_up(need.epsilon)}"
        rows.append(f"<li><span>{html.escape(shown_name(need.mechanism))}</span><div>{bar}</div><em>{words}</em></li>")
    note = ""
    if wish.factor != 1.0:
        note = (
            f'<p class="rlm-note">Modelled from the results with {gain.people_measured(wish.dataset):,} people. The '
            "model "
            "covers codes only; the other mechanisms were measured with that many people and are left out here.</p>"
        )
    label = f"ε needed for {wish.accuracy:g} %"
    return f'<ul class="rlm-shares rlm-needs rlm-intervals" aria-label="{label}">{"".join(rows)}</ul>{note}'


def chart_section(wish: Wish) -> None:
    """Gain against risk, with a ring around the choice."""
    found = gain.points(wish.dataset)
    st.header("What everybody gains, and what it costs each", anchor=False)
    if not found:
        st.info("The risk has not been measured on this dataset yet.", icon=":material/info:")
        return
    chart(
        gain_chart(found, wish.classes, chosen=wish.chosen),
        key="gain_chart",
        alt=f"What everybody gains against what each risks on {wish.title}, for {', '.join(map(shown_name, found))}",
    )
    st.caption(CAPTION)
    if missing := absent(gain.not_attacked(wish.dataset), DATASETS[wish.dataset].record):
        st.caption(missing)


def model_section(wish: Wish) -> None:
    """Method, model, and the model beside what was measured."""
    st.header("Where the numbers come from", anchor=False)
    st.markdown(text.method(wish.dataset))
    rows = gain.tried(wish.dataset)
    if not rows:
        return
    with st.expander("The model for other numbers of people, and how well it fits"):
        st.markdown(text.MODEL)
        st.latex(text.MODEL_FORMULA)
        st.markdown(f"{text.FIT} {fit_words(rows)}")
        st.html(
            table_html(
                ("people", "ε", "measured", "model", "difference"),
                (
                    table_row(
                        f"{row.people:,}",
                        number(row.epsilon),
                        f"{row.measured:.1f} %",
                        "outside" if row.modelled is None else f"{row.modelled:.1f} %",
                        "" if row.modelled is None else f"{row.measured - row.modelled:+.1f}".replace("-", "−"),
                    )
                    for row in sorted(rows, key=lambda each: (each.people, each.epsilon))
                ),
                around="rlm-scroll",
            )
        )


def print_button(wish: Wish) -> None:
    """The answer as one page to print."""
    file_button(
        "One page to print",
        lambda: print_page(wish),
        name=f"epsilon-{wish.dataset}-{wish.accuracy:g}.html",
        key="print_page",
        icon=":material/print:",
    )
