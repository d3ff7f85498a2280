"""KL and ELBO: against numerical integration, a naive copy of the formulas, and their limits."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from scipy import integrate, stats
from torch import nn

from rlm_core.collector.decoder import MLPDecoder, TableDecoder
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.encoder import MLPEncoder
from rlm_core.training.noise import standard_laplace_like
from rlm_core.training.vrlm.elbo import PRIOR_SCALE, VariationalRLM, bernoulli, laplace_kl, mixed, negative_elbo

RADIUS = 5.0


def model(epsilon_pretraining: float | None = 15.0) -> VariationalRLM:
    torch.manual_seed(0)
    return VariationalRLM(
        encoder=MLPEncoder((6, 12, 3)),
        decoder=MLPDecoder((3, 12, 6)),
        clip=L1Clip(radius=RADIUS),
        epsilon_pretraining=epsilon_pretraining,
    )


@pytest.mark.parametrize("mean", [0.0, 0.3, -2.0, 9.5])
@pytest.mark.parametrize("scale", [0.05, PRIOR_SCALE, 2.5])
def test_kl_equals_numerical_integration(mean: float, scale: float) -> None:
    q, p = stats.laplace(mean, scale), stats.laplace(0, 1 / math.sqrt(2))

    def integrand(z: float) -> float:
        return float(q.pdf(z) * (q.logpdf(z) - p.logpdf(z)))

    edges = sorted({mean - 60 * scale, min(mean, 0.0), max(mean, 0.0), mean + 60 * scale})
    pieces = [integrate.quad(integrand, a, b, limit=200)[0] for a, b in zip(edges, edges[1:], strict=False)]
    ours = laplace_kl(torch.tensor(mean, dtype=torch.float64), torch.tensor(scale, dtype=torch.float64))
    assert ours.item() == pytest.approx(sum(pieces), abs=1e-7)


def test_kl_is_zero_only_at_the_prior() -> None:
    means = torch.linspace(-3, 3, 13, dtype=torch.float64)
    scales = torch.tensor([0.1, 0.5, PRIOR_SCALE, 1.0, 4.0], dtype=torch.float64)
    kl = laplace_kl(means[:, None], scales)  # (13, 5)
    assert kl[6, 2].abs() < 1e-12
    kl[6, 2] = 1.0
    assert (kl > 1e-3).all()


def test_kl_limits() -> None:
    mean = torch.tensor([0.5, 2.0], dtype=torch.float64)
    tiny = torch.tensor(1e-9, dtype=torch.float64)
    limit = mean.abs() / PRIOR_SCALE + torch.log(PRIOR_SCALE / tiny) - 1  # b -> 0: the exponential is gone
    torch.testing.assert_close(laplace_kl(mean, tiny), limit)
    huge = torch.tensor(1e9, dtype=torch.float64)
    torch.testing.assert_close(  # b -> inf: b/b0, whatever the mean
        laplace_kl(mean, huge) / huge, torch.full((2,), 1 / PRIOR_SCALE, dtype=torch.float64), rtol=1e-6, atol=0
    )


def test_objective_is_the_naive_elbo() -> None:
    rlm, x = model(), torch.rand(4, 6)
    losses = negative_elbo(bernoulli)(rlm, x, torch.Generator().manual_seed(3))
    b = 2 * RADIUS / 15.0
    h = rlm.encoder(x)
    noise = standard_laplace_like(torch.zeros(4, 3), torch.Generator().manual_seed(3))
    for n in range(4):
        z = h[n] * min(1.0, RADIUS / h[n].abs().sum().item())
        p = torch.sigmoid(rlm.decoder(z + b * noise[n]))
        log_likelihood = (x[n] * p.log() + (1 - x[n]) * (1 - p).log()).sum()
        kl = sum(laplace_kl(z_i, torch.tensor(b)) for z_i in z)
        assert losses[n].item() == pytest.approx((kl - log_likelihood).item(), rel=1e-4)


def test_scale_is_fixed_by_epsilon_or_learnt() -> None:
    assert model(20.0).scale.item() == pytest.approx(2 * RADIUS / 20)
    assert not any("log_scale" in name for name, _ in model(20.0).named_parameters())
    learnt = model(None)
    assert learnt.scale.item() == pytest.approx(PRIOR_SCALE)
    negative_elbo(bernoulli)(learnt, torch.rand(8, 6), torch.Generator().manual_seed(0)).mean().backward()
    assert learnt.posterior_log_scale.grad is not None and learnt.posterior_log_scale.grad.abs() > 0


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.inf, math.nan])
def test_a_scale_without_elbo_is_refused(epsilon: float) -> None:
    with pytest.raises(ValueError, match=f"got epsilon_pretraining={epsilon}"):
        model(epsilon)


def test_less_noise_reaches_the_decoder_at_a_larger_epsilon() -> None:
    x = torch.rand(500, 6)
    generator = torch.Generator().manual_seed(0)

    def spread(epsilon: float) -> float:
        rlm = model(epsilon)
        rlm.decoder = torch.nn.Identity()

        def distance(decoder: torch.nn.Module, z_noisy: torch.Tensor, x: torch.Tensor) -> torch.Tensor:
            return (decoder(z_noisy) - rlm.represent(x)).abs().mean(-1)

        total = negative_elbo(distance)(rlm, x, generator) - laplace_kl(rlm.represent(x), rlm.scale).sum(-1)
        return total.mean().item()

    # E|noise| = b; 1,500 values have a standard error of b / sqrt(1500), so 0.2 b is 7.7 of them.
    assert spread(10.0) == pytest.approx(1.0, abs=0.2)
    assert spread(100.0) == pytest.approx(0.1, abs=0.02)


def test_mixed_likelihood_is_gaussians_and_softmaxes() -> None:
    torch.manual_seed(0)
    decoder = TableDecoder((3, 7), numeric=(0, 4), categorical=((1, 4), (5, 7)))
    decoder.log_std.data = torch.tensor([0.3, -0.4])
    rows = torch.tensor([[0.5, 0, 1, 0, -1.2, 1, 0], [-2.0, 1, 0, 0, 0.1, 0, 1]])
    z = torch.randn(2, 3)
    losses = mixed(decoder, z, rows)
    outputs = decoder(z).detach().numpy()
    for n, (row, out) in enumerate(zip(rows.numpy(), outputs, strict=True)):
        expected = 0.0
        for column, std in ((0, math.exp(0.3)), (4, math.exp(-0.4))):
            expected -= stats.norm(out[column], std).logpdf(row[column])
        for start, stop in ((1, 4), (5, 7)):
            probabilities = np.exp(out[start:stop]) / np.exp(out[start:stop]).sum()
            expected -= math.log(probabilities[row[start:stop].argmax()])
        assert losses[n].item() == pytest.approx(expected, rel=1e-5)


def test_mixed_likelihood_wants_a_table_decoder() -> None:
    with pytest.raises(TypeError, match="TableDecoder"):
        mixed(MLPDecoder((3, 6)), torch.zeros(1, 3), torch.zeros(1, 6))


def test_training_noise_is_laplace() -> None:
    # One KS test of a fixed seed; it accepts scale 1 and rejects 0.9 and 1.1 by a wide margin.
    sample = standard_laplace_like(torch.zeros(40_000, 2), torch.Generator().manual_seed(1)).flatten().numpy()
    assert stats.kstest(sample, stats.laplace(0, 1).cdf).pvalue > 1e-3
    for wrong in (0.9, 1.1):
        assert stats.kstest(sample, stats.laplace(0, wrong).cdf).pvalue < 1e-9


def test_the_warm_up_raises_the_weight_of_the_kl_and_ends_at_the_elbo() -> None:
    def build(warm_up_steps: int) -> VariationalRLM:
        torch.manual_seed(0)
        return VariationalRLM(
            encoder=nn.Linear(6, 2),
            decoder=nn.Linear(2, 6),
            clip=L1Clip(radius=2.0),
            epsilon_pretraining=4.0,
            warm_up_steps=warm_up_steps,
        )

    x = torch.rand(8, 6)
    plain, warm = build(0), build(4)
    objective = negative_elbo(bernoulli)

    def loss(model: VariationalRLM) -> torch.Tensor:
        return objective(model, x, torch.Generator().manual_seed(1)).detach()

    kl = laplace_kl(plain.represent(x), plain.scale).sum(-1).detach()
    elbo = loss(plain)
    for step in range(1, 7):
        weight = min(1.0, step / 4)
        torch.testing.assert_close(loss(warm), elbo - (1 - weight) * kl)
    fresh = build(4).eval()
    torch.testing.assert_close(loss(fresh), elbo)  # evaluation is never warmed up
    assert fresh.state_dict()["steps"] == 0 and warm.state_dict()["steps"] == 6  # a checkpoint keeps it


def test_the_noise_grows_in_the_middle_of_training_and_ends_at_its_own_scale() -> None:
    def build(epsilon: float | None = 4.0, first: float | None = 16.0) -> VariationalRLM:
        return VariationalRLM(
            encoder=nn.Linear(6, 2),
            decoder=nn.Linear(2, 6),
            clip=L1Clip(radius=2.0),
            epsilon_pretraining=epsilon,
            first_epsilon=first,
            growth_steps=(2, 6),
        )

    model, objective, scales = build(), negative_elbo(bernoulli), []
    for _ in range(8):
        scales.append(float(model.scale))
        objective(model, torch.rand(3, 6), torch.Generator().manual_seed(1))
    first, last = 4.0 / 16.0, 4.0 / 4.0
    expected = [first, first, first] + [first + part * (last - first) for part in (0.25, 0.5, 0.75, 1.0)] + [last]
    assert scales == pytest.approx(expected)
    fresh = build().eval()
    assert float(fresh.scale) == pytest.approx(last)  # evaluation is at the preset's own noise
    assert float(build(first=None).scale) == pytest.approx(last)
    with pytest.raises(ValueError, match="learnt"):
        build(epsilon=None)
    for first in (0.0, -1.0):
        with pytest.raises(ValueError, match="first_epsilon > 0"):
            build(first=first)
