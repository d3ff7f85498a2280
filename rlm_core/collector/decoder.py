"""Decoders x̃ = g(z̃): from the released representation back to the shape of a record.

A decoder sees only z̃, so whatever it makes is post-processing and costs no budget
(paper, appendix on post-processing). It runs with the collector.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from torch import Tensor, nn


class MLPDecoder(nn.Sequential):
    """Linear layers with ReLU between them: z (n, sizes[0]) to logits (n, sizes[-1]).

    The sigmoid of a logit is the mean of that pixel's Bernoulli distribution. MNIST
    uses (8, 50, 150, 400, 784): paper, appendix "Mechanism Architectures and
    Transformations".
    """

    def __init__(self, sizes: Sequence[int]) -> None:
        if len(sizes) < 2 or not all(size > 0 for size in sizes):
            raise ValueError(f"Expected at least two positive layer sizes, got sizes={tuple(sizes)}.")
        layers: list[nn.Module] = []
        for size_in, size_out in pairwise(sizes):
            layers += [nn.Linear(size_in, size_out), nn.ReLU()]
        super().__init__(*layers[:-1])  # the last layer is linear
        self.sizes = tuple(sizes)

    def decode(self, z_private: Tensor) -> Tensor:
        """The mean image: (n, sizes[-1]) in [0, 1]."""
        logits: Tensor = self(z_private)
        return logits.sigmoid()
