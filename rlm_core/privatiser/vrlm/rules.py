"""Settings of a V-RLM by rules known in advance: by ε and by what a record is.

Clip radius l and training noise ε_pre are those of a line of the paper's table for data collection, but not always of
the line of the same ε, and λ is ½: docs/own-data.md says on what rows this was found. d is 8 as in the paper.
"""

from __future__ import annotations

import math

from rlm_core.training.paper_settings import PAPER, Choice
from rlm_core.types import positive

EXPERIMENT = "data_collection"
DIMENSION = 8

SHARE = 0.5
"""λ. What a pair (z̃, ỹ) tells of p(y|z) is of the order of (εx·εy)² for small ε: the most for equal halves. Of public
digits ½ was better than the paper's 0.7 at every ε that was tried; of public loans hardly a difference was seen, but
0.95, the paper's for loans at ε = 1 and 2, was 10 to 11 points worse there at l = 5: it leaves the label next to
nothing (``benchmarks/results/vrlm_settings.json``)."""

LINES = {"mnist": (1.0, 8.0), "lending_club": (4.0, 4.0)}
"""Whose settings: of the paper's line for the first ε below FAINT, for the second from there on. So grey pictures have
l = 5 with ε_pre = 7 or 32: less noise in training keeps more coordinates in use, which pays as soon as reports can tell
them apart."""

FAINT = 8.0**0.5
"""Between 2 and 4 by ratio."""

ENOUGH = 20.0
"""n reports are enough if they tell so many times what is asked of them (``SplitMethod.told``): a rule of thumb. Of
MNIST's public rows 16 % are right where they tell 0.7 times as much, 37 % at 17, and 70 % at 148
(``benchmarks/results/vrlm_settings.json``)."""

LEAST = 1e-6
"""The smallest ε of a record's release (:class:`~rlm_core.owner.laplace.LaplaceNoise`), and of a label's here."""

DELTA = 1e-5
"""δ of ``central_epsilon``."""


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
    """Raise for a λ, given or by the rule, that leaves record or label less than a release can have: before a fit."""
    chosen = check_share(lam)
    share = SHARE if chosen is None else chosen
    if share * epsilon < LEAST:
        raise ValueError(f"Expected lam * epsilon >= {LEAST:g} for the record, got {share:g} * {epsilon:g}.")
    if (1.0 - share) * epsilon < LEAST:
        raise ValueError(f"Expected (1 - lam) * epsilon >= {LEAST:g} for the label, got (1 - {share!r}) * {epsilon:g}.")


def check_central(central_epsilon: float | None) -> float | None:
    """ε of the encoder's training, or None for a training without central DP."""
    return None if central_epsilon is None else positive("central_epsilon", central_epsilon)


def line_for(dataset: str, epsilon: float) -> Choice:
    """The paper's line for data collection whose settings are taken; at ε = ∞ its line without LDP.

    >>> line_for("mnist", 2.0).epsilon_pretraining, line_for("mnist", 4.0).epsilon_pretraining
    (7.0, 32.0)
    """
    wanted = math.inf if math.isinf(epsilon) else LINES[dataset][epsilon >= FAINT]
    return next(line for line in PAPER[EXPERIMENT, dataset] if line.epsilon == wanted)
