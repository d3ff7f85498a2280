"""The picture decoder's objective: every strength of noise, and none, in one batch."""

from __future__ import annotations

import torch
from torch import Tensor, nn

from rlm_core.training.crlm.train_crlm import CLEAN_SHARE, DECODER_EPSILONS, squared_error

SENSITIVITY = 10.0


class Watcher(nn.Module):
    """Remembers what it was given, and draws black pictures."""

    seen: Tensor

    def forward(self, z: Tensor) -> Tensor:
        self.seen = z
        return torch.zeros(len(z), 3, 32, 32)


def test_some_pictures_are_clean_and_the_others_have_noise_of_any_strength() -> None:
    """20,000 pictures: the share of clean ones within 6 standard errors, failure rate 2e-9."""
    watcher, n, d = Watcher(), 20_000, 32
    losses = squared_error(SENSITIVITY)(
        watcher,  # type: ignore[arg-type]
        (torch.zeros(n, d), torch.ones(1, 3, 32, 32).expand(n, -1, -1, -1)),
        torch.Generator().manual_seed(0),
    )
    assert torch.equal(losses, torch.ones(n))  # (0 − 1)² for every pixel
    spread = watcher.seen.abs().mean(1)  # of Laplace noise: its scale, within 1/√32
    clean = spread == 0
    assert abs(clean.double().mean().item() - CLEAN_SHARE) < 6 * (CLEAN_SHARE * (1 - CLEAN_SHARE) / n) ** 0.5
    epsilon = SENSITIVITY / spread[~clean]
    low, high = DECODER_EPSILONS
    assert epsilon.min() > low / 3 and epsilon.max() < high * 3
    middle = (low * high) ** 0.5
    assert 0.45 < (epsilon < middle).double().mean() < 0.55  # log-uniform
