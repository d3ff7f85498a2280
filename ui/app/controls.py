"""Widgets to one frozen value. Every choice is in the address, so a copied link opens the same view.

The names in the address are ``eps``, ``lam``, ``data``, ``mech``, ``sample`` and ``source``; pages
that ask for the same thing use the same name, so ε and λ travel with the visitor from page to page.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import streamlit as st

from rlm_core import Budget
from rlm_core.catalogue import DATASETS
from ui.app import cache
from ui.app.network_title import network_title
from ui.app.two_guarantees import two_guarantees
from ui.kit.address import in_address
from ui.kit.formats import number
from ui.kit.html import split_bar
from ui.kit.verdict_line import verdict_line

EPSILONS: tuple[float, ...] = tuple(step / 2 for step in range(1, 21)) + (math.inf,)
DEFAULT_EPSILON = 10.0
DEFAULT_LAM = 0.7  # the paper's choice for pictures at every ε
AUTOMATIC = "automatic"


def dataset_control(names: Iterable[str] = cache.PICTURES) -> str:
    """Which data: one of these names of the catalogue, by default the datasets of pictures."""
    titles = {DATASETS[name].title: name for name in names}
    first = next(iter(titles))
    title = st.segmented_control("Dataset", list(titles), default=first, required=True, **in_address("data"))
    return titles[title or first]


def budget_controls(*, features: str = "picture", default_lam: float = DEFAULT_LAM) -> Budget:
    """ε and λ with the bar that shows how they divide."""
    left, right = st.columns([3, 2], gap="large")
    with left:
        epsilon = epsilon_control()
    with right:
        lam = lambda_slider(features, default_lam)
    budget = Budget(epsilon=epsilon, lam=lam)
    st.html(split_bar(budget, features=features))
    return budget


def lambda_control(epsilon: float, *, features: str = "picture", default_lam: float = DEFAULT_LAM) -> Budget:
    """λ alone, with the same bar below it."""
    budget = Budget(epsilon=epsilon, lam=lambda_slider(features, default_lam))
    st.html(split_bar(budget, features=features))
    return budget


def lambda_slider(features: str, default_lam: float) -> float:
    """The share of ε that the record gets."""
    lam = st.slider(
        f"λ, the share of ε that the {features} gets",
        min_value=0.05,
        max_value=1.0,
        value=default_lam,
        step=0.05,
        **in_address("lam"),
        help=f"εx = λ·ε protects the {features}, εy = (1 − λ)·ε the label. At λ = 1 the label is not sent.",
    )
    return round(lam, 2)


def epsilon_control(default: float = DEFAULT_EPSILON) -> float:
    """The total budget: 0.5 to 10, and ∞; below it what it is worth, in words."""
    epsilon = st.select_slider(
        "ε, the privacy budget of one report",
        EPSILONS,
        value=default,
        format_func=number,
        **in_address("eps"),
        help="Small: strong privacy, much noise. Large: weak privacy, little noise. ∞: no privacy at all.",
    )
    st.html(verdict_line(float(epsilon)))
    return float(epsilon)


def mechanism_control(dataset: str, epsilon: float) -> str:
    """The mechanism that suits ε, or the visitor's own choice."""
    recommended = cache.chosen_mechanism(dataset, epsilon)
    chosen = st.selectbox(
        "Mechanism",
        [AUTOMATIC, *cache.mechanism_names(dataset)],
        **in_address("mech"),
        help="Automatic takes the mechanism that was trained for a budget near ε. Another choice is another release. "
        "Names with vrlm or crlm send numbers with noise. Names with qrlm-k96 send a random set of codes, out of 96. "
        "With cdp5 or cdp1, the encoder itself was trained under central differential privacy.",
    )
    name = recommended if chosen in (None, AUTOMATIC) else str(chosen)
    return name if name in cache.mechanism_names(dataset) else recommended


def choose_mechanism(dataset: str, epsilon: float) -> Any:
    """The recommended mechanism unless the visitor chooses another, in the open; loaded."""
    name = mechanism_control(dataset, epsilon)
    model = cache.model(name)
    card = model.card
    st.caption(
        f"In use: **{card.kind}: {network_title(card)}** ({card.name}). "
        + ("" if card.central_dp is not None else card.limits)  # spelt out below
    )
    if card.central_dp is not None:
        st.html(two_guarantees(card.central_dp, epsilon))
    return model
