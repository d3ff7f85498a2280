"""The C-RLM objective: SimCLR on noisy representations.

    z = ν(h(view)),   ṽ = g(z + s),   s ~ Laplace(0, b),   g(u) = W₂ σ(W₁ u)
    ℓ_ij = −log( exp(sim(ṽᵢ, ṽⱼ)/τ) / Σ_{k≠i} exp(sim(ṽᵢ, ṽₖ)/τ) ),   sim = cosine

Paper, section "Contrastive RLM". Its denominator is printed without exp and with k = i;
this is the loss of SimCLR (Chen et al. 2020, equation 1 and algorithm 1), which the
paper adapts. The noise scale b is 2l/ε_pre, or 0 ("no noise").
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn import functional

from rlm_core.owner.clip import L1Clip
from rlm_core.training.noise import standard_laplace_like

Views = Callable[[Any, torch.Generator], tuple[Tensor, Tensor]]
"""(batch, generator) to two views of every example, in what the encoder takes."""


def nt_xent(first: Tensor, second: Tensor, *, temperature: float, groups: Tensor | None = None) -> Tensor:
    """NT-Xent of n positive pairs (n, d), (n, d): one value per pair, (n,).

    The value of pair i is the mean of ℓ over its two directions, so the mean over pairs
    is SimCLR's loss. Every value depends on the whole batch through the denominator; with
    ``groups`` (n,) on the pairs of its own group only, and a pair alone in its group has 0.

    >>> first = torch.eye(4)  # each pair agrees, different pairs are orthogonal
    >>> loss = nt_xent(first, first, temperature=0.5)  # ln(e² + 6) − 2
    >>> bool((loss - (math.log(math.e**2 + 6) - 2)).abs().max() < 1e-6)
    True
    """
    if not temperature > 0:
        raise ValueError(f"Expected temperature > 0, got temperature={temperature}.")
    if first.shape != second.shape or not (len(first) > 1 or groups is not None):
        raise ValueError(f"Expected two tensors of one shape with at least 2 rows, got {first.shape}, {second.shape}.")
    n = len(first)
    v = functional.normalize(torch.cat([first, second]), dim=-1)  # (2n, d)
    logits = v @ v.T / temperature  # (2n, 2n)
    logits.fill_diagonal_(-math.inf)  # k ≠ i
    if groups is not None:
        of = groups.repeat(2)  # (2n,)
        logits = logits.masked_fill(of[:, None] != of[None, :], -math.inf)
    partner = torch.arange(2 * n, device=v.device).roll(n)  # i + n, i − n
    losses = functional.cross_entropy(logits, partner, reduction="none")  # (2n,)
    return losses.view(2, n).mean(0)


class ContrastiveRLM(nn.Module):
    """Encoder, clip, noise scale and projection head g: all that NT-Xent trains.

    Args:
        encoder: a view to h (n, d), unclipped.
        clip: ν with radius l.
        epsilon_pretraining: fixes b = 2l/ε_pre; ``None`` is no noise, b = 0.
        latent_dim: d.
        projection_hidden: width of g's hidden layer.
        projection_dim: dimension in which views are compared.
    """

    def __init__(
        self,
        *,
        encoder: nn.Module,
        clip: L1Clip,
        epsilon_pretraining: float | None,
        latent_dim: int,
        projection_hidden: int,
        projection_dim: int,
    ) -> None:
        super().__init__()
        if epsilon_pretraining is not None and not epsilon_pretraining > 0:
            raise ValueError(f"Expected epsilon_pretraining > 0, got epsilon_pretraining={epsilon_pretraining}.")
        self.encoder, self.clip = encoder, clip
        self.scale = 0.0 if epsilon_pretraining is None else clip.l1_sensitivity / epsilon_pretraining
        self.projection = nn.Sequential(  # without biases: g(u) = W₂ σ(W₁ u)
            nn.Linear(latent_dim, projection_hidden, bias=False),
            nn.ReLU(),
            nn.Linear(projection_hidden, projection_dim, bias=False),
        )

    def represent(self, x: Tensor) -> Tensor:
        """z = ν(h(x)): (n, d)."""
        return self.clip.differentiable(self.encoder(x))

    def project(self, x: Tensor, generator: torch.Generator) -> Tensor:
        """ṽ = g(z + s): (n, projection_dim)."""
        z = self.represent(x)
        if self.scale > 0:
            z = z + self.scale * standard_laplace_like(z, generator)
        projected: Tensor = self.projection(z)
        return projected


def contrastive(views: Views, *, temperature: float) -> Callable[[ContrastiveRLM, Any, torch.Generator], Tensor]:
    """The objective to give to the loop: NT-Xent, one value per example."""

    def objective(model: ContrastiveRLM, batch: Any, generator: torch.Generator) -> Tensor:
        first, second = views(batch, generator)
        both = model.project(torch.cat([first, second]), generator)  # (2n, projection_dim)
        return nt_xent(both[: len(first)], both[len(first) :], temperature=temperature)

    return objective


def grouped_contrastive(
    views: Views, *, temperature: float, groups: int, on_groups: Callable[[Tensor], None]
) -> Callable[[ContrastiveRLM, Any, torch.Generator], Tensor]:
    """The objective for DP-Adam: each example joins one of ``groups`` at random and is compared within it.

    ``on_groups`` receives the group of every row that the network sees (``DPStep.group``). Validation is
    the ordinary loss.
    """
    ordinary = contrastive(views, temperature=temperature)

    def objective(model: ContrastiveRLM, batch: Any, generator: torch.Generator) -> Tensor:
        if not model.training:
            return ordinary(model, batch, generator)
        first, second = views(batch, generator)
        # A value that is not a number would spread to everybody's gradient: such a picture does not take part.
        whole = torch.isfinite(first).all(1) & torch.isfinite(second).all(1)  # (n,)
        first, second = first[whole], second[whole]
        group = torch.randint(groups, (len(first),), generator=generator, device=first.device)  # (n,)
        on_groups(group.repeat(2))
        both = model.project(torch.cat([first, second]), generator)  # (2n, projection_dim)
        if len(first) == 0:  # a Poisson-sampled batch may be empty; no loss, but a graph for the step
            return both.sum(1)
        return nt_xent(both[: len(first)], both[len(first) :], temperature=temperature, groups=group)

    return objective
