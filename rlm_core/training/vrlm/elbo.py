"""The V-RLM objective: a variational autoencoder whose posterior is the Laplace mechanism.

    log p(x) ≥ E_{q(z|x)}[log p(x|z)] − KL(q(z|x) ‖ p(z))
    p(z_i) = Laplace(0, 1/√2),   q(z_i|x) = Laplace(ν(h(x))_i, b)

A sample of the posterior *is* what the mechanism would release at ε = 2l/b, so the
encoder learns representations that survive that noise (paper, section "Variational
RLM"). The scale b is fixed by ε_pre = 2l/b, or is one learnt scalar.

Training may warm up: the KL term's weight rises linearly from 0 to 1 over the first steps.
Without it, coordinates of z are given up early, before the decoder has learnt to use them,
and stay unused (posterior collapse; Bowman et al. 2016, Sønderby et al. 2016). After the
warm-up, and whenever the model is evaluated, the objective is the ELBO itself.

The noise may grow, too: b starts at that of a larger ε_pre and rises to its own value in the
middle of training. Much noise from the start leaves z with the few coordinates that are learnt
first; with noise that grows, one more survives, at about the same ELBO (see ``docs/experiment-log.md``).

b = 0 has no ELBO: as b→0 the KL grows like ln(1/b) without bound, and dropping that
term leaves a plain autoencoder with an l1 penalty. The paper trains without noise
only for the C-RLM; here b = 0 is refused.
"""

from __future__ import annotations

import math
from collections.abc import Callable

import torch
from torch import Tensor, nn
from torch.nn import functional

from rlm_core.collector.decoder import TableDecoder
from rlm_core.owner.clip import L1Clip
from rlm_core.training.noise import standard_laplace_like

PRIOR_SCALE = 1 / math.sqrt(2)  # variance 1; paper, section "Variational RLM"

Likelihood = Callable[[nn.Module, Tensor, Tensor], Tensor]
"""(decoder, z, x) to −log p(x|z), one value per row."""


def laplace_kl(mean: Tensor, scale: Tensor, prior_scale: float = PRIOR_SCALE) -> Tensor:
    """KL(Laplace(mean, scale) ‖ Laplace(0, prior_scale)), elementwise, in nats.

    |μ|/b₀ + (b/b₀)·exp(−|μ|/b) + ln(b₀/b) − 1; zero exactly at μ = 0, b = b₀.
    For b → 0 it tends to |μ|/b₀ + ln(b₀/b) − 1, for |μ| → ∞ it grows like |μ|/b₀.

    >>> laplace_kl(torch.zeros(1), torch.tensor(PRIOR_SCALE)).abs().item() < 1e-6
    True
    """
    distance = mean.abs()
    return (
        distance / prior_scale + scale / prior_scale * torch.exp(-distance / scale) + torch.log(prior_scale / scale) - 1
    )


def bernoulli(decoder: nn.Module, z: Tensor, pixels: Tensor) -> Tensor:
    """−log p(x|z) of pixels in [0, 1] under a Bernoulli likelihood, summed per row: (n,).

    Grey values are used as they are ("treating them as continuous", paper, appendix
    "Data Pre-Processing"), so this is the cross-entropy, not a normalised density.
    """
    return functional.binary_cross_entropy_with_logits(decoder(z), pixels, reduction="none").sum(-1)


def mixed(decoder: nn.Module, z: Tensor, rows: Tensor) -> Tensor:
    """−log p(x|z) of table rows under the decoder's Gaussians and softmaxes: (n,)."""
    if not isinstance(decoder, TableDecoder):
        raise TypeError(f"Expected decoder to be a TableDecoder, got {type(decoder).__name__}.")
    return decoder.negative_log_likelihood(z, rows)


class VariationalRLM(nn.Module):
    """Encoder, clip, posterior scale and decoder: all that the ELBO trains.

    Args:
        encoder: rows (n, p) to h (n, d), unclipped.
        decoder: z (n, d) to the parameters of p(x|z).
        clip: ν with radius l.
        epsilon_pretraining: fixes b = 2l/ε_pre; ``None`` makes ln b a learnt scalar that
            starts at the prior's scale.
        warm_up_steps: training steps over which the weight of the KL rises to 1.
        first_epsilon: with a fixed ε_pre, b starts at 2l/first_epsilon …
        growth_steps: … and rises linearly to 2l/ε_pre between these two training steps.
    """

    posterior_log_scale: Tensor
    steps: Tensor

    def __init__(
        self,
        *,
        encoder: nn.Module,
        decoder: nn.Module,
        clip: L1Clip,
        epsilon_pretraining: float | None,
        warm_up_steps: int = 0,
        first_epsilon: float | None = None,
        growth_steps: tuple[int, int] = (0, 0),
    ) -> None:
        super().__init__()
        self.encoder, self.decoder, self.clip = encoder, decoder, clip
        self.warm_up_steps = warm_up_steps
        if first_epsilon is not None and not (first_epsilon > 0 and 0 <= growth_steps[0] < growth_steps[1]):
            raise ValueError(
                f"Expected first_epsilon > 0 and growth_steps that rise, got {first_epsilon=}, {growth_steps=}."
            )
        self.first_scale = None if first_epsilon is None else clip.l1_sensitivity / first_epsilon
        self.growth_steps = growth_steps
        self.register_buffer("steps", torch.zeros((), dtype=torch.long))  # a checkpoint must keep it
        if epsilon_pretraining is None:
            if first_epsilon is not None:
                raise ValueError(f"Expected no first_epsilon where the scale is learnt, got {first_epsilon=}.")
            self.posterior_log_scale = nn.Parameter(torch.tensor(math.log(PRIOR_SCALE)))
        else:
            if not 0 < epsilon_pretraining < math.inf:
                raise ValueError(
                    f"Expected 0 < epsilon_pretraining < inf, got epsilon_pretraining={epsilon_pretraining}. "
                    "Without noise the ELBO is undefined; use None for a learnt scale."
                )
            fixed = torch.tensor(math.log(clip.l1_sensitivity / epsilon_pretraining))
            self.register_buffer("posterior_log_scale", fixed)

    @property
    def scale(self) -> Tensor:
        """b, the scale of the posterior and of the noise during training."""
        last = self.posterior_log_scale.exp()
        start, end = self.growth_steps
        if self.first_scale is None or not self.training or self.steps >= end:
            return last
        grown = max(0.0, self.steps.item() - start) / (end - start)
        return self.first_scale + grown * (last - self.first_scale)

    def kl_weight(self) -> float:
        """The KL's weight in this step: below 1 only during the warm-up. Counts the steps of training."""
        if not self.training:
            return 1.0
        self.steps += 1
        return min(1.0, self.steps.item() / self.warm_up_steps) if self.warm_up_steps else 1.0

    def represent(self, x: Tensor) -> Tensor:
        """z = ν(h(x)): (n, d)."""
        return self.clip.differentiable(self.encoder(x))


def negative_elbo(likelihood: Likelihood) -> Callable[[VariationalRLM, Tensor, torch.Generator], Tensor]:
    """The objective to give to the loop: −ELBO in nats, one value per row, one posterior sample."""

    def objective(model: VariationalRLM, x: Tensor, generator: torch.Generator) -> Tensor:
        z = model.represent(x)  # (n, d)
        scale = model.scale
        z_noisy = z + scale * standard_laplace_like(z, generator)  # (n, d), reparameterised
        return likelihood(model.decoder, z_noisy, x) + model.kl_weight() * laplace_kl(z, scale).sum(-1)  # (n,)

    return objective
