"""Table 3: the collector's own clean columns, joined with another party's private ones.

Paper, section "Data Joining", on Lending Club: the paper keeps 8 columns clean, of which our source has 5; the
others are privatised with all of ε; labels are the collector's own. New people are
classified from the same combination of clean columns and reports. The collector has clean
labels here, so the classifier is chosen and stopped on clean validation rows, as in the paper.
"""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np

from benchmarks.experiments import codes, participants
from benchmarks.experiments.protocol import EPSILONS, LABELLED, People, Trial, ask_group, row, same_without_ldp
from benchmarks.table import Row
from rlm_core.catalogue import CLEAN_FEATURES, CODES, EXPERIMENTS, RAW
from rlm_core.collector.classifier import NoiseAwareClassifier
from rlm_core.collector.join import JoinedClassifier, joined
from rlm_core.owner.budget import Budget
from rlm_core.training.presets import preset_name

EXPERIMENT = "data_join"
DATASET = "lending_club"
ARCHITECTURES: tuple[tuple[int, ...], ...] = ((), (50,))


def trials(seeds: int) -> list[Trial]:
    """All cells of the table, and what the collector knows without the join."""
    cells = [
        (mechanism, epsilon) for mechanism in EXPERIMENTS[EXPERIMENT].mechanisms[DATASET] for epsilon in EPSILONS
    ] + [(CLEAN_FEATURES, math.inf)]
    return [
        Trial(experiment=EXPERIMENT, dataset=DATASET, mechanism=mechanism, epsilon=epsilon, seed=seed)
        for seed in range(seeds)
        for mechanism, epsilon in cells
    ]


def measure(trial: Trial, runs: Path) -> Row:
    """One cell with one seed."""
    start = time.perf_counter()
    known = same_without_ldp(trial, RAW)
    if known is not None:
        return known
    name = preset_name(EXPERIMENT, DATASET, trial.epsilon)
    own = participants.own_columns(name, trial.seed)
    if trial.mechanism == CLEAN_FEATURES:
        people = participants.raw(name, "Laplace", trial.seed)
        nothing = tuple(np.empty((len(labels), 0)) for _, labels in own)
        return row(trial, people, classify(trial, own, nothing), start)
    raw = trial.mechanism in RAW
    if trial.mechanism == CODES:
        people = codes.one_hot_people(trial, runs)
    else:
        people = (
            participants.raw(name, trial.mechanism, trial.seed) if raw else participants.learnt(name, trial.seed, runs)
        )
    budget = Budget(epsilon=trial.epsilon, lam=1.0) if math.isfinite(trial.epsilon) else None
    return row(trial, people, classify(trial, own, received(trial, people)), start, budget=budget)


def received(trial: Trial, people: People) -> tuple[np.ndarray, ...]:
    """What arrives for the training, validation and test people: reports, or clean values without LDP."""
    parts = (people.train[0], people.valid[0], people.test[0])
    if math.isinf(trial.epsilon):
        return parts
    generator, mechanism = trial.generator(), people.make(trial.epsilon)
    return tuple(mechanism.simulate(x, generator=generator) for x in parts)


def classify(trial: Trial, own: tuple[LABELLED, LABELLED, LABELLED], other: tuple[np.ndarray, ...]) -> float:
    """Train on joined columns, classify joined columns; the better network on the validation rows."""
    (train, y_train), (valid, y_valid), (test, y_test) = own
    validate = ask_group(math.inf, (joined(valid, other[1]), y_valid), trial.generator())
    fitted = []
    for hidden in ARCHITECTURES:
        network = NoiseAwareClassifier(
            classes=2, objective="naive", hidden=hidden, epochs=20, learning_rate=3e-3, seed=trial.seed
        )
        fitted.append(JoinedClassifier(network=network).fit(train, other[0], y_train, validate=validate))
    chosen = max(fitted, key=lambda each: each.network.validation_.estimate if each.network.validation_ else -1.0)
    return chosen.score(test, other[2], y_test)
