"""Nearest neighbours of features, and pairs made of them."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import torch

from rlm_core.training import presets
from rlm_core.training.crlm.neighbours import BLOCK, nearest_neighbours, neighbouring_views
from rlm_core.training.crlm.picture_source import PictureData
from rlm_core.training.crlm.train_crlm import pairs_of

PRESET = presets.PRESETS["cifar10-crlm-none"]


def test_neighbours_are_those_of_a_naive_search_across_blocks() -> None:
    features = torch.randn(BLOCK + 300, 6, generator=torch.Generator().manual_seed(0))
    found = nearest_neighbours(features, 3)
    unit = (features / features.norm(dim=1, keepdim=True)).double().numpy()
    for row in (0, 17, BLOCK - 1, BLOCK, BLOCK + 299):
        order = np.argsort(-(unit @ unit[row]))
        assert found[row].tolist() == [row, *[other for other in order.tolist() if other != row][:3]]


def test_pairs_are_a_view_of_the_picture_and_a_view_of_a_neighbour() -> None:
    views = torch.arange(40.0).view(10, 2, 2)
    neighbours = torch.stack([torch.arange(10), torch.arange(10).roll(1)], dim=1)
    rows = torch.arange(10).repeat(50)
    first, second = neighbouring_views(views, neighbours)(rows, torch.Generator().manual_seed(0))
    own, other = (first[:, 0] / 4).long(), (second[:, 0] / 4).long()
    assert torch.equal(own, rows)
    assert bool(((other == rows) | (other == neighbours[rows, 1])).all())
    assert {int(v) for v in first[rows == 3, 0]} == {12, 14}  # both views
    assert 0.35 < (other == rows).double().mean() < 0.65  # fails for a fair coin with probability 2e-11


def test_a_preset_with_neighbours_pairs_training_rows_with_training_rows_only() -> None:
    generator = torch.Generator().manual_seed(1)
    train, valid = torch.randn(30, 2, 4, generator=generator), 100 + torch.randn(9, 2, 4, generator=generator)
    nothing = torch.empty(0)
    data = PictureData(
        views=train,
        views_valid=valid,
        inputs=nothing,
        pictures=nothing,
        inputs_valid=nothing,
        pictures_valid=nothing,
        facts={},
    )
    assert isinstance(PRESET, presets.CRLMPreset)
    pairs, rows, rows_valid = pairs_of(replace(PRESET, neighbours=2), data)
    assert (len(rows), len(rows_valid)) == (30, 9)
    for numbers, large in ((rows, False), (rows_valid, True)):
        for view in pairs(numbers, generator):
            assert bool(((view > 50) == large).all())
    _, plain, _ = pairs_of(replace(PRESET, neighbours=0), data)
    assert torch.equal(plain, train)


def test_what_is_fine_tuned_or_private_has_no_neighbours() -> None:
    """Pictures that change are not the trunk's; and a neighbour's gradient would not be clipped with one's own."""
    for preset in presets.PRESETS.values():
        if isinstance(preset, presets.CRLMPreset) and (preset.finetune or preset.central is not None):
            assert preset.neighbours == 0
