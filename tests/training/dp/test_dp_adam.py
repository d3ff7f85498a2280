"""Clipping, noise, sampling and secrecy of DP-Adam."""

from __future__ import annotations

import math
import warnings

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from rlm_core.learning.batches import Batches, PoissonBatches
from rlm_core.learning.loop import adam, train
from rlm_core.owner.encoder import MLPEncoder
from rlm_core.training.dp.dp_adam import DPStep, example_norms, secret_generator

SIZES = (6, 5, 3)


def network(seed: int = 0) -> MLPEncoder:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        return MLPEncoder(SIZES)


def rows(n: int, seed: int = 1) -> Tensor:
    return torch.randn(n, SIZES[0], generator=torch.Generator().manual_seed(seed))


def losses_of(model: nn.Module, x: Tensor) -> Tensor:
    loss: Tensor = 3 * model(x).square().sum(1)
    return loss


def step_of(model: nn.Module, *, noise: float = 0.0, norm: float = 1.0, batch: float = 1.0, seed: int = 0) -> DPStep:
    generator = torch.Generator().manual_seed(seed)
    return DPStep(model, max_grad_norm=norm, noise_multiplier=noise, expected_batch_size=batch, generator=generator)


def flat(gradients: dict[nn.Parameter, Tensor], model: nn.Module) -> Tensor:
    return torch.cat([gradients[parameter].flatten() for parameter in model.parameters()])


def written_down(model: nn.Module, x: Tensor) -> Tensor:
    """Each example's gradient, by a backward pass of its own: (n, parameters)."""
    each = []
    for row in x:
        gradients = torch.autograd.grad(losses_of(model, row[None]).sum(), list(model.parameters()))
        each.append(torch.cat([gradient.flatten() for gradient in gradients]))
    return torch.stack(each)


def clipped_sum(x: Tensor, *, norm: float = 1.0) -> Tensor:
    model = network()
    step = step_of(model, norm=norm)
    return flat(step.noisy_gradients(losses_of(model, x)), model)


def test_equals_gradients_written_down_one_by_one() -> None:
    x = rows(7) * torch.logspace(-2, 1, 7)[:, None]  # norms below and above the bound
    each = written_down(network(), x)
    norms = each.norm(dim=1)
    bound = 10.0
    assert (norms < bound).any() and (norms > bound).any()
    expected = (each * (bound / norms.clamp_min(bound))[:, None]).sum(0)
    torch.testing.assert_close(clipped_sum(x, norm=bound), expected, rtol=1e-5, atol=1e-6)


def test_norms_equal_those_of_opacus_ghost_clipping() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from opacus.grad_sample import GradSampleModuleFastGradientClipping

        wrapped = GradSampleModuleFastGradientClipping(network(), max_grad_norm=1.0, loss_reduction="sum")
        x = rows(9)
        losses_of(wrapped, x).sum().backward()
        theirs = wrapped.get_norm_sample()
    model, seen = network(), []
    for layer in model:
        if isinstance(layer, nn.Linear):
            layer.register_forward_hook(lambda _, inputs, output: seen.append((inputs[0], output)))
    gradients = torch.autograd.grad(losses_of(model, x).sum(), [output for _, output in seen])
    ours = example_norms([activation for activation, _ in seen], gradients, [True] * len(seen))
    torch.testing.assert_close(ours, theirs, rtol=1e-4, atol=1e-6)
    torch.testing.assert_close(ours, written_down(network(), x).norm(dim=1), rtol=1e-4, atol=1e-6)


@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3, 1e12])
def test_one_example_moves_the_sum_by_at_most_the_bound(size: float) -> None:
    """Whatever the example: tiny, ordinary, absurd."""
    others, one = rows(8), size * rows(1, seed=5)
    for norm in (0.1, 1.0):
        influence = clipped_sum(torch.cat([others, one]), norm=norm) - clipped_sum(others, norm=norm)
        assert influence.norm() <= norm * (1 + 1e-4)
    if size >= 1:  # the bound is reached: clipping does not simply drop large examples (1e12 overflows in float32)
        alone = clipped_sum(one).norm().item()
        assert alone == pytest.approx(1.0, rel=1e-3) or (size == 1e12 and alone == 0.0)


def test_without_clipping_the_same_example_would_move_it_by_more() -> None:
    one = 1e3 * rows(1, seed=5)
    assert clipped_sum(one, norm=1e12).norm() > 1e6


def test_an_infinite_or_undefined_gradient_has_no_influence() -> None:
    others = rows(4)
    for bad in (math.inf, math.nan):
        with_bad = torch.cat([others, torch.full((1, SIZES[0]), bad)])
        torch.testing.assert_close(clipped_sum(with_bad), clipped_sum(others))


def test_the_noise_has_the_stated_scale() -> None:
    """Standard deviation σC/B. 10,600 values; 5 standard errors, failure rate below 1e-6 per side."""
    values = []
    for seed in range(200):
        model = network()
        step = step_of(model, noise=0.7, norm=2.0, batch=4.0, seed=seed)
        values.append(flat(step.noisy_gradients(losses_of(model, rows(0))), model))
    noise = torch.cat(values)
    error = 1 / math.sqrt(2 * len(noise))
    assert noise.std().item() / (0.7 * 2.0 / 4.0) == pytest.approx(1, abs=5 * error)
    assert 5 * error < 0.1  # 0.9 or 1.1 times the scale would be noticed
    assert abs(noise.mean().item()) < 5 * 0.35 / math.sqrt(len(noise))


