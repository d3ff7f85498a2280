"""What every experiment shares: a trial, the people in it, and the collector's classifier.

No trial looks at a clean label to choose anything. Classifiers are compared, and
stopped, by the paper's private validation (appendix "Hyperparameter Tuning Under LDP"): the
validation group returns correct-or-not bits, flipped with 1/(e^ε + 1).
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

import rlm_core
from benchmarks import table
from benchmarks.table import Key, Row
from rlm_core.collector.classifier import NoiseAwareClassifier, Objective
from rlm_core.collector.validation import Predict, PrivateAccuracy, private_accuracy
from rlm_core.mechanism import Mechanism
from rlm_core.owner.budget import Budget
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.types import BoolArray, FloatArray, IntArray

EPSILONS = (10.0, 8.0, 6.0, 4.0, 2.0, 1.0, math.inf)
LABELLED = tuple[FloatArray, IntArray]
Sizes = tuple[int, ...]


@dataclass(frozen=True, kw_only=True)
class Trial:
    """One cell of one table, with one seed, and one draw of the channel."""

    experiment: str
    dataset: str
    mechanism: str
    epsilon: float
    seed: int
    draw: int = 0
    protocol: int = 1

    @property
    def key(self) -> Key:
        """As :attr:`benchmarks.table.Row.key`."""
        return self.dataset, self.mechanism, self.epsilon, self.seed, self.draw, self.protocol

    def generator(self) -> np.random.Generator:
        """The simulated noise of this trial: different in every cell, the same in every run."""
        words = [self.experiment, self.dataset, self.mechanism, f"{self.epsilon:g}"]
        if self.draw:  # the first draw is the one of the trials that were measured before there were several
            words.append(f"draw {self.draw}")
        return np.random.default_rng([self.seed, *"|".join(words).encode()])


@dataclass(frozen=True, kw_only=True, eq=False)
class People:
    """The records of one split as a mechanism takes them, and how the mechanism is made.

    For a learnt mechanism the records are its clean representations: the encoder is applied
    once, and ``make`` gives what follows it (clip and noise).

    Args:
        make: εx to the mechanism.
        prior: auxiliary records, for the denoising objective; None where it is not used.
        hidden: candidate architectures of the classifier.
        facts: columns of the result row (latent_dim, radius, epsilon_pretraining).
    """

    make: Callable[[float], Mechanism] = field(repr=False)
    train: LABELLED = field(repr=False)
    valid: LABELLED = field(repr=False)
    test: LABELLED = field(repr=False)
    classes: int
    hidden: tuple[tuple[int, ...], ...]
    prior: FloatArray | None = field(default=None, repr=False)
    facts: dict[str, Any] = field(default_factory=dict)


Candidate = tuple[NoiseAwareClassifier, Predict]
"""A fitted classifier and how it predicts, on whatever the trial asks it to classify."""


def ask_group(epsilon: float, valid: LABELLED, generator: np.random.Generator) -> Callable[[Predict], PrivateAccuracy]:
    """How the validation group answers: each member's bit through randomised response."""
    inputs, labels = valid

    def validate(predict: Predict) -> PrivateAccuracy:
        correct = (predict(inputs) == labels).astype(np.int64)
        if not math.isinf(epsilon):
            correct = RandomisedResponse(epsilon=epsilon, classes=2).simulate(correct, generator=generator)
        return private_accuracy(correct, epsilon=epsilon)

    return validate


def best(candidates: Iterable[Candidate]) -> tuple[Predict, float]:
    """The predictor with the highest private validation, and that estimate; of equals, the first."""
    found = list(candidates)
    estimates = [-math.inf if c.validation_ is None else c.validation_.estimate for c, _ in found]
    winner = int(np.argmax(estimates))
    return found[winner][1], estimates[winner]


def classifier_for(people: People, objective: Objective, hidden: Sizes, trial: Trial) -> NoiseAwareClassifier:
    """The collector's network. Wide inputs and many people get fewer epochs: they cost more, and wide ones overfit.

    Below ε = 4 a report says so little that a small batch is all noise: larger ones, more often.
    """
    rows, width = people.train[0].shape
    wide = width > 100
    faint = trial.epsilon < 4 and not wide
    return NoiseAwareClassifier(
        classes=people.classes,
        objective=objective,
        hidden=hidden,
        epochs=max(4, 12 * 13_500 // max(rows, 13_500)) if wide else 30 if faint else 20,
        batch_size=1024 if faint else 256,
        learning_rate=1e-3 if wide else 1e-2,
        max_prior=4_000,
        seed=trial.seed,
    )


@dataclass(frozen=True, kw_only=True, eq=False)
class Answers:
    """What a trial came to, record by record, so that it can also be read for some of the test people.

    Args:
        correct: (n,) whether each test person was classified correctly.
        people: who took part.
        columns: further columns of the result row.
    """

    correct: BoolArray = field(repr=False)
    people: People = field(repr=False)
    columns: dict[str, Any]

    def row(self, trial: Trial, start: float) -> Row:
        """Of all test people."""
        return row(trial, self.people, float(self.correct.mean()), start, **self.columns)

    def row_among(self, trial: Trial, start: float, chosen: BoolArray) -> Row:
        """Of the test people ``chosen`` (n,), in a table of its own: the experiment's name and "_unseen"."""
        whole = replace(self, correct=self.correct[chosen]).row(trial, start)
        return replace(whole, experiment=f"{trial.experiment}_unseen", test_rows=int(chosen.sum()))


def row(
    trial: Trial, people: People, accuracy: float, start: float, budget: Budget | None = None, **columns: Any
) -> Row:
    """The result of a trial that began at ``start`` (``time.perf_counter``); ``budget`` is how ε was split."""
    if budget is not None:
        columns |= {"epsilon_x": budget.epsilon_x, "epsilon_y": budget.epsilon_y, "lam": budget.lam}
    return Row(
        experiment=trial.experiment,
        dataset=trial.dataset,
        mechanism=trial.mechanism,
        epsilon=trial.epsilon,
        seed=trial.seed,
        draw=trial.draw,
        protocol=trial.protocol,
        accuracy=round(100 * accuracy, 3),
        train_rows=len(people.train[1]),
        test_rows=len(people.test[1]),
        seconds=round(time.perf_counter() - start, 2),
        version=rlm_core.__version__,
        **(people.facts | columns),
    )


def same_without_ldp(trial: Trial, raw: tuple[str, ...], experiment: str | None = None) -> Row | None:
    """A measured row that this trial would only repeat, under this trial's name; None if there is none.

    Without LDP all mechanisms on raw features (``raw``) are one and the same classifier, and
    private inference is data collection.
    """
    if not math.isinf(trial.epsilon):
        return None
    alike = raw if trial.mechanism in raw else (trial.mechanism,)
    for values in table.read(experiment or trial.experiment):
        found = table.parse(values)
        if found.mechanism in alike and found.key == replace(trial, mechanism=found.mechanism).key:
            return table.renamed(found, experiment=trial.experiment, mechanism=trial.mechanism)
    return None
