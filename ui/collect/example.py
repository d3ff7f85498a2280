"""What the page opens with: one collection of codes that is over, so that nobody has to imagine what a result is.

A simulation with a fixed seed, the same for every visitor: a picture of a fixed thing, which may be cached. Nobody is
asked, nothing is released.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import streamlit as st

from rlm_core import zoo
from rlm_core.owner.pairs import PairSelection
from ui.app import cache
from ui.collect.code_reports import pair_task, told_apart
from ui.collect.events import Event, Point
from ui.collect.pairs import Pairs
from ui.collect.reports import Choice, groups

DATASET, EPSILON, SEED = "mnist", 1.0, 0


@st.cache_data(show_spinner=False)
def example() -> tuple[Choice, list[Point]]:
    """The choice, and the points of its curve."""
    name = zoo.choose_codes(DATASET, EPSILON)
    model = cache.model(name)
    everyone = groups(model.bundle, tuple(model.card.classes), "collection")
    z, y = everyone.train
    choice = Choice(
        experiment="collection",
        dataset=DATASET,
        mechanism=name,
        noise="pairs",
        people=len(y),
        epsilon=EPSILON,
        lam=1.0,
        objective="denoising",
        codes=model.card.latent_dim,
    )
    channel = PairSelection(epsilon=EPSILON, codes=model.card.latent_dim, classes=len(everyone.classes))
    generator = np.random.default_rng(SEED)
    members = channel.simulate(z.argmax(axis=1), y, generator=generator)
    pairs = Pairs.of(members, epsilon=EPSILON, codes=model.card.latent_dim, classes=everyone.classes)
    events: list[Event] = []
    task = pair_task(choice, pairs, model, cache.model(told_apart(DATASET)), generator)
    replace(task, valid=None).learn(events.append)
    return choice, [event for event in events if isinstance(event, Point)]
