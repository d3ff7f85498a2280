"""A classifier learnt from reports that classifies reports: private inference, and the search for its mechanism.

The paper trains a network p_ξ(y|z̃) of reports and marginalises the label's noise; the benchmarks do so here. A learnt
mechanism's collector has a prior and knows the noise: it need only learn p_ψ(y|z), by the denoising objective, and
leave the rest to Bayes' rule, Σₘ wₘ p_ψ(y|z′ₘ).
"""

from __future__ import annotations

from benchmarks.experiments.protocol import Candidate, People, Sizes, Trial, ask_group, best, classifier_for
from rlm_core.owner.budget import Budget
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.training.features_share import PRIVATE_INFERENCE
from rlm_core.types import FloatArray


def split_budget(trial: Trial) -> Budget:
    """ε = εx + εy with the paper's λ, the same at every ε."""
    return Budget(epsilon=trial.epsilon, lam=PRIVATE_INFERENCE)


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
