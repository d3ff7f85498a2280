"""What makes good codes: they predict the code of another view, and all of them are used.

    maximise  I(c; c′) = Σ_ij P_ij ln(P_ij/(P_i P_j)),   P = mean over pairs of p(c|x) p(c|x′)ᵀ, made symmetric

I is large where views agree (small H(c|c′)) and codes are equally frequent (large H(c)); a
collapse to one code has I = 0. Source: Ji, Henriques and Vedaldi 2019 (IIC). NT-Xent on a
projection of the same features (``rlm_core.training.nt_xent``) keeps different records apart.
"""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor

from rlm_core.quantised.network import CodeNetwork
from rlm_core.quantised.views import Pairs
from rlm_core.training.nt_xent import nt_xent

TEMPERATURE = 0.2
CONTRASTIVE_WEIGHT = 0.5
INFORMATION_WEIGHT = 2.0


def joint(first: Tensor, second: Tensor) -> Tensor:
    """P of two views' code probabilities (n, k), (n, k): (k, k), symmetric, adds up to 1."""
    product = first.T @ second / len(first)
    return (product + product.T) / 2


def mutual_information(p: Tensor) -> Tensor:
    """I in nats of a symmetric joint distribution (k, k).

    >>> mutual_information(torch.eye(4) / 4).exp().round().item(), mutual_information(torch.ones(4, 4) / 16).item()
    (4.0, 0.0)
    """
    p = p.clamp_min(1e-10)
    log_marginal = p.sum(1).log()
    return (p * (p.log() - log_marginal[:, None] - log_marginal)).sum()


def code_objective(pairs: Pairs) -> Callable[[CodeNetwork, Tensor, torch.Generator], Tensor]:
    """For the loop: contrastive loss of each pair, less the information of the heads (the same for all pairs)."""

    def objective(network: CodeNetwork, rows: Tensor, generator: torch.Generator) -> Tensor:
        first, second = pairs(rows, generator)
        features = network.trunk(torch.cat([first, second]))  # (2n, f)
        projected = network.projection(features)
        contrastive = nt_xent(projected[: len(rows)], projected[len(rows) :], temperature=TEMPERATURE)  # (n,)
        information = torch.stack(
            [
                mutual_information(joint(probabilities[: len(rows)], probabilities[len(rows) :]))
                for probabilities in (scores.softmax(1) for scores in network.scores(features))
            ]
        )
        return CONTRASTIVE_WEIGHT * contrastive - INFORMATION_WEIGHT * information.mean()

    return objective
