"""Weights in 8 bits: how far a weight may move, and that either way of storing reads back."""

from __future__ import annotations

import pytest
import torch

from rlm_core.zoo.pack import halved, packed, unpacked


@pytest.mark.parametrize("shape", [(5, 7), (4, 3, 2, 2), (1, 1)])
def test_a_weight_moves_by_at_most_half_a_step_of_its_row(shape: tuple[int, ...]) -> None:
    weights = torch.randn(shape, generator=torch.Generator().manual_seed(0)) * 10
    back = unpacked(packed({"w": weights}))["w"]
    step = weights.flatten(1).abs().amax(1) / 127
    worst = (back - weights).flatten(1).abs().amax(1)
    assert back.shape == weights.shape and (worst <= 0.57 * step).all()  # half a step, and float16 scales


def test_biases_zeros_and_float16_files_read_back() -> None:
    tensors = {"w": torch.zeros(3, 2), "b": torch.tensor([1.5, -2.0, 0.0])}
    for smaller in (packed, halved):
        back = unpacked(smaller(tensors))
        assert set(back) == {"w", "b"} and all(value.dtype == torch.float32 for value in back.values())
        torch.testing.assert_close(back["b"], tensors["b"])
        torch.testing.assert_close(back["w"], tensors["w"])
    assert packed(tensors)["w"].dtype == torch.int8
