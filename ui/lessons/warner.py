"""Chapter 1: Warner's survey. Nobody's answer can be trusted, and yet the share of yes comes out."""

from __future__ import annotations

import numpy as np
import streamlit as st

from rlm_core.collector.survey import Shares, estimate_shares
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.types import IntArray
from ui.kit.colours import COLLECTOR, NEUTRAL, OWNER, tint
from ui.kit.formats import percent
from ui.kit.svg import Plot, axes, dot, percent_ticks, span, svg, text, upright
from ui.lessons import dice, sliders
from ui.lessons.chapter import Answer, Chapter, figures, picture

KEY = "coin"
EPSILONS = (0.1, 0.25, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0)
PEOPLE = (50, 100, 300, 1_000, 3_000, 10_000, 100_000)


def play() -> None:
    """Controls, the survey, its estimate."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        share = sliders.percent(KEY, "yes", "How many would truly say yes?", value=30)
        people = sliders.choice(KEY, "people", "How many people are asked?", PEOPLE, value=300)
        epsilon = sliders.epsilon(KEY, EPSILONS, value=1.0, words="how honest the coin makes people")
        channel = RandomisedResponse(epsilon=epsilon, classes=2)
        st.html(
            '<p class="rlm-promise">Everybody tosses a coin in secret. It makes them tell the truth with probability '
            f"<strong>{percent(float(channel.transition_matrix[0, 0]))}</strong>, and say the opposite otherwise.</p>"
        )
        dice.throw_again(KEY, "Ask everybody again")
    answers, reported = survey(share, people, channel)
    found = estimate_shares(np.bincount(reported, minlength=2), transition_matrix=channel.transition_matrix)
    with right:
        figures(
            (percent(float(answers.mean())), "truly yes"),
            (percent(float(reported.mean())), "said yes"),
            (percent(float(found.displayed[1])), "estimated from what was said"),
        )
        picture(
            drawing_of(answers, reported, found),
            key="coin_picture",
            legend=[
                (OWNER, "yes, in truth"),
                (COLLECTOR, "yes, as said; estimate"),
                (tint(NEUTRAL, 0.35), "no"),
            ],
            caption=(
                f"Above, {_drawn(people)}: on the left the truth, on the right what they "
                "said. Below, the truth, the share that said yes, and the collector’s estimate with its 95 % interval. "
                "Undoing the coin may push the estimate below 0 % or above 100 % by chance."
            ),
        )


def _drawn(people: int) -> str:
    """Who is in the picture."""
    return f"a hundred of the {people:,} people" if people > 100 else f"all {people} people"


def survey(share: float, people: int, channel: RandomisedResponse) -> tuple[IntArray, IntArray]:
    """True answers in random order, and what is said: (people,) each."""
    generator = dice.generator(KEY)
    yes = round(share * people)
    answers = generator.permutation(np.repeat([1, 0], [yes, people - yes]))
    return answers, channel.simulate(answers, generator=generator)


def drawing_of(answers: IntArray, reported: IntArray, found: Shares) -> str:
    """Two squares of people, and the estimate under them."""
    plot = Plot(x=(0.0, 1.0), y=(0.0, 1.0), top=250.0, bottom=330.0, left=20.0, width=560.0)
    parts = [text(20, 16, "what is true", bold=True), text(310, 16, "what was said", bold=True)]
    for bits, at, colour in ((answers, 20.0, OWNER), (reported, 310.0, COLLECTOR)):
        for index, bit in enumerate(bits[:100].tolist()):
            x, y = at + 11 + 22 * (index % 10), 36 + 19.5 * (index // 10)
            fill = colour if bit else tint(NEUTRAL, 0.35)
            parts.append(f'<circle cx="{x:.0f}" cy="{y:.1f}" r="7" fill="{fill}"/>')
    parts.append('<path d="M275 8V228" stroke="currentColor" stroke-opacity=".3" stroke-dasharray="3 4"/>')
    parts.append(axes(plot, x=percent_ticks(), y=()))
    parts.append(upright(plot, float(answers.mean()), OWNER, words="truth"))
    parts.append(span(plot, float(found.low[1]), float(found.high[1]), 0.45, COLLECTOR))
    parts.append(dot(plot, float(found.estimate[1]), 0.45, COLLECTOR, size=7, title="estimate"))
    parts.append(dot(plot, float(reported.mean()), 0.12, NEUTRAL, size=5, title="said yes"))
    parts.append(text(float(plot.at_x(reported.mean())) + 10, 325, "said"))
    alt = f"Truth {answers.mean():.1%}, said {reported.mean():.1%}, estimate {found.estimate[1]:.1%}"
    return svg(parts, alt=alt, height=356)


CHAPTER = Chapter(
    key=KEY,
    short="Coin survey",
    title="Ask an embarrassing question, get an honest average",
    idea=(
        "In 1965 Stanley Warner wanted to know how many people do something that nobody admits. His trick: everybody "
        "tosses a coin in secret, and the coin decides whether they answer truthfully. <b>No single answer means much, "
        "and everybody can deny theirs.</b> But it is known how often the coin lies, so its lies can be subtracted "
        "again."
    ),
    play=play,
    notice=(
        "Ask 100,000 people instead of 50: the interval shrinks, though each single answer is as doubtful as before.",
        "Lower ε to 0.1: everybody is better hidden, and the same number of people tells you less.",
        "Set the truth to 0 %: plenty of people still say yes. Each of them can say “that was the coin”.",
    ),
    question="At ε = 1 somebody says “yes”. What do you know about this person?",
    answers=(
        Answer(
            text="That the true answer is yes.",
            feedback="The coin makes some people say yes whose answer is no: at ε = 1, more than a quarter of them.",
        ),
        Answer(
            text="The odds for yes have grown, by a factor of at most e ≈ 2.7.",
            feedback="That is the promise of ε-LDP, word for word: what is said is at most eᵋ times as likely under "
            "one true answer as under the other, so the odds move by that factor at most.",
            correct=True,
        ),
        Answer(
            text="Nothing at all.",
            feedback="That would be ε = 0. At ε = 1 the truth is told more often than the opposite, so a little is "
            "known.",
        ),
    ),
    sections=("introduction", "tuning"),
)
