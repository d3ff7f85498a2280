"""Run an experiment of the paper: whatever is not in its CSV yet, in parallel, resumable.

    python -m benchmarks run data_collection --dataset mnist --epsilon 10 --seeds 3 --jobs 2

One process per job, one thread each, or a Dask cluster (``--scheduler``). This process alone appends rows, each
when it is measured, so an interrupted sweep goes on where it stopped; a lost worker's trial is measured again. A trial
whose training run is missing is skipped, and the command that makes the run is printed at the end.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from functools import partial
from importlib import import_module
from pathlib import Path

from tqdm import tqdm

from benchmarks import experiments, table
from benchmarks.experiments.participants import MissingRun
from benchmarks.experiments.protocol import Trial
from rlm_core.bulk.engine import run_tasks


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
    parser.add_argument("--scheduler", help="of a Dask cluster, tcp://…, instead of local processes")
    parser.add_argument("--runs", type=Path, default=Path("runs"), help="folder of training runs")


def main(options: argparse.Namespace) -> int:
    """Measure what is missing. Exit code 1 if anything could not be measured."""
    if options.seeds < 1 or options.jobs < 1:
        print(f"Expected --seeds >= 1 and --jobs >= 1, got {options.seeds} and {options.jobs}.", file=sys.stderr)
        return 2
    waiting = missing(options)
    lacking: set[str] = set()
    failures = 0
    results = run_tasks(
        partial(measure, runs=options.runs.resolve()),
        waiting,
        workers=options.jobs,
        scheduler=options.scheduler,
        prepare=one_thread,
    )
    with tqdm(total=len(waiting), desc=options.experiment, unit="trial", dynamic_ncols=True) as bar:
        for trial, result in results:
            if isinstance(result, MissingRun):
                lacking.add(str(result))
            elif isinstance(result, Exception):
                failures += 1
                bar.write(f"{trial}: {type(result).__name__}: {result}", file=sys.stderr)
            else:
                outcome = written(result)
                bar.write(f"{trial.dataset} {trial.mechanism} ε={trial.epsilon:g} seed {trial.seed}: {outcome}")
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


def measure(trial: Trial, runs: Path) -> table.Row:
    """Run one trial in a worker: its row, which only the process that was called writes."""
    row: table.Row = import_module(f"benchmarks.experiments.{trial.experiment}").measure(trial, runs)
    return row


def written(row: table.Row) -> str:
    """Append a row, once, and say what came out: a trial whose worker died was measured again, not written again."""
    added = table.append(row)
    return f"{row.accuracy:.2f} % in {row.seconds:.0f} s" + ("" if added else " (another process had it already)")


def one_thread() -> None:
    """What every worker does first: these networks are small, a second thread costs more than it brings."""
    import torch

    torch.set_num_threads(1)


def _same(left: float, right: float) -> bool:
    return left == right or math.isclose(left, right)
