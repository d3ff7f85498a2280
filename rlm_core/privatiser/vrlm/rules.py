"""Settings of a V-RLM by rules known in advance: the paper's, by ε and by what a record is.

Clip radius l and training noise ε_pre are those of the paper's line with the nearest ε (by ratio) in its table for
data collection: MNIST's for grey pictures, Lending Club's for tables. Its dimension is 8 everywhere.
"""

from __future__ import annotations

import math

from rlm_core.training.features_share import features_share
from rlm_core.training.paper_settings import PAPER, Choice
from rlm_core.types import positive

EXPERIMENT = "data_collection"
DIMENSION = 8

LEAST = 1e-6
"""The smallest ε of a release (:class:`~rlm_core.owner.laplace.LaplaceNoise`)."""

DELTA = 1e-5
"""δ of ``central_epsilon``."""


def record_share(epsilon: float) -> float:
    """λ: the paper's 0.7, but ½ for ε ≤ 2.

    The rule of pictures, for tables too: the paper's 0.95 for Lending Club at ε ≤ 2 leaves its label ε = 0.1 or less.

    >>> record_share(2.0), record_share(4.0)
    (0.5, 0.7)
    """
    return features_share(EXPERIMENT, "mnist", epsilon)


def check_share(lam: float | None) -> float | None:
    """λ, if it leaves record and label something; None for the rule's."""
    if lam is None:
        return None
    if isinstance(lam, bool) or not isinstance(lam, int | float):
        raise TypeError(f"Expected a number for lam, got lam={lam!r}.")
    if not 0.0 < lam < 1.0:
        raise ValueError(f"Expected 0 < lam < 1, got lam={lam:g}: record and label both need a share of epsilon.")
    return float(lam)


def check_division(epsilon: float, lam: float | None) -> None:
    """Raise for a λ, given or by the rule, that leaves the record less than any release can have: before a fit."""
    chosen = check_share(lam)
    share = record_share(epsilon) if chosen is None else chosen
    if share * epsilon < LEAST:
        raise ValueError(f"Expected lam * epsilon >= {LEAST:g} for the record, got {share:g} * {epsilon:g}.")


def check_central(central_epsilon: float | None) -> float | None:
    """ε of the encoder's training, or None for a training without central DP."""
    return None if central_epsilon is None else positive("central_epsilon", central_epsilon)


def nearest_line(dataset: str, epsilon: float) -> Choice:
    """The paper's line for data collection whose ε is nearest by ratio.

    >>> nearest_line("mnist", 3.0).epsilon, nearest_line("mnist", 0.1).epsilon, nearest_line("mnist", 99.0).epsilon
    (4.0, 1.0, 10.0)
    """
    lines = PAPER[EXPERIMENT, dataset]
    if math.isinf(epsilon):
        return next(line for line in lines if math.isinf(line.epsilon))
    finite = [line for line in lines if not math.isinf(line.epsilon)]
    return min(finite, key=lambda line: abs(math.log(line.epsilon / epsilon)))
