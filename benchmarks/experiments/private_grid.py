"""Which mechanism for private inference? The paper's private grid search, on the first seed.

Paper, appendix "Hyperparameter Choices": l and ε_pre come from a grid search validated
privately. Its result for private inference on MNIST (ε_pre = 5) does not carry over to our
training, where so much noise leaves two of eight coordinates in use. So we search again at
ε ≥ 4, over the mechanisms the paper lists for MNIST, and record the private validation's
estimate (percent, as ``accuracy``) for each; no test row is looked at. For CIFAR-10, and
where less than ε = 4 makes estimates too noisy to choose by, the paper's choice stands.

A mechanism's name here is its preset's. :func:`chosen` reads the committed grid.
"""

from __future__ import annotations

import math
import time
from pathlib import Path

from benchmarks import table
from benchmarks.experiments import people as who
from benchmarks.experiments import private_inference
from benchmarks.experiments.protocol import Trial, row
from benchmarks.table import Row
from rlm_core.training.paper import PAPER
from rlm_core.training.presets import preset_name

EXPERIMENT = "private_grid"
DATASET = "mnist"
SEARCHED = (10.0, 8.0, 6.0, 4.0)


def candidates() -> tuple[str, ...]:
    """Every mechanism that the paper's tables list for MNIST, once, without the one for no LDP."""
    names = [
        preset_name(experiment, DATASET, line.epsilon)
        for experiment in ("private_inference", "data_collection")
        for line in PAPER[experiment, DATASET]
        if math.isfinite(line.epsilon)
    ]
    return tuple(dict.fromkeys(names))


def trials(seeds: int) -> list[Trial]:
    """Every candidate at every budget, with the first seed only."""
    return [
        Trial(experiment=EXPERIMENT, dataset=DATASET, mechanism=name, epsilon=epsilon, seed=0)
        for epsilon in SEARCHED
        for name in candidates()
    ]


def measure(trial: Trial, runs: Path) -> Row:
    """The private validation's estimate for one candidate."""
    start = time.perf_counter()
    people = who.learnt(trial.mechanism, trial.seed, runs)
    _, estimate = private_inference.classify_reports(trial, people)
    return row(trial, people, estimate, start, **private_inference.split_budget(trial))


def chosen(dataset: str, epsilon: float) -> str:
    """The candidate with the highest estimate at ε, where there was a search; else the paper's choice."""
    paper = preset_name("private_inference", dataset, epsilon)
    if dataset != DATASET or epsilon not in SEARCHED:
        return paper
    found = {row.mechanism: row.accuracy for row in map(table.parse, table.read(EXPERIMENT)) if row.epsilon == epsilon}
    if not set(candidates()) <= set(found):
        raise who.MissingRun("python -m benchmarks run private_grid")
    return max(candidates(), key=lambda name: (found[name], name == paper))
