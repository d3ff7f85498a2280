"""What the room's digits have taught: a model that reads codes, tried on public test digits that nobody here drew."""

from __future__ import annotations

import numpy as np
import streamlit as st

from collection.questions import Digit
from collection.store import State
from rlm_core.collector.code_labels import labels_from_tally
from rlm_core.collector.tally import Tally
from ui.app import cache
from ui.kit.formats import percent
from ui.room import text

CROWD = 3_000
SEED = 0


def model_line(question: Digit, state: State) -> None:
    """The accuracy that the reports have taught so far, alone or with a simulated crowd, which is said."""
    simulated = st.toggle(f"Add {CROWD:,} simulated people", key="room_crowd", help=text.CROWD)
    tally = state.tally + crowd(question.card, state.campaign.epsilon) if simulated else state.tally
    senders = f"{state.tally.people:,} of this room" + (f" and {CROWD:,} simulated" if simulated else "")
    share_correct = percent(accuracy(question, state.campaign.epsilon, tally))
    st.markdown(
        f"**{share_correct}** of {tests(question.card):,} public test digits "
        f"are read right by the model that {senders} have taught; guessing gets {percent(1 / len(question.classes))}."
    )


def accuracy(question: Digit, epsilon: float, tally: Tally) -> float:
    """On the clean codes of the bundle's test people."""
    shipped = cache.model(question.card)
    frequencies = shipped.decoder.frequencies.cpu().numpy()
    learnt = labels_from_tally(tally, question.channel(epsilon), frequencies)
    return float((learnt.predict(shipped.bundle.test_z.argmax(axis=1)) == shipped.bundle.test_y).mean())


def tests(card: str) -> int:
    """How many test digits there are."""
    return len(cache.model(card).bundle.test_y)


@st.cache_data(show_spinner=False, max_entries=20)
def crowd(card: str, epsilon: float) -> Tally:
    """Reports of public people, by seeded noise: a simulation, and nobody's release."""
    question, people = Digit(text="?", card=card), cache.model(card).bundle
    symbols = people.train_z[:CROWD].argmax(axis=1) * len(question.classes) + people.train_y[:CROWD]
    channel = question.channel(epsilon)
    sets = channel.simulate_symbols(symbols, generator=np.random.default_rng(SEED))
    return Tally.empty(channel.symbols).add_sets(sets)
