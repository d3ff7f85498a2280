"""The owner's network of a Q-RLM: scores for k codes, each a group of fine codes."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class MergedEncoder(nn.Module):
    """Fine scores to scores of merged codes: of each group its best, so that argmax picks the group of the argmax.

    Args:
        fine: inputs to scores (n, fine codes).
        merge: the merged code of every fine code.
    """

    _merge: Tensor

    def __init__(self, fine: nn.Module, merge: Sequence[int]) -> None:
        super().__init__()
        self.fine = fine
        self.codes = max(merge) + 1
        self.register_buffer("_merge", torch.tensor(list(merge)), persistent=False)

    def forward(self, inputs: Tensor) -> Tensor:
        scores = self.fine(inputs)  # (n, fine)
        lowest = scores.new_full((len(scores), self.codes), -torch.inf)
        merged: Tensor = lowest.scatter_reduce(1, self._merge.expand(len(scores), -1), scores, reduce="amax")
        return merged  # (n, k)
