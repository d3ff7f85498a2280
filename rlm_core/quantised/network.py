"""The network that names a code: a trunk of linear layers and, in training only, several heads."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

import torch
from torch import Tensor, nn

from rlm_core.owner.encoder import MLPEncoder


class CodeNetwork(nn.Module):
    """Trunk with batch normalisation, heads that score codes, and a projection for the contrastive term.

    Several heads of one size start from different weights; the one that ends with the most
    mutual information is kept (:func:`rlm_core.quantised.train.best_head`).

    Args:
        sizes: of the trunk, from the input to the features.
        heads: number of codes of each head.
        projection: dimensions in which the contrastive term compares.
    """

    def __init__(self, sizes: Sequence[int], *, heads: Sequence[int], projection: int = 32) -> None:
        super().__init__()
        layers: list[nn.Module] = []
        for size_in, size_out in pairwise(sizes):
            layers += [nn.Linear(size_in, size_out), nn.BatchNorm1d(size_out), nn.ReLU()]
        self.trunk = nn.Sequential(*layers)
        self.heads = nn.ModuleList(nn.Linear(sizes[-1], codes) for codes in heads)
        self.projection = nn.Sequential(nn.Linear(sizes[-1], sizes[-1]), nn.ReLU(), nn.Linear(sizes[-1], projection))
        self.sizes = tuple(sizes)

    def scores(self, features: Tensor) -> list[Tensor]:
        """One (n, codes) for each head."""
        return [head(features) for head in self.heads]

    @torch.no_grad()
    def folded(self, head: int) -> MLPEncoder:
        """Trunk and one head as a plain :class:`MLPEncoder`: the normalisation becomes part of the weights.

        γ(Wx + b − μ)/σ + β = (γW/σ)x + γ(b − μ)/σ + β.
        """
        chosen = self.heads[head]
        assert isinstance(chosen, nn.Linear)
        encoder = MLPEncoder((*self.sizes, chosen.out_features))
        linear = [layer for layer in encoder if isinstance(layer, nn.Linear)]
        sources = list(self.trunk)
        for target, source, norm in zip(linear, sources[0::3], sources[1::3], strict=False):
            assert isinstance(source, nn.Linear) and isinstance(norm, nn.BatchNorm1d)
            assert norm.running_mean is not None and norm.running_var is not None
            factor = norm.weight / torch.sqrt(norm.running_var + norm.eps)  # (out,)
            target.weight.copy_(source.weight * factor[:, None])
            target.bias.copy_((source.bias - norm.running_mean) * factor + norm.bias)
        linear[-1].load_state_dict(chosen.state_dict())
        return encoder.eval()
