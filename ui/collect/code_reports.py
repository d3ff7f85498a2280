"""Code and label as one pair: who sends it, how many codes there are and why, and the task for the worker.

No Streamlit here. Release, k and estimator are those of the experiments, on the people of the shipped bundles.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np

from rlm_core import release_rows, zoo
from rlm_core.catalogue import CODES, TEST_SHARE
from rlm_core.owner.pairs import PairSelection
from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.training.codes.choice import MARGIN, fewest_codes
from rlm_core.types import FloatArray, IntArray
from rlm_core.zoo import Card
from ui.collect.pairs import Coded, CodeReports, Pairs, PairTask
from ui.collect.reports import Choice, groups
from ui.kit.formats import number


def shipped_codes(dataset: str) -> list[Card]:
    """Cards of a dataset's codes, the fewest first."""
    cards = [zoo.card(name) for name in zoo.names(dataset)]
    found = [each for each in cards if each.kind == CODES and each.preset.get("split") == "data_collection"]
    return sorted(found, key=lambda each: each.latent_dim)


def why_so_many(dataset: str, epsilon: float, people: int, codes: int) -> str:
    """The rule in words: k = contrast·√n·sinh(ε/2)/10, no fewer than the classes and no more than are shipped."""
    finest = shipped_codes(dataset)[-1]
    fewest, most = fewest_codes(len(finest.classes)), finest.latent_dim
    contrast = float(finest.preset.get("contrast", 1.0))
    bearable = contrast * math.sqrt(people) * math.sinh(min(epsilon, 100.0) / 2) / MARGIN
    rule = max(fewest, min(most, int(bearable)))
    if codes != rule and "order" in finest.architecture:
        return f"**{codes} codes**, as you chose; the rule for {people:,} people at ε = {number(epsilon)} takes {rule}."
    told = f"**{codes} codes.** From {people:,} reports at ε = {number(epsilon)} a collector can tell about "
    if bearable > most:
        return told + f"{min(bearable, 9_999):,.0f} codes apart. Only {most} were learnt, so all of them are used."
    if bearable < fewest:
        return told + f"{bearable:.1f} codes apart. We never use fewer than {fewest}."
    return told + f"{int(bearable)} codes apart. More would drown in the noise; fewer would say less about a record."


def coded(model: Any, part: str) -> tuple[IntArray, IntArray]:
    """Codes and labels of a part of the bundle: prior, valid or test."""
    return getattr(model.bundle, f"{part}_z").argmax(axis=1), getattr(model.bundle, f"{part}_y")


def frequencies(model: Any) -> FloatArray:
    """How often each code occurs among the public records: (k,)."""
    found: FloatArray = np.bincount(coded(model, "prior")[0], minlength=model.card.latent_dim).astype(np.float64)
    return found


def collect_pairs(choice: Choice, model: Any) -> Pairs:
    """Everybody sends one set of pairs. The randomness is the operating system's."""
    everyone = groups(model.bundle, tuple(model.card.classes), choice.experiment)
    z, y = everyone.train[0][: choice.people], everyone.train[1][: choice.people]
    codes, classes = model.card.latent_dim, everyone.classes
    sent = release_rows(
        z,
        y,
        mechanism=model.mechanism(choice.epsilon).of_representations(),
        pairs=PairSelection(epsilon=choice.epsilon, codes=codes, classes=len(classes)),
    )
    assert sent.payload.members is not None
    return Pairs.of(sent.payload.members, epsilon=choice.epsilon, codes=codes, classes=classes)


def pair_task(
    choice: Choice, pairs: Pairs, model: Any, fewest: Any, generator: np.random.Generator | None = None
) -> PairTask:
    """The reports with all that the worker needs to learn from them and to be watched.

    ``fewest``: the same codes merged into as few as one person's report can tell (:func:`told_apart`).
    ``generator``: for a simulation, in which nobody of the test releases anything.
    """
    into = np.zeros(pairs.codes, dtype=np.int64)
    into[coded(model, "prior")[0]] = coded(fewest, "prior")[0]  # codes are nested: every record agrees
    channel = SubsetSelection(epsilon=TEST_SHARE * choice.epsilon, symbols=fewest.card.latent_dim, subset=1)
    sender = replace(fewest.mechanism(channel.epsilon).of_representations(), noise=channel)
    one_hot = np.eye(fewest.card.latent_dim)
    clean = one_hot[coded(fewest, "test")[0]]
    if generator is None:
        sent = release_rows(clean, mechanism=sender).z_private
    else:
        sent = channel.simulate(clean, generator=generator)
    valid, test = (Coded(codes=codes, y=y) for codes, y in (coded(model, part) for part in ("valid", "test")))
    return PairTask(
        pairs=pairs,
        frequencies=frequencies(model),
        valid=valid,
        test=test,
        test_reports=CodeReports(
            log_likelihood=channel.log_density_pairs(sent, one_hot), into=into, frequencies=frequencies(fewest)
        ),
    )


def told_apart(dataset: str) -> str:
    """The mechanism of a person whose single report is to be classified: one code a class, at least four."""
    shipped = shipped_codes(dataset)
    try:
        return zoo.code_name(dataset, fewest_codes(len(shipped[-1].classes)))
    except ValueError:  # no order of merges is shipped
        return shipped[0].name
