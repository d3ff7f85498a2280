"""λ, the features' share of ε where record and label are sent apart: the paper's, and where we depart from it.

One rule for the experiments and for the collector's page, so that both collect the same reports.
"""

from __future__ import annotations

import math

from rlm_core.training.paper_settings import PAPER

PRIVATE_INFERENCE = 0.7
"""Where reports are classified, at every ε (paper, section "Classifying Private Datapoints")."""

EQUAL_UP_TO = 2.0
"""At this ε and below, pictures and their labels get equal shares."""


def features_share(experiment: str, dataset: str, epsilon: float) -> float:
    """λ for an experiment at a total budget ε: the paper's, but ½ for pictures at ε ≤ 2 in data collection.

    What a pair (z̃, ỹ) tells about p(y|z) is of the order of (εx·εy)² for small ε, whatever the mechanism, and that is
    largest for equal halves. Lending Club keeps the paper's 0.95 there. Between the budgets of the paper's table the
    nearest one counts, on a logarithmic scale; at ε = ∞, where nothing is divided, the largest one.

    >>> [features_share("data_collection", "mnist", epsilon) for epsilon in (1.0, 2.0, 4.0)]
    [0.5, 0.5, 0.7]
    >>> features_share("data_collection", "lending_club", 1.5), features_share("private_inference", "mnist", 1.0)
    (0.95, 0.7)
    """
    if experiment == "private_inference":
        return PRIVATE_INFERENCE
    if dataset != "lending_club" and epsilon <= EQUAL_UP_TO:
        return 0.5
    lines = {line.epsilon: line.lam for line in PAPER[experiment, dataset] if line.lam is not None}
    nearest = min(lines, key=lambda each: abs(math.log(each / min(epsilon, max(lines)))))
    return lines[nearest]