def test_an_empty_batch_still_gets_noise_and_an_average_of_the_expected_size() -> None:
    model = network()
    before = [parameter.detach().clone() for parameter in model.parameters()]
    step_of(model, noise=1.0)(adam(model, 0.01), losses_of(model, rows(0)))
    assert all(not torch.equal(a, b) for a, b in zip(before, model.parameters(), strict=True))
    x = rows(3)
    model = network()
    whole = flat(step_of(model, batch=1.0).noisy_gradients(losses_of(model, x)), model)
    other = network()
    torch.testing.assert_close(flat(step_of(other, batch=64.0).noisy_gradients(losses_of(other, x)), other), whole / 64)


def test_every_trained_parameter_is_clipped() -> None:
    model = nn.Sequential(network(), nn.Linear(3, 3))
    step = step_of(model[0])
    with pytest.raises(ValueError, match="exactly the 4 clipped parameters, got 6"):
        step(adam(model, 0.01), losses_of(model, rows(2)))
    with pytest.raises(TypeError, match="got BatchNorm1d"):
        step_of(nn.Sequential(nn.Linear(3, 3), nn.BatchNorm1d(3)))


def test_a_layer_used_twice_is_refused() -> None:
    """Its example's gradient would be a sum, whose norm is not the product of norms."""
    layer = nn.Linear(3, 3)
    step = step_of(layer)
    with pytest.raises(RuntimeError, match="each of 1 layers to be used once in a step, got 2"):
        step.noisy_gradients(layer(layer(torch.ones(2, 3))).sum(1))


@pytest.mark.parametrize(
    ("name", "value"), [("max_grad_norm", 0.0), ("noise_multiplier", -1.0), ("expected_batch_size", math.nan)]
)
def test_bad_settings_of_the_step(name: str, value: float) -> None:
    settings = {"max_grad_norm": 1.0, "noise_multiplier": 1.0, "expected_batch_size": 4.0} | {name: value}
    with pytest.raises(ValueError, match=f"Expected {name} .* got {name}={value}"):
        DPStep(network(), generator=torch.Generator(), **settings)


def test_it_is_the_same_loop_and_without_clipping_and_noise_the_same_descent() -> None:
    """DP is a step of the loop: with no noise, no clipping and whole batches it is plain training."""
    x = rows(32)
    weights = []
    for private in (False, True):
        model = network()
        options = {"step": step_of(model, norm=1e9, batch=8.0)} if private else {}
        train(
            model,
            lambda model, batch, _: losses_of(model, batch),
            Batches(train=x, valid=x, batch_size=8),
            epochs=3,
            learning_rate=1e-2,
            generator=torch.Generator().manual_seed(0),
            **options,
        )
        weights.append(torch.cat([parameter.detach().flatten() for parameter in model.parameters()]))
    torch.testing.assert_close(*weights, rtol=1e-3, atol=1e-5)


def test_poisson_sampling() -> None:
    """Sizes are binomial and rows independent. 4,000 batches; 5 standard errors, failure rate below 1e-5."""
    n, batch, steps = 50, 5, 4000
    batches = PoissonBatches(train=torch.arange(n), valid=torch.arange(n), batch_size=batch, steps_per_epoch=steps)
    chosen = torch.zeros(steps, n)
    for step, index in enumerate(batches.shuffled(torch.Generator().manual_seed(3))):
        chosen[step, index] = 1
    assert batches.steps == steps and batches.sample_rate == pytest.approx(0.1, abs=2**-24)
    sizes = chosen.sum(1)
    variance = n * 0.1 * 0.9
    assert sizes.mean().item() == pytest.approx(5, abs=5 * math.sqrt(variance / steps))
    assert sizes.var().item() == pytest.approx(variance, abs=5 * variance * math.sqrt(2 / steps))
    assert sizes.min() < 5 < sizes.max()  # not batches of one size
    each = chosen.mean(0)  # every row as often as the others
    assert (each - 0.1).abs().max().item() < 5 * math.sqrt(0.09 / steps)
    together = (chosen[:, 0] * chosen[:, 1]).mean().item()
    assert together == pytest.approx(0.01, abs=5 * math.sqrt(0.0099 / steps))


def test_rate_of_a_batch_larger_than_the_data() -> None:
    batches = PoissonBatches(train=torch.arange(3), valid=torch.arange(3), batch_size=8, steps_per_epoch=2)
    assert batches.sample_rate == 1.0 and [len(batch) for batch in batches.shuffled(torch.Generator())] == [3, 3]


def test_the_secret_generator_is_a_mersenne_twister_in_a_random_state() -> None:
    """The same words in numpy's twister give the same numbers: the whole state was set, and in the right place."""
    generator = secret_generator(torch.device("cpu"))
    words = generator.get_state()[24 : 24 + 8 * 624].view(torch.int64).numpy()
    assert len(np.unique(words)) > 600 and words.max() < 2**32
    twister = np.random.MT19937()
    twister.state = {"bit_generator": "MT19937", "state": {"key": words.astype(np.uint32), "pos": 624}}
    drawn = torch.empty(1000, dtype=torch.int32).random_(generator=generator).numpy()
    assert np.array_equal(drawn, twister.random_raw(1000) % 2**31)
    again = torch.empty(1000, dtype=torch.int32).random_(generator=secret_generator(torch.device("cpu"))).numpy()
    assert not np.array_equal(drawn, again)
