"""Learn from collected reports, with somebody watching: the one function that a worker process runs.

No Streamlit here: the page's server and its worker both import this module. What is computed is the
library's (:class:`NoiseAwareClassifier`, :func:`private_accuracy`); what is added is who is watched_density.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike
from torch import Tensor

from rlm_core import HasDensity, PrivateAccuracy, private_accuracy
from rlm_core.catalogue import DATASETS
from rlm_core.collector.classifier import (
    LogDensity,
    NoiseAwareClassifier,
    Objective,
    StopTraining,
    posterior_weights,
)
from rlm_core.collector.completed_prior import complete
from rlm_core.collector.join import joined
from rlm_core.collector.validation import Predict
from rlm_core.learning.loop import Progress
from rlm_core.types import FloatArray, IntArray
from ui.collect.events import Alone, Event, Point, Result, Stopped, Weighing, ask

EPOCHS = 20
CHECKS = 5
"""How often the validation group is asked in a full run. Every time costs each of its members ε."""

MAX_PRIOR = 4_000
"""Public records that stand for the prior on this page: fewer than in the benchmarks, for speed."""

LARGEST_BATCH = 256


def batch_size(reports: int) -> int:
    """About fifty steps an epoch, also where few people were asked: a curve in any case.

    >>> batch_size(13_500), batch_size(1_000), batch_size(100)
    (256, 20, 16)
    """
    return max(16, min(LARGEST_BATCH, reports // 50))


HIDDEN = {name: facts.hidden for name, facts in DATASETS.items()}
"""The paper's classifiers: one hidden layer of 50; logistic regression for CIFAR-10."""


class Channel(HasDensity, Protocol):
    """What z goes through on its way to the collector: any noise with a density."""

    @property
    def epsilon(self) -> float:
        """εx."""

    def privatise(self, z: ArrayLike) -> FloatArray:
        """Release each row, with the operating system's randomness."""


@dataclass(frozen=True, kw_only=True, eq=False)
class People:
    """Records with labels that stay on their owners' devices: ``z`` clean, ``z_private`` as they would send it.

    ``own``: columns of the same people that the collector has in the clear (the data join).
    """

    z: FloatArray = field(repr=False)
    z_private: FloatArray = field(repr=False)
    y: IntArray = field(repr=False)
    own: FloatArray | None = field(default=None, repr=False)

    def inputs(self, private: bool) -> FloatArray:
        """What a classifier is given about them."""
        return beside(self.own, self.z_private if private else self.z)


