"""Chapter 3: sensitivity and the Laplace mechanism. The noise must be as wide as the secrets are far apart."""

from __future__ import annotations

import numpy as np
import streamlit as st

from rlm_core.owner.clip import L1Clip
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.types import FloatArray
from ui.kit.address import in_address
from ui.kit.colours import OTHER_RECORD, OWNER
from ui.kit.formats import number
from ui.kit.pair_figure import two_densities
from ui.lessons import sliders
from ui.lessons.chapter import Answer, Chapter, exact_note, figures, picture

KEY = "laplace"
EPSILONS = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0)


def play() -> None:
    """Two secrets, the clip, and both densities."""
    left, right = st.columns([2, 3], gap="large")
    with left:
        z = sliders.place(KEY, "a", "Anna’s number", low=-3.0, high=3.0, value=1.0)
        other = sliders.place(KEY, "b", "Ben’s number", low=-3.0, high=3.0, value=-0.5)
        epsilon = sliders.epsilon(KEY, EPSILONS, value=1.0)
        radius = sliders.place(KEY, "l", "Clip at ± l", low=0.5, high=3.0, value=1.0, step=0.5)
        clipped = st.toggle("Clip first", value=True, **in_address(f"{KEY}_clip"))
        noise = LaplaceNoise(epsilon=epsilon, clip=L1Clip(radius=radius))
        exact_note()
    secrets = np.array([[z], [other]])
    places = noise.clip(secrets)[:, 0] if clipped else secrets[:, 0]
    at, log_p, log_q = densities(noise, places)
    loss = float(np.abs(log_p - log_q).max())
    with right:
        figures(
            (f"Δ = {number(noise.clip.l1_sensitivity)}", "sensitivity, 2l"),
            (f"b = {number(noise.scale)}", "noise, Δ/ε"),
            (f"{loss:.2f}", "largest log ratio of these two"),
            ("kept" if loss <= epsilon * (1 + 1e-9) else "broken", f"the promise ≤ {number(epsilon)}"),
        )
        picture(
            two_densities(
                at,
                log_p,
                log_q,
                epsilon=epsilon,
                places=[(float(places[0]), "Anna", OWNER), (float(places[1]), "Ben", OTHER_RECORD)],
                x_title="the report",
            ),
            key="laplace_picture",
            legend=[(OWNER, "reports of Anna"), (OTHER_RECORD, "reports of Ben")],
            caption=(
                "Above: how likely each report is from Anna and from Ben. Below: the logarithm of the ratio of the "
                "two. ε-LDP promises that this line never leaves the shaded band, whoever the two are."
            ),
        )


def densities(noise: LaplaceNoise, places: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Points of the axis, and both log densities there: (n,) each."""
    reach = max(3.0, float(np.abs(places).max())) + 2.5 * min(noise.scale, 3.0)
    at = np.union1d(np.linspace(-reach, reach, 241), places)  # with the peaks, where the densities bend
    log_p, log_q = (noise.log_density(at[:, None], place[None]) for place in places)
    return at, log_p, log_q


CHAPTER = Chapter(
    key=KEY,
    short="Laplace noise",
    title="Numbers: noise as wide as people can differ",
    idea=(
        "To hide a number, add random noise to it. How much? Enough to cover the most by which two people can differ, "
        "the <b>sensitivity</b> Δ. A clip makes that finite: every number is first moved into [−l, l], so Δ = 2l, and "
        "Laplace noise of scale b = Δ/ε keeps the promise. <b>The proof rests on the clip</b>, not on the network "
        "before it."
    ),
    play=play,
    notice=(
        "Move Anna and Ben to opposite ends: the line touches the band, and never leaves it.",
        "Switch the clip off and move Anna to 3 while l = 1: the promise breaks, because she differs by more than Δ.",
        "Double ε: the noise halves. Double l: the noise doubles. Half the clip is worth twice the budget.",
    ),
    question="A network sometimes outputs numbers up to 40. You clip at l = 5 and add Laplace noise of scale 10/ε. "
    "ε-LDP?",
    answers=(
        Answer(
            text="Yes: after the clip no two people differ by more than 10.",
            feedback="What comes before the clip does not matter for privacy, only for usefulness.",
            correct=True,
        ),
        Answer(
            text="No: the noise must cover 80, the range of the network.",
            feedback="It would, without the clip. The clip maps 40 to 5 before the noise is added.",
        ),
        Answer(
            text="Only if the network was itself trained privately.",
            feedback="The promise to the person who sends a report holds for any network. Training is about the people "
            "whose data it was trained on: another promise to other people.",
        ),
    ),
    sections=("definitions", "laplace proof"),
)
