"""What the two sides offer: datasets, positions of ε with their verdict, and one mechanism for each lane and ε.

All of it is public. The browser gets it whole and chooses by itself: nothing is asked for while a slider moves.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

from rlm_core import zoo
from rlm_core.catalogue import DATASETS
from rlm_core.collector.inference import posterior_limit
from rlm_core.device.description import PIXELS
from rlm_core.training.codes.choice import codes_for
from rlm_core.zoo.model import CODES
from ui.app import cache
from ui.app.controls import DEFAULT_LAM, EPSILONS
from ui.kit.formats import percent

PEOPLE = 13_500
"""As many as the example's people: k follows from ε and n."""

SUSPICION = 0.1
DEFAULT_EPSILON = 4.0


def offer(datasets: Sequence[str]) -> dict[str, Any]:
    """For ``static/device/view/settings.js``; ∞ is None."""
    return {
        "epsilons": [
            {"value": None if math.isinf(each) else each, "word": word(each), "odds": odds(each)} for each in EPSILONS
        ],
        "datasets": {
            name: {"title": DATASETS[name].title, "record": DATASETS[name].record, "lanes": lanes(name)}
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


def coded(dataset: str, epsilon: float) -> dict[str, Any]:
    """The shipped codes whose k comes nearest to the rule's from below, or the fewest there are."""
    shipped = {
        zoo.card(name).latent_dim: name
        for name in cache.mechanism_names(dataset)
        if zoo.card(name).kind == CODES and not zoo.card(name).central_dp
    }
    wanted = max(shipped) if math.isinf(epsilon) else codes_for(epsilon, PEOPLE, fewest=1)
    k = max((each for each in shipped if each <= wanted), default=min(shipped))
    return {"name": shipped[k], "k": k}


def word(epsilon: float) -> str:
    """How much one report protects, in a word."""
    if math.isinf(epsilon):
        return "none"
    return "strong" if epsilon <= 1 else "moderate" if epsilon <= 2 else "weak" if epsilon < 8 else "hardly any"


def odds(epsilon: float) -> str:
    """What a suspicion can become.

    >>> odds(1.0)
    '10 % can become at most 23 %'
    """
    if math.isinf(epsilon):
        return "the report may give everything away"
    limit = float(posterior_limit(SUSPICION, epsilon))
    return f"{percent(SUSPICION)} can become at most {percent(round(limit, 2) if limit < 0.99 else limit)}"
