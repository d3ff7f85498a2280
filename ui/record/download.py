"""Take it with you: the report, what was decoded from it, and one page that explains both.

All of it is computed from the report (and public parameters), so it is as private as the report.
"""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

import streamlit as st

from rlm_core import __version__
from rlm_core.device.owner_file import has_file
from ui.app.controls import EPSILONS
from ui.kit.formats import number, times
from ui.kit.pictures import data_address
from ui.kit.take_along import file_button
from ui.record import observer, text
from ui.record.observer import Received
from ui.record.offer import DEFAULT_EPSILON, WORDS, lanes

LANES = {"pixels": "noise on every pixel", "numbers": "numbers with noise", "codes": "codes"}
"""What a visitor reads for each lane."""


def downloads(
    each: Received,
    *,
    decoded_png: bytes | None = None,
    decoded_csv: str | None = None,
    decoded_values: dict[str, str] | None = None,
) -> None:
    """Buttons for the report (JSON), x̃ (a picture as PNG, a row as CSV), the summary and the owner's side (HTML).

    ``decoded_values`` are a decoded row's names and values for the summary.
    """
    st.caption(text.DOWNLOAD)
    with st.container(horizontal=True):
        file_button("Report (JSON)", each.text, name="report.json", key="download_report")
        if decoded_png is not None:
            file_button("Decoded x̃ (PNG)", decoded_png, name="decoded.png", key="download_png")
        if decoded_csv is not None:
            file_button("Decoded x̃ (CSV)", decoded_csv, name="decoded.csv", key="download_csv")
        file_button(
            "One-page summary (HTML)",
            summary(each, decoded_png=decoded_png, decoded_values=decoded_values),
            name="summary.html",
            key="download_summary",
        )
        if has_file(each.mechanism):
            st.link_button("Your side as one file (HTML)", f"/device/owner/{each.mechanism}.html")


def take_home(datasets: Sequence[str]) -> None:
    """Before anything was sent: the owner's side as a file, one for each lane whose mechanism is small enough."""
    opening = EPSILONS.index(DEFAULT_EPSILON)
    with st.expander("Take your side home: one file that works offline"):
        st.caption(text.TAKE_HOME)
        with st.container(horizontal=True):
            for dataset in datasets:
                of = f"{WORDS[dataset][0]}: " if len(datasets) > 1 else ""
                for lane, positions in lanes(dataset).items():
                    mechanism = positions[opening]["name"]
                    if has_file(mechanism):
                        st.link_button(of + LANES[lane], f"/device/owner/{mechanism}.html")


def summary(each: Received, *, decoded_png: bytes | None = None, decoded_values: dict[str, str] | None = None) -> str:
    """One self-contained page: guarantee, parameters, the report, x̃. Nothing of x, h, z or y is in it."""
    report = each.report
    guarantee = (
        f"This report is at most e^{number(report.epsilon)} = {times(math.exp(report.epsilon))} times as likely "
        "under the sender's record as under any other record. This holds for one report; several reports about the "
        "same record add up."
    )
    pair = observer.is_pair(each)
    label = "in the pair" if pair else "not sent" if report.label is None else each.classes[report.label]
    parameters = {"mechanism": each.mechanism, "digest": report.digest or "", "ε in total": number(report.epsilon)}
    if report.label is not None:
        parameters |= {"εx, for the features": number(report.epsilon_x), "εy, for the label": number(report.epsilon_y)}
    if report.numbers is not None:
        parameters["numbers"] = ", ".join(f"{value:.4f}" for value in report.numbers[:64]) + (
            " …" if len(report.numbers) > 64 else ""
        )
    else:
        parameters["set"] = f"{int(report.in_set().sum())} of {report.of} symbols"
    parameters |= {"label ỹ": label, "software": f"rlm-ldp {__version__}"}
    shown = "" if decoded_png is None else _figure(decoded_png)
    return (
        '<!doctype html><html lang="en"><meta charset="utf-8"><title>A privatised record</title>'
        "<style>body{font:16px/1.5 Georgia,serif;max-width:44rem;margin:3rem auto;padding:0 1rem;color:#1d262e}"
        "table{border-collapse:collapse;width:100%;font-size:.9rem}th,td{text-align:left;vertical-align:top;"
        "padding:.35rem .8rem .35rem 0;border-bottom:1px solid #ddd}th{white-space:nowrap;font-weight:normal;"
        "color:#5f6b73}td{overflow-wrap:anywhere}img{image-rendering:pixelated;width:160px;border:3px solid #D55E00}"
        "blockquote{margin:1rem 0;padding-left:1rem;border-left:4px solid #0072B2}figure{margin:1.5rem 0}</style>"
        f"<h1>A privatised record</h1><blockquote>{html.escape(guarantee)}</blockquote>{shown}"
        f"<table>{_rows(parameters)}</table>{'' if decoded_values is None else _values(decoded_values)}</html>"
    )


def _figure(decoded_png: bytes) -> str:
    return (
        f'<figure><img src="{data_address(decoded_png)}" alt="decoded picture"><figcaption>x̃: what a decoder makes of '
        "the report. A guess in the shape of a picture, not the sender's picture.</figcaption></figure>"
    )


def _values(decoded: dict[str, str]) -> str:
    return (
        "<h2>x̃: what a decoder makes of the report</h2>"
        "<p>A guess in the shape of a record, not the sender's record.</p>"
        f"<table>{_rows(decoded)}</table>"
    )


def _rows(entries: dict[str, str]) -> str:
    return "".join(
        f"<tr><th>{html.escape(name)}</th><td>{html.escape(value)}</td></tr>" for name, value in entries.items()
    )
