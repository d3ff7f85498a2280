"""Below the result: one row in the browser, and what to take home."""

from __future__ import annotations

from functools import partial

import streamlit as st

from rlm_core.privatiser.advice import EPSILONS
from rlm_core.theory.verdict import verdict
from ui.app.errors import guarded
from ui.components.own_row import own_row
from ui.kit.take_along import file_button
from ui.own import text
from ui.own.kit import kit, kit_commands
from ui.own.observer import collector_html, take
from ui.own.queue import Training
from ui.own.task import ANY_WISH
from ui.own.visit import forget, visit


def row_and_kit() -> None:
    """Both, once there is a mechanism."""
    training = visit().training
    if training is None or training.fitted is None or training.offered is None:
        return
    st.header("One row, in your browser", anchor=False)
    row()
    st.header("Take it home", anchor=False)
    take_home(training)


@st.fragment
@guarded
def row() -> None:
    """One row on two sides. Runs again when a report arrives."""
    mine = visit()
    training = mine.training
    if training is None or training.fitted is None or training.offered is None:
        return
    received = {
        "html": collector_html(mine.inbox, training),
        "bytes": mine.inbox.size,
        "last": mine.inbox.last,
        "problem": mine.inbox.problem,
    }
    epsilons = sorted({*EPSILONS, training.epsilon})
    own_row(
        "own_row",
        {
            "offer": {
                "mechanism": training.offered.name,
                "label": training.label,
                "epsilons": [{"value": each, "odds": verdict(each).sentence} for each in epsilons],
                "start": epsilons.index(training.epsilon),
                "examples": training.fitted.examples,
            },
            "received": received,
        },
        on_report=partial(take, mine.inbox, training),
    )


@guarded
def take_home(training: Training) -> None:
    """The kit, the page for the people, and the way to forget: no fragment, since that changes the whole page."""
    fitted, wish = training.fitted, ANY_WISH if training.wish is None else training.wish
    assert fitted is not None
    st.caption(text.KIT)
    with st.container(horizontal=True, gap="small"):
        file_button(
            "The kit (zip)",
            lambda: kit(training, ANY_WISH if training.wish is None else training.wish),
            name="mechanism.zip",
            key="own_kit",
            icon=":material/download:",
            type="primary",
        )
        file_button(
            "For the people: owner.html",
            lambda: fitted.files["owner.html"],  # made a file when it is asked for, so that none is left behind
            name="owner.html",
            key="own_owner",
            icon=":material/web:",
        )
        with st.popover("Forget the mechanism", icon=":material/delete:", help=text.FORGET_HELP):
            st.write(text.FORGET_ASKED)
            st.button("Forget it", key="own_forget", icon=":material/delete_forever:", on_click=guarded(forget))
    st.code(kit_commands(training, wish), language="bash")
