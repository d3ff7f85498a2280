"""NT-Xent against the double loop of SimCLR's algorithm 1, and the model around it."""

from __future__ import annotations

import math

import pytest
import torch

from rlm_core.owner.clip import L1Clip
from rlm_core.owner.encoder import MLPEncoder
from rlm_core.training.crlm.nt_xent import ContrastiveRLM, contrastive, nt_xent
from rlm_core.training.crlm.views import cached_views


def naive(first: torch.Tensor, second: torch.Tensor, temperature: float) -> list[float]:
    """ℓ(2k−1, 2k) and ℓ(2k, 2k−1), averaged for each k: Chen et al. 2020, algorithm 1."""
    n = len(first)
    v = [first[i // 2] if i % 2 == 0 else second[i // 2] for i in range(2 * n)]

    def s(i: int, j: int) -> float:
        return float(v[i] @ v[j] / (v[i].norm() * v[j].norm()))

    def loss(i: int, j: int) -> float:
        total = sum(math.exp(s(i, k) / temperature) for k in range(2 * n) if k != i)
        return -math.log(math.exp(s(i, j) / temperature) / total)

    return [(loss(2 * k, 2 * k + 1) + loss(2 * k + 1, 2 * k)) / 2 for k in range(n)]


@pytest.mark.parametrize("temperature", [0.1, 0.5, 1.0])
@pytest.mark.parametrize("n", [2, 5])
def test_equals_the_pseudocode(n: int, temperature: float) -> None:
    generator = torch.Generator().manual_seed(n)
    first = torch.randn(n, 4, generator=generator, dtype=torch.float64)
    second = torch.randn(n, 4, generator=generator, dtype=torch.float64)
    losses = nt_xent(first, second, temperature=temperature)
    assert losses.tolist() == pytest.approx(naive(first, second, temperature), rel=1e-10)


def test_ignores_length_and_rewards_agreement() -> None:
    generator = torch.Generator().manual_seed(0)
    first, second = torch.randn(6, 4, generator=generator), torch.randn(6, 4, generator=generator)
    losses = nt_xent(first, second, temperature=0.5)
    torch.testing.assert_close(nt_xent(3 * first, 0.1 * second, temperature=0.5), losses)
    assert nt_xent(first, first, temperature=0.5).mean() < losses.mean()


@pytest.mark.parametrize("temperature", [0.0, -1.0, math.nan])
def test_bad_temperature(temperature: float) -> None:
    with pytest.raises(ValueError, match="Expected temperature > 0"):
        nt_xent(torch.ones(2, 2), torch.ones(2, 2), temperature=temperature)


def test_bad_pairs() -> None:
    with pytest.raises(ValueError, match="at least 2 rows"):
        nt_xent(torch.ones(1, 2), torch.ones(1, 2), temperature=0.5)
    with pytest.raises(ValueError, match="one shape"):
        nt_xent(torch.ones(3, 2), torch.ones(2, 2), temperature=0.5)


def crlm(epsilon_pretraining: float | None) -> ContrastiveRLM:
    torch.manual_seed(0)
    return ContrastiveRLM(
        encoder=MLPEncoder((10, 4)),
        clip=L1Clip(radius=5.0),
        epsilon_pretraining=epsilon_pretraining,
        latent_dim=4,
        projection_hidden=8,
        projection_dim=6,
    )


def test_noise_and_clip_sit_before_the_projection() -> None:
    model = crlm(20.0)
    assert model.scale == pytest.approx(0.5)
    seen: list[torch.Tensor] = []
    model.projection.register_forward_pre_hook(lambda _, inputs: seen.append(inputs[0]))
    x = 100 * torch.randn(2000, 10, generator=torch.Generator().manual_seed(0))  # far outside the ball
    model.project(x, torch.Generator().manual_seed(1))
    z = model.represent(x)
    torch.testing.assert_close(z.abs().sum(-1), torch.full((2000,), 5.0))
    # E|noise| = b; 8,000 values have a standard error of 0.0056, so 0.04 is 7 of them.
    assert (seen[0] - z).abs().mean().item() == pytest.approx(0.5, abs=0.04)


def test_no_noise_draws_nothing() -> None:
    model, generator = crlm(None), torch.Generator().manual_seed(0)
    before = generator.get_state()
    x = torch.randn(4, 10)
    torch.testing.assert_close(model.project(x, generator), model.projection(model.represent(x)))
    assert torch.equal(generator.get_state(), before)


def test_projection_is_two_matrices() -> None:
    assert [tuple(p.shape) for p in crlm(None).projection.parameters()] == [(8, 4), (6, 8)]


def test_objective_gives_one_value_per_example() -> None:
    losses = contrastive(cached_views, temperature=0.5)(
        crlm(30.0), torch.randn(7, 3, 10).half(), torch.Generator().manual_seed(0)
    )
    assert losses.shape == (7,) and losses.requires_grad


def test_bad_epsilon() -> None:
    with pytest.raises(ValueError, match="epsilon_pretraining > 0, got epsilon_pretraining=0"):
        crlm(0)
