"""x̃ from a set of codes: the mean record of D₁ that would have sent it."""

from __future__ import annotations

from collections.abc import Sequence

import torch
from torch import Tensor, nn


class CodeDecoder(nn.Module):
    """x̃ = Σ_c p(c | S)·(mean record of code c), with p(c | S) ∝ π_c·(e^ε if c ∈ S, 1 otherwise).

    π and the mean records are D₁'s. This x̃ has the least expected squared error of all functions of
    S, if records are spread within a code as in D₁. Like every decoder it is post-processing.

    A report z̃ tells its own ε: it has two values, and 1/(their difference) is p − q of the
    channel (see ``rlm_core.owner.subset_selection``), with ω the number of positive entries. A
    one-hot z is the limit ε = ∞, and is decoded to the mean record of its code. Other vectors
    (averages of several reports) are estimates of z; their nearest point in the simplex
    stands in for p(c | S).

    Args:
        codes: k.
        shape: of one record.
    """

    prototypes: Tensor
    frequencies: Tensor

    def __init__(self, codes: int, shape: tuple[int, ...]) -> None:
        if not codes > 1:
            raise ValueError(f"Expected codes > 1, got codes={codes}.")
        super().__init__()
        self.register_buffer("prototypes", torch.zeros(codes, *shape))
        self.register_buffer("frequencies", torch.full((codes,), 1.0 / codes))
        self.codes = codes

    @classmethod
    def fit(cls, codes: Tensor, records: Tensor, count: int) -> CodeDecoder:
        """Mean records and frequencies from D₁: codes (n,) and records (n, ...)."""
        decoder = cls(count, tuple(records.shape[1:]))
        counts = torch.bincount(codes, minlength=count).double()
        sums = torch.zeros_like(decoder.prototypes, dtype=torch.float64).index_add_(0, codes, records.double())
        mean = records.double().mean(0)  # for a code that never occurs
        shape = (-1,) + (1,) * (records.ndim - 1)
        means = torch.where(counts.view(shape) > 0, sums / counts.clamp_min(1).view(shape), mean)
        decoder.prototypes.copy_(means)
        decoder.frequencies.copy_(counts / counts.sum())
        return decoder

    def merged(self, into: Sequence[int]) -> CodeDecoder:
        """The decoder of merged codes: the mean of the mean records, weighted by the codes' frequencies.

        Args:
            into: (k,) the merged code of every code.
        """
        group = torch.tensor(list(into), device=self.frequencies.device)
        shares = self.frequencies.double()
        total = shares.new_zeros(max(into) + 1).index_add_(0, group, shares)
        even = 1.0 / torch.bincount(group).double()  # where none of the codes ever occurs
        weights = torch.where(total > 0, 1.0 / total.clamp_min(1e-300), 0.0)[group] * shares
        weights = torch.where(total[group] > 0, weights, even[group])
        decoder = CodeDecoder(len(total), tuple(self.prototypes.shape[1:])).to(self.frequencies.device)
        sums = torch.zeros_like(decoder.prototypes, dtype=torch.float64)
        shape = (-1,) + (1,) * (self.prototypes.ndim - 1)
        decoder.prototypes.copy_(sums.index_add_(0, group, weights.view(shape) * self.prototypes.double()))
        decoder.frequencies.copy_(total)
        return decoder

    def posterior(self, z_private: Tensor) -> Tensor:
        """p(c | S) for each row: (n, k) to (n, k)."""
        z = z_private.double()
        high, low = z.amax(1, keepdim=True), z.amin(1, keepdim=True)
        inside = z > 0
        size = inside.sum(1, keepdim=True).double()  # ω
        gap = 1.0 / (high - low).clamp_min(1e-12)  # p − q
        p = (gap * (self.codes - 1) + size) / self.codes
        ratio = p * (self.codes - size) / (size * (1.0 - p).clamp_min(1e-15)).clamp_min(1e-15)  # e^ε
        weights = self.frequencies.double() * torch.where(inside, ratio, torch.ones_like(z))
        weights = torch.where(weights.sum(1, keepdim=True) > 0, weights, torch.ones_like(z))
        is_report = (((z - high).abs() < 1e-4) | ((z - low).abs() < 1e-4)).all(1, keepdim=True)
        return torch.where(is_report, weights / weights.sum(1, keepdim=True), nearest_in_simplex(z))

    def forward(self, z_private: Tensor) -> Tensor:
        weights = self.posterior(z_private).to(self.prototypes.dtype)
        mean: Tensor = torch.tensordot(weights, self.prototypes, dims=1)
        return mean  # (n, ...)

    def decode(self, z_private: Tensor) -> Tensor:
        """The mean record: (n, k) to (n, ...)."""
        record: Tensor = self(z_private)
        return record

    def most_likely(self, z_private: Tensor) -> Tensor:
        """The mean record of the most likely code instead of the mean over codes."""
        return self.prototypes[self.posterior(z_private).argmax(1)]


def nearest_in_simplex(z: Tensor) -> Tensor:
    """The Euclidean projection of each row on {w ≥ 0, Σw = 1} (Duchi et al. 2008).

    >>> nearest_in_simplex(torch.tensor([[2.0, 0.0], [0.7, 0.7]])).tolist()
    [[1.0, 0.0], [0.5, 0.5]]
    """
    ordered = z.sort(dim=1, descending=True).values
    excess = ordered.cumsum(1) - 1.0
    count = torch.arange(1, z.shape[1] + 1, device=z.device)
    last = (ordered - excess / count > 0).sum(1, keepdim=True)
    threshold = excess.gather(1, last - 1) / last
    return (z - threshold).clamp_min(0.0)
