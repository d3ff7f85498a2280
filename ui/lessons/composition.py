"""Chapter 4: composition. Ask often enough, and the average of the answers is the secret."""

from __future__ import annotations

import math

import numpy as np
import streamlit as st

from rlm_core.collector.averaging import RunningAverage, running_average
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.types import FloatArray
from ui.kit.colours import COLLECTOR, OWNER, tint
from ui.kit.formats import number, times
from ui.kit.svg import Plot, area, axes, dot, level, line, nice_ticks, svg
from ui.lessons import dice, sliders
from ui.lessons.chapter import Answer, Chapter, figures, picture

KEY = "again"
EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0)
TIMES = (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)


def play() -> None:
    """One secret, asked again and again."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        asked = sliders.choice(KEY, "n", "How often is the same person asked?", TIMES, value=20)
        epsilon = sliders.epsilon(KEY, EPSILONS, value=0.5, words="of each single report")
        z = sliders.place(KEY, "z", "The secret", low=-1.0, high=1.0, value=0.6)
        dice.throw_again(KEY, "Another person with this secret")
    noise = LaplaceNoise(epsilon=epsilon, clip=L1Clip(radius=1.0))
    draws = reports(z, noise)[:asked]
    average = running_average(draws, scale=noise.scale)
    with right:
        total = asked * epsilon
        figures(
            (f"ε = {number(total)}", f"spent in total: {asked:,} × {number(epsilon)}"),
            (f"× {times(math.exp(min(total, 700.0)))}", "the odds may now have moved by"),
            (f"± {average.deviation[-1]:.2f}", "the average is usually off by"),
        )
        picture(
            drawing_of(z, draws, average),
            key="again_picture",
            legend=[(OWNER, "the secret"), (tint(COLLECTOR, 0.4), "single reports"), (COLLECTOR, "their average")],
            caption=(
                "From left to right, one report after the other, on a logarithmic axis; reports outside the frame are "
                "not drawn. Each report alone hides the secret well. Their average closes in on it: the shaded funnel "
                "is two standard deviations wide on each side."
            ),
        )


def reports(z: float, noise: LaplaceNoise) -> FloatArray:
    """As many simulated reports of one secret as can be asked for; the control only shows more of them."""
    return noise.simulate(np.full((TIMES[-1], 1), z), generator=dice.generator(KEY))[:, 0]


def drawing_of(z: float, draws: FloatArray, average: RunningAverage) -> str:
    """Reports, their running average, and the funnel around the secret."""
    count = np.arange(1, draws.size + 1)
    last = max(10, draws.size)
    reach = max(2.0, 1.5 * float(average.deviation[0]) / math.sqrt(2.0))  # 1.5 b: four fifths of all reports
    plot = Plot(x=(0.9, last * 1.06), y=(-reach, reach), bottom=285.0, log_x=True)
    ticks = [
        (n, f"{n:,}")
        for n in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000)
        if n <= last and (last <= 50 or n in (1, 10, 100, 1_000))
    ]
    spread = 2.0 * average.deviation
    step = max(1, draws.size // 150)  # enough dots for the eye
    parts = [
        axes(plot, x=ticks, y=nice_ticks(-reach, reach), x_title="reports so far"),
        area(plot, count, z - spread, z + spread, OWNER, alpha=0.12),
        level(plot, z, OWNER, dash=""),
        *(
            dot(plot, n, v, tint(COLLECTOR, 0.4), size=3.5)
            for n, v in zip(count[::step].tolist(), draws[::step].tolist(), strict=True)
            if abs(v) < reach
        ),
        line(plot, count, average.mean, COLLECTOR, width=3),
        dot(plot, draws.size, float(average.mean[-1]), COLLECTOR, title=f"average {average.mean[-1]:.2f}"),
    ]
    return svg(
        parts,
        alt=f"After {draws.size} reports their average is {average.mean[-1]:.2f}; the secret is {z:g}",
        height=335,
    )


CHAPTER = Chapter(
    key=KEY,
    short="Ask twice",
    title="Ask twice and the secret leaks",
    idea=(
        "Noise protects one report. A second report of the same secret, with fresh noise, tells more; a thousand of "
        "them tell nearly everything, because <b>independent noise averages out</b>. So budgets add up: n reports of "
        "ε cost n·ε. That is why this app counts every report in a ledger, and never sends one because a slider moved."
    ),
    play=play,
    notice=(
        "Ask once, then 1,000 times: a shot in the dark becomes the secret itself.",
        "Lower ε to 0.1: averaging takes longer, but it still wins. Only not answering stops it.",
        "Move the secret: the whole picture moves along. The noise does not depend on it.",
    ),
    question="A phone reports the same secret every day at ε = 0.1. What is promised for a whole year?",
    answers=(
        Answer(
            text="0.1-LDP, since each report is.",
            feedback="Each alone, yes. But the collector has all of them, and averages.",
        ),
        Answer(
            text="36.5-LDP: next to nothing.",
            feedback="365 × 0.1. A remedy is to draw the noise once, keep it, and repeat the same report: what is "
            "already known costs nothing to say again.",
            correct=True,
        ),
        Answer(
            text="Nothing can be said without knowing the secret.",
            feedback="The sum of the budgets holds for every secret: that is what makes ε useful for accounting.",
        ),
    ),
    sections=("definitions", "method"),
)
