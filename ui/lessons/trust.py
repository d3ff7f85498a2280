"""Chapter 9: local against central differential privacy, on the same answers."""

from __future__ import annotations

import numpy as np
import streamlit as st

from rlm_core.theory.local_central import YesNoSurvey
from rlm_core.types import FloatArray
from ui.kit.colours import COLLECTOR, NEUTRAL, OWNER, tint
from ui.kit.formats import percent, times
from ui.kit.svg import Plot, axes, dot, line, power_ticks, svg, text, upright
from ui.lessons import dice, sliders
from ui.lessons.chapter import Answer, Chapter, figures, picture

KEY = "trust"
EPSILONS = (0.1, 0.25, 0.5, 1.0, 2.0, 4.0)
PEOPLE = (100, 300, 1_000, 3_000, 10_000, 100_000, 1_000_000)
REPEATS = 150
SHARE = 0.3
CENTRAL = "#00785A"


def play() -> None:
    """The same survey under local and under central privacy, repeated many times."""
    st.html(WHO_IS_TRUSTED)
    left, right = st.columns([2, 3], gap="large")
    with left:
        people = sliders.choice(KEY, "people", "How many people?", PEOPLE, value=1_000)
        epsilon = sliders.epsilon(KEY, EPSILONS, value=1.0, words="for every person, in both worlds")
        survey = YesNoSurvey(people=people, yes=round(SHARE * people), epsilon=epsilon)
        figures(
            (f"± {100 * survey.local_deviation:.3g} %", "local"),
            (f"± {100 * survey.central_deviation:.2g} %", "central"),
            (
                f"{times(survey.people_for_the_same_error / people)} ×",
                "as many people needed locally for the central error",
            ),
        )
        dice.throw_again(KEY, "Repeat both surveys")
    generator = dice.generator(KEY)
    local = survey.simulate_local(REPEATS, generator=generator)
    central = survey.simulate_central(REPEATS, generator=generator)
    with right:
        picture(
            estimates_drawing(survey, local, central),
            key="trust_picture",
            caption=(
                f"{REPEATS} repeats of the same survey of the same people, one dot each: how far the published share "
                f"is from the truth, {percent(SHARE)}. Only the noise differs from dot to dot. Dots beyond the frame "
                "are drawn at its edge."
            ),
        )
        picture(
            errors_drawing(survey),
            key="trust_errors",
            legend=[(COLLECTOR, "local: falls as 1/√n"), (CENTRAL, "central: falls as 1/n")],
            caption=(
                "The usual error against the number of people, both axes logarithmic. Trusting nobody has a price, and "
                "it grows with the number of people."
            ),
        )
    st.info(ENCODER, icon=":material/hub:")


def estimates_drawing(survey: YesNoSurvey, local: FloatArray, central: FloatArray) -> str:
    """Two rows of dots around the truth."""
    reach = max(3.2 * survey.local_deviation, 0.004)
    plot = Plot(x=(survey.share - reach, survey.share + reach), y=(0.0, 2.0), top=16.0, bottom=190.0, left=20.0)
    step = next(
        each for each in (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0) if 2 * reach / each <= 7
    )
    ticks = [survey.share + k * step for k in range(-3, 4) if abs(k * step) < reach]
    parts = [
        axes(plot, x=[(t, f"{100 * t:.3g} %".replace("-", "−")) for t in ticks], y=()),
        upright(plot, survey.share, OWNER, width=2.5),
        text(22, 32, "local: everybody’s own noise", bold=True),
        text(22, 122, "central: the curator’s noise", bold=True),
    ]
    spread = np.random.default_rng(0).random(REPEATS)  # where a dot lies in its row means nothing
    for values, base, colour in ((local, 1.15, COLLECTOR), (central, 0.1, CENTRAL)):
        parts += [
            dot(plot, float(v), base + 0.55 * float(s), tint(colour, 0.55), size=4)
            for v, s in zip(values, spread, strict=True)
        ]
    return svg(parts, alt="Repeated surveys: local estimates scatter widely, central ones hardly", height=220)


