"""The sections of "Choose an ε": the wish, the answers beside it, the chart, the model and the page to print."""

from __future__ import annotations

import html
from functools import lru_cache
from typing import Any

import streamlit as st
from plotly.graph_objects import Figure

from benchmarks import gain, table
from benchmarks.summary import shown_name
from rlm_core.theory import krr_cap
from ui.advise import text
from ui.advise.choice import Wish, headline, meanings
from ui.advise.print_page import print_page
from ui.app import controls as shared
from ui.kit.address import in_address
from ui.kit.charts import CONFIG
from ui.kit.formats import epsilon_up, number
from ui.kit.gain_chart import CAPTION, gain_chart
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
        "**People** who send one report",
        FACTORS,
        value=1.0,
        format_func=lambda each: f"{round(each * measured):,}",
        **in_address("people"),
        help=f"{measured:,} were measured; other numbers follow a model, for codes only.",
    )
    accuracy = st.slider(
        "**Accuracy** that I need (%)",
        min_value=20,
        max_value=98,
        value=80 if gain.chance(dataset) < 50 else 60,
        **in_address("need"),
        help="How often the model that the collector learns is right about a new, clean record.",
    )
    suspicion = st.slider(
        "**Suspicion** before any report (%)",
        min_value=1,
        max_value=90,
        value=10,
        **in_address("suspicion"),
        help="What somebody already believes about one sender: that a digit was a 7, a loan charged off.",
    )
    return Wish(dataset=dataset, factor=float(factor), accuracy=float(accuracy), suspicion=suspicion / 100)


def answers(wish: Wish) -> None:
    """The answer, ε by mechanism, and what it means."""
    found = "".join(f"<div><dt>{title}</dt><dd>{sentence}</dd></div>" for title, sentence in meanings(wish))
    st.html(f'<p class="rlm-lede" role="status">{headline(wish)}</p>{bars(wish)}<dl class="rlm-meanings">{found}</dl>')


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
            f'<p class="rlm-note">Modelled for codes from {gain.people_measured(wish.dataset):,} people; for the other '
            "mechanisms no number of people but that one was measured.</p>"
        )
    label = f"ε needed for {wish.accuracy:g} %"
    return f'<ul class="rlm-shares rlm-needs rlm-intervals" aria-label="{label}">{"".join(rows)}</ul>{note}'


def chart_section(wish: Wish) -> None:
    """Gain against risk, the choice marked, and what it says in a sentence."""
    found = gain.points(wish.dataset)
    if not found:
        st.info("Risk is not measured on this dataset yet.", icon=":material/hourglass_empty:")
        return
    chosen = None
    if wish.first is None or wish.epsilon is None:
        st.markdown(text.NO_CHOICE)
    elif wish.risk is not None:
        # At the accuracy asked for: with other people than measured the gain is the model's.
        chosen = (wish.risk, max(wish.accuracy, gain.gain_at(wish.dataset, wish.first.mechanism, wish.epsilon) or 0.0))
        chosen = chosen if wish.factor == 1.0 else (wish.risk, wish.accuracy)
        st.markdown(
            text.CHART_FIRST.format(
                epsilon=epsilon_up(wish.epsilon),
                mechanism=shown_name(wish.first.mechanism),
                gain=f"{chosen[1]:.0f} % of the time",
                risk=f"{wish.risk:.0f} %",
                chance=f"{gain.chance(wish.dataset):g} %",
                cap=f"{100 * float(krr_cap(wish.epsilon, wish.classes)):.0f} %",
            )
        )
    st.plotly_chart(
        checked_chart(wish.dataset, wish.classes, chosen, table.stamp("gain_risk")),
        theme=None,
        config=CONFIG,
        key="gain_chart",
        alt=f"What everybody gains against what each risks on {wish.title}, for {', '.join(map(shown_name, found))}",
    )
    st.caption(CAPTION)


class CheckedFigure(Figure):  # type: ignore[misc]
    """Checked and written out when it is made, not whenever it is shown: that takes most of a slider's move."""

    def __init__(self, figure: dict[str, Any]) -> None:
        super().__init__(figure)
        self._written = super().to_dict()

    def to_dict(self) -> dict[str, Any]:
        """What is sent to the browser; nobody changes it."""
        written: dict[str, Any] = self._written
        return written


@lru_cache(maxsize=256)
def checked_chart(
    dataset: str, classes: int, chosen: tuple[float, float] | None, stamp: tuple[str, int, int]
) -> Figure:
    """One chart for everybody who asks for the same."""
    return CheckedFigure(gain_chart(gain.points(dataset), classes, chosen=chosen))


def model_section(wish: Wish) -> None:
    """Method, model, and the model beside what was measured."""
    st.markdown(text.METHOD.format(people=gain.people_measured(wish.dataset)))
    rows = gain.tried(wish.dataset)
    if not rows:
        return
    with st.expander("The model for other numbers of people, beside what was measured"):
        st.markdown(text.MODEL)
        st.latex(text.MODEL_FORMULA)
        st.markdown(text.FIT)
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


def print_section(wish: Wish) -> None:
    """The answer as one page to print."""
    file_button(
        "One page to print (HTML)",
        lambda: print_page(wish),
        name=f"epsilon-{wish.dataset}-{wish.accuracy:g}.html",
        key="print_page",
        icon=":material/print:",
    )
