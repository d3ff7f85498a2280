"""How little auxiliary data is enough? MNIST data collection with a mechanism trained on a share η.

Paper, appendix "Effects of Reducing Auxiliary Dataset Size": what the mechanism does not get,
the classifier does. The benchmarks train no mechanism; they get all 60,000 records (58,500
and 1,500 for validation), which is the setting that favours them most.

Protocol 1 trained every mechanism for as many epochs, so a smaller share got fewer steps; from protocol 4 on each gets
as many steps as with η = 0.75 (presets ending in ``-steps``).
"""

from __future__ import annotations

import math
import time
from pathlib import Path

from benchmarks.experiments import data_collection, participants
from benchmarks.experiments.protocol import EPSILONS, Trial, row
from benchmarks.table import Row
from rlm_core.catalogue import AUXILIARY_SHARES, EXPERIMENTS
from rlm_core.training.presets import equal_steps_name, preset_name

EXPERIMENT = "auxiliary_size"
SHARES = {f"V-RLM eta={share:.2f}": share for share in AUXILIARY_SHARES}
EQUAL_STEPS_SINCE = 4
"""The protocol from which on a smaller share is trained for as many steps."""


def trials(seeds: int) -> list[Trial]:
    """All cells of the table."""
    return [
        Trial(experiment=EXPERIMENT, dataset="mnist", mechanism=mechanism, epsilon=epsilon, seed=seed)
        for seed in range(seeds)
        for mechanism in EXPERIMENTS[EXPERIMENT].mechanisms["mnist"]
        for epsilon in EPSILONS
        if math.isfinite(epsilon)
    ]


def measure(trial: Trial, runs: Path) -> Row:
    """One cell with one seed. η = 0.75 is the cell of data collection."""
    start = time.perf_counter()
    share = SHARES.get(trial.mechanism, 0.75)
    if trial.mechanism in SHARES and share == 0.75:
        return data_collection.measured(trial, runs)
    name = preset_of(trial)
    if trial.mechanism in SHARES:
        people = participants.learnt(name, trial.seed, runs)
    else:
        people = participants.raw(name, trial.mechanism, trial.seed, everyone=True)
    return row(trial, people, data_collection.collect(trial, people), start, budget=data_collection.split_budget(trial))


def preset_of(trial: Trial) -> str:
    """The preset of a trial's mechanism (of a benchmark: the one whose split it has)."""
    share = SHARES.get(trial.mechanism, 0.75)
    name = preset_name(data_collection.EXPERIMENT, "mnist", trial.epsilon, share=share)
    return equal_steps_name(name) if trial.protocol >= EQUAL_STEPS_SINCE and share < 0.75 else name