def errors_drawing(survey: YesNoSurvey) -> str:
    """The error against the number of people, local and central."""
    people = np.array(PEOPLE)
    many = [YesNoSurvey(people=n, yes=round(SHARE * n), epsilon=survey.epsilon) for n in PEOPLE]
    plot = Plot(x=(90, 1.1e6), y=(1e-7, 3.0), top=20.0, bottom=215.0, left=78.0, pad=44.0, log_x=True, log_y=True)
    ticks = [(v, w) for v, w in ((1e-6, "0.0001 %"), (1e-4, "0.01 %"), (1e-2, "1 %"), (1.0, "100 %"))]
    lines = (
        (np.array([s.local_deviation for s in many]), survey.local_deviation, COLLECTOR),
        (np.array([s.central_deviation for s in many]), survey.central_deviation, CENTRAL),
    )
    parts = [axes(plot, x=power_ticks(100, 1e6), y=ticks, x_title="people")]
    parts.append(upright(plot, survey.people, NEUTRAL, dash="3 4", width=1.2))
    for errors, here, colour in lines:
        parts += [line(plot, people, errors, colour, width=3), dot(plot, survey.people, here, colour, size=6)]
    return svg(parts, alt="Errors of both worlds against the number of people", height=262)


def _flow(title: str, *steps: tuple[str, str]) -> str:
    chips = '<i class="rlm-arrow">→</i>'.join(
        '<b class="rlm-wall">privacy boundary</b>' if kind == "wall" else f'<span class="rlm-{kind}">{words}</span>'
        for kind, words in steps
    )
    return f'<div class="rlm-flow"><strong>{title}</strong><div>{chips}</div></div>'


WHO_IS_TRUSTED = (
    '<div class="rlm-flows">'
    + _flow(
        "Local: trust nobody",
        ("owner", "your answer"),
        ("owner", "+ your noise"),
        ("wall", ""),
        ("collector", "collector"),
        ("collector", "everybody else"),
    )
    + _flow(
        "Central: trust a curator",
        ("owner", "your answer"),
        ("owner", "curator sees all answers"),
        ("owner", "+ one noise"),
        ("wall", ""),
        ("collector", "everybody else"),
    )
    + "</div>"
)

ENCODER = (
    "**Both at once.** All devices share one encoder, which was trained beforehand on other people’s data. These "
    "people are owed a promise of their own: the encoder can be trained under *central* differential privacy, which "
    "bounds what it tells about any of *its* training records, given the decoder that it is trained with. Your report "
    "is protected locally either way. The paper does this in an appendix; such encoders are among the networks of "
    "“Privatise a picture”."
)

CHAPTER = Chapter(
    key=KEY,
    short="Local or central",
    title="Whom do you have to trust?",
    idea=(
        "In <b>central</b> differential privacy everybody hands the true answer to a curator, who adds a little noise "
        "to the result. In <b>local</b> differential privacy the noise is added before anything leaves the device. "
        "Nobody has to be trusted with the answers, and there are none to steal or to subpoena. The price: the result "
        "holds the noise of every single person."
    ),
    play=play,
    notice=(
        "Ten times as many people: the central error falls to a tenth, the local one only to about a third.",
        "Raise ε: both get better, and the gap stays.",
        "Ask what happens if the curator is hacked. In one of the two worlds: nothing.",
    ),
    question="A company promises differential privacy, yet its servers receive your exact location. Which kind is "
    "that?",
    answers=(
        Answer(
            text="Local: the location is mine.",
            feedback="Local would mean that the noise is added before anything leaves your device.",
        ),
        Answer(
            text="Central at best: the promise covers what they publish, and they must be trusted with the rest.",
            feedback="Whether the noise is added before or after the data leaves your hands makes the difference.",
            correct=True,
        ),
        Answer(
            text="Neither, if the connection is encrypted.",
            feedback="Encryption protects the way to the server, not what the server does then.",
        ),
    ),
    sections=("introduction", "central"),
)
