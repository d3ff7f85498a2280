"""The sections of the benchmarks page: choose, look, ask, compare, download."""

from __future__ import annotations

import html
import math

import pandas as pd
import streamlit as st

from benchmarks import gain, summary, table
from rlm_core.catalogue import DATASETS, EXPERIMENTS
from rlm_core.registry import REGISTRY
from ui.app import controls
from ui.components.chart import chart
from ui.evidence import data, text
from ui.evidence.data import View
from ui.evidence.figures import accuracy_chart, cells_table, needs_list
from ui.evidence.text import ABOUT
from ui.kit.address import in_address
from ui.kit.formats import epsilon_up, number
from ui.kit.gain_chart import CAPTION, absent, gain_chart
from ui.kit.html import figures_html, table_html, table_row
from ui.kit.take_along import file_button


def choose() -> View:
    """Experiment, then one of its datasets."""
    names = data.experiments()
    titles = {EXPERIMENTS[name].title: name for name in names}
    left, right = st.columns([2, 3], gap="medium")
    with left:
        title = st.selectbox("Experiment", list(titles), **in_address("exp"))
        experiment = titles.get(title or "", names[0])
    with right:
        dataset = controls.dataset_control(data.datasets(experiment))
    st.markdown(ABOUT[experiment])
    return data.view(experiment, dataset)


def chart_section(view: View) -> None:
    """The headline count, the chart, and how its picture is saved."""
    if not view.cells:
        st.info(text.MISSING, icon=":material/hourglass_empty:")
    else:
        st.html(headline(view))
    with_paper = st.toggle("Show the paper’s numbers", value=True, **in_address("paper"))
    names = ", ".join(map(summary.shown_name, view.mechanisms))
    chart(
        accuracy_chart(view, with_paper=with_paper),
        key="accuracy_chart",
        alt=f"Accuracy against ε on {DATASETS[view.dataset].title} for {names}",
        save=f"{view.experiment}-{view.dataset}",
    )
    st.caption(text.CHART)


def gain_section(view: View) -> None:
    """What everybody gains against what each risks; for data collection, whose reports were attacked."""
    found = gain.points(view.dataset) if view.experiment == gain.EXPERIMENT else {}
    if not found:
        return
    st.header("What everybody gains, and what it costs each", anchor=False)
    st.html(f'<p class="rlm-lede">{gain_sentence(view.dataset)}</p>')
    chart(
        gain_chart(found, len(DATASETS[view.dataset].classes)),
        key="gain_chart",
        alt=f"What everybody gains against what each risks on {DATASETS[view.dataset].title}",
    )
    differ = data.other_codes(view)
    st.caption(CAPTION if differ is None else f"{CAPTION} {text.SHIPPED_CODES.format(shipped=differ[1])}")
    if missing := absent(gain.not_attacked(view.dataset), DATASETS[view.dataset].record):
        st.caption(missing)


def gain_sentence(dataset: str) -> str:
    """The smallest ε at which most is gained, in one sentence; as HTML."""
    best = max(gain.points(dataset).items(), key=lambda each: each[1][0].gain)
    name, first = html.escape(summary.shown_name(best[0])), best[1][0]
    return (
        f"At ε = {number(first.epsilon)}, <b>{name}</b> gives everybody a model that is right <b>{first.gain:.0f} "
        f"%</b> of the time. It costs each sender this much: whoever reads the report guesses the sender’s class "
        f"<b>{first.risk:.0f} %</b> of the time, against {gain.chance(dataset):g} % without it."
    )


def headline(view: View) -> str:
    """How many cells reach the paper: here, and in all experiments together. As HTML."""
    here = data.count(view.cells)
    everything = data.count([cell for name in ABOUT for cell in summary.cells(name)])
    figures = figures_html(
        (f"{here.reached} of {here.compared}", "cells here reach the paper"),
        (f"{here.within} of {here.compared}", "are at most two of its standard deviations below"),
        (f"{everything.reached} of {everything.compared}", "reach it, in all experiments together"),
    )
    return f'{figures}<p class="rlm-note">{text.COUNT}</p>'


def answer_section(view: View) -> None:
    """A stakeholder's question, read off by interpolation."""
    need = st.slider(
        f"I need this accuracy on {DATASETS[view.dataset].title} (%)",
        min_value=10,
        max_value=99,
        value=80 if view.chance < 50 else 60,
        **in_address("need"),
    )
    found = data.needs(view, float(need))
    st.html(f'<p class="rlm-lede" role="status">{answer(found, view, float(need))}</p>{needs_list(found, float(need))}')
    st.caption(text.NEED)
    if (differ := data.other_codes(view)) is not None:
        shown, ours = differ
        st.caption(text.OTHER_CODES.format(shown=shown, shipped=ours))


