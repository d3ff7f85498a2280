"""Chapter 6: the curse of dimensionality, and why representations help."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from benchmarks import summary
from rlm_core.baselines.laplace import PerFeatureLaplace
from rlm_core.theory.dimension import duchi_deviation, per_feature_deviation, representation_deviation
from rlm_core.types import FloatArray
from ui.app import cache
from ui.kit.colours import COLLECTOR, NEUTRAL, OWNER
from ui.kit.formats import number
from ui.kit.html import picture as pixels
from ui.kit.pictures import as_picture
from ui.kit.svg import Plot, axes, dot, level, line, power_ticks, svg, upright
from ui.lessons import dice, sliders
from ui.lessons.chapter import Answer, Chapter, figures, picture

KEY = "dim"
EPSILONS = (1.0, 2.0, 4.0, 6.0, 8.0, 10.0)
SIDES = (1, 2, 4, 7, 14, 28)
SAMPLE = "3-1"


def play() -> None:
    """The same digit at the same ε: pixel by pixel, and summed up in a few numbers."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        side = sliders.choice(KEY, "side", "Pixels on each side of the picture", SIDES, value=28)
        epsilon = sliders.epsilon(KEY, EPSILONS, value=8.0, words="for the whole picture")
        dice.throw_again(KEY, "Other noise", about="a sample digit")
    model = cache.model(cache.chosen_mechanism("mnist", epsilon))
    rlm = model.mechanism(epsilon)
    with left:
        st.html(pictures(side, epsilon, model, rlm))
        st.caption(
            "The digit at this size, which stays on the device; the digit with Laplace noise on every pixel; and what "
            f"a decoder makes of {model.card.latent_dim} learnt numbers with noise. The last two spend the same ε."
        )
    with right:
        st.html(f'<p class="rlm-promise">{punchline(epsilon, model.card.latent_dim)}</p>')
        d = side * side
        figures(
            (f"{d:,}", "numbers share ε, pixel by pixel"),
            (number(per_feature_deviation(d, epsilon)), "noise on each pixel (1 = black to white)"),
            (number(representation_deviation(rlm.noise)), f"on each of {model.card.latent_dim} learnt numbers"),
        )
        picture(
            drawing_of(d, epsilon, representation_deviation(rlm.noise)),
            key="dim_picture",
            legend=[(COLLECTOR, "Laplace noise on every number"), (NEUTRAL, "Duchi et al."), (OWNER, "representation")],
            caption=(
                "Noise on one number (its standard deviation; 1 is the whole range of that number) against how many "
                "numbers share the budget. Both axes are logarithmic: with ten times the numbers, Laplace noise is ten "
                "times as wide. A representation keeps its few numbers, however large the picture is."
            ),
        )


def punchline(epsilon: float, numbers: int) -> str:
    """How often the right digit is read from one such report, as measured; as HTML."""
    found = {
        cell.mechanism: cell.mean
        for cell in summary.cells("private_inference")
        if cell.dataset == "mnist" and cell.epsilon == epsilon
    }
    return (
        f"From {numbers} noisy numbers a collector reads <strong>the right digit {found['V-RLM']:.0f} %</strong> of "
        f"the time; from 784 noisy pixels, {found['Laplace']:.0f} %. Guessing gives 10 %. (Private inference, "
        f"measured at ε = {number(epsilon)}.)"
    )


def digit(side: int) -> FloatArray:
    """The sample at side × side pixels, by averaging blocks: (side, side) in [0, 1]."""
    samples = cache.samples("mnist")
    whole = samples.images[cache.gallery("mnist", 1)[SAMPLE][0]].astype(np.float64).reshape(28, 28) / 255.0
    block = 28 // side
    return np.asarray(whole.reshape(side, block, side, block).mean(axis=(1, 3)))


