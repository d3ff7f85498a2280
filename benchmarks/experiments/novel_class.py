"""Table 2: a class that the mechanism never saw. Is it a 9?

Paper, section "Novel-Class Classification". The mechanism is trained without class 9. All
collected records are nines, so no label is collected and all of ε protects the record; the
other class is the auxiliary data's, privatised the same way. With a prior that lacks the
novel class the paper trains on the reports as they are, without denoising; so do we. The
classifier is tested on clean records.
"""

from __future__ import annotations

import math
import time
from pathlib import Path

import numpy as np

from benchmarks.experiments import codes, data_collection
from benchmarks.experiments import people as who
from benchmarks.experiments.protocol import (
    EPSILONS,
    Candidate,
    People,
    Trial,
    ask_group,
    best,
    classifier_for,
    row,
    same_without_ldp,
)
from benchmarks.table import Row
from rlm_core.training.presets import preset_name

EXPERIMENT = "novel_class"
DATASETS = ("mnist", "cifar10")


def trials(seeds: int) -> list[Trial]:
    """All cells of the table."""
    return [
        Trial(experiment=EXPERIMENT, dataset=dataset, mechanism=mechanism, epsilon=epsilon, seed=seed)
        for seed in range(seeds)
        for dataset in DATASETS
        for mechanism in (*data_collection.MECHANISMS[dataset], codes.MECHANISM)
        for epsilon in EPSILONS
    ]


def measure(trial: Trial, runs: Path) -> Row:
    """One cell with one seed."""
    if trial.mechanism == codes.MECHANISM:
        return codes.novel(trial, runs)
    start = time.perf_counter()
    known = same_without_ldp(trial, who.RAW)
    if known is not None:
        return known
    name = preset_name(EXPERIMENT, trial.dataset, trial.epsilon)
    people = who.of(trial, name, runs)
    if math.isinf(trial.epsilon):
        return row(trial, people, data_collection.without_ldp(trial, people), start)
    return row(trial, people, recognise(trial, people), start, epsilon_x=trial.epsilon, epsilon_y=0.0, lam=1.0)


def recognise(trial: Trial, people: People) -> float:
    """Train on reports of nines and others, classify clean records."""
    generator = trial.generator()
    z_private = people.make(trial.epsilon).simulate(people.train[0], generator=generator)
    validate = ask_group(trial.epsilon, people.valid, generator)

    def candidate(hidden: tuple[int, ...]) -> Candidate:
        classifier = classifier_for(people, "naive", hidden, trial)
        classifier.fit(z_private, people.train[1], transition=np.eye(people.classes), validate=validate)
        return classifier, classifier.predict

    predict, _ = best(candidate(hidden) for hidden in people.hidden)
    return float((predict(people.test[0]) == people.test[1]).mean())
