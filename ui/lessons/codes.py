"""Chapter 8: codes. What a Q-RLM is, what it sends, and why it needs so little ε."""

from __future__ import annotations

import numpy as np
import streamlit as st

from benchmarks import gain, summary
from rlm_core.owner.subset_selection import SubsetSelection
from ui.app import cache
from ui.kit.formats import number
from ui.kit.html import picture as pixels
from ui.kit.mechanism_style import looks
from ui.kit.pictures import as_picture
from ui.kit.svg import Plot, axes, bars, svg, text
from ui.lessons import dice, sliders
from ui.lessons.chapter import Answer, Chapter, figures, picture

KEY = "codes"
EPSILONS = (1.0, 2.0, 4.0, 6.0, 8.0, 10.0)
MODEL, MINE = "mnist-qrlm-k12", 3


def play() -> None:
    """The twelve codes of MNIST, one person's set of them, and what all sets together teach."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        epsilon = sliders.epsilon(KEY, EPSILONS, value=2.0, words="for one report")
        dice.throw_again(KEY, "Another set")
        channel = SubsetSelection(epsilon=epsilon, symbols=cache.model(MODEL).card.latent_dim)
        members = channel.simulate_symbols(np.array([MINE]), generator=dice.generator(KEY))[0]
        inside = channel.size / (channel.size + (channel.symbols - channel.size) * np.exp(-epsilon))
        st.html(codes_html(members))
        st.caption(
            "Twelve codes, each drawn as the mean of its digits. *Own* is the sender’s code, which stays on the "
            "device. Orange is the set that is sent. It holds the sender’s code more often than chance would, and "
            "that is all it tells."
        )
    found = accuracies(epsilon)
    with right:
        figures(
            (f"{channel.size} of {channel.symbols}", "codes are in a set"),
            (f"{100 * float(inside):.0f} %", "of sets hold the sender’s own"),
            (f"{found['Q-RLM']:.0f} %" if "Q-RLM" in found else "–", "right, learnt from all sets"),
        )
        picture(
            drawing_of(found, epsilon),
            key="codes_picture",
            caption=(
                f"What a collector learns from {gain.people_measured('mnist'):,} reports of digits at this ε: how "
                "often its model is right about a new digit (measured, mean over the seeds). A code is one symbol, so "
                "there is no noise to add up; and to learn, the collector only counts which code goes with which label."
            ),
        )


def codes_html(members: np.ndarray) -> str:
    """The codes as small pictures: the sender's own in blue, those in the set in orange."""
    model = cache.model(MODEL)
    drawn = model.decode(np.eye(model.card.latent_dim))
    cells = []
    for index, each in enumerate(drawn):
        side = "collector" if members[index] else "neutral"
        words = f"code {index + 1}" + (", in the set" if members[index] else "") + (", the sender’s" * (index == MINE))
        mark = "<b>own</b>" if index == MINE else str(index + 1)
        cells.append(f"<figure>{pixels(as_picture(each, 'mnist'), alt=words, side=side, size=56)}{mark}</figure>")
    return f'<div class="rlm-strip rlm-small">{"".join(cells)}</div>'


def accuracies(epsilon: float) -> dict[str, float]:
    """Data collection on MNIST at one measured ε, by mechanism, in percent; the best first."""
    found = {cell.mechanism: cell.mean for cell in gain.collected("mnist") if cell.epsilon == epsilon}
    return dict(sorted(found.items(), key=lambda each: -each[1]))


def drawing_of(found: dict[str, float], epsilon: float) -> str:
    """One bar a mechanism."""
    plot = Plot(x=(-0.6, len(found) - 0.4), y=(0.0, 100.0), bottom=270.0)
    look = looks(found)
    at = np.arange(len(found), dtype=float)
    parts = [
        axes(
            plot,
            x=[(k, summary.shown_name(name).replace(" ", "\n")) for k, name in enumerate(found)],
            y=[(v, f"{v} %") for v in range(0, 101, 20)],
        )
    ]
    for k, (name, value) in enumerate(found.items()):
        parts.append(bars(plot, at[k : k + 1] - 0.36, at[k : k + 1] + 0.36, np.array([value]), look[name][0]))
        parts.append(text(float(plot.at_x(k)), float(plot.at_y(value)) - 6, f"{value:.0f} %", anchor="middle"))
    best = ", ".join(f"{summary.shown_name(name)} {value:.0f} %" for name, value in found.items())
    return svg(parts, alt=f"Right answers at ε = {number(epsilon)}: {best}", height=325)


CHAPTER = Chapter(
    key=KEY,
    short="Codes",
    title="What a Q-RLM is: say which kind it is, not what it looks like",
    idea=(
        "A <b>Q-RLM</b> sorts records into a few kinds, called codes, learnt from public pictures without any label. A "
        "device sends neither a picture nor numbers. It sends <b>a random set of codes</b> that holds its own a little "
        "more often than chance. Numbers need noise in every direction; a code needs it once. Where the kinds fit what "
        "the collector wants to know, hardly anything is lost."
    ),
    play=play,
    notice=(
        "At ε = 1 everybody’s sets look alike. The collector learns all the same: it counts thousands of them.",
        "Go up to ε = 8: the set shrinks to one code, nearly always the sender’s. Now one report tells the kind.",
        "Compare the bars at ε = 1 and at 10: codes gain hardly anything from more ε, numbers with noise do.",
    ),
    question="Why does a Q-RLM learn so much more from the same ε?",
    answers=(
        Answer(
            text="Its encoder is better at hiding the picture.",
            feedback="Only the noise hides. The encoder decides what is worth sending.",
        ),
        Answer(
            text="One symbol of a few takes less noise than eight numbers, and the collector need only count.",
            feedback="And code and label go as one pair, so that ε is not divided either. What is lost: all that "
            "differs between two digits of the same kind.",
            correct=True,
        ),
        Answer(
            text="It sends a set, so it sends more.",
            feedback="A set is larger to store, but ε bounds what it tells, however many codes are in it.",
        ),
    ),
    sections=("method", "benchmarks"),
)