def answer(found: list[data.Need], view: View, accuracy: float) -> str:
    """The answer in one sentence, ours first; as HTML."""
    ours = [need for need in found if need.source == "ours"] or found
    source = "" if ours[0].source == "ours" else " in the paper"
    able = [need for need in ours if need.epsilon is not None]
    wish = f"{accuracy:g} % on {DATASETS[view.dataset].title}"
    if not able:
        best = max(ours, key=lambda need: need.best)
        return (
            f"No mechanism reaches {wish}{source} up to the largest ε measured. The best is "
            f"<b>{best.name}</b> with {best.best:.1f} % at ε = {number(best.best_epsilon)}."
        )
    first = able[0]
    sign = "at most" if first.at_most else "about"
    rest = [f"{n.name} ε ≈ {epsilon_up(n.epsilon or 0.0)}" for n in able[1:]]
    unable = [n.name for n in ours if n.epsilon is None]
    words = f"For {wish}, <b>{first.name}</b> needs {sign} <b>ε = {epsilon_up(first.epsilon or 0.0)}</b>{source}"
    words += f"; {', '.join(rest)}" if rest else ""
    words += f". {', '.join(unable)} {'does' if len(unable) == 1 else 'do'} not get there." if unable else "."
    return words


def table_section(view: View) -> None:
    """The paper's table with ours in it, and all details behind a click."""
    st.html(cells_table(view))
    st.caption(text.TABLE + " " + text.PROTOCOLS)
    if view.cells:
        with st.expander("All details: seeds, draws, protocol, settings, rows, version"):
            st.html(details_table(details(view)))


def details_table(frame: pd.DataFrame) -> str:
    """The details as HTML, which scrolls sideways; what is not known stays empty."""
    rows = (
        table_row(*("" if pd.isna(value) else html.escape(str(value)) for value in row))
        for row in frame.itertuples(index=False, name=None)
    )
    return table_html(tuple(frame.columns), rows, around="rlm-wide-table")


def details(view: View) -> pd.DataFrame:
    """Our cells with everything that is known about them."""
    return pd.DataFrame(
        {
            "mechanism": [summary.shown_name(cell.mechanism) for cell in view.cells],
            "ε": [number(cell.epsilon) for cell in view.cells],
            "ours": [round(cell.mean, 2) for cell in view.cells],
            "std": [None if math.isnan(cell.std) else round(cell.std, 2) for cell in view.cells],
            "seeds": [cell.seeds for cell in view.cells],
            "std of draws": [None if math.isnan(cell.draw_std) else round(cell.draw_std, 2) for cell in view.cells],
            "protocol": [cell.protocol for cell in view.cells],
            "paper": [cell.paper_mean for cell in view.cells],
            "paper std": [cell.paper_std for cell in view.cells],
            "difference": [None if c.difference is None else round(c.difference, 2) for c in view.cells],
            "λ": [cell.lam for cell in view.cells],
            "d": [cell.latent_dim for cell in view.cells],
            "l": [cell.radius for cell in view.cells],
            "ε_pre": [cell.epsilon_pretraining for cell in view.cells],
            "trained on": [cell.train_rows for cell in view.cells],
            "tested on": [cell.test_rows for cell in view.cells],
            "version": [cell.version for cell in view.cells],
        }
    )


def download_section(view: View) -> None:
    """The table as CSV, and the trials behind it as they are in the repository."""
    trials = table.RESULTS / f"{view.experiment}.csv"
    with st.container(horizontal=True):
        file_button(
            "This table (CSV)",
            data.cells_csv(view),
            name=f"{view.experiment}-{view.dataset}.csv",
            key="download_cells",
        )
        if trials.is_file():
            file_button(
                "All trials of this experiment (CSV)", trials.read_bytes(), name=trials.name, key="download_trials"
            )
    st.caption("The buttons above the chart save it as SVG or PNG.")


def registry_section() -> None:
    """Every registered mechanism, and where it was measured."""
    rows = (
        table_row(
            f"<b>{html.escape(name)}</b>", html.escape(REGISTRY[name].summary), html.escape("; ".join(where)) or "–"
        )
        for name, where in data.measured_in().items()
    )
    st.html(table_html(("mechanism", "what it does", "measured in"), rows, around="rlm-wide-table"))
    st.caption(text.REGISTRY)
