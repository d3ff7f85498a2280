"""What more people buy: the Q-RLM's data collection with a part, or several times, of the bundle's people.

The page that helps to choose an ε needs an accuracy for any number of people. Its model is that of the rule for k: an
estimated frequency has a standard deviation of about 1/(√n·sinh(ε/2)), so n people at ε are worth n₀ people at ε₀ where

    n·sinh²(ε/2) = n₀·sinh²(ε₀/2).

Here is what was measured for it, and beside which the page shows it. More people than the bundle has are drawn from it
with replacement. Estimator and k are those of data collection; people, codes and their numbers those of the shipped
bundle (``shipped_codes``). A mechanism's name has the factor: "Q-RLM people=2". ``--seeds`` counts draws.
"""

from __future__ import annotations

import time
from dataclasses import asdict
from pathlib import Path

import rlm_core
from benchmarks.experiments import codes
from benchmarks.experiments.protocol import Trial
from benchmarks.experiments.shipped_codes import coded_people
from benchmarks.gain import PREFIX
from benchmarks.shipped import origin
from benchmarks.table import Row
from rlm_core.collector.codes import PairSets
from rlm_core.owner.pairs import PairSelection

EXPERIMENT = "people_needed"
FACTORS = (0.25, 0.5, 1.0, 2.0, 4.0)
EPSILONS = (0.5, 1.0, 2.0, 4.0)
DATASETS = ("mnist", "lending_club", "cifar10")


def trials(seeds: int) -> list[Trial]:
    """All cells."""
    return [
        Trial(
            experiment=EXPERIMENT,
            dataset=dataset,
            mechanism=f"{PREFIX}{factor:g}",
            epsilon=epsilon,
            draw=draw,
            **asdict(origin(dataset)),
        )
        for draw in range(seeds)
        for dataset in DATASETS
        for factor in FACTORS
        for epsilon in EPSILONS
    ]


def measure(trial: Trial, runs: Path) -> Row:
    """One draw of who takes part and of everybody's report."""
    start, generator = time.perf_counter(), trial.generator()
    here = len(coded_people(trial.dataset, trial.epsilon).train[1])
    count = round(float(trial.mechanism.removeprefix(PREFIX)) * here)
    people = coded_people(trial.dataset, trial.epsilon, count)
    chosen = generator.choice(here, size=count, replace=count > here)
    channel = PairSelection(epsilon=trial.epsilon, codes=people.k, classes=people.classes)
    members = channel.simulate(people.train[0][chosen], people.train[1][chosen], generator=generator)
    reports = PairSets(members=members, epsilon=trial.epsilon, codes=people.k, classes=people.classes)
    fitted = codes.fit(people, reports)  # type: ignore[arg-type]  # has what it needs: frequencies and classes
    accuracy = float((fitted.predict(people.test[0]) == people.test[1]).mean())
    return Row(
        experiment=EXPERIMENT,
        dataset=trial.dataset,
        mechanism=trial.mechanism,
        epsilon=trial.epsilon,
        seed=trial.seed,
        draw=trial.draw,
        protocol=trial.protocol,
        accuracy=round(100 * accuracy, 3),
        epsilon_x=trial.epsilon,
        epsilon_y=0.0,
        latent_dim=people.k,
        radius=1.0,
        epsilon_pretraining="none",
        train_rows=count,
        test_rows=len(people.test[1]),
        seconds=round(time.perf_counter() - start, 2),
        version=rlm_core.__version__,
    )
