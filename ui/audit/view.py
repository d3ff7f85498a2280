"""The audit page's parts: controls, the live dial, two records side by side, the committed table."""

from __future__ import annotations

import json
import math
import re

import numpy as np
import streamlit as st

from rlm_core.audit import AuditResult, Progress
from rlm_core.audit.audit_mechanism import most_provable
from rlm_core.audit.pair import Comparison, claimed_densities
from rlm_core.audit.registered import records_between
from rlm_core.registry import REGISTRY
from ui.app.errors import guarded
from ui.app.site import ROOT
from ui.audit import run, text
from ui.audit.dial import dial, run_bar, scale_top, verdict
from ui.audit.run import Question
from ui.components.drawing import drawing
from ui.components.glance import glance
from ui.kit.address import in_address
from ui.kit.colours import OTHER_RECORD, OVER, OWNER, ink
from ui.kit.formats import number
from ui.kit.html import legend_html, table_html, table_row
from ui.kit.pair_figure import two_histograms

EPSILONS = (0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0, 8.0)
SAMPLES = {"quick": 20_000, "good": 100_000, "thorough": 300_000}
SIDE_BY_SIDE = 20_000
PLACES = 9
RESULTS = ROOT / "benchmarks" / "results" / "audit.json"


def question_controls() -> Question:
    """Mechanism, ε, what is broken, how many samples."""
    broken = st.pills(
        "Break it",
        [title for title, *_ in text.BREAKS.values()],
        **in_address("break"),
        help="Variants that are wrong on purpose. Each is a mistake that real code has made. Click again to repair it.",
    )
    entry = {title: name for name, (title, *_) in text.BREAKS.items()}.get(broken or "")
    mechanism = st.selectbox(
        "Mechanism",
        list(REGISTRY),
        format_func=lambda name: f"{name}: {REGISTRY[name].title}",
        **in_address("audited"),
        disabled=entry is not None,
        help="All mechanisms of the library, on plain vectors. A broken variant brings its own mechanism along.",
    )
    epsilon = st.select_slider(
        "ε, what it claims",
        EPSILONS,
        value=1.0,
        format_func=number,
        **in_address("claim"),
    )
    amount = st.segmented_control(
        "Samples per record",
        list(SAMPLES),
        default="quick",
        required=True,
        **in_address("amount"),
        help=" · ".join(f"{name}: {count:,}" for name, count in SAMPLES.items()),
    )
    return Question(name=entry or str(mechanism or "V-RLM"), epsilon=float(epsilon), samples=SAMPLES[amount or "quick"])


def dial_view(question: Question) -> None:
    """The dial, live while it measures, then its verdict."""
    bar, place = st.empty(), st.empty()
    result = run.last_result(question)
    if result is None:

        def show(progress: Progress | None) -> None:
            place.html(dial(question.epsilon, *_progress(progress)[:1], running=_progress(progress)[1]))

        with bar:
            glance(("…", f"measuring; ε = {number(question.epsilon)} is claimed"), key="audit_glance_measuring")
        place.html(dial(question.epsilon, None, running="starting …"))
        result = run.measure(question, show)
    with bar:
        glance(in_short(result), key="audit_glance")
    place.html(dial(question.epsilon, result.lower_bound))
    width = max(question.entry.make(question.epsilon, question.entry.dimension).output_dim, 1)
    st.html(f'<p class="rlm-promise" role="status">{verdict(result, most_provable(question.samples, width=width))}</p>')
    st.html(
        f'<p class="rlm-note">{question.samples:,} outputs of each record. '
        f"What gave most away: <b>{event_words(result.event)}</b> <i>({_event(result.event)})</i>.</p>"
    )
    st.button(
        "Measure again",
        key="measure_again",
        icon=":material/refresh:",
        on_click=guarded(run.forget),
        args=(question,),
        help="The same audit with new samples. The bound will differ a little.",
    )


def in_short(result: AuditResult) -> tuple[str, str]:
    """The dial in a line, for the bar of a phone: what was measured, and what that means for the claim."""
    return (
        f"ε ≥ {result.lower_bound:.2f}",
        f"measured; {'within' if result.ok else 'refutes'} the claim, {number(result.epsilon)}",
    )


def _progress(progress: Progress | None) -> tuple[float | None, str]:
    if progress is None:
        return None, "another audit is running, yours is next"
    share = 100 * progress.drawn // progress.total
    doing = "looking for a weak spot" if progress.lower_bound is None else "counting"
    return progress.lower_bound, f"{doing}: {share} %"


def event_words(event: str) -> str:
    """What the attacker looked at, in words; the symbol comes after it.

    >>> event_words("projection on z - z_other >= 39.1 or <= -39.1")
    'a report that lies far on one record’s side, nearer to it than to the other'
    """
    return next(
        (words for start, words in text.EVENTS.items() if event.startswith(start)), "a rule that the audit found"
    )


def _event(event: str) -> str:
    event = re.sub(r"\d+\.\d+", lambda found: f"{float(found[0]):.3g}", event)
    event = re.sub(r"-(?=[\d.]|inf)", "−", event)  # a minus sign; a hyphen stays one
    return event.replace("z_other", "z′").replace(">=", "≥").replace("<=", "≤")