@dataclass(frozen=True, kw_only=True, eq=False)
class Task:
    """Everything that a fit needs, in one value that can be sent to another process.

    ``noise``: what z went through; its density is all that the collector has to know of it.
    ``z_private``, ``y_private``: the reports. ``prior_z``: public records. ``valid``: people who answer
    the private validation on their own devices, each answer with ``epsilon``. ``test``: people whom
    only this demonstration can ask, because the data are public. ``on_private``: whether the classifier
    is meant for z̃ rather than z; the validation group then tries it on z̃. ``own``: columns of those who
    report that the collector has in the clear; then the labels are clear too, and so is the validation.
    ``new_class``: the prior lacks a class that is asked for, and is completed from the reports. ``done``, ``answered``:
    epochs and answers of an earlier fit that was stopped.
    """

    classes: int
    objective: Objective
    hidden: tuple[int, ...]
    epsilon: float
    noise: Channel
    on_private: bool
    z_private: FloatArray = field(repr=False)
    y_private: IntArray = field(repr=False)
    transition: FloatArray = field(repr=False)
    prior_z: FloatArray = field(repr=False)
    valid: People = field(repr=False)
    test: People = field(repr=False)
    own: FloatArray | None = field(default=None, repr=False)
    new_class: bool = False
    epochs: int = EPOCHS
    checks: int = CHECKS
    max_prior: int = MAX_PRIOR
    seed: int = 0
    done: int = 0
    answered: tuple[PrivateAccuracy, ...] = ()

    @property
    def reports(self) -> int:
        """How many were sent."""
        return len(self.y_private)

    @property
    def questions(self) -> int:
        """How often the validation group is asked in a whole run; in a join the collector has rows of its own."""
        rhythm = max(1, self.epochs // self.checks)
        return 0 if self.own is not None else self.epochs // rhythm + (self.epochs % rhythm > 0)

    def resumed(self, points: list[Point]) -> Task:
        """The same from where it was stopped: a fit is the same every time, so what was done is done again unseen,
        and the answers that the validation group has given are not asked for twice."""
        given = tuple(point.validation for point in points if point.validation is not None)
        return replace(self, done=points[-1].epoch if points else 0, answered=given)

    def learn(self, publish: Callable[[Event], None], is_stopped: Callable[[], bool] = lambda: False) -> Result:
        """See :func:`learn`."""
        return learn(self, publish, is_stopped)


def objective_in_use(objective: Objective, epsilon_x: float) -> Objective:
    """Without noise on z there is nothing to denoise, and its density is no function: plain training instead."""
    return "label-noise" if objective == "denoising" and math.isinf(epsilon_x) else objective


def learn(task: Task, publish: Callable[[Event], None], is_stopped: Callable[[], bool] = lambda: False) -> Result:
    """Fit a classifier on the reports; ``publish`` is given every step, ``is_stopped`` is asked as often.

    Raises:
        Stopped: the visitor stopped before the first epoch was over.
    """
    start = time.perf_counter()
    classifier = network(task)
    if task.own is not None:
        publish(Alone(accuracy=alone(task, is_stopped)))
    prior, density, watched_density = prior_and_density(task, classifier.objective, publish, is_stopped)
    answers: list[PrivateAccuracy] = []
    kept = 0
    weights: dict[int, Tensor] = {}

    def correct(people: People, private: bool) -> np.ndarray:
        """Who is classified correctly; a denoising classifier reads reports by Bayes' rule."""
        if not (private and classifier.objective == "denoising"):
            return np.equal(classifier.predict(people.inputs(private)), people.y)
        if id(people) not in weights:  # they do not change while the network learns
            weights[id(people)] = posterior_weights(people.z_private, classifier.support_, density)
        return np.equal(classifier.predict_private(people.z_private, weights[id(people)]), people.y)

    def validate(predict: Predict) -> PrivateAccuracy:
        epsilon = task.epsilon if task.own is None else math.inf
        given = task.answered[len(answers) : len(answers) + 1]
        answers.append(given[0] if given else ask(correct(task.valid, task.on_private), epsilon))
        return answers[-1]

    def at_epoch(now: Progress, fitted: NoiseAwareClassifier) -> None:
        nonlocal kept
        asked = bool(answers) and fresh(now, task)
        if asked and fitted.validation_ is answers[-1]:
            kept = now.epoch
        if now.epoch <= task.done:  # shown before the run was stopped
            if is_stopped():
                raise Stopped
            publish(Weighing(share=now.epoch / now.epochs))
            return
        publish(
            Point(
                epoch=now.epoch,
                epochs=now.epochs,
                seconds=time.perf_counter() - start,
                clean=float(correct(task.test, False).mean()),
                private=float(correct(task.test, True).mean()),
                validation=answers[-1] if asked else None,
            )
        )
        if is_stopped():
            raise StopTraining

    classifier.fit(
        beside(task.own, task.z_private),
        task.y_private,
        transition=task.transition,
        log_density=watched_density,
        prior=prior,
        validate=validate,
        progress=at_epoch,
    )
    done = classifier.history_[-1].epoch
    return Result(
        clean=float(correct(task.test, False).mean()),
        private=float(correct(task.test, True).mean()),
        epoch=kept or done,
        epochs=done,
        seconds=time.perf_counter() - start,
        queries=classifier.validation_queries_,
        validation=classifier.validation_,
        stopped=done < task.epochs,
    )


def prior_and_density(
    task: Task, objective: Objective, publish: Callable[[Event], None], is_stopped: Callable[[], bool]
) -> tuple[FloatArray, LogDensity, LogDensity]:
    """The prior, the density that goes with it, and the same density with somebody watching."""
    density, reports = task.noise.log_density_pairs, len(task.z_private)
    if not (task.new_class and objective == "denoising"):
        return task.prior_z, density, watched(density, reports, publish, is_stopped)
    watched_density = watched(
        density, 2 * reports, publish, is_stopped
    )  # once to complete the prior, once for the weights
    completed = complete(task.prior_z[: task.max_prior], task.z_private, watched_density, seed=task.seed)
    return completed.points, replace(completed, log_density=density).log_joint, completed.log_joint


def network(task: Task) -> NoiseAwareClassifier:
    """The classifier that a task asks for, not yet fitted."""
    objective = "naive" if task.own is not None else objective_in_use(task.objective, task.noise.epsilon)
    return NoiseAwareClassifier(
        classes=task.classes,
        objective=objective,
        hidden=task.hidden,
        epochs=task.epochs,
        checks=task.checks,
        batch_size=batch_size(len(task.y_private)),
        max_prior=task.max_prior,
        seed=task.seed,
    )


def alone(task: Task, is_stopped: Callable[[], bool]) -> float:
    """What the collector's own columns give without anybody's report: the same classifier on these alone."""

    def at_epoch(now: Progress, fitted: NoiseAwareClassifier) -> None:
        if is_stopped():
            raise Stopped

    classifier = network(task)
    valid, test = task.valid, task.test
    assert task.own is not None and valid.own is not None and test.own is not None
    classifier.fit(
        task.own,
        task.y_private,
        transition=np.eye(task.classes),
        validate=lambda predict: private_accuracy(predict(valid.own) == valid.y, epsilon=math.inf),  # type: ignore[arg-type]
        progress=at_epoch,
    )
    return classifier.score(test.own, test.y)


def beside(own: FloatArray | None, z: FloatArray) -> FloatArray:
    """The collector's own columns, if there are any, and z of the same people, side by side."""
    return z if own is None else joined(own, z)


def fresh(now: Progress, task: Task) -> bool:
    """Whether the validation group was asked in this very epoch (the classifier's rhythm)."""
    return now.epoch % max(1, task.epochs // task.checks) == 0 or now.epoch == now.epochs


def watched(
    log_density: LogDensity, reports: int, publish: Callable[[Event], None], is_stopped: Callable[[], bool]
) -> LogDensity:
    """The same density; says how many of the reports have been compared so far, and can be interrupted."""
    done = 0

    def compare(z_private: FloatArray, prior: FloatArray) -> FloatArray:
        nonlocal done
        if is_stopped():
            raise Stopped
        values = log_density(z_private, prior)
        done += len(z_private)
        publish(Weighing(share=min(1.0, done / reports)))
        return values

    return compare
