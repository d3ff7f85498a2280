"""What the start page's stage is given: a public digit, which mechanisms, and the paper's measured curve.

Everything is public, and fixed but for ε. The browser computes the rest; only ε comes back.
"""

from __future__ import annotations

import math
from typing import Any

import streamlit as st

from benchmarks import crowd
from rlm_core import zoo
from rlm_core.device.description import PIXELS
from rlm_core.zoo.code_tree import finest_codes
from ui.app import cache
from ui.app.controls import EPSILONS
from ui.app.errors import guarded
from ui.components.lanes import lanes
from ui.kit.formats import number

DATASET = "mnist"
START_EPSILON = 4.0
POSITIONS = tuple(epsilon for epsilon in EPSILONS if math.isfinite(epsilon))
SAMPLE = "3-3"  # well written


@st.fragment
@guarded
def show_stage() -> None:
    """The slider, the three lanes and the crowd."""
    position = POSITIONS.index(current_epsilon())
    lanes(
        "stage",
        public_facts() | {"position": position},
        positions=[number(each) for each in POSITIONS],
        on_epsilon=guarded(remember),
    )


def current_epsilon() -> float:
    """The visitor's ε: chosen here or on another page, else from the address, else the start value."""
    chosen = st.session_state.get("eps")
    address = st.query_params.get("eps") or st.query_params.get("epsilon") or ""
    asked = {number(each): each for each in EPSILONS}.get(address, START_EPSILON)
    return min(float(chosen if chosen in EPSILONS else asked), POSITIONS[-1])  # ∞ is shown on other pages


def remember(position: int) -> None:
    """ε goes with the visitor: the other pages' slider has this key."""
    epsilon = POSITIONS[position]
    st.session_state["eps"] = epsilon
    st.query_params["eps"] = number(epsilon)


@st.cache_data(show_spinner=False)
def public_facts() -> dict[str, Any]:
    """The same for every visitor: the digit, names of mechanisms, the order of merges, the measured curve."""
    samples, codes = cache.samples(DATASET), finest_codes(DATASET)
    row = cache.gallery(DATASET, 3)[SAMPLE][0]
    return {
        "x": samples.images[row].reshape(-1).tolist(),
        "label": int(samples.labels[row]),
        "epsilons": list(POSITIONS),
        "mechanisms": {
            "pixels": DATASET + PIXELS,
            "numbers": zoo.choose(DATASET, START_EPSILON),  # one for all positions: z stays, only the noise changes
            "codes": codes.name,
        },
        "order": codes.architecture["order"],
        "people": codes.bundle["train_y"][0],
        "paper": {number(epsilon): points for epsilon, points in crowd.curves().items()},
        "draws": crowd.DRAWS,
    }
