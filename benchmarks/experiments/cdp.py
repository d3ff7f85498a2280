"""Does it cost accuracy to protect the auxiliary people too? Data collection with encoders trained under central DP.

Paper, appendix "Data Collection with Mechanisms Trained Under CDP". Everything after the training
is the data collection of table 1; ε_CDP = ∞ *is* its V-RLM and is taken from there.
"""

from __future__ import annotations

import math
import time
from pathlib import Path

from benchmarks.experiments import data_collection, participants
from benchmarks.experiments.protocol import EPSILONS, Trial, row
from benchmarks.table import Row
from rlm_core.catalogue import EXPERIMENTS
from rlm_core.training.presets import preset_name, private_name

EXPERIMENT = "cdp"


def trials(seeds: int) -> list[Trial]:
    """All cells of the table."""
    return [
        Trial(experiment=EXPERIMENT, dataset=dataset, mechanism=mechanism, epsilon=epsilon, seed=seed)
        for seed in range(seeds)
        for dataset, mechanisms in EXPERIMENTS[EXPERIMENT].mechanisms.items()
        for mechanism in mechanisms
        for epsilon in EPSILONS
    ]


def central_epsilon(mechanism: str) -> float:
    """ε_CDP of a mechanism by its name: 5.0 of "V-RLM eps_cdp=5"."""
    return float(mechanism.removeprefix("V-RLM eps_cdp="))


def measure(trial: Trial, runs: Path) -> Row:
    """One cell with one seed."""
    start = time.perf_counter()
    central = central_epsilon(trial.mechanism)
    if math.isinf(central):
        return data_collection.measured(trial, runs)
    name = private_name(preset_name(data_collection.EXPERIMENT, trial.dataset, trial.epsilon), central)
    people = participants.learnt(name, trial.seed, runs)
    if math.isinf(trial.epsilon):
        return row(trial, people, data_collection.without_ldp(trial, people), start)
    return row(trial, people, data_collection.collect(trial, people), start, budget=data_collection.split_budget(trial))