def pictures(side: int, epsilon: float, model: Any, rlm: Any) -> str:
    """Three pictures as HTML: clean, noised pixel by pixel, decoded from the noised representation."""
    generator = dice.generator(KEY)
    clean = digit(side)
    direct = PerFeatureLaplace(epsilon=epsilon, low=(0.0,) * clean.size, high=(1.0,) * clean.size)
    noised = direct.simulate(clean.reshape(1, -1), generator=generator).reshape(side, side)
    learnt = model.decode(rlm.simulate(digit(28).reshape(1, -1), generator=generator))[0]
    shown = (
        (clean, "owner", "the digit"),
        (np.clip(noised, 0.0, 1.0), "collector", "noise on every pixel"),
        (as_picture(learnt, "mnist"), "collector", "noise on learnt numbers"),
    )
    cells = "".join(
        f"<figure>{pixels(array, alt=words, side=who, size=112)}{words}</figure>" for array, who, words in shown
    )
    return f'<div class="rlm-strip">{cells}</div>'


def drawing_of(dimension: int, epsilon: float, representation: float) -> str:
    """Deviation against dimension for the three methods."""
    at = np.array([1, 2, 4, 8, 16, 49, 100, 196, 400, 784])
    laplace = np.array([per_feature_deviation(int(d), epsilon) for d in at])
    duchi = np.array([duchi_deviation(int(d), epsilon) for d in at])
    plot = Plot(x=(0.9, 900.0), y=(0.1, 2_000.0), bottom=285.0, left=64.0, log_x=True, log_y=True)
    here = per_feature_deviation(dimension, epsilon)
    parts = [
        axes(
            plot,
            x=power_ticks(1, 784),
            y=power_ticks(0.1, 2_000),
            x_title="numbers that share ε",
            y_title="noise on one number",
        ),
        level(plot, 1.0, NEUTRAL, words="as wide as the range"),
        line(plot, at, duchi, NEUTRAL),
        line(plot, at, laplace, COLLECTOR, width=3),
        line(plot, [1, 784], [representation] * 2, OWNER, width=3),
        upright(plot, dimension, NEUTRAL, dash="3 4", width=1.2),
        dot(plot, dimension, here, COLLECTOR, size=7, title=f"{here:.3g}"),
    ]
    return svg(parts, alt=f"With {dimension} numbers sharing the budget, noise on each is {here:.3g}", height=335)


CHAPTER = Chapter(
    key=KEY,
    short="Many numbers",
    title="The curse of dimensionality, and the way round it",
    idea=(
        "A picture is hundreds of numbers. If each gets its own noise, all of them share the budget: with d numbers "
        "each has only ε/d, and <b>the noise on each grows with d</b>. With better mechanisms it grows with √d, which "
        "still drowns a picture. The paper’s way round: learn to sum the picture up in a few numbers, and put the "
        "noise on those."
    ),
    play=play,
    notice=(
        "Go from 1 pixel to 28 × 28: the budget is the same, the noise on each pixel is 784 times as large.",
        "Neighbouring pixels mostly say the same. Noising each one pays for the same information again and again.",
        "At 28 × 28 and ε = 10, compare the second picture with the third: the same promise, put to better use.",
        "The decoder always draws a clear digit, even when noise has turned it into another one. A sharp picture "
        "proves nothing; the sentence above the chart says how often the digit is right.",
    ),
    question="Why does a learnt representation of 8 numbers need less noise than 784 pixels?",
    answers=(
        Answer(
            text="Because the network hides the picture from the collector.",
            feedback="The network is public, and hides nothing. Only the noise protects.",
        ),
        Answer(
            text="Because fewer numbers share the budget, and these carry most of what matters.",
            feedback="The clip keeps their sensitivity at 2l, however large the picture. What is lost is what the "
            "representation leaves out: fine detail that was not worth its noise.",
            correct=True,
        ),
        Answer(
            text="Because its ε is larger.",
            feedback="The ε is the same: it is the guarantee for the whole picture in both cases.",
        ),
    ),
    sections=("method", "mechanism", "pca"),
)
