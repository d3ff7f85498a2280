"""Views: which stored ones are paired, and that augmentation does what it says."""

from __future__ import annotations

import pytest
import torch

from rlm_core.training.crlm.views import augmented_views, cached_views, random_crop, random_gray, random_jitter


def seeded(seed: int = 0) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


@pytest.mark.parametrize("count", [2, 3, 4])
def test_cached_views_are_two_different_ones_of_the_same_row(count: int) -> None:
    n = 3000
    batch = torch.arange(n * count, dtype=torch.float32).view(n, count, 1)  # each value names row and view
    first, second = cached_views(batch, seeded())
    assert ((first // count) == (second // count)).all()
    assert (first != second).all()
    pairs = torch.stack([first % count, second % count]).squeeze(-1)
    counts = torch.zeros(count, count).index_put_(tuple(pairs.long()), torch.ones(n), accumulate=True)
    expected = n / (count * (count - 1))  # every ordered pair equally often
    off_diagonal = counts[~torch.eye(count, dtype=torch.bool)]
    assert ((off_diagonal - expected).abs() < 6 * expected**0.5).all()


def test_one_view_is_not_enough() -> None:
    with pytest.raises(ValueError, match="at least 2 stored views, got 1"):
        cached_views(torch.zeros(2, 1, 5), seeded())


def test_augmented_views_shape_range_and_seed() -> None:
    images = torch.rand(6, 3, 32, 32, generator=seeded())
    views = augmented_views(64)
    first, second = views(images, seeded(1))
    assert first.shape == second.shape == (6, 3, 64, 64)
    assert first.min() >= 0 and first.max() <= 1
    assert not torch.equal(first, second)
    again, _ = views(images, seeded(1))
    assert torch.equal(first, again)


def test_crop_stays_inside_and_shows_at_least_a_fifth() -> None:
    # A picture whose red is x and whose green is y tells where each pixel of the crop came from.
    ramp = (torch.arange(32) + 0.5) / 32
    images = torch.stack([ramp.expand(32, 32), ramp.view(32, 1).expand(32, 32), torch.zeros(32, 32)])
    crops = random_crop(images.expand(400, 3, 32, 32), 32, seeded())
    width = crops[:, 0].amax((1, 2)) - crops[:, 0].amin((1, 2))
    height = crops[:, 1].amax((1, 2)) - crops[:, 1].amin((1, 2))
    assert (width * height > 0.15).all()  # area >= 0.2, less the half pixel at each border
    assert (width * height < 0.4).any() and (width * height > 0.8).any()
    mirrored = (crops[:, 0, 0, 0] > crops[:, 0, 0, -1]).float().mean()
    assert 0.35 < mirrored < 0.65  # 400 coins: 6 standard deviations


def test_grayscale_share() -> None:
    images = torch.rand(2000, 3, 2, 2, generator=seeded())
    gray = random_gray(images, seeded(1))
    is_gray = (gray[:, 0] == gray[:, 1]).flatten(1).all(1)
    assert 0.146 < is_gray.float().mean() < 0.254  # 0.2 ± 6 standard deviations
    assert torch.equal(gray[~is_gray], images[~is_gray])


def test_jitter_share_and_gray_stays_gray() -> None:
    images = torch.rand(2000, 1, 2, 2, generator=seeded()).expand(-1, 3, -1, -1)
    changed = random_jitter(images, seeded(1))
    moved = (changed != images).flatten(1).any(1).float().mean()
    assert 0.746 < moved < 0.854
    assert (changed.amax(1) - changed.amin(1)).max() < 2e-3  # neither saturation nor hue colours a gray pixel
