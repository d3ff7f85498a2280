"""Rows in memory, dealt into batches: no worker processes, no copy but the gather.

The data of this project fit into memory many times over, and at a few milliseconds a step
a ``DataLoader`` would spend more time on handing over rows than the step takes.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

import torch
from torch import Tensor


def as_stored(*tensors: Tensor) -> Any:
    """The rows as they are: one tensor, or a tuple of several."""
    return tensors[0] if len(tensors) == 1 else tensors


def _several(tensors: Tensor | tuple[Tensor, ...]) -> tuple[Tensor, ...]:
    return (tensors,) if isinstance(tensors, Tensor) else tensors


@dataclass(frozen=True, kw_only=True, eq=False)
class Batches:
    """Training and validation rows and the size of a batch.

    Args:
        train: a tensor, or several with the same number of rows, in any dtype.
        valid: the same for validation.
        batch_size: rows of a step. The ragged last batch of an epoch is left out (every
            epoch leaves out other rows), unless there is no whole batch at all.
        prepare: from the stored rows of a batch to what the objective takes, for example
            from uint8 to [0, 1].
    """

    train: Tensor | tuple[Tensor, ...] = field(repr=False)
    valid: Tensor | tuple[Tensor, ...] = field(repr=False)
    batch_size: int
    prepare: Callable[..., Any] = as_stored

    def __post_init__(self) -> None:
        if not self.batch_size > 0:
            raise ValueError(f"Expected batch_size > 0, got batch_size={self.batch_size}.")
        for name, tensors in (("train", self.train), ("valid", self.valid)):
            lengths = {len(tensor) for tensor in _several(tensors)}
            if len(lengths) != 1 or 0 in lengths:
                raise ValueError(f"Expected {name} tensors with equally many rows, at least 1, got {lengths}.")

    def to(self, device: torch.device) -> Batches:
        """The same with the rows on a device."""
        return replace(
            self,
            train=tuple(tensor.to(device) for tensor in _several(self.train)),
            valid=tuple(tensor.to(device) for tensor in _several(self.valid)),
        )

    @property
    def rows(self) -> int:
        """Rows to train on."""
        return len(_several(self.train)[0])

    @property
    def steps(self) -> int:
        """Batches of one epoch."""
        return max(1, self.rows // self.batch_size)

    @property
    def settings(self) -> dict[str, Any]:
        """What a checkpoint must agree with."""
        return {"batch_size": self.batch_size, "rows": self.rows}

    def shuffled(self, generator: torch.Generator) -> Iterator[Any]:
        """One epoch over the training rows in random order."""
        tensors = _several(self.train)
        order = torch.randperm(self.rows, generator=generator, device=tensors[0].device)
        for index in torch.split(order, self.batch_size)[: self.steps]:
            yield self.prepare(*(tensor.index_select(0, index) for tensor in tensors))

    def validation(self) -> Iterator[Any]:
        """The validation rows in their order, again in whole batches."""
        tensors = _several(self.valid)
        steps = max(1, len(tensors[0]) // self.batch_size)
        pieces = zip(*(torch.split(tensor, self.batch_size)[:steps] for tensor in tensors), strict=True)
        for rows in pieces:
            yield self.prepare(*rows)


def sample_rate(batch_size: int, rows: int) -> float:
    """q = batch_size / rows, rounded up to what float32 can draw."""
    return min(1.0, math.ceil(batch_size / rows * 2**24) / 2**24)


@dataclass(frozen=True, kw_only=True, eq=False)
class PoissonBatches(Batches):
    """Each row is in each batch with the same probability, independently of everything.

    The accountant of DP-Adam assumes exactly this. Batches differ in size, ``batch_size`` is
    what to expect, and a batch may be empty. An "epoch" is ``steps_per_epoch`` batches.
    """

    steps_per_epoch: int

    @property
    def sample_rate(self) -> float:
        """The probability q of a row to be in a batch."""
        return sample_rate(self.batch_size, self.rows)

    @property
    def steps(self) -> int:
        """Batches of one epoch."""
        return self.steps_per_epoch

    @property
    def settings(self) -> dict[str, Any]:
        """What a checkpoint must agree with."""
        return super().settings | {"sampling": "poisson", "steps_per_epoch": self.steps_per_epoch}

    def shuffled(self, generator: torch.Generator) -> Iterator[Any]:
        """One epoch of Poisson-sampled batches."""
        tensors = _several(self.train)
        for _ in range(self.steps):
            chosen = torch.rand(self.rows, generator=generator, device=tensors[0].device) < self.sample_rate
            index = chosen.nonzero().squeeze(1)
            yield self.prepare(*(tensor.index_select(0, index) for tensor in tensors))
