"""The frozen protocol (docs/protocol.md): seeds 10 to 12, several draws of the channel, in a fixed order, resumable.

    python -m benchmarks frozen --runs runs                       everything that is missing
    python -m benchmarks frozen --runs runs --dataset mnist       of one dataset
    python -m benchmarks frozen --list                            what there is and what is missing

A training run that is missing is trained first. Rows are appended to ``benchmarks/results`` as they are measured, with
``protocol`` 2; what is there is not measured again. Where a mechanism answers record by record, a second row goes to
``<experiment>_unseen.csv``: the same trial on the test people whom no earlier seed had tested.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from importlib import import_module
from pathlib import Path

import numpy as np

from benchmarks import table
from benchmarks.experiments import codes, joint
from benchmarks.experiments.protocol import EPSILONS, Trial
from rlm_core.catalogue import CODES
from rlm_core.data import LoanTable, data_collection, load, loan_collection, loan_join
from rlm_core.training.presets import preset_name
from rlm_core.types import BoolArray

PROTOCOL = 2
SEEDS = (10, 11, 12)
DRAWS = 5
EARLIER_SEEDS = {"mnist": 3, "cifar10": 3, "lending_club": 6}
"""Seeds 0, 1, … whose test people had been looked at before the protocol was frozen."""


@dataclass(frozen=True, kw_only=True)
class Stage:
    """A mechanism in an experiment, with all seeds, ε and draws."""

    experiment: str
    dataset: str
    mechanism: str
    draws: int = DRAWS

    def trials(self, seeds: tuple[int, ...] = SEEDS) -> Iterator[Trial]:
        """In the order in which they are run: seed by seed, from large ε to small."""
        for seed in seeds:
            for epsilon in EPSILONS:
                if math.isinf(epsilon) and (self.experiment == "private_inference" or "joint" in self.mechanism):
                    continue  # without LDP nothing is private, and nothing joint
                for draw in range(1 if math.isinf(epsilon) else self.draws):
                    yield Trial(
                        experiment=self.experiment,
                        dataset=self.dataset,
                        mechanism=self.mechanism,
                        epsilon=epsilon,
                        seed=seed,
                        draw=draw,
                        protocol=PROTOCOL,
                    )


STAGES = (
    Stage(experiment="data_collection", dataset="mnist", mechanism=CODES),
    Stage(experiment="private_inference", dataset="mnist", mechanism=CODES),
    Stage(experiment="data_collection", dataset="mnist", mechanism="joint V-RLM"),
    Stage(experiment="data_collection", dataset="lending_club", mechanism="joint V-RLM"),
    Stage(experiment="data_collection", dataset="lending_club", mechanism=CODES),
    Stage(experiment="data_join", dataset="lending_club", mechanism=CODES, draws=1),
    Stage(experiment="data_collection", dataset="cifar10", mechanism=CODES),
    Stage(experiment="private_inference", dataset="cifar10", mechanism=CODES),
    Stage(experiment="data_collection", dataset="cifar10", mechanism="joint C-RLM"),
    Stage(experiment="data_collection", dataset="mnist", mechanism="V-RLM", draws=1),
    Stage(experiment="data_collection", dataset="lending_club", mechanism="V-RLM", draws=1),
    Stage(experiment="data_collection", dataset="cifar10", mechanism="C-RLM", draws=1),
)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line."""
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder of training runs")
    parser.add_argument("--dataset", action="append", help="only this dataset (may be repeated)")
    parser.add_argument("--mechanism", action="append", help="only this mechanism (may be repeated)")
    parser.add_argument("--seed", action="append", type=int, choices=SEEDS, help="only this seed (may be repeated)")
    parser.add_argument("--list", action="store_true", help="what there is and what is missing; nothing is run")


def main(options: argparse.Namespace) -> int:
    """Train and measure what is missing, or list it."""
    seeds = tuple(options.seed or SEEDS)
    for stage in STAGES:
        if options.dataset and stage.dataset not in options.dataset:
            continue
        if options.mechanism and stage.mechanism not in options.mechanism:
            continue
        finished = table.done(stage.experiment)
        trials = list(stage.trials(seeds))
        waiting = [trial for trial in trials if trial.key not in finished]
        name = f"{stage.experiment} {stage.dataset} {stage.mechanism}"
        print(f"{name}: {len(trials) - len(waiting)} of {len(trials)} trials are there", flush=True)
        for trial in () if options.list else waiting:
            print(f"{name} ε={trial.epsilon:g} seed {trial.seed} draw {trial.draw}: {measure(trial, options.runs)}")
    return 0


def measure(trial: Trial, runs: Path) -> str:
    """Train what the trial needs, run it, append its rows, and say what came out."""
    import torch

    torch.set_num_threads(1)
    train_for(trial, runs)
    start = time.perf_counter()
    experiment = import_module(f"benchmarks.experiments.{trial.experiment}")
    answers = experiment.answers(trial, runs) if hasattr(experiment, "answers") else None
    row = experiment.measure(trial, runs) if answers is None else answers.row(trial, start)
    if answers is not None:  # first: a row of the table itself says that the trial is done
        unseen = answers.row_among(trial, start, unseen_people(trial.experiment, trial.dataset, trial.seed))
        if unseen.key not in table.done(unseen.experiment):
            table.append(unseen)
    table.append(row)
    return f"{row.accuracy:.2f} % in {row.seconds:.0f} s"


def train_for(trial: Trial, runs: Path) -> None:
    """The training run that a trial needs, if it is not there."""
    if trial.mechanism == CODES:
        from rlm_core.training.codes.run_codes import train_code_run

        train_code_run(codes.RUNS[trial.experiment, trial.dataset], seed=trial.seed, out=runs)
        return
    from rlm_core.training.train_mechanism import train_mechanism

    one_release = trial.mechanism == joint.MECHANISMS[trial.dataset]
    name = joint.RUNS[trial.dataset] if one_release else preset_name(trial.experiment, trial.dataset, trial.epsilon)
    train_mechanism(name, seed=trial.seed, out=runs, encoder_only=True)


@lru_cache(maxsize=8)
def unseen_people(experiment: str, dataset: str, seed: int) -> BoolArray:
    """Which test people of a seed were test people of no earlier one: (n,)."""
    seen = np.concatenate([_test_rows(experiment, dataset, earlier) for earlier in range(EARLIER_SEEDS[dataset])])
    return ~np.isin(_test_rows(experiment, dataset, seed), seen)


def _test_rows(experiment: str, dataset: str, seed: int) -> np.ndarray:
    records = load(dataset)
    if isinstance(records, LoanTable):
        deal = loan_join if experiment == "data_join" else loan_collection
        return deal(records.target, records.issue_date, seed=seed).rows("classifier_test")
    split = data_collection(len(records.train_x), len(records.test_x), seed=seed)
    return split.rows("classifier_test")
