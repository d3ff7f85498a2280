"""Chapter 5: post-processing. Whatever is done to a report afterwards, its guarantee stays."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import streamlit as st

from rlm_core.owner.clip import L1Clip
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.theory.processing import PROCESSINGS, Processing, privacy_loss
from rlm_core.types import FloatArray
from ui.kit.address import in_address
from ui.kit.colours import OTHER_RECORD, OWNER
from ui.kit.formats import number
from ui.kit.svg import Plot, axes, bars, svg
from ui.lessons import sliders
from ui.lessons.chapter import Answer, Chapter, exact_note, figures, picture

KEY = "after"
EPSILONS = (0.5, 1.0, 2.0, 3.0, 4.0, 6.0)


def play() -> None:
    """Choose what the collector does with a report, and see what is left of the difference."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        name = st.radio(
            "What happens to the report?",
            list(PROCESSINGS),
            index=1,
            **in_address(f"{KEY}_do"),
        )
        chosen = PROCESSINGS[name or "clamp"]
        st.html(f'<p class="rlm-note">{chosen.summary}</p>')
        epsilon = sliders.epsilon(KEY, EPSILONS, value=2.0)
        exact_note()
    noise = LaplaceNoise(epsilon=epsilon, clip=L1Clip(radius=1.0))
    first, second = (chosen.probabilities(z, noise) for z in (1.0, -1.0))
    loss = privacy_loss(first, second)
    with right:
        figures(
            (number(epsilon), "ε of the report"),
            ("∞" if math.isinf(loss) else f"{loss:.2f}", "log ratio that is left afterwards"),
            ("broken" if loss > epsilon * (1 + 1e-9) else "kept", "the promise"),
        )
        picture(
            drawing_of(chosen, first, second),
            key="after_picture",
            legend=[(OWNER, "Anna, z = +l"), (OTHER_RECORD, "Ben, z = −l")],
            caption=(
                "How likely each outcome is for Anna and for Ben, who are as different as two people can be. An "
                "outcome that is much likelier for one of them would give them away. The two bars never differ by "
                "more than the factor eᵋ, unless somebody looks at the secret again."
            ),
        )


def drawing_of(chosen: Processing, first: FloatArray, second: FloatArray) -> str:
    """Paired bars for each outcome."""
    count = len(chosen.labels)
    at = np.arange(count, dtype=float)
    top = float(max(first.max(), second.max()))
    plot = Plot(x=(-0.6, count - 0.4), y=(0.0, 1.08 * top), bottom=270.0)
    step = 0.25 if top > 0.6 else 0.1 if top > 0.25 else 0.05 if top > 0.12 else 0.02
    parts = [
        axes(
            plot,
            x=fitting(chosen.labels),
            y=[(v, f"{100 * v:.0f} %") for v in np.arange(0.0, 1.08 * top, step)],
            x_title="what the collector then has",
        ),
        bars(plot, at - 0.42, at - 0.02, first, OWNER, alpha=0.6, title="Anna {value:.2%}"),
        bars(plot, at + 0.02, at + 0.42, second, OTHER_RECORD, alpha=0.6, title="Ben {value:.2%}"),
    ]
    return svg(parts, alt=f"Outcomes of '{chosen.name}' for two people", height=320)


def fitting(labels: Sequence[str], *, room: int = 36) -> list[tuple[float, str]]:
    """As many labels, evenly apart, as a phone has room for, in letters; the last one too where that is possible.

    >>> [label for _, label in fitting(["−l", "−0.62", "−0.12", "+0.12", "+0.62", "+l", "∞"], room=20)]
    ['−l', '−0.12', '+0.62', '∞']
    """
    steps = [each for each in range(1, len(labels) + 1) if sum(len(label) + 1 for label in labels[::each]) <= room]
    step = next((each for each in steps if (len(labels) - 1) % each == 0), steps[0])
    return [(float(k), label) for k, label in enumerate(labels) if k % step == 0]


CHAPTER = Chapter(
    key=KEY,
    short="Afterwards",
    title="What is done afterwards cannot take the promise back",
    idea=(
        "Round a report, clamp it, feed it to a neural network, publish it: <b>the guarantee stays</b>, because "
        "whoever works on the report knows nothing else about you. That is why a decoder may draw a picture from z̃, "
        "and why a classifier trained on reports is as private as they are. Only somebody who looks at the secret "
        "again can break it."
    ),
    play=play,
    notice=(
        "Compare “keep it” with “sign”: throwing information away can only make the two more alike.",
        "“Drop the sign” makes Anna and Ben identical: they differed in nothing else.",
        "Choose “correct it with the secret”: one well-meant repair, and the ratio is infinite.",
    ),
    question="A collector trains a huge network to undo the noise of ε-LDP reports. What happens to ε?",
    answers=(
        Answer(
            text="It grows with the power of the network.",
            feedback="A clever network makes better guesses, but all it has are the reports, and the promise bounds "
            "every conclusion that can be drawn from them.",
        ),
        Answer(
            text="Nothing: denoising is post-processing.",
            feedback="It may recover what the reports say about people in general. About you, the bound stays.",
            correct=True,
        ),
        Answer(
            text="It shrinks, as the output is smoother.",
            feedback="It may shrink, but nobody promises that: the guarantee that stays is ε.",
        ),
    ),
    sections=("decoding proof", "downstream"),
)
