"""The network that names a code: an embedding, and in it the nearest of several centres."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn
from torch.nn import functional
from torch.nn.utils.fusion import fuse_linear_bn_eval

from rlm_core.owner.encoder import MLPEncoder


class EmbeddingNetwork(nn.Module):
    """Linear layers with batch normalisation and ReLU, then a linear layer onto a sphere.

    Args:
        sizes: from the input to the embedding; at least one hidden layer.
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        if len(sizes) < 3:
            raise ValueError(f"Expected at least one hidden layer, got sizes={tuple(sizes)}.")
        super().__init__()
        layers: list[nn.Module] = []
        for size_in, size_out in pairwise(sizes[:-1]):
            layers += [nn.Linear(size_in, size_out), nn.BatchNorm1d(size_out), nn.ReLU()]
        self.trunk = nn.Sequential(*layers)
        self.last = nn.Linear(sizes[-2], sizes[-1])
        self.sizes = tuple(sizes)

    def forward(self, inputs: Tensor) -> Tensor:
        return functional.normalize(self.last(self.trunk(inputs)), dim=1)  # (n, d), of length 1

    @torch.no_grad()
    def with_centres(self, centres: Tensor) -> MLPEncoder:
        """Scores for the centres (k, d) as a plain network: argmax is the nearest centre.

        For unit vectors the nearest centre has the largest u·c, and u = v/‖v‖ has the same argmax as
        v = Wh + b, so the centres become part of the last layer: (CW)h + Cb. Batch normalisation
        becomes part of the others: γ(Wx + b − μ)/σ + β = (γW/σ)x + γ(b − μ)/σ + β.
        """
        return self.with_scores(functional.normalize(centres.float(), dim=1))

    @torch.no_grad()
    def with_scores(self, directions: Tensor) -> MLPEncoder:
        """The scores v·d of the embedding before it is brought onto the sphere, for directions (k, d) of any length."""
        encoder = MLPEncoder((*self.sizes[:-1], len(directions)))
        linear = [layer for layer in encoder if isinstance(layer, nn.Linear)]
        sources = list(copy.deepcopy(self.trunk).eval())  # a network that is still learning stays as it is
        for target, source, norm in zip(linear, sources[0::3], sources[1::3], strict=False):
            assert isinstance(source, nn.Linear) and isinstance(norm, nn.BatchNorm1d)
            target.load_state_dict(fuse_linear_bn_eval(source, norm).state_dict())
        linear[-1].weight.copy_(directions @ self.last.weight)
        linear[-1].bias.copy_(directions @ self.last.bias)
        return encoder.eval()