def history_view() -> None:
    """Everything measured in this visit, so that broken mechanisms can be compared with correct ones."""
    runs = run.history()
    if len(runs) < 2:
        return
    top = max(max(scale_top(result.epsilon), result.lower_bound) for _, result in runs)
    rows = "".join(
        run_bar(f"{_title(question.name)}, ε = {number(question.epsilon)}", result, top=top)
        for question, result in runs[:8]
    )
    st.markdown("**Measured in this visit**")
    st.html(f'<ul class="rlm-shares">{rows}</ul>')
    st.html(
        '<div class="rlm-legend"><span><b style="background:#0072B2"></b>bound below the claim</span>'
        f'<span><b style="background:{OVER}"></b>claim refuted</span>'
        '<span><b class="rlm-tick"></b>claimed ε</span></div>'
    )


def _title(name: str) -> str:
    return text.BREAKS[name][0] if name in text.BREAKS else name


@st.fragment
@guarded
def pair_view(question: Question) -> None:
    """Two records of the visitor's choice: their output distributions, the ratio, the band."""
    mechanism = question.entry.make(question.epsilon, question.entry.dimension)
    records = records_between(question.entry, mechanism, count=PLACES)
    left, right = st.columns([2, 3], gap="large")
    with left:
        a, b = _choose_records(len(records))
        low_bits = st.toggle("Look at the last binary digit", **in_address("bits"))
        st.html(_records_html(records[a], records[b]))
        if question.name in text.BREAKS:
            st.info(text.BREAKS[question.name][1], icon=":material/lightbulb:")
    small = Question(name=question.name, epsilon=question.epsilon, samples=SIDE_BY_SIDE)
    found = run.compared(small, a, b)
    view = found.low_bits if low_bits else found.values
    with right:
        drawing(pair_drawing(found, question, a, b, low_bits=low_bits), key="pair_picture")
        st.html(legend_html([(OWNER, "first record"), (OTHER_RECORD, "second record"), (OVER, "outside the band")]))
        st.caption(text.LAST_DIGIT if low_bits else text.PAIR)
        st.html(
            f'<p class="rlm-note">{SIDE_BY_SIDE:,} outputs of each record. From this picture alone: ε ≥ '
            f"<b>{view.lower_bound:.2f}</b>, with {100 * view.confidence:.0f} % confidence.</p>"
        )


def _choose_records(count: int) -> tuple[int, int]:
    """Places on the line between the two hardest records; just the two where nothing lies between."""
    if count == 2:
        st.caption("No other record lies between these two: the hardest pair is the only one.")
        return 1, 0
    half = (count - 1) // 2
    first, second = (
        st.slider(
            label,
            min_value=-1.0,
            max_value=1.0,
            value=value,
            step=1 / half,
            **in_address(key),
            help="A place on the line between the two records that are hardest to hide from each other: −1 and 1.",
        )
        for label, key, value in (("First record", "first", 1.0), ("Second record", "second", -1.0))
    )
    return round((first + 1) * half), round((second + 1) * half)


def _records_html(x: np.ndarray, x_other: np.ndarray) -> str:
    def words(record: np.ndarray) -> str:
        shown = ", ".join(f"{value:.3g}" for value in record[:6]).replace("-", "−")
        return f"({shown}{', …' if record.size > 6 else ''})"

    return (
        f'<p class="rlm-note"><b class="rlm-own">x</b> = {words(x)}<br><b style="color:{ink(OTHER_RECORD)}">x′</b> = '
        f"{words(x_other)}</p>"
    )


def pair_drawing(found: Comparison, question: Question, a: int, b: int, *, low_bits: bool) -> str:
    """The chosen look at the outputs; with the claimed densities where they are known."""
    view = found.low_bits if low_bits else found.values
    claimed = None
    if not view.labels:
        mechanism = question.entry.make(question.epsilon, question.entry.dimension)
        records = records_between(question.entry, mechanism, count=PLACES)
        at = np.linspace(float(view.left[0]), float(view.right[-1]), 201)
        densities = claimed_densities(mechanism, records[a], records[b], at)
        bin_width = float(view.right[0] - view.left[0])
        claimed = None if densities is None else (at, densities[0] * bin_width, densities[1] * bin_width)
    return two_histograms(
        view.left,
        view.right,
        (view.counts / view.samples, view.counts_other / view.samples),
        interval=view.interval,
        epsilon=question.epsilon,
        labels=[_power(label) for label in view.labels],
        claimed=claimed,
        x_title=view.quantity,
    )


def _power(label: str) -> str:
    """2^-52 as 2⁻⁵², other labels as they are."""
    if not label.startswith("2^"):
        return label
    return "2" + label[2:].translate(str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"))


def committed_table() -> str:
    """The committed audit as HTML: mechanisms down, budgets across."""
    rows = json.loads(RESULTS.read_text(encoding="utf-8"))
    epsilons = sorted({row["epsilon"] for row in rows})
    names = list(dict.fromkeys(row["mechanism"] for row in rows))
    cells = {(row["mechanism"], row["epsilon"]): row for row in rows}
    head = ("", *(f"ε = {number(epsilon)}" for epsilon in epsilons))
    body = (table_row(name, *(_cell(cells.get((name, epsilon))) for epsilon in epsilons)) for name in names)
    return table_html(head, body, around="rlm-scroll rlm-tall")


def _cell(row: dict[str, object] | None) -> str:
    if row is None or not math.isfinite(float(str(row["lower_bound"]))):
        return "–"
    return f"{float(str(row['lower_bound'])):.2f}{'' if row['ok'] else ' refuted'}"
