"""Chapter 7: a record and its label. What λ is for, which is best, and why one pair is better than two parts."""

from __future__ import annotations

import numpy as np
import streamlit as st

from rlm_core.theory.two_parts import kept_apart, kept_together, people_factor
from ui.kit.colours import COLLECTOR, NEUTRAL, OWNER
from ui.kit.formats import number, times
from ui.kit.svg import Plot, axes, dot, level, line, power_ticks, svg, upright
from ui.lessons import sliders
from ui.lessons.chapter import Answer, Chapter, exact_note, figures, picture

KEY = "parts"
EPSILONS = (0.5, 1.0, 2.0, 4.0, 6.0, 8.0)


def play() -> None:
    """Move λ: how many people it takes to learn how a feature and a label go together."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        epsilon = sliders.epsilon(KEY, EPSILONS, value=2.0, words="for the record and its label together")
        lam = sliders.percent(KEY, "lam", "λ, the record’s share of ε", value=70, low=5, high=95)
        apart, together = float(people_factor(kept_apart(epsilon, lam))), float(people_factor(kept_together(epsilon)))
        half = float(people_factor(kept_apart(epsilon, 0.5)))
        st.html(
            f'<p class="rlm-promise">The record gets εx = <strong>{number(round(lam * epsilon, 3))}</strong>, the '
            f"label εy = <strong>{number(round((1 - lam) * epsilon, 3))}</strong>. Best here is "
            f"<strong>λ = ½</strong>. Sent as one pair, {times(half / together)} times fewer people are enough.</p>"
        )
        exact_note()
    with right:
        figures(
            (f"× {times(apart)}", "people, with this λ"),
            (f"× {times(half)}", "with λ = ½"),
            (f"× {times(together)}", "as one pair, no λ"),
        )
        picture(
            drawing_of(epsilon, lam),
            key="parts_picture",
            legend=[(COLLECTOR, "record and label apart"), (OWNER, "one pair with all of ε")],
            caption=(
                "How many times more people it takes than without privacy to learn how a yes-or-no feature and a "
                "yes-or-no label go together. At either end one of the two is pure noise, and no crowd is large enough."
            ),
        )


def drawing_of(epsilon: float, lam: float) -> str:
    """People against λ, and the pair's level."""
    at = np.linspace(0.03, 0.97, 95)
    apart, together = people_factor(kept_apart(epsilon, at)), float(people_factor(kept_together(epsilon)))
    top = 10 ** np.ceil(np.log10(float(apart.max())))
    plot = Plot(x=(0.0, 1.0), y=(0.9, float(top)), bottom=285.0, left=78.0, log_y=True)
    here = float(people_factor(kept_apart(epsilon, lam)))
    parts = [
        axes(
            plot,
            x=[(each / 10, number(each / 10)) for each in range(0, 11, 2)],
            y=power_ticks(1, float(top)),
            x_title="λ: the record’s share of ε",
            y_title="times as many people",
        ),
        line(plot, at, apart, COLLECTOR, width=3),
        level(plot, together, OWNER, dash=""),
        upright(plot, 0.5, NEUTRAL, dash="3 4", width=1.2),
        dot(plot, lam, here, COLLECTOR, size=7, title=f"{here:,.0f}"),
    ]
    return svg(parts, alt=f"With λ = {lam:.2f} it takes {times(here)} times as many people", height=335)


CHAPTER = Chapter(
    key=KEY,
    short="Labels and λ",
    title="A record has a label: two secrets, one budget",
    idea=(
        "Whoever wants to learn needs the label too: this picture <i>is a 3</i>, this loan <i>was repaid</i>. The "
        "label is a secret as well, so ε is divided: <b>λ·ε for the record, the rest for its label</b>. If either gets "
        "too little, nobody can learn what goes with what. Where the record is one of a few codes there is a better "
        "way: send code and label as <b>one pair</b>, and nothing has to be divided."
    ),
    play=play,
    notice=(
        "Move λ to either end: the crowd that is needed grows without limit.",
        "At ε = 0.5 compare λ = ½ with the pair: dividing a small budget is what hurts most.",
        "For pictures the paper takes λ = 0.7: eight noisy numbers need more of ε than one label of ten.",
    ),
    question="Somebody has ε = 2 for a record and its label. What do they give up by sending both as one pair?",
    answers=(
        Answer(
            text="Half of the privacy: two things are sent at once.",
            feedback="The pair is one symbol, and ε bounds what it tells about both together.",
        ),
        Answer(
            text="Nothing of the promise: ε covers the pair.",
            feedback="The whole of ε goes to the pair, and there is nothing to divide. It needs a record that is one "
            "of a few codes; numbers with noise have a joint report of their own.",
            correct=True,
        ),
        Answer(
            text="The label: it is hidden in the pair.",
            feedback="The collector can estimate how often each pair occurs, labels included. That is what it learns "
            "from.",
        ),
    ),
    sections=("downstream", "tuning"),
)
