"""Weights on disk: float16 for encoders of records; 8 bits for decoders, which only draw, and for adapters.

A matrix is stored as int8 with one float16 scale a row, so a weight moves by at most 1/254 of the
largest in its row. Vectors (biases) are small and stay float16.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import Tensor

SCALE = ".scale"  # suffix of the tensor with the row scales
LEVELS = 127


def halved(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Everything as float16."""
    return {name: tensor.half().contiguous() for name, tensor in tensors.items()}


def packed(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """Matrices and kernels as int8 with row scales, vectors as float16.

    >>> small = packed({"w": torch.tensor([[1.0, -0.5]]), "b": torch.tensor([1.0])})
    >>> small["w"].tolist(), sorted(small)
    ([[127, -64]], ['b', 'w', 'w.scale'])
    """
    result: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if tensor.ndim < 2:
            result[name] = tensor.half().contiguous()
            continue
        rows = tensor.float().flatten(1)
        scale = (rows.abs().amax(1, keepdim=True) / LEVELS).clamp_min(1e-7).half()
        steps = (rows / scale.float()).round().clamp(-LEVELS, LEVELS)
        result[name] = steps.to(torch.int8).reshape(tensor.shape).contiguous()
        result[name + SCALE] = scale.squeeze(1).contiguous()
    return result


def unpacked(tensors: Mapping[str, Tensor]) -> dict[str, Tensor]:
    """float32 again, from either way of storing."""
    result: dict[str, Tensor] = {}
    for name, tensor in tensors.items():
        if name.endswith(SCALE):
            continue
        scale = tensors.get(name + SCALE)
        values = tensor.float()
        if scale is not None:
            values = values * scale.float().reshape(-1, *[1] * (tensor.ndim - 1))
        result[name] = values
    return result
