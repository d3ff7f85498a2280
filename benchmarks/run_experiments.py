"""Run an experiment of the paper: whatever is not in its CSV yet, in parallel, resumable.

    python -m benchmarks run data_collection --dataset mnist --epsilon 10 --seeds 3 --jobs 2

One process per job, one thread each. A row is appended when it is measured, so an interrupted
sweep goes on where it stopped. A trial whose training run is missing is skipped, and the
command that makes the run is printed at the end.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from concurrent.futures import ProcessPoolExecutor, as_completed
from importlib import import_module
from multiprocessing import get_context
from pathlib import Path

from tqdm import tqdm

from benchmarks import experiments, table
from benchmarks.experiments.participants import MissingRun
from benchmarks.experiments.protocol import Trial


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line."""
    parser.add_argument(
        "experiment", choices=experiments.NAMES, metavar="EXPERIMENT", help=", ".join(experiments.NAMES)
    )
    parser.add_argument("--dataset", action="append", help="only this dataset (may be repeated)")
    parser.add_argument("--mechanism", action="append", help="only this mechanism (may be repeated)")
    parser.add_argument("--epsilon", action="append", type=float, help="only this budget, or inf (may be repeated)")
    parser.add_argument("--seeds", type=int, default=3, help="trials, each with its own split (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1, help="processes (default: one per core)")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder of training runs")


def main(options: argparse.Namespace) -> int:
    """Measure what is missing. Exit code 1 if anything could not be measured."""
    if options.seeds < 1 or options.jobs < 1:
        print(f"Expected --seeds >= 1 and --jobs >= 1, got {options.seeds} and {options.jobs}.", file=sys.stderr)
        return 2
    waiting = missing(options)
    lacking: set[str] = set()
    failures = 0
    workers = ProcessPoolExecutor(options.jobs, mp_context=get_context("spawn"), initializer=one_thread)
    with workers, tqdm(total=len(waiting), desc=options.experiment, unit="trial", dynamic_ncols=True) as bar:
        futures = {workers.submit(measure, trial, options.runs): trial for trial in waiting}
        for future in as_completed(futures):
            trial, error = futures[future], future.exception()
            if isinstance(error, MissingRun):
                lacking.add(str(error))
            elif error is not None:
                failures += 1
                bar.write(f"{trial}: {type(error).__name__}: {error}", file=sys.stderr)
            else:
                bar.write(f"{trial.dataset} {trial.mechanism} ε={trial.epsilon:g} seed {trial.seed}: {future.result()}")
            bar.update()
    for command in sorted(lacking):
        print(f"missing: {command}")
    return 1 if lacking or failures else 0


def missing(options: argparse.Namespace) -> list[Trial]:
    """The trials asked for that the CSV does not have."""
    finished = table.done(options.experiment)
    trials: list[Trial] = import_module(f"benchmarks.experiments.{options.experiment}").trials(options.seeds)
    return [
        trial
        for trial in trials
        if trial.key not in finished
        and (not options.dataset or trial.dataset in options.dataset)
        and (not options.mechanism or trial.mechanism in options.mechanism)
        and (not options.epsilon or any(_same(trial.epsilon, epsilon) for epsilon in options.epsilon))
    ]


def measure(trial: Trial, runs: Path) -> str:
    """Run one trial in a worker, append its row, and say what came out."""
    row = import_module(f"benchmarks.experiments.{trial.experiment}").measure(trial, runs)
    written = table.append(row)
    return f"{row.accuracy:.2f} % in {row.seconds:.0f} s" + ("" if written else " (another process had it already)")


def one_thread() -> None:
    """What every worker does first: these networks are small, a second thread costs more than it brings."""
    import torch

    torch.set_num_threads(1)


def _same(left: float, right: float) -> bool:
    return left == right or math.isclose(left, right)
