"""The start page's digit: one record, one mechanism, and a release at every position of the slider."""

from __future__ import annotations

from typing import Any

import numpy as np
import streamlit as st

from rlm_core import Budget
from ui.app import cache
from ui.app.controls import EPSILONS
from ui.app.errors import guarded
from ui.components.live_digit import live_digit
from ui.kit.formats import number
from ui.kit.kept import count_up
from ui.kit.pictures import as_picture, data_address, png
from ui.kit.promise import promise
from ui.record import release
from ui.record.ledger import spent_line
from ui.record.pipeline import reach_of
from ui.record.release import Drawn, Subject
from ui.start import text

START_EPSILON = 8.0
MECHANISM_FOR = 8.0  # one mechanism for all positions, so that z stays and only the noise changes
SAMPLE = "3-1"


@st.fragment
@guarded
def live_section() -> None:
    """The digit, its slider, and what it has cost so far."""
    subject, model = _subject(), cache.model(cache.chosen_mechanism("mnist", MECHANISM_FOR))
    epsilon = current_epsilon()
    drawn = release.current(subject, model, Budget(epsilon=epsilon, lam=1.0), with_label=False)
    live_digit(
        "live",
        _data(subject, model, drawn, epsilon),
        positions=[number(each) for each in EPSILONS],
        on_ask=guarded(_answer),
    )


def current_epsilon() -> float:
    """The visitor's ε: chosen here or on another page, else from the address, else the start value."""
    chosen = st.session_state.get("eps")
    if chosen in EPSILONS:
        return float(chosen)
    asked = st.query_params.get("eps")
    return {number(each): each for each in EPSILONS}.get(asked or "", START_EPSILON)


def _answer(position: int, again: bool) -> None:
    epsilon = EPSILONS[position]
    st.session_state["eps"] = epsilon  # the other pages' slider has this key: ε goes with the visitor
    st.query_params["eps"] = number(epsilon)
    if again:
        model = cache.model(cache.chosen_mechanism("mnist", MECHANISM_FOR))
        release.draw(_subject(), model, Budget(epsilon=epsilon, lam=1.0), with_label=False)


def _subject() -> Subject:
    samples = cache.samples("mnist")
    row = cache.gallery("mnist", 1)[SAMPLE][0]
    x = samples.images[row].astype(np.float64) / 255.0
    return Subject(title="the digit of the start page", x=x, label=int(samples.labels[row]), classes=samples.classes)


def _data(subject: Subject, model: Any, drawn: Drawn, epsilon: float) -> dict[str, Any]:
    decoded = model.decode(drawn.z_private[None])[0]
    # Bars beyond three times the clean ones are cut off at the frame: the picture shows that they overflow.
    reach = min(reach_of(drawn.z, drawn.z_private), 3.0 * reach_of(drawn.z))
    return {
        "x": data_address(png(as_picture(subject.x, "mnist"))),
        "x_decoded": data_address(png(as_picture(decoded, "mnist"))),
        "z": drawn.z.round(3).tolist(),
        "z_private": drawn.z_private.round(3).tolist(),
        "reach": reach,
        "position": EPSILONS.index(epsilon),
        "promise": promise(epsilon),
        "spent": f"{text.LIVE_SPENT} {spent_line(subject)}",
        "answer": _next_answer(),
    }


def _next_answer() -> int:
    """Changes with every run, also when nothing was drawn: tells the browser that it was answered."""
    return count_up("live_answers")
