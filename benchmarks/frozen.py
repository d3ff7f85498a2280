"""The frozen protocols (``protocols``): seeds of their own, several draws of the channel, in a fixed order, resumable.

    python -m benchmarks frozen --runs runs                       everything that is missing
    python -m benchmarks frozen --runs runs --dataset mnist       of one dataset
    python -m benchmarks frozen --runs runs --protocol 3          of one protocol
    python -m benchmarks frozen --list                            what there is and what is missing

A training run that is missing is trained first. Rows are appended to ``benchmarks/results`` as they are measured, with
their ``protocol``; what is there is not measured again. Where a mechanism answers record by record, a second row
goes to ``<experiment>_unseen.csv``: the same trial on the test people whom no earlier seed had tested.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import replace
from functools import lru_cache
from importlib import import_module
from pathlib import Path

import numpy as np

from benchmarks import table
from benchmarks.code_settings import setting
from benchmarks.experiments import auxiliary_size, joint, new_class_bits, private_grid
from benchmarks.experiments.protocol import Trial
from benchmarks.protocols import PROTOCOLS
from rlm_core.catalogue import CODES
from rlm_core.data import LoanTable, data_collection, load, loan_collection, loan_join
from rlm_core.training.presets import preset_name
from rlm_core.types import BoolArray


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line."""
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder of training runs")
    parser.add_argument("--dataset", action="append", help="only this dataset (may be repeated)")
    parser.add_argument("--mechanism", action="append", help="only this mechanism (may be repeated)")
    parser.add_argument("--protocol", action="append", type=int, choices=PROTOCOLS, help="only this one")
    seeds = [seed for protocol in PROTOCOLS.values() for seed in protocol.seeds]
    parser.add_argument("--seed", action="append", type=int, choices=seeds, help="only this seed (may be repeated)")
    parser.add_argument("--list", action="store_true", help="what there is and what is missing; nothing is run")


def main(options: argparse.Namespace) -> int:
    """Train and measure what is missing, or list it."""
    for protocol in (PROTOCOLS[number] for number in options.protocol or PROTOCOLS):
        seeds = tuple(seed for seed in protocol.seeds if not options.seed or seed in options.seed)
        for stage in protocol.stages:
            if options.dataset and stage.dataset not in options.dataset:
                continue
            if options.mechanism and stage.mechanism not in options.mechanism:
                continue
            finished = table.done(stage.experiment)
            trials = protocol.trials(stage, seeds)
            waiting = [trial for trial in trials if trial.key not in finished]
            name = f"{stage.experiment} {stage.dataset} {stage.mechanism}"
            finished_count = len(trials) - len(waiting)
            print(f"protocol {protocol.number}, {name}: {finished_count} of {len(trials)} trials are there", flush=True)
            for trial in () if options.list else waiting:
                outcome = measure(trial, options.runs)
                print(f"{name} ε={trial.epsilon:g} seed {trial.seed} draw {trial.draw}: {outcome}", flush=True)
    return 0


def measure(trial: Trial, runs: Path) -> str:
    """Train what the trial needs, run it, append its rows, and say what came out."""
    import torch

    torch.set_num_threads(1)
    search_for(trial, runs)
    train_for(trial, runs)
    start = time.perf_counter()
    experiment = import_module(f"benchmarks.experiments.{trial.experiment}")
    answers = experiment.answers(trial, runs) if hasattr(experiment, "answers") else None
    row = experiment.measure(trial, runs) if answers is None else answers.row(trial, start)
    if answers is not None:  # first: a row of the table itself says that the trial is done
        unseen = answers.row_among(
            trial, start, unseen_people(trial.experiment, trial.dataset, trial.seed, trial.protocol)
        )
        if unseen.key not in table.done(unseen.experiment):
            table.append(unseen)
    table.append(row)
    return f"{row.accuracy:.2f} % in {row.seconds:.0f} s"


def search_for(trial: Trial, runs: Path) -> None:
    """The private search for the mechanism of private inference, as far as it is missing for this seed and ε."""
    if not _is_searched(trial):
        return
    finished = table.done(private_grid.EXPERIMENT)
    for name in private_grid.finalists(trial.epsilon, trial.seed):
        candidate = replace(trial, experiment=private_grid.EXPERIMENT, mechanism=name)
        if candidate.key not in finished:
            print(f"search, {name} ε={trial.epsilon:g} seed {trial.seed}: {measure(candidate, runs)}", flush=True)


def _is_searched(trial: Trial) -> bool:
    searched = trial.dataset == private_grid.DATASET and trial.epsilon in private_grid.SEARCHED
    return searched and trial.experiment == "private_inference" and trial.mechanism != CODES


def train_for(trial: Trial, runs: Path) -> None:
    """The training run that a trial needs, if it is not there."""
    if trial.experiment == "own_data":
        return  # fits in seconds, within the trial
    if trial.mechanism in (CODES, new_class_bits.MECHANISM):
        from rlm_core.training.codes.run_codes import train_code_run

        name = setting(trial.experiment, trial.dataset, trial.protocol).run
        train_code_run(name, seed=trial.seed, out=runs)
        return
    from rlm_core.training.train_mechanism import train_mechanism

    train_mechanism(_preset_of(trial), seed=trial.seed, out=runs, encoder_only=True)


def _preset_of(trial: Trial) -> str:
    """The preset behind a trial of a mechanism that is not codes."""
    if trial.experiment == private_grid.EXPERIMENT:
        return trial.mechanism
    if trial.experiment == "private_inference":
        return private_grid.chosen(trial.dataset, trial.epsilon, trial.seed)
    if trial.experiment == auxiliary_size.EXPERIMENT:
        return auxiliary_size.preset_of(trial)
    if trial.mechanism == joint.MECHANISMS[trial.dataset]:
        return joint.RUNS[trial.dataset]
    return preset_name(trial.experiment, trial.dataset, trial.epsilon)


@lru_cache(maxsize=8)
def unseen_people(experiment: str, dataset: str, seed: int, protocol: int) -> BoolArray:
    """Which test people of a seed were test people of no seed that was looked at before the protocol: (n,)."""
    earlier = PROTOCOLS[protocol].earlier[dataset]
    seen = np.concatenate([_test_rows(experiment, dataset, each) for each in earlier])
    return ~np.isin(_test_rows(experiment, dataset, seed), seen)


def _test_rows(experiment: str, dataset: str, seed: int) -> np.ndarray:
    records = load(dataset)
    if isinstance(records, LoanTable):
        deal = loan_join if experiment == "data_join" else loan_collection
        return deal(records.target, records.issue_date, seed=seed).rows("classifier_test")
    split = data_collection(len(records.train_x), len(records.test_x), seed=seed)
    return split.rows("classifier_test")
