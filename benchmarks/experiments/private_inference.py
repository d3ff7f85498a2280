"""Table 4: the people who are classified send reports too, with ε_test = 0.7 ε_train.

Paper, section "Classifying Private Datapoints": λ = 0.7, so a test record gets the same εx as a
collected one. The paper trains a network p_ξ(y|z̃) of reports and marginalises the label's noise; the
benchmarks do so here. A learnt mechanism's collector has a prior and knows the noise: it need only
learn p_ψ(y|z), by the denoising objective, and leave the rest to Bayes' rule, Σₘ wₘ p_ψ(y|z′ₘ).
"""

from __future__ import annotations

import math
import time
from pathlib import Path

from benchmarks.experiments import codes, data_collection, participants, private_grid
from benchmarks.experiments.protocol import (
    EPSILONS,
    Answers,
    Candidate,
    People,
    Sizes,
    Trial,
    ask_group,
    best,
    classifier_for,
    row,
    same_without_ldp,
)
from benchmarks.table import Row
from rlm_core.catalogue import CODES, EXPERIMENTS, RAW
from rlm_core.owner.budget import Budget
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.training.presets import preset_name
from rlm_core.types import FloatArray

EXPERIMENT = "private_inference"
LAMBDA = 0.7


def trials(seeds: int) -> list[Trial]:
    """All cells of the table."""
    return [
        Trial(experiment=EXPERIMENT, dataset=dataset, mechanism=mechanism, epsilon=epsilon, seed=seed)
        for seed in range(seeds)
        for dataset, mechanisms in EXPERIMENTS[EXPERIMENT].mechanisms.items()
        for mechanism in mechanisms
        for epsilon in EPSILONS
    ]


def measure(trial: Trial, runs: Path) -> Row:
    """One cell with one seed. Without LDP it is the cell of data collection."""
    start = time.perf_counter()
    if math.isinf(trial.epsilon):
        known = same_without_ldp(trial, RAW, data_collection.EXPERIMENT)
        if known is None:
            raise participants.MissingRun(f"python -m benchmarks run data_collection --runs {runs}")
        return known
    one_release = answers(trial, runs)
    if one_release is not None:
        return one_release.row(trial, start)
    if trial.mechanism in RAW:
        name = preset_name(EXPERIMENT, trial.dataset, trial.epsilon)
        people = participants.raw(name, trial.mechanism, trial.seed)
    else:
        people = participants.learnt(private_grid.chosen(trial.dataset, trial.epsilon, trial.seed), trial.seed, runs)
    accuracy, _ = classify_reports(trial, people)
    return row(trial, people, accuracy, start, budget=split_budget(trial))


def answers(trial: Trial, runs: Path) -> Answers | None:
    """Record by record, for codes; None for the other mechanisms."""
    return codes.inference(trial, runs, LAMBDA) if trial.mechanism == CODES else None


def split_budget(trial: Trial) -> Budget:
    """ε = εx + εy with the paper's λ."""
    return Budget(epsilon=trial.epsilon, lam=LAMBDA)


def classify_reports(trial: Trial, people: People) -> tuple[float, float]:
    """Train on reports, classify reports: the accuracy on the test people, and the private validation's."""
    generator, budget = trial.generator(), split_budget(trial)
    mechanism = people.make(budget.epsilon_x)
    labels = RandomisedResponse(epsilon=budget.epsilon_y, classes=people.classes)
    z_private, z_valid, z_test = (
        mechanism.simulate(x, generator=generator) for x, _ in (people.train, people.valid, people.test)
    )
    y_private = labels.simulate(people.train[1], generator=generator)
    validate = ask_group(trial.epsilon, (z_valid, people.valid[1]), generator)

    def network(hidden: Sizes) -> Candidate:
        classifier = classifier_for(people, "label-noise", hidden, trial)
        classifier.fit(z_private, y_private, transition=labels.transition_matrix, validate=validate)
        return classifier, classifier.predict

    def bayes_rule(prior: FloatArray) -> Candidate:
        classifier = classifier_for(people, "denoising", people.hidden[0], trial)
        classifier.fit(
            z_private,
            y_private,
            transition=labels.transition_matrix,
            log_density=mechanism.log_density_pairs,  # type: ignore[attr-defined]  # the RLM has one
            prior=prior,
        )
        classifier.validation_ = validate(classifier.predict_private)
        return classifier, classifier.predict_private

    candidates = map(network, people.hidden) if people.prior is None else [bayes_rule(people.prior)]
    predict, estimate = best(candidates)
    return float((predict(z_test) == people.test[1]).mean()), estimate
