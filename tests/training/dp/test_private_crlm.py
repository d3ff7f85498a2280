"""NT-Xent under central DP: groups, their clipping, and one picture's influence on the sum."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
from torch import Tensor

from rlm_core.owner.clip import L1Clip
from rlm_core.owner.encoder import MLPEncoder
from rlm_core.training.crlm.nt_xent import ContrastiveRLM, grouped_contrastive, nt_xent
from rlm_core.training.crlm.picture_source import PictureData
from rlm_core.training.dp.dp_adam import DPStep
from rlm_core.training.dp.private_crlm import train_private_crlm
from rlm_core.training.presets import PRESETS, CRLMPreset

GROUPS = 3


def crlm() -> ContrastiveRLM:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(0)
        return ContrastiveRLM(
            encoder=MLPEncoder((10, 4)),
            clip=L1Clip(radius=5.0),
            epsilon_pretraining=None,
            latent_dim=4,
            projection_hidden=8,
            projection_dim=6,
        )


def pictures(n: int) -> Tensor:
    return torch.randn(n, 2, 10, generator=torch.Generator().manual_seed(n))


def _stored(batch: Tensor, generator: torch.Generator) -> tuple[Tensor, Tensor]:
    return batch[:, 0], batch[:, 1]


def clipped_sum(batch: Tensor, group: Tensor, *, norm: float = 1.0, noise: float = 0.0) -> Tensor:
    """The step's sum for two stored views of every picture, with groups that are given."""
    model = crlm()
    step = DPStep(
        model,
        max_grad_norm=norm,
        noise_multiplier=noise,
        expected_batch_size=1.0,
        generator=torch.Generator().manual_seed(0),
    )
    both = model.project(torch.cat([batch[:, 0], batch[:, 1]]), torch.Generator())
    losses = nt_xent(both[: len(batch)], both[len(batch) :], temperature=0.2, groups=group)
    step.group(group.repeat(2))
    gradients = step.noisy_gradients(losses)
    return torch.cat([gradients[parameter].flatten() for parameter in model.parameters()])


def test_each_group_is_clipped_as_a_whole() -> None:
    """Against the gradient of every group by a backward pass of its own."""
    batch, group = 3 * pictures(9), torch.tensor([0, 0, 0, 0, 1, 1, 1, 2, 2])
    alone = []
    for number in range(GROUPS):
        model, own = crlm(), batch[group == number]
        both = model.project(torch.cat([own[:, 0], own[:, 1]]), torch.Generator())
        loss = nt_xent(both[: len(own)], both[len(own) :], temperature=0.2).sum()
        gradient = torch.cat([g.flatten() for g in torch.autograd.grad(loss, list(model.parameters()))])
        alone.append(gradient)
    norms = sorted(gradient.norm().item() for gradient in alone)
    bound = (norms[0] + norms[-1]) / 2  # clips some groups, not all
    expected = sum(gradient * min(1.0, bound / gradient.norm().item()) for gradient in alone)
    torch.testing.assert_close(clipped_sum(batch, group, norm=bound), expected, rtol=1e-4, atol=1e-5)


@pytest.mark.parametrize("size", [0.1, 1.0, 100.0])
def test_one_picture_moves_the_sum_by_at_most_twice_the_bound(size: float) -> None:
    batch, group = pictures(12), torch.arange(12) % GROUPS
    batch[-1] *= size
    influence = clipped_sum(batch, group) - clipped_sum(batch[:-1], group[:-1])
    assert influence.norm() <= 2 * (1 + 1e-4)
    without_clipping = clipped_sum(batch, group, norm=1e9) - clipped_sum(batch[:-1], group[:-1], norm=1e9)
    assert without_clipping.norm() > 2.5  # so the bound is the clipping's doing


def test_a_picture_that_is_not_a_number_takes_no_part() -> None:
    batch = pictures(8)
    broken = torch.cat([batch[:5], torch.full((1, 2, 10), float("nan")), batch[5:]])
    groups_seen: list[Tensor] = []
    losses = []
    for rows in (batch, broken):
        objective = grouped_contrastive(_stored, temperature=0.2, groups=GROUPS, on_groups=groups_seen.append)
        losses.append(objective(crlm().train(), rows, torch.Generator().manual_seed(0)))
    assert (
        torch.isfinite(losses[1]).all()
        and torch.equal(losses[0], losses[1])
        and torch.equal(groups_seen[0], groups_seen[1])
    )


