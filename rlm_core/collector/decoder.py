"""Decoders x̃ = g(z̃): from the released representation back to the shape of a record.

A decoder sees only z̃, so whatever it makes is post-processing and costs no budget
(paper, appendix on post-processing). It runs with the collector.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import torch
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


class TableDecoder(nn.Module):
    """Mixed rows: a Gaussian for every number, a softmax for every categorical.

    The output has the columns of the encoded row: at a numeric column the mean, in the
    slice of a categorical its logits. Each number has its own learnt variance (shared by
    all rows), so that one unit of log-likelihood means the same for every column.

    Args:
        sizes: layer sizes from z to the row; Lending Club uses (8, 500, 500, p).
        numeric: columns that hold standardised numbers.
        categorical: (start, stop) of every one-hot block.
    """

    MIN_LOG_STD = math.log(0.01)  # a column that z determines exactly would otherwise reach -inf

    _padded: Tensor
    _numeric: Tensor

    def __init__(self, sizes: Sequence[int], *, numeric: Sequence[int], categorical: Sequence[tuple[int, int]]) -> None:
        super().__init__()
        covered = sorted([*numeric, *(column for start, stop in categorical for column in range(start, stop))])
        if covered != list(range(sizes[-1])):
            raise ValueError(
                f"Expected every column of 0..{sizes[-1] - 1} in exactly one block, "
                f"got numeric={list(numeric)}, categorical={list(categorical)}."
            )
        self.network = MLPDecoder(sizes)
        self.sizes, self.numeric = tuple(sizes), tuple(numeric)
        self.categorical = tuple((start, stop) for start, stop in categorical)
        self.log_std = nn.Parameter(torch.zeros(len(self.numeric)))
        # All softmaxes in one operation: blocks padded to the widest, the padding at -inf.
        width = max((stop - start for start, stop in self.categorical), default=0)
        padded = torch.full((len(self.categorical), width), sizes[-1])  # sizes[-1]: an extra column of -inf
        for row, (start, stop) in zip(padded, self.categorical, strict=True):
            row[: stop - start] = torch.arange(start, stop)
        self.register_buffer("_padded", padded, persistent=False)
        self.register_buffer("_numeric", torch.tensor(self.numeric, dtype=torch.long), persistent=False)

    def forward(self, z_private: Tensor) -> Tensor:
        outputs: Tensor = self.network(z_private)
        return outputs  # (n, p): means and logits

    def negative_log_likelihood(self, z: Tensor, rows: Tensor) -> Tensor:
        """−log p(x|z) in nats: (n,)."""
        outputs = self.forward(z)  # (n, p)
        log_std = self.log_std.clamp_min(self.MIN_LOG_STD)  # (k,)
        difference = (rows - outputs)[:, self._numeric]  # (n, k)
        gaussian = 0.5 * (difference * torch.exp(-log_std)).square() + log_std + 0.5 * math.log(2 * math.pi)
        loss = gaussian.sum(-1)  # (n,)
        if self.categorical:
            log_normaliser = self._blocks(outputs).logsumexp(-1)  # (n, blocks)
            one_hot_columns = (rows * outputs).sum(-1) - (rows * outputs)[:, self._numeric].sum(-1)  # (n,)
            loss = loss + log_normaliser.sum(-1) - one_hot_columns
        return loss

    def decode(self, z_private: Tensor) -> Tensor:
        """Means of the numbers, probabilities of the categories: (n, p)."""
        outputs = self.forward(z_private)
        decoded = torch.empty_like(outputs)
        decoded[:, self._numeric] = outputs[:, self._numeric]
        for start, stop in self.categorical:
            decoded[:, start:stop] = outputs[:, start:stop].softmax(-1)
        return decoded

    def _blocks(self, outputs: Tensor) -> Tensor:
        """The logits of every categorical, padded with -inf: (n, blocks, width)."""
        padding = outputs.new_full((len(outputs), 1), -math.inf)
        return torch.cat([outputs, padding], dim=1)[:, self._padded]


class ImageDecoder(nn.Sequential):
    """A small transposed-convolution network: z (n, d) to a picture (n, 3, 32, 32) in [0, 1].

    The paper's C-RLM has no decoder; this one is trained afterwards, on the mechanism's
    data only, and like every decoder is post-processing of z̃.
    """

    def __init__(self, latent_dim: int, channels: int = 128) -> None:
        if not latent_dim > 0:
            raise ValueError(f"Expected latent_dim > 0, got latent_dim={latent_dim}.")
        if not (channels >= 4 and channels % 4 == 0):
            raise ValueError(f"Expected channels to be a positive multiple of 4, got channels={channels}.")
        super().__init__(
            nn.Linear(latent_dim, channels * 16),
            nn.ReLU(),
            nn.Unflatten(1, (channels, 4, 4)),
            nn.ConvTranspose2d(channels, channels // 2, 4, stride=2, padding=1),  # 8 x 8
            nn.ReLU(),
            nn.ConvTranspose2d(channels // 2, channels // 4, 4, stride=2, padding=1),  # 16 x 16
            nn.ReLU(),
            nn.ConvTranspose2d(channels // 4, 3, 4, stride=2, padding=1),  # 32 x 32
            nn.Sigmoid(),
        )
        self.latent_dim, self.channels = latent_dim, channels

    def decode(self, z_private: Tensor) -> Tensor:
        """The picture: (n, 3, 32, 32) in [0, 1]."""
        image: Tensor = self(z_private)
        return image
