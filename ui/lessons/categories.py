"""Chapter 2: k-ary randomised response. More than two answers, and why many answers cost accuracy."""

from __future__ import annotations

import numpy as np
import streamlit as st

from rlm_core.collector.survey import Shares, estimate_shares
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.types import FloatArray
from ui.kit.colours import COLLECTOR, NEUTRAL, OWNER, tint
from ui.kit.formats import percent
from ui.kit.html import shares
from ui.kit.svg import Plot, axes, bars, dot, svg, whisker
from ui.lessons import dice, sliders
from ui.lessons.chapter import Answer, Chapter, figures, picture

KEY = "krr"
EPSILONS = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0)
PEOPLE = (300, 1_000, 3_000, 10_000, 100_000)
NAMES = "ABCDEFGHIJ"


def play() -> None:
    """Controls, the channel of one voter, the estimate for all."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        classes = int(sliders.choice(KEY, "k", "How many parties (K)?", range(2, 11), value=5))
        people = sliders.choice(KEY, "people", "How many voters?", PEOPLE, value=3_000)
        epsilon = sliders.epsilon(KEY, EPSILONS, value=2.0)
        channel = RandomisedResponse(epsilon=epsilon, classes=classes)
        st.html('<p class="rlm-note">What a voter of party A reports:</p>')
        st.html(shares(NAMES[:classes], channel.transition_matrix[0], side="collector", mark=0))
        dice.throw_again(KEY, "Ask everybody again")
    truth, counts = survey(people, channel)
    found = estimate_shares(counts, transition_matrix=channel.transition_matrix)
    with right:
        figures(
            (percent(float(channel.transition_matrix[0, 0])), "of all reports are true"),
            (f"± {100 * float((found.high - found.low).mean()) / 2:.1f} %", "half width of the intervals"),
        )
        picture(
            drawing_of(truth, counts / people, found),
            key="krr_picture",
            legend=[(OWNER, "truth"), (tint(NEUTRAL, 0.5), "as reported"), (COLLECTOR, "estimate, 95 % interval")],
            caption=(
                "The share of each party. The reports are flatter than the truth, because all wrong answers are "
                "equally likely. The estimate undoes that, and pays for it with a wider interval."
            ),
        )


def survey(people: int, channel: RandomisedResponse) -> tuple[FloatArray, FloatArray]:
    """True shares and reported counts of an invented election: (K,) each. Each party is 0.7 of the one before."""
    generator = dice.generator(KEY)
    weights = 0.7 ** np.arange(channel.classes)
    votes = generator.choice(channel.classes, size=people, p=weights / weights.sum())
    truth = np.bincount(votes, minlength=channel.classes) / people
    reported = channel.simulate(votes, generator=generator)
    return truth, np.bincount(reported, minlength=channel.classes).astype(np.float64)


def drawing_of(truth: FloatArray, reported: FloatArray, found: Shares) -> str:
    """True and reported shares as bars, the estimate with its interval."""
    top = max(0.5, 0.1 * np.ceil(10 * max(truth.max(), reported.max(), min(1.0, found.high.max()))))
    at = np.arange(truth.size, dtype=float)
    plot = Plot(x=(-0.6, truth.size - 0.4), y=(0.0, top), bottom=285.0)
    ticks = [(value, f"{100 * value:.0f} %") for value in np.arange(0, top + 0.05, 0.1 if top < 0.75 else 0.2)]
    parts = [
        axes(plot, x=[(k, NAMES[k]) for k in range(truth.size)], y=ticks),
        bars(plot, at - 0.36, at - 0.06, truth, OWNER, alpha=0.75, title="truth {value:.1%}"),
        bars(plot, at - 0.02, at + 0.16, reported, NEUTRAL, alpha=0.4, title="reported {value:.1%}"),
    ]
    for k in range(truth.size):
        parts.append(whisker(plot, k + 0.3, float(found.low[k]), float(found.high[k]), COLLECTOR))
        parts.append(dot(plot, k + 0.3, float(found.estimate[k]), COLLECTOR, title=f"{found.estimate[k]:.1%}"))
    return svg(parts, alt="Shares of the parties: truth, as reported, and estimated", height=315)


CHAPTER = Chapter(
    key=KEY,
    short="Many answers",
    title="More than yes and no: randomised response with K answers",
    idea=(
        "For a vote with K parties the coin becomes a die. It names the true party with a probability that ε sets, and "
        "otherwise any other one. Whatever is reported is at most e<sup>ε</sup> times as likely under one true vote as "
        "under another. <b>This is how a label leaves the device in this app</b> when it is sent on its own."
    ),
    play=play,
    notice=(
        "Go from 2 parties to 10 at the same ε: the true one is reported less and less often.",
        "At ε = 8 almost every report is true. What protection is left then?",
        "Small parties suffer first: with few voters their interval reaches below zero.",
    ),
    question="With K = 10 answers, how often is the truth reported at ε = 2?",
    answers=(
        Answer(
            text="In about 45 % of the reports: e²/(e² + 9).",
            feedback="The true answer weighs eᵋ, each of the nine others 1. No ε-LDP mechanism can name the right one "
            "of ten equally likely answers more often.",
            correct=True,
        ),
        Answer(
            text="In about 88 % of the reports, as for yes and no.",
            feedback="That is e²/(e² + 1), for two answers. Nine wrong answers share the rest of the weight here.",
        ),
        Answer(
            text="In 10 % of the reports: it is a guess.",
            feedback="That would be ε = 0, where all ten answers are equally likely.",
        ),
    ),
    sections=("downstream", "benchmarks"),
)
