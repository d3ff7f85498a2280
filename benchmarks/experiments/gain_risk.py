"""What one report of data collection gives away: how often Bayes' rule guesses its sender's class from it.

The report is the very one that taught the model of table 1, label included, with the ε, λ, encoder and number of
codes of that table; the accuracy of the model is in ``data_collection.csv``, the risk of each sender here. The attacker
knows everything but the record: the mechanism, and :data:`PUBLIC` public records with their labels, any of which the
sender might be (Bayes' rule, as in ``rlm_core.collector.inference``). No ε-LDP report lets anybody guess one of K
equally likely classes more often than e^ε/(e^ε + K − 1).

    python -m benchmarks run gain_risk --seeds 3 --jobs 1

Learnt mechanisms are the shipped ones and their people those of the bundles, so no dataset is needed; the paper's
benchmarks take raw records, and theirs is. Encoders and people are those of the seed that was shipped: ``--seeds``
counts draws of the channel. Columns: ``accuracy`` is how often the guess is right, ``train_rows`` how many public
records the attacker knows, ``test_rows`` how many senders were attacked.
"""

from __future__ import annotations

import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import numpy as np

import rlm_core
from benchmarks import shipped
from benchmarks.experiments import data_collection, gain_risk_reports, joint
from benchmarks.experiments.protocol import EPSILONS, Trial
from benchmarks.table import Row
from rlm_core.catalogue import CODES, EXPERIMENTS, RAW
from rlm_core.types import FloatArray, IntArray

EXPERIMENT = "gain_risk"
SENDERS = 4_000
RAW_SENDERS = 1_000  # a likelihood of 784 pixels costs a hundred times that of eight numbers
PUBLIC = 4_000
BLOCK = 250  # reports at a time: a block of likelihoods is BLOCK × PUBLIC numbers


@dataclass(frozen=True, kw_only=True, eq=False)
class Attacked:
    """Reports of people whose class is to be guessed.

    Args:
        likelihoods: blocks (n, M) of log p(report | public record, its label), up to a constant of each report.
        truth: (N,) the senders' classes, in the order of the blocks.
        public_y: (M,) the public records' classes.
        columns: of the result row.
    """

    likelihoods: Iterator[FloatArray]
    truth: IntArray
    public_y: IntArray
    classes: int
    columns: dict[str, Any]

    def guessed(self) -> float:
        """How often the most probable class is the sender's."""
        guesses = [guess(block, self.public_y, self.classes) for block in self.likelihoods]
        return float((np.concatenate(guesses) == self.truth).mean())


def guess(log_likelihood: FloatArray, public_y: IntArray, classes: int) -> IntArray:
    """The most probable class of each report, (n, M) to (n,): ``infer(…).classes.argmax()`` for many at once."""
    weights = np.exp(log_likelihood - log_likelihood.max(axis=1, keepdims=True))
    most: IntArray = (weights @ np.eye(classes)[public_y]).argmax(axis=1)
    return most


def trials(seeds: int) -> list[Trial]:
    """Every mechanism of data collection, and the joint reports, at every finite ε: ``seeds`` draws each."""
    mechanisms = {name: (*found, joint.MECHANISMS[name]) for name, found in _of_data_collection().items()}
    return [
        Trial(
            experiment=EXPERIMENT,
            dataset=dataset,
            mechanism=mechanism,
            epsilon=epsilon,
            draw=draw,
            **({"seed": 0} if mechanism in RAW else asdict(shipped.origin(dataset, codes=mechanism == CODES))),
        )
        for draw in range(seeds)
        for dataset, names in mechanisms.items()
        for mechanism in names
        for epsilon in EPSILONS
        if math.isfinite(epsilon)
    ]


def measure(trial: Trial, runs: Path) -> Row:
    """One draw of everybody's report, and one guess for each."""
    start = time.perf_counter()
    attacked = attack(trial)
    risk = attacked.guessed()
    return Row(
        experiment=EXPERIMENT,
        dataset=trial.dataset,
        mechanism=trial.mechanism,
        epsilon=trial.epsilon,
        seed=trial.seed,
        draw=trial.draw,
        protocol=trial.protocol,
        accuracy=round(100 * risk, 3),
        train_rows=len(attacked.public_y),
        test_rows=len(attacked.truth),
        seconds=round(time.perf_counter() - start, 2),
        version=rlm_core.__version__,
        **attacked.columns,
    )


def attack(trial: Trial) -> Attacked:
    """The reports of a trial and how likely each public record was to send them."""
    sizes = {"senders": RAW_SENDERS if trial.mechanism in RAW else SENDERS, "public": PUBLIC, "block": BLOCK}
    if trial.mechanism == CODES:
        return Attacked(**gain_risk_reports.pairs(trial, **sizes))
    if trial.mechanism == joint.MECHANISMS[trial.dataset]:
        return Attacked(**gain_risk_reports.joint_reports(trial, **sizes))
    budget = data_collection.split_budget(trial)
    make = gain_risk_reports.raw if trial.mechanism in RAW else gain_risk_reports.learnt
    return Attacked(**make(trial, budget, **sizes))


def _of_data_collection() -> dict[str, tuple[str, ...]]:
    found = EXPERIMENTS[data_collection.EXPERIMENT].mechanisms
    return {name: tuple(each for each in names if not each.startswith("joint")) for name, names in found.items()}
