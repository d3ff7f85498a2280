"""Cached features: seeded, one block at a time, and harmless to the global random state."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torch import nn

from rlm_core.training.crlm.features import SIDE, block_features, simclr_view


class Means(nn.Module):
    """A trunk that returns the mean of each channel, and checks what it is given."""

    def forward(self, images: torch.Tensor) -> torch.Tensor:
        assert images.shape[1:] == (3, SIDE, SIDE)
        return images.mean((2, 3))


def images(n: int = 4) -> np.typing.NDArray[np.uint8]:
    return np.random.default_rng(0).integers(0, 256, (n, 32, 32, 3)).astype(np.uint8)


def test_view_0_is_the_picture_itself() -> None:
    first = block_features(Means(), images(), 0, seed=1)
    assert first.shape == (4, 3) and first.dtype == np.float16
    assert np.array_equal(first, block_features(Means(), images(), 0, seed=2))


def test_other_views_are_random_and_seeded() -> None:
    view = block_features(Means(), images(), 1, seed=1)
    assert np.array_equal(view, block_features(Means(), images(), 1, seed=1))
    assert not np.array_equal(view, block_features(Means(), images(), 1, seed=2))


def test_global_random_state_is_left_alone() -> None:
    torch.manual_seed(5)
    before = torch.get_rng_state()
    block_features(Means(), images(), 1, seed=1)
    assert torch.equal(before, torch.get_rng_state())


def test_simclr_view_shape() -> None:
    assert simclr_view(torch.rand(3, 32, 32), side=48).shape == (3, 48, 48)


def test_the_command_asks_for_the_pictures_first(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    from rlm_core.cli import main

    with pytest.raises(SystemExit):
        main(["data", "features", "--source", str(tmp_path)])
    assert "rlm data get cifar10" in capsys.readouterr().err and not list(tmp_path.iterdir())