def test_clipping_pictures_one_by_one_would_not_bound_it() -> None:
    """Why there are groups: in one common loss a picture changes everybody's gradient.

    Forty equal pictures pull in no direction; with another one among them, all are pushed away from it.
    """
    batch = torch.cat([pictures(1).expand(40, 2, 10)[:, :1].repeat(1, 2, 1), pictures(2)[1:]])

    def one_by_one(rows: Tensor) -> Tensor:
        model = crlm()
        step = DPStep(
            model, max_grad_norm=1e-3, noise_multiplier=0.0, expected_batch_size=1.0, generator=torch.Generator()
        )
        both = model.project(torch.cat([rows[:, 0], rows[:, 1]]), torch.Generator())
        gradients = step.noisy_gradients(nt_xent(both[: len(rows)], both[len(rows) :], temperature=0.2))
        return torch.cat([gradient.flatten() for gradient in gradients.values()])

    bound = 2 * 1e-3  # its two views, clipped to 1e-3 each
    assert (one_by_one(batch) - one_by_one(batch[:-1])).norm() > 5 * bound


def test_the_noise_of_groups_is_twice_as_large() -> None:
    """204 values of standard deviation 2σC; 6 standard errors, failure rate below 1e-8."""
    batch, group = pictures(4), torch.tensor([0, 0, 1, 1])
    noise = clipped_sum(batch, group, norm=1e-9, noise=1e9 * 0.7)
    assert noise.std().item() == pytest.approx(1.4, rel=6 / (2 * len(noise)) ** 0.5)
    assert noise.std().item() > 1.0  # not 0.7


def test_values_depend_on_the_own_group_only() -> None:
    generator = torch.Generator().manual_seed(0)
    first, second = torch.randn(6, 4, generator=generator), torch.randn(6, 4, generator=generator)
    group = torch.tensor([0, 1, 0, 1, 0, 2])
    losses = nt_xent(first, second, temperature=0.5, groups=group)
    for number in (0, 1):
        own = group == number
        torch.testing.assert_close(losses[own], nt_xent(first[own], second[own], temperature=0.5))
    assert losses[5].item() == 0.0


def test_the_objective_tells_the_groups_and_takes_an_empty_batch() -> None:
    groups_seen: list[Tensor] = []
    objective = grouped_contrastive(
        lambda batch, _: (batch[:, 0], batch[:, 1]), temperature=0.5, groups=GROUPS, on_groups=groups_seen.append
    )
    model, generator = crlm(), torch.Generator().manual_seed(0)
    assert objective(model, pictures(50), generator).shape == (50,)
    assert torch.equal(groups_seen[0][:50], groups_seen[0][50:]) and set(groups_seen[0].tolist()) == {0, 1, 2}
    assert objective(model, pictures(0), generator).shape == (0,)
    model.eval()
    objective(model, pictures(5), generator)
    assert len(groups_seen) == 2  # validation is the ordinary loss


def test_training_spends_what_it_says() -> None:
    preset = PRESETS["cifar10-crlm-none-cdp5"]
    assert isinstance(preset, CRLMPreset)
    generator = torch.Generator().manual_seed(0)
    centres = torch.randn(600, 1, 512, generator=generator)
    views = centres + 0.5 * torch.randn(600, 3, 512, generator=generator)
    data = PictureData(
        views=views[:500],
        views_valid=views[500:],
        inputs=views[:, 0],
        pictures=views,
        inputs_valid=views,
        pictures_valid=views,
        facts={},
    )
    assert preset.central is not None
    small = replace(preset, batch_size=100, groups=5, epochs=4, central=replace(preset.central, noise_multiplier=3.0))
    model, history, spent = train_private_crlm(small, data, seed=0, device=torch.device("cpu"), generator=generator)
    assert 0 < spent["epsilon"] <= 5.0 and spent["steps"] == sum(record.steps for record in history)
    assert spent["covers"] == "the encoder's trained layers"
    assert all(torch.isfinite(parameter).all() for parameter in model.parameters())
    with pytest.raises(ValueError, match="groups=0"):
        train_private_crlm(replace(small, groups=0), data, seed=0, device=torch.device("cpu"))
