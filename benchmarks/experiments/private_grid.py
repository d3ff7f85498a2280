"""Which mechanism for private inference? The paper's private grid search, for every trial.

Paper, appendix "Hyperparameter Choices": l and ε_pre come from a grid search validated
privately. Its result for private inference on MNIST (ε_pre = 5) does not carry over to our
training, where so much noise leaves two of eight coordinates in use. So we search again at
ε ≥ 4: with the first seed over all mechanisms that the paper lists for MNIST and two of our own
(``presets.GROWN``), with the others over those that came close there (:data:`CLOSE`). The rows
hold the private validation's estimate (percent, as ``accuracy``); no test row is looked at. For
CIFAR-10, and where less than ε = 4 makes estimates too noisy to choose by, the paper's choice
stands.

A mechanism's name here is its preset's. :func:`chosen` reads the committed grid.
"""

from __future__ import annotations

import math
import time
from collections.abc import Collection
from pathlib import Path

from benchmarks import table
from benchmarks.experiments import participants
from benchmarks.experiments.classified_reports import classify_reports, split_budget
from benchmarks.experiments.protocol import Trial, row
from benchmarks.table import Row
from rlm_core.training.paper_settings import PAPER
from rlm_core.training.presets import GROWN, preset_name

EXPERIMENT = "private_grid"
DATASET = "mnist"
SEARCHED = (10.0, 8.0, 6.0, 4.0)
CLOSE = 2.5  # points below the best of the first seed: two standard errors of an estimate from 1,500 people


def candidates() -> tuple[str, ...]:
    """Every mechanism that the paper's tables list for MNIST, once, without the one for no LDP; and our own two."""
    names = [
        preset_name(experiment, DATASET, line.epsilon)
        for experiment in ("private_inference", "data_collection")
        for line in PAPER[experiment, DATASET]
        if math.isfinite(line.epsilon)
    ]
    return tuple(dict.fromkeys([*names, *GROWN]))


def estimates(epsilon: float, seed: int) -> dict[str, float]:
    """What the committed grid has for ε and a seed."""
    rows = map(table.parse, table.read(EXPERIMENT))
    return {row.mechanism: row.accuracy for row in rows if (row.epsilon, row.seed) == (epsilon, seed)}


def finalists(epsilon: float, seed: int) -> tuple[str, ...]:
    """Whom a seed compares: all with the first one, then those that came close."""
    first = estimates(epsilon, 0)
    if seed == 0 or not set(candidates()) <= set(first):
        return candidates()
    return tuple(name for name in candidates() if first[name] >= max(first.values()) - CLOSE)


def trials(seeds: int) -> list[Trial]:
    """Every candidate at every budget with the first seed, and with the others those that came close."""
    return [
        Trial(experiment=EXPERIMENT, dataset=DATASET, mechanism=name, epsilon=epsilon, seed=seed)
        for seed in range(seeds)
        for epsilon in SEARCHED
        for name in finalists(epsilon, seed)
    ]


def measure(trial: Trial, runs: Path) -> Row:
    """The private validation's estimate for one candidate."""
    start = time.perf_counter()
    people = participants.learnt(trial.mechanism, trial.seed, runs)
    _, estimate = classify_reports(trial, people)
    return row(trial, people, estimate, start, budget=split_budget(trial))


def chosen(dataset: str, epsilon: float, seed: int, *, among: Collection[str] | None = None) -> str:
    """The candidate with the highest estimate, where there was a search; else the paper's choice.

    ``among``: only these are compared; if the search has none of them, it is the paper's choice, too.
    """
    paper = preset_name("private_inference", dataset, epsilon)
    if dataset != DATASET or epsilon not in SEARCHED:
        return paper
    found, names = estimates(epsilon, seed), finalists(epsilon, seed)
    if not set(names) <= set(found):
        raise participants.MissingRun("python -m benchmarks run private_grid")
    compared = [name for name in names if among is None or name in among]
    return max(compared, key=lambda name: (found[name], name == paper)) if compared else paper
