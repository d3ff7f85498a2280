"""Chapter 11: what an ε means in odds, for somebody who already has a suspicion."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from rlm_core.collector.inference import posterior_limit
from ui.kit.colours import COLLECTOR, NEUTRAL, OWNER
from ui.kit.formats import number, percent, times
from ui.kit.html import table_html, table_row
from ui.kit.svg import Plot, area, axes, dot, line, percent_ticks, svg
from ui.lessons import sliders
from ui.lessons.chapter import Answer, Chapter, exact_note, figures, picture

KEY = "odds"
EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 10.0)


def play() -> None:
    """A suspicion, a report, and the range of what may be believed afterwards."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        prior = sliders.percent(KEY, "before", "How sure was the observer before?", value=10, low=1, high=99)
        epsilon = sliders.epsilon(KEY, EPSILONS, value=1.0)
        low, high = limits(prior, epsilon)
        st.html(
            '<p class="rlm-promise">Whatever the report says, and whoever looks at it: a suspicion of '
            f"<strong>{percent(prior)}</strong> ends between <strong>{percent(low)}</strong> and "
            f"<strong>{percent(high)}</strong>.</p>"
        )
        st.html(f'<p class="rlm-note">{halving(epsilon)}</p>')
        st.html(_table(prior))
        exact_note()
    with right:
        figures(
            (f"× {times(math.exp(epsilon))}", f"the odds move by at most, e<sup>{number(epsilon)}</sup>"),
            (percent(high), "belief afterwards, at most"),
            (percent(low), "at least"),
        )
        picture(
            drawing_of(prior, epsilon),
            key="odds_picture",
            legend=[(OWNER, "what ε allows"), (COLLECTOR, "this suspicion, at most and at least")],
            caption=(
                "Across: how sure somebody was before. Upwards: how sure they may be afterwards. On the diagonal the "
                "report has told them nothing. The shaded lens is all that ε-LDP allows, for every observer."
            ),
        )


def halving(epsilon: float) -> str:
    """What does halving ε do? In one sentence; as HTML."""
    return (
        f"<b>What does halving ε do?</b> The factor becomes its square root, × {times(math.exp(epsilon / 2))} at "
        f"ε = {number(epsilon / 2)} instead of × {times(math.exp(epsilon))} at {number(epsilon)}; and the same "
        "accuracy takes about four times as many people where ε is small, and more where it is not."
    )


def limits(prior: float, epsilon: float) -> tuple[float, float]:
    """The smallest and the largest belief that a report can leave; the smallest is the rival's largest."""
    return 1.0 - float(posterior_limit(1.0 - prior, epsilon)), float(posterior_limit(prior, epsilon))


def drawing_of(prior: float, epsilon: float) -> str:
    """Belief after a report against belief before it: the range that ε allows, and the visitor's case."""
    at = np.linspace(0.0, 1.0, 161)
    low, high = 1.0 - posterior_limit(1.0 - at, epsilon), posterior_limit(at, epsilon)
    plot = Plot(x=(0.0, 1.0), y=(0.0, 1.0), bottom=310.0, left=64.0)
    ends = limits(prior, epsilon)
    x, (y_low, y_high) = float(plot.at_x(prior)), (float(plot.at_y(end)) for end in ends)
    parts = [
        axes(plot, x=percent_ticks(), y=percent_ticks(), x_title="belief before", y_title="belief after"),
        area(plot, at, low, high, OWNER, alpha=0.16),
        line(plot, at, high, OWNER),
        line(plot, at, low, OWNER),
        line(plot, [0, 1], [0, 1], NEUTRAL, width=1.2, dash="4 4"),
        f'<path d="M{x:.1f} {y_low:.1f}V{y_high:.1f}" stroke="{COLLECTOR}" stroke-width="3"/>',
        *(dot(plot, prior, end, COLLECTOR, size=7, title=percent(end)) for end in ends),
        dot(plot, prior, prior, NEUTRAL, size=5, title="before"),
    ]
    return svg(parts, alt=f"From {prior:.0%} to between {ends[0]:.1%} and {ends[1]:.1%}", height=358)


def _table(prior: float) -> str:
    rows = (
        table_row(
            number(each),
            f"× {times(math.exp(each))}",
            f"{percent(limits(prior, each)[0])} – {percent(limits(prior, each)[1])}",
        )
        for each in (0.1, 0.5, 1.0, 2.0, 4.0, 8.0)
    )
    return table_html(("ε", "odds", f"from {percent(prior)} to"), rows)


CHAPTER = Chapter(
    key=KEY,
    short="What ε means",
    title="What an ε means, in odds",
    idea=(
        "Is ε = 1 good? Think of somebody who already suspects something about you. A report with ε-LDP can multiply "
        "<b>the odds</b> of that suspicion by at most e<sup>ε</sup>, up or down, whatever else the observer knows and "
        "however clever they are. A small ε barely moves a belief; a large one can turn a hunch into near certainty."
    ),
    play=play,
    notice=(
        "At ε = 0.1 the lens is almost a line: hardly any belief can change.",
        "At ε = 1, one in ten becomes at most one in four. At ε = 8 it may become near certainty.",
        "A belief of 99 % stays high at a small ε: what an observer knew before, no mechanism can take away.",
    ),
    question="A belief of 50 % meets a report with ε = ln 3 ≈ 1.1. What is the most that can be believed afterwards?",
    answers=(
        Answer(
            text="75 %: the odds go from 1 : 1 to 3 : 1.",
            feedback="Odds times eᵋ, then back to a probability: 3/(3 + 1). It is Warner’s original coin, by the way: "
            "heads, tell the truth; tails, toss again and let that coin answer.",
            correct=True,
        ),
        Answer(
            text="150 %, so certainty: 50 % times 3.",
            feedback="It is the odds that grow by eᵋ, not the probability. Odds of 1 : 1 become 3 : 1.",
        ),
        Answer(
            text="It depends on how clever the observer is.",
            feedback="The bound holds for every observer: it is a property of the mechanism alone.",
        ),
    ),
    sections=("definitions",),
)
