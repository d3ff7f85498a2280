"""Table 2: a class that the mechanism never saw. Is it a 9?

Paper, section "Novel-Class Classification". The mechanism is trained without class 9. All
collected records are nines, so no label is collected and all of ε protects the record; the
other class is the auxiliary data's, privatised the same way. With a prior that lacks the
novel class the paper trains on the reports as they are, without denoising. A learnt mechanism's
collector has two candidates here, and the private validation chooses: the paper's, and denoising
with a prior completed from the reports. The classifier is tested on clean records.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from benchmarks.experiments import codes, data_collection, new_class_bits, participants
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
from rlm_core.catalogue import CODES, EXPERIMENTS, RAW
from rlm_core.collector.completed_prior import complete
from rlm_core.owner.budget import Budget
from rlm_core.training.presets import preset_name

EXPERIMENT = "novel_class"


def trials(seeds: int) -> list[Trial]:
    """All cells of the table."""
    return [
        Trial(experiment=EXPERIMENT, dataset=dataset, mechanism=mechanism, epsilon=epsilon, seed=seed)
        for seed in range(seeds)
        for dataset, mechanisms in EXPERIMENTS[EXPERIMENT].mechanisms.items()
        for mechanism in mechanisms
        for epsilon in EPSILONS
    ]


def measure(trial: Trial, runs: Path) -> Row:
    """One cell with one seed."""
    if trial.mechanism == CODES:
        return codes.novel(trial, runs)
    if trial.mechanism == new_class_bits.MECHANISM:
        return new_class_bits.measure(trial, runs)
    start = time.perf_counter()
    known = same_without_ldp(trial, RAW)
    if known is not None:
        return known
    name = preset_name(EXPERIMENT, trial.dataset, trial.epsilon)
    people = participants.load_participants(trial, name, runs)
    if math.isinf(trial.epsilon):
        return row(trial, people, data_collection.without_ldp(trial, people), start)
    return row(trial, people, recognise(trial, people), start, budget=Budget(epsilon=trial.epsilon, lam=1.0))


def recognise(trial: Trial, people: People) -> float:
    """Train on reports of nines and others, classify clean records."""
    generator = trial.generator()
    mechanism, labels = people.make(trial.epsilon), people.train[1]
    z_private = mechanism.simulate(people.train[0], generator=generator)
    validate = ask_group(trial.epsilon, people.valid, generator)
    clean_labels = np.eye(people.classes)

    def candidates() -> Iterator[Candidate]:
        for hidden in people.hidden:
            naive = classifier_for(people, "naive", hidden, trial)
            naive.fit(z_private, labels, transition=clean_labels, validate=validate)
            yield naive, naive.predict
        if people.prior is not None:
            density = mechanism.log_density_pairs  # type: ignore[attr-defined]  # the RLM has one
            prior = complete(people.prior, z_private, density, seed=trial.seed)
            denoising = classifier_for(people, "denoising", people.hidden[0], trial)
            denoising.fit(
                z_private,
                labels,
                transition=clean_labels,
                log_density=prior.log_joint,
                prior=prior.points,
                validate=validate,
            )
            yield denoising, denoising.predict

    predict, _ = best(candidates())
    return float((predict(people.test[0]) == people.test[1]).mean())
