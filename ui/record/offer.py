"""What the two sides offer: datasets, positions of ε with their verdict, and one mechanism for each lane and ε.

All of it is public. The browser gets it whole and chooses by itself: nothing is asked for while a slider moves.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rlm_core import zoo
from rlm_core.catalogue import DATASETS
from rlm_core.device.description import PIXELS, is_cut
from rlm_core.theory.verdict import verdict
from rlm_core.training.dp.accountant import format_epsilon_up
from rlm_core.zoo.model import CODES
from ui.app import cache
from ui.app.controls import DEFAULT_LAM, EPSILONS

PEOPLE = 13_500
"""As many as the example's people: k follows from ε and n."""

DEFAULT_EPSILON = 4.0

WORDS = {"mnist": ("Digits", "Digits: handwritten, of MNIST"), "cifar10": ("Photos", "Photos: small ones, of CIFAR-10")}
"""What a visitor reads where datasets can be chosen, and what a screen reader says."""


def offer(datasets: Sequence[str]) -> dict[str, Any]:
    """For ``static/device/view/settings.js``; ∞ is None."""
    return {
        "epsilons": [
            {"value": None if math.isinf(each) else each, "word": found.strength, "odds": found.sentence}
            for each, found in ((each, verdict(each)) for each in EPSILONS)
        ],
        "datasets": {
            name: {
                "title": DATASETS[name].title,
                "words": WORDS.get(name, (DATASETS[name].title,))[0],
                "about": WORDS.get(name, (DATASETS[name].title,))[-1],
                "record": DATASETS[name].record,
                "classes": list(DATASETS[name].classes),
                "lanes": lanes(name),
                "networks": networks(name),
            }
            for name in datasets
        },
        "defaults": {
            "data": datasets[0],
            "eps": EPSILONS.index(DEFAULT_EPSILON),
            "lam": DEFAULT_LAM,
            "mech": "numbers",
        },
    }


def lanes(dataset: str) -> dict[str, list[dict[str, Any]]]:
    """The mechanism of every lane at each position of ε."""
    found = {"pixels": [{"name": dataset + PIXELS, "k": None} for _ in EPSILONS]} if dataset in cache.PICTURES else {}
    found["numbers"] = [{"name": cache.chosen_mechanism(dataset, each), "k": None} for each in EPSILONS]
    found["codes"] = [coded(dataset, each) for each in EPSILONS]
    return found


def is_offered(name: str, dataset: str) -> bool:
    """Whether a report of this dataset may come from the mechanism: a shipped one, codes cut from it, or pixels."""
    if name.endswith(PIXELS):
        return dataset in cache.PICTURES and name == dataset + PIXELS
    return name in cache.mechanism_names(dataset) or (is_cut(name) and zoo.card(name).dataset == dataset)


def coded(dataset: str, epsilon: float) -> dict[str, Any]:
    """As many codes as the rule gives."""
    name = zoo.choose_codes(dataset, epsilon, PEOPLE)
    return {"name": name, "k": zoo.card(name).latent_dim}


def networks(dataset: str) -> list[dict[str, str]]:
    """Every network that sends numbers, with what is promised to the people it was trained on, where anything is."""
    cards = [zoo.card(name) for name in cache.mechanism_names(dataset)]
    return [{"name": each.name, "note": central_note(each.central_dp)} for each in cards if each.kind != CODES]


def central_note(central: Mapping[str, Any] | None) -> str:
    """The second promise in a sentence; "" where there is none."""
    if central is None:
        return ""
    together = " For encoder and decoder together there is no formal guarantee." if "decoder_from" in central else ""
    return (
        "Two promises, to two groups of people: yours is the ε above. The people whose data trained this network are "
        f"protected by central differential privacy with ε = {format_epsilon_up(central['epsilon'])}.{together}"
    )
