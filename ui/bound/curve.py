"""The curve of the bound page: ε, K and d as controls, the figures at that ε, the chart, formula and derivation."""

from __future__ import annotations

import streamlit as st

from rlm_core.catalogue import TEST_SHARE
from rlm_core.theory import krr_cap
from ui.app import controls
from ui.bound import text
from ui.bound.figures import bound_chart
from ui.bound.theory import (
    CLASSES_OF,
    CURVE_SAMPLES,
    Measured,
    curve,
    kind_of,
    measured,
    simulate,
    spread,
    vertices_formula,
)
from ui.components.chart import chart
from ui.kit.address import in_address
from ui.kit.formats import number, percent
from ui.kit.html import figures_html

ENOUGH = "enough"
EPSILON = 3.0
"""The page opens where cap, bound and chance are far apart."""

DIMENSIONS = {ENOUGH: None, "2": 2, "3": 3}


def curve_controls() -> tuple[float, int, int | None]:
    """ε, K, and d (None: as many as K needs)."""
    with st.container(key="bound_controls"):  # stays in sight: ε moves everything below
        left, middle, right = st.columns([5, 4, 3], gap="medium")
    with left:
        epsilon = controls.epsilon_control(EPSILON)
    with middle:
        classes = st.slider(
            "K, how many classes",
            min_value=2,
            max_value=20,
            value=10,
            **in_address("k"),
            help="Ten for the digits of MNIST and the pictures of CIFAR-10, two for loans.",
        )
    with right:
        chosen = st.segmented_control(
            "d, dimensions",
            list(DIMENSIONS),
            default=ENOUGH,
            required=True,
            **in_address("d"),
            help="In d dimensions the ball has 2d corners. Enough: every class can have a corner of its own.",
        )
    return epsilon, int(classes), DIMENSIONS[chosen or ENOUGH]


def curve_section(epsilon: float, classes: int, dimension: int | None) -> None:
    """The numbers at ε, and the curve."""
    kind = kind_of(classes, dimension)
    found = curve(classes, dimension)
    numbers, choice = st.columns([3, 1], gap="medium")
    numbers.html(figures(epsilon, classes, dimension))
    ours: list[Measured] = []
    paper: list[Measured] = []
    if classes in CLASSES_OF.values():
        with choice:
            ours, paper = measured(controls.dataset_control())
    chart(
        bound_chart(found, classes, epsilon, ours, paper),
        key="bound_chart",
        alt=f"Accuracy against ε for {classes} classes: the cap of any report and the bound of the Laplace mechanism",
    )
    if kind == "simulated":
        st.info(
            text.SIMULATED.format(
                classes=classes, corners=2 * (dimension or 0), dimension=dimension, samples=CURVE_SAMPLES
            ),
            icon=":material/casino:",
        )
    elif kind == "odd":
        st.info(text.ODD.format(samples=CURVE_SAMPLES), icon=":material/casino:")
    line = "" if kind == "simulated" else text.CURVE_LINE
    st.caption(text.CURVE.format(line=line))
    words = text.NO_POINTS if not paper else text.MEASURED if ours else text.NOT_MEASURED
    st.caption(words.format(share=100 * TEST_SHARE))


def accuracy_at(epsilon: float, classes: int, dimension: int | None) -> tuple[float, str]:
    """The accuracy at one ε and how it was found, in words."""
    kind = kind_of(classes, dimension)
    if kind != "simulated":
        return vertices_formula(epsilon, classes), "Laplace noise, classes on vertices"
    assert dimension is not None
    return simulate(spread(classes, dimension), epsilon, seed=0).accuracy, "Laplace noise, classes spread (simulated)"


def figures(epsilon: float, classes: int, dimension: int | None) -> str:
    """Three numbers at the chosen ε, as HTML."""
    accuracy, words = accuracy_at(epsilon, classes, dimension)
    return f'<p class="rlm-note">At ε = {number(epsilon)}, {classes} classes:</p>' + figures_html(
        (percent(accuracy), words),
        (percent(krr_cap(epsilon, classes)), "cap of any ε-LDP report"),
        (percent(1 / classes), "chance"),
    )


def derivation() -> None:
    """The formula, and where it comes from in steps that open."""
    st.latex(text.FORMULA)
    st.caption(
        "For K even and at least K/2 dimensions; b = 2/ε is the scale of the noise when lengths are measured in units "
        "of the clip radius l."
    )
    for title, body in text.STEPS.items():
        with st.expander(title):
            st.markdown(body)
