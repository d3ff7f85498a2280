"""Table 4: the people who are classified send reports too, with ε_test = 0.7 ε_train.

Paper, section "Classifying Private Datapoints": λ = 0.7, so a test record gets the same εx as a
collected one. Which mechanism encodes the people is :mod:`~benchmarks.experiments.private_grid`'s choice.
"""

from __future__ import annotations

import math
import time
from pathlib import Path

from benchmarks.experiments import codes, data_collection, participants, private_grid
from benchmarks.experiments.classified_reports import classify_reports, split_budget
from benchmarks.experiments.protocol import EPSILONS, Answers, Trial, row, same_without_ldp
from benchmarks.table import Row
from rlm_core.catalogue import CODES, EXPERIMENTS, RAW
from rlm_core.training.features_share import PRIVATE_INFERENCE
from rlm_core.training.presets import preset_name

EXPERIMENT = "private_inference"


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
    """One cell with one seed. Without LDP it is the cell of data collection."""
    start = time.perf_counter()
    if math.isinf(trial.epsilon):
        known = same_without_ldp(trial, RAW, data_collection.EXPERIMENT)
        if known is None:
            raise participants.MissingRun(f"python -m benchmarks run data_collection --runs {runs}")
        return known
    one_release = answers(trial, runs)
    if one_release is not None:
        return one_release.row(trial, start)
    if trial.mechanism in RAW:
        name = preset_name(EXPERIMENT, trial.dataset, trial.epsilon)
        people = participants.raw(name, trial.mechanism, trial.seed)
    else:
        people = participants.learnt(private_grid.chosen(trial.dataset, trial.epsilon, trial.seed), trial.seed, runs)
    accuracy, _ = classify_reports(trial, people)
    return row(trial, people, accuracy, start, budget=split_budget(trial))


def answers(trial: Trial, runs: Path) -> Answers | None:
    """Record by record, for codes; None for the other mechanisms."""
    return codes.inference(trial, runs, PRIVATE_INFERENCE) if trial.mechanism == CODES else None
