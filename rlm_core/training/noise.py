"""Laplace noise for training: fast, differentiable in the mean and the scale, seeded.

This is the *simulation* path. Its low bits depend on the clean value, so a sample
from here is not differentially private and must never be released; releases go
through ``rlm_core.owner.laplace.LaplaceNoise.privatise``.
"""

from __future__ import annotations

import torch
from torch import Tensor


def standard_laplace_like(z: Tensor, generator: torch.Generator) -> Tensor:
    """Independent Laplace(0, 1) values in the shape of ``z``.

    The difference of two Exp(1) variables is Laplace(0, 1); unlike the inverse of the
    distribution function it never takes the logarithm of zero.

    >>> g = torch.Generator().manual_seed(0)
    >>> s = standard_laplace_like(torch.zeros(200_000), g)
    >>> abs(s.abs().mean().item() - 1) < 0.01  # E|s| = 1
    True
    """
    pair = torch.empty((2, *z.shape), dtype=z.dtype, device=z.device).exponential_(generator=generator)
    return pair[0] - pair[1]
