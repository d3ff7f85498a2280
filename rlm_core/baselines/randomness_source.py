"""Where a draw's randomness comes from: the operating system for a release, a generator for a simulation.

A mechanism whose two paths differ in nothing but the source writes its draw once, against
:class:`Source`. ``privatise`` hands it :data:`SYSTEM`, ``simulate`` a :class:`Simulated`;
no function takes a seed.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from math import prod
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rlm_core.owner.randomness import bernoulli, standard_uniform
from rlm_core.types import BoolArray, FloatArray

Bytes = NDArray[np.uint8]
BATCH_VALUES = 2**16  # half a megabyte of float64: what a batch touches stays in the cache


class Source(Protocol):
    """The draws that the mechanisms of this folder are made of."""

    def bytes(self, count: int) -> Bytes:
        """Uniform bytes."""

    def bernoulli(self, probability: Fraction, count: int) -> BoolArray:
        """True with ``probability``, a multiple of 2⁻⁶⁴."""

    def uniform(self, count: int) -> FloatArray:
        """Uniform in (0, 1]."""

    def normal(self, shape: tuple[int, ...]) -> FloatArray:
        """Standard normal."""


class SystemSource:
    """The operating system's source. It keeps no state and cannot be seeded."""

    def bytes(self, count: int) -> Bytes:
        return np.frombuffer(os.urandom(count), dtype=np.uint8)

    def bernoulli(self, probability: Fraction, count: int) -> BoolArray:
        return bernoulli(probability, count)

    def uniform(self, count: int) -> FloatArray:
        return standard_uniform(count)

    def normal(self, shape: tuple[int, ...]) -> FloatArray:
        """Box and Muller's transform, in place: for a picture the draws are most of a release's time."""
        count = prod(shape)
        half = -(-count // 2)
        uniform = standard_uniform(2 * half)
        radius, angle = uniform[:half], uniform[half:]
        np.log(radius, out=radius)
        radius *= -2.0
        np.sqrt(radius, out=radius)
        angle *= 2.0 * np.pi
        result = np.empty(2 * half)
        _cosine_and_sine(angle, result[:half], result[half:])
        result.reshape(2, half)[:] *= radius
        return result[:count].reshape(shape)


SYSTEM = SystemSource()


def _cosine_and_sine(angle: FloatArray, cosine: FloatArray, sine: FloatArray) -> None:
    """Into the two arrays; by torch where it is installed, in a fifth of numpy's time."""
    try:
        import torch
    except ImportError:
        np.cos(angle, out=cosine)
        np.sin(angle, out=sine)
        return
    torch.cos(torch.from_numpy(angle), out=torch.from_numpy(cosine))
    torch.sin(torch.from_numpy(angle), out=torch.from_numpy(sine))


@dataclass(frozen=True)
class Simulated:
    """Reproducible draws for experiments. NOT private."""

    generator: np.random.Generator

    def bytes(self, count: int) -> Bytes:
        return np.frombuffer(self.generator.bytes(count), dtype=np.uint8)

    def bernoulli(self, probability: Fraction, count: int) -> BoolArray:
        return self.generator.random(count) < float(probability)

    def uniform(self, count: int) -> FloatArray:
        return 1.0 - self.generator.random(count)

    def normal(self, shape: tuple[int, ...]) -> FloatArray:
        return self.generator.standard_normal(shape)


def batches(count: int, width: int) -> Iterator[slice]:
    """Slices of ``count`` rows that bound the memory of a draw, whatever the number of rows.

    >>> list(batches(3, BATCH_VALUES // 2))
    [slice(0, 2, None), slice(2, 3, None)]
    """
    step = max(1, BATCH_VALUES // max(1, width))
    return (slice(start, min(start + step, count)) for start in range(0, count, step))
