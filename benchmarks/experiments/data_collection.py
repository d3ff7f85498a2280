"""Table 1: people send (z̃, ỹ) once, under ε-LDP; how well does what is learnt classify *clean* records?

Paper, section "Data Collection". ε = εx + εy with εx = λε. The learnt mechanisms' classifiers
marginalise the noise over the auxiliary data (denoising objective). The benchmarks release
the raw record; there the noise of the label is marginalised, and the classifier, linear or
with a hidden layer of 50, is the one that does better in the private validation (the linear
one mostly: it overfits the noise less than the paper's three hidden layers).
"""

from __future__ import annotations

import math
import time
from dataclasses import replace
from pathlib import Path

from benchmarks.experiments import codes, joint, participants
from benchmarks.experiments.protocol import (
    EPSILONS,
    Answers,
    Candidate,
    People,
    Trial,
    ask_group,
    best,
    classifier_for,
    row,
    same_without_ldp,
)
from benchmarks.table import Row, parse, read, renamed
from rlm_core.catalogue import CODES, EXPERIMENTS, RAW
from rlm_core.collector.classifier import Objective
from rlm_core.owner.budget import Budget
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.training.features_share import features_share
from rlm_core.training.presets import PRESETS, preset_name
from rlm_core.zoo.metrics import clean_classifier, fit_clean

EXPERIMENT = "data_collection"


def trials(seeds: int) -> list[Trial]:
    """All cells of the table."""
    return [
        Trial(experiment=EXPERIMENT, dataset=dataset, mechanism=mechanism, epsilon=epsilon, seed=seed)
        for seed in range(seeds)
        for dataset, mechanisms in EXPERIMENTS[EXPERIMENT].mechanisms.items()
        for mechanism in mechanisms
        for epsilon in EPSILONS
    ]


def measure(trial: Trial, runs: Path, *, ask: bool = True) -> Row:
    """One cell with one seed. ``ask``: whether a validation group says which network to keep."""
    start = time.perf_counter()
    one_release = answers(trial, runs)
    if one_release is not None:
        return one_release.row(trial, start)
    known = same_without_ldp(trial, RAW)
    if known is not None:
        return known
    name = preset_name(EXPERIMENT, trial.dataset, trial.epsilon)
    people = participants.load_participants(trial, name, runs)
    if math.isinf(trial.epsilon):
        return row(trial, people, without_ldp(trial, people), start)
    return row(trial, people, collect(trial, people, ask=ask), start, budget=split_budget(trial))


def answers(trial: Trial, runs: Path) -> Answers | None:
    """Record by record, for mechanisms that send record and label in one release; None for the others."""
    if trial.mechanism == CODES:
        return codes.collection(trial, runs)
    if trial.mechanism == joint.MECHANISMS[trial.dataset]:
        return joint.collection(trial, runs)
    return None


def measured(trial: Trial, runs: Path) -> Row:
    """The V-RLM's committed cell of this table, under the name of a trial that would only repeat it."""
    key = replace(trial, mechanism="V-RLM").key
    for found in map(parse, read(EXPERIMENT)):
        if found.key == key:
            return renamed(found, experiment=trial.experiment, mechanism=trial.mechanism)
    raise participants.MissingRun(f"python -m benchmarks run {EXPERIMENT} --runs {runs}")


def split_budget(trial: Trial) -> Budget:
    """ε = εx + εy with λ by the rule, :func:`features_share`."""
    return Budget(epsilon=trial.epsilon, lam=features_share(EXPERIMENT, trial.dataset, trial.epsilon))


def without_ldp(trial: Trial, people: People) -> float:
    """The same classifier on clean records and labels."""
    preset = PRESETS[preset_name(EXPERIMENT, trial.dataset, math.inf)]
    raw = trial.mechanism in RAW
    hidden = participants.RAW_HIDDEN[trial.dataset] if raw else people.hidden[0]
    classifier = clean_classifier(preset, people.classes, trial.seed, hidden, raw=raw)
    return fit_clean(classifier, people.train, people.valid).score(*people.test)


def collect(trial: Trial, people: People, *, ask: bool = True) -> float:
    """Collect everybody's report, train on the reports, and classify clean test records.

    Without a group to ask, the network is that of the last epoch.
    """
    generator, budget = trial.generator(), split_budget(trial)
    mechanism = people.make(budget.epsilon_x)
    labels = RandomisedResponse(epsilon=budget.epsilon_y, classes=people.classes)
    z_private = mechanism.simulate(people.train[0], generator=generator)
    y_private = labels.simulate(people.train[1], generator=generator)
    validate = ask_group(trial.epsilon, people.valid, generator) if ask else None
    objective: Objective = "label-noise" if people.prior is None else "denoising"

    def candidate(hidden: tuple[int, ...]) -> Candidate:
        classifier = classifier_for(people, objective, hidden, trial).fit(
            z_private,
            y_private,
            transition=labels.transition_matrix,
            log_density=getattr(mechanism, "log_density_pairs", None),
            prior=people.prior,
            validate=validate,
        )
        return classifier, classifier.predict

    predict, _ = best(candidate(hidden) for hidden in people.hidden)
    return float((predict(people.test[0]) == people.test[1]).mean())
