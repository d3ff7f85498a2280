"""Tables of own data, from benchmarks/results/own_data.csv: every mechanism on every table, and beside the experiments.

A cell is the mean over splits of the mean over collections, ± the deviation between splits. Differences are split by
split, since both experiments deal the same rows with the same seed, ± their standard error.
"""

from __future__ import annotations

import math
import statistics
from collections import defaultdict
from collections.abc import Iterable
from functools import cache

from benchmarks import table
from benchmarks.experiments.data_collection import EXPERIMENT as COLLECTION
from benchmarks.experiments.own_data import ASKED, CENTRAL, CLEAN, EXPERIMENT, MAJORITY, NOBODY_ASKED, OF_THE_PAPER
from rlm_core.privatiser.compare import NETWORK_CODES, RULE
from rlm_core.privatiser.compare_baselines import FEATURES, LABEL_ALONE
from rlm_core.privatiser.plan import KINDS, VRLM

EPSILONS = (1.0, 2.0, 4.0, 8.0)
TITLES = {
    "adult": "Adult",
    "census_income": "Census Income (60,000 of its rows)",
    "breast_cancer": "Breast cancer",
    "digits": "Digits 8×8, as pictures",
    "wine": "Wine",
    "lending_club": "Lending Club, classes balanced, the paper's split",
    "mnist": "MNIST, as pictures, the paper's split",
}
NAMES = {name: f"V-RLM, its encoder under central DP, ε_CDP = {epsilon:g}" for name, epsilon in CENTRAL.items()} | {
    ASKED: "V-RLM, a group asked which classifier to keep",
}
LINES = (RULE, *KINDS, NETWORK_CODES, VRLM, ASKED, *CENTRAL, *FEATURES, LABEL_ALONE)

BESIDE = (
    ("mnist", RULE, "Q-RLM"),
    ("mnist", VRLM, VRLM),
    ("mnist", ASKED, VRLM),
    ("lending_club", RULE, "Q-RLM"),
    ("lending_club", NETWORK_CODES, "Q-RLM"),
    ("lending_club", VRLM, VRLM),
    ("lending_club", ASKED, VRLM),
)
"""What is compared with which rows of the paper's data collection."""

Splits = dict[int, float]
"""By seed, the mean over a split's collections."""


@cache
def _splits(experiment: str) -> dict[tuple[str, str, float], Splits]:
    """Of protocol 1, whose seeds both experiments have."""
    found: dict[tuple[str, str, float], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    for row in map(table.parse, table.read(experiment)):
        if row.protocol == 1:
            found[row.dataset, row.mechanism, row.epsilon][row.seed].append(row.accuracy)
    return {cell: {seed: statistics.mean(each) for seed, each in seeds.items()} for cell, seeds in found.items()}


def splits(dataset: str, mechanism: str, epsilon: float, experiment: str = EXPERIMENT) -> Splits:
    """Accuracy in percent of each split, {} if it was not measured."""
    return _splits(experiment).get((dataset, mechanism, epsilon), {})


def difference(here: Splits, there: Splits) -> tuple[float, float]:
    """Mean over the splits that both have, and its standard error."""
    each = [here[seed] - there[seed] for seed in sorted(here.keys() & there.keys())]
    return statistics.mean(each), statistics.stdev(each) / math.sqrt(len(each))


def tables() -> list[str]:
    """One for every table of rows."""
    lines: list[str] = []
    for dataset, title in TITLES.items():
        reports = {
            row.train_rows
            for row in map(table.parse, table.read(EXPERIMENT))
            if row.dataset == dataset and row.protocol == 1
        }
        (people,) = reports
        clean, majority = (_mean(splits(dataset, name, math.inf)) for name in (CLEAN, MAJORITY))
        lines += [f"**{title}**, {people:,} reports; clean {clean}, commonest class {majority}", "", *_head("")]
        for mechanism in LINES:
            found = [splits(dataset, mechanism, epsilon) for epsilon in EPSILONS]
            if all(found):
                lines.append(_line(NAMES.get(mechanism, mechanism), map(_with_deviation, found)))
        lines.append("")
    return lines[:-1]


def beside_the_experiments() -> list[str]:
    """This door less the rows of data collection; then the V-RLM at ε = 1 with as many collections on both sides."""
    lines = _head("this door less the experiment")
    for dataset, ours, theirs in BESIDE:
        cells = [
            difference(splits(dataset, ours, epsilon), splits(dataset, theirs, epsilon, COLLECTION))
            for epsilon in EPSILONS
        ]
        name = f"{TITLES[dataset].split(',')[0]}: {NAMES.get(ours, ours)}, {theirs}"
        lines.append(_line(name, [f"{mean:+.1f} ± {error:.1f}" for mean, error in cells]))
    lines += ["", "| MNIST, V-RLM, ε = 1, twelve collections a split | this door | the experiment |", "|---|---|---|"]
    for name, ours, theirs in (("nobody asked", VRLM, NOBODY_ASKED), ("a group asked", ASKED, OF_THE_PAPER)):
        lines.append(_line(name, [_with_deviation(splits("mnist", each, 1.0)) for each in (ours, theirs)]))
    return lines


def _mean(of_splits: Splits) -> str:
    return f"{statistics.mean(of_splits.values()):.1f}"


def _with_deviation(of_splits: Splits) -> str:
    return f"{_mean(of_splits)} ± {statistics.stdev(of_splits.values()):.1f}"


def _head(title: str) -> list[str]:
    return [_line(title, [f"ε = {EPSILONS[0]:g}", *(f"{each:g}" for each in EPSILONS[1:])]), "|---" * 5 + "|"]


def _line(name: str, cells: Iterable[str]) -> str:
    return "| " + " | ".join([name, *cells]) + " |"
