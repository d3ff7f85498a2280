"""How the paper's mechanism learns from more and more people: the start page's second curve.

    python -m benchmarks crowd_curve      needs models/ only; appends to benchmarks/results/crowd_curve.csv

The setting is that of data collection (``benchmarks.experiments.data_collection``: the same λ, classifier and private
validation), with the shipped mechanism that the paper's table names for ε and the first n of the bundle's 13,500
people. One fit takes 10 to 30 s on a quiet core, which is why the page shows a committed run. What is there is not
measured again.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Iterator
from dataclasses import asdict
from functools import lru_cache
from typing import Any

from benchmarks import shipped, table
from benchmarks.crowd import DRAWS, EXPERIMENT
from benchmarks.experiments.data_collection import collect, split_budget
from benchmarks.experiments.participants import PRIOR_ROWS
from benchmarks.experiments.protocol import People, Trial, row
from rlm_core import zoo
from rlm_core.catalogue import DATASETS
from rlm_core.mechanism import RLM
from rlm_core.registry import identity

DATASET = "mnist"
EPSILONS = (4.0, 1.0, 2.0, 8.0, 6.0, 10.0)
SIZES = (13_500, 4_500, 1_500, 500)
"""People who report; the most telling points are measured first."""

PREFIX = "V-RLM n="


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line: nothing to choose."""


def main(options: argparse.Namespace) -> int:
    """Measure what is not in the CSV yet."""
    import torch

    torch.set_num_threads(1)
    finished = table.done(EXPERIMENT)
    for size, trial in trials():
        if trial.key in finished:
            continue
        start, people = time.perf_counter(), first_people(trial.epsilon, size)
        measured = row(trial, people, collect(trial, people), start, budget=split_budget(trial))
        table.append(measured)
        print(
            f"ε={trial.epsilon:g}, {size:6,} people: {measured.accuracy:.1f} % in {measured.seconds:.0f} s", flush=True
        )
    return 0


def trials() -> Iterator[tuple[int, Trial]]:
    """Number of people and trial, in the order in which they are measured."""
    of_shipped = asdict(shipped.origin(DATASET, codes=False))
    for draw in range(DRAWS):
        for size in SIZES:
            for epsilon in EPSILONS:
                yield (
                    size,
                    Trial(
                        experiment=EXPERIMENT,
                        dataset=DATASET,
                        mechanism=f"{PREFIX}{size}",
                        epsilon=epsilon,
                        draw=draw,
                        **of_shipped,
                    ),
                )


@lru_cache(maxsize=2)
def _shipped(epsilon: float) -> Any:
    return zoo.load(zoo.choose(DATASET, epsilon), device="cpu")


def first_people(epsilon: float, size: int) -> People:
    """The first ``size`` people of the bundle that comes with the paper's mechanism for ε."""
    model = _shipped(epsilon)
    card, bundle = model.card, model.bundle

    def make(epsilon_x: float) -> RLM:
        noise = model.noise(epsilon_x)
        return RLM(name=card.kind, encoder=identity, noise=noise, input_dim=card.latent_dim, output_dim=card.latent_dim)

    return People(
        make=make,
        train=(bundle.train_z[:size], bundle.train_y[:size]),
        valid=(bundle.valid_z, bundle.valid_y),
        test=(bundle.test_z, bundle.test_y),
        prior=bundle.prior_z[:PRIOR_ROWS],
        classes=len(card.classes),
        hidden=(DATASETS[DATASET].hidden,),
        facts={
            "latent_dim": card.latent_dim,
            "radius": card.radius,
            "epsilon_pretraining": card.epsilon_pretraining,
        },
    )
