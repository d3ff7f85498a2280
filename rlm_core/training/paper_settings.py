"""The paper's hyper-parameters, as data.

Appendix "Hyperparameter Choices". Table A: "V-RLM and C-RLM hyperparameters used for the
data collection and novel-class classification experiments" (its lower block is the
private-inference experiment). Table B: "V-RLM hyperparameters used for data join
experiments on the Lending Club dataset". Each line of a table is one :class:`Choice`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

EpsilonPre = float | Literal["learnt", "none"]
"""ε_pre = 2l/b: a number, a learnt scalar b, or no noise (b = 0)."""


@dataclass(frozen=True, kw_only=True)
class Choice:
    """One line of the paper's hyper-parameter tables. ``lam`` is None where it says N/A."""

    epsilon: float
    lam: float | None
    latent_dim: int
    radius: float
    epsilon_pretraining: EpsilonPre


def _lines(*lines: tuple[float, float | None, int, float, EpsilonPre]) -> tuple[Choice, ...]:
    return tuple(
        Choice(epsilon=epsilon, lam=lam, latent_dim=d, radius=radius, epsilon_pretraining=pre)
        for epsilon, lam, d, radius, pre in lines
    )


INF = math.inf

# (experiment, dataset) -> lines (ε, λ, d, l, ε_pre)
PAPER: dict[tuple[str, str], tuple[Choice, ...]] = {
    # Table A, block "Classifying clean datapoints"
    ("data_collection", "cifar10"): _lines(
        (INF, None, 32, 5.0, "none"),
        (10.0, 0.7, 32, 5.0, "none"),
        (8.0, 0.7, 32, 5.0, "none"),
        (6.0, 0.7, 32, 5.0, 70.0),
        (4.0, 0.7, 32, 5.0, 30.0),
        (2.0, 0.7, 32, 5.0, 20.0),
        (1.0, 0.7, 32, 5.0, 20.0),
    ),
    ("data_collection", "mnist"): _lines(
        (INF, None, 8, 10.0, "learnt"),
        (10.0, 0.7, 8, 10.0, 33.0),
        (8.0, 0.7, 8, 5.0, 32.0),
        (6.0, 0.7, 8, 5.0, 19.0),
        (4.0, 0.7, 8, 7.5, 13.0),
        (2.0, 0.7, 8, 7.5, 7.0),
        (1.0, 0.7, 8, 5.0, 7.0),
    ),
    ("data_collection", "lending_club"): _lines(
        (INF, None, 8, 10.0, "learnt"),
        (10.0, 0.7, 8, 5.0, 15.0),
        (8.0, 0.7, 8, 5.0, 29.0),
        (6.0, 0.7, 8, 5.0, 29.0),
        (4.0, 0.7, 8, 5.0, 15.0),
        (2.0, 0.95, 8, 5.0, 15.0),
        (1.0, 0.95, 8, 10.0, 21.0),
    ),
    # Table A, block "Classifying LDP datapoints"
    ("private_inference", "cifar10"): _lines(
        (INF, None, 32, 5.0, "none"),
        (10.0, 0.7, 32, 5.0, 27.0),
        (8.0, 0.7, 32, 5.0, 24.0),
        (6.0, 0.7, 32, 5.0, 20.0),
        (4.0, 0.7, 32, 5.0, 15.0),
        (2.0, 0.7, 32, 5.0, 8.0),
        (1.0, 0.7, 32, 5.0, 8.0),
    ),
    ("private_inference", "mnist"): _lines(
        (INF, None, 8, 10.0, "learnt"),
        (10.0, 0.7, 8, 10.0, 5.0),
        (8.0, 0.7, 8, 7.5, 5.0),
        (6.0, 0.7, 8, 7.5, 5.0),
        (4.0, 0.7, 8, 5.0, 5.0),
        (2.0, 0.7, 8, 5.0, 15.0),
        (1.0, 0.7, 8, 7.5, 15.0),
    ),
    # Table B; it has no λ
    ("data_join", "lending_club"): _lines(
        (INF, None, 8, 5.0, 20.0),
        (10.0, None, 8, 5.0, 10.0),
        (8.0, None, 5, 5.0, 15.0),
        (6.0, None, 5, 5.0, 15.0),
        (4.0, None, 5, 5.0, 10.0),
        (2.0, None, 5, 5.0, 15.0),
        (1.0, None, 5, 5.0, 10.0),
    ),
}
# The caption of table A covers the novel-class experiment too.
PAPER["novel_class", "cifar10"] = PAPER["data_collection", "cifar10"]
PAPER["novel_class", "mnist"] = PAPER["data_collection", "mnist"]

# Table "DP-Adam hyperparameters used for the V-RLM data collection and novel-class classification under CDP":
# (dataset, ε_CDP) -> (learning rate, batch size, noise multiplier). Max gradient norm 1 and δ = 1e-5 throughout.
DP_ADAM: dict[tuple[str, float], tuple[float, int, float]] = {
    ("mnist", 5.0): (5e-4, 64, 0.7),
    ("mnist", 1.0): (5e-4, 64, 1.1),
    ("lending_club", 5.0): (1e-4, 128, 0.56),
    ("lending_club", 1.0): (1e-4, 128, 1.1),
}


def choice(experiment: str, dataset: str, epsilon: float) -> Choice:
    """The paper's hyper-parameters for an experiment at a total budget ε (``inf``: no LDP)."""
    if (experiment, dataset) not in PAPER:
        raise ValueError(f"Expected (experiment, dataset) in {sorted(PAPER)}, got {(experiment, dataset)}.")
    lines = {line.epsilon: line for line in PAPER[experiment, dataset]}
    if epsilon not in lines:
        raise ValueError(f"Expected epsilon in {sorted(lines)}, got epsilon={epsilon}.")
    return lines[epsilon]
