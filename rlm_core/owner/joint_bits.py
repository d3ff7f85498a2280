"""The joint report of two classes as bits: do random bits of the record agree with the label?"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.digest import definition_of, digest_of
from rlm_core.owner.joint import JointSelection
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.payload import Encoding, Payload
from rlm_core.owner.randomness import random_words, uniform_below
from rlm_core.types import BoolArray, FloatArray, IntArray, finite

MOST_BITS = 12
"""Of a report: 4,096 symbols."""


@dataclass(frozen=True, kw_only=True)
class JointBits:
    """Two classes: m neighbouring coordinates, a random bit of each, and which of them agree with y, with all of ε.

        j uniform on {0, …, d};   tᵢ = clamp((hᵢ − lowᵢ)/(highᵢ − lowᵢ), 0, 1), t_d = 1;   P(bitᵢ = 1) = tᵢ
        agreesᵢ = (bitᵢ = y) for i = j, …, j + m − 1 (after d comes 0): one of 2ᵐ symbols
        symbol  ─ k-RR(ε) ─▶  the report is (j, symbol)

    **Guarantee.** Exactly ε-LDP of the pair (h, y).

    Proof. j is drawn independently of the record, so P(j, s | h, y) = P(j)·P(s | j, h, y). Given j, what is sent
    is k-ary randomised response of a symbol that is a randomised function of (h, y): P(s | j, h, y) is an average of
    probabilities P(s | s′), which lie within e^ε of each other (:class:`RandomisedResponse`). ∎

    With φ = (2t − 1) ∈ [−1, 1]ᵈ⁺¹, and κ the probability that k-RR keeps a symbol, a bit about coordinate i
    tells κ·E[φᵢ·(2y − 1)]: the averages that :class:`~rlm_core.owner.joint.JointLaplace` has, with noise of variance
    (d + 1)/(m·κ²·n) in each. The last coordinate is constant and tells how frequent the classes are.

    Args:
        epsilon: of the one release; ∞ sends the symbol itself (no privacy).
        low, high: (d,) the range of each coordinate, low < high; public, from auxiliary data.
        bits: m; None for :func:`best_bits`.

    >>> joint = JointBits(epsilon=float("inf"), low=(0.0,), high=(1.0,), bits=2)
    >>> sent = joint.send(np.array([[7.0], [7.0]]), np.array([1, 0]))  # beyond the range: both bits are 1
    >>> sent.symbols
    array([3, 0])
    """

    epsilon: float
    low: tuple[float, ...]
    high: tuple[float, ...]
    bits: int | None = None

    def __post_init__(self) -> None:
        ranges = self._ranges
        if not all(low < high for low, high in zip(ranges.low, ranges.high, strict=True)):
            raise ValueError("Expected low < high for every coordinate, got a range of nothing.")
        object.__setattr__(self, "low", ranges.low)
        object.__setattr__(self, "high", ranges.high)
        if self.bits is None:
            object.__setattr__(self, "bits", min(self.coordinates, best_bits(self.epsilon)))
        if isinstance(self.bits, bool) or not isinstance(self.bits, int):
            raise TypeError(f"Expected an integer for bits, got bits={self.bits!r}.")
        if not 1 <= self.bits <= min(MOST_BITS, self.coordinates):
            most = min(MOST_BITS, self.coordinates)
            raise ValueError(f"Expected 1 <= bits <= {most}, got bits={self.bits}.")
        object.__setattr__(self, "epsilon", self.response.epsilon)  # checked there

    @property
    def _ranges(self) -> JointSelection:
        return JointSelection(epsilon=self.epsilon, classes=2, low=self.low, high=self.high)

    @property
    def width(self) -> int:
        """m."""
        return self.bits or 1

    @property
    def response(self) -> RandomisedResponse:
        """How the symbol is sent."""
        return RandomisedResponse(epsilon=self.epsilon, classes=2**self.width)

    @property
    def keep(self) -> float:
        """κ."""
        return float(self.response.keep_probability)

    @property
    def coordinates(self) -> int:
        """d + 1: the coordinates, the constant one included."""
        return len(self.low) + 1

    @property
    def classes(self) -> int:
        """Two."""
        return 2

    def scaled(self, h: ArrayLike) -> FloatArray:
        """t of every coordinate: (n, d) to (n, d + 1), in [0, 1]. NOT private."""
        t = self._ranges.scaled(h)
        return np.concatenate([t, np.ones((len(t), 1))], axis=1)

    def check(self, mechanism: Encoding, y: ArrayLike) -> IntArray:
        """Labels as (n,), checked, for a mechanism whose h has a number for every range."""
        if mechanism.output_dim != len(self.low):
            raise ValueError(f"Expected a mechanism of {len(self.low)} numbers, got one of {mechanism.output_dim}.")
        return self._labels(y)

    def digest(self, mechanism: str) -> str:
        """Of a mechanism with that digest, whose h leaves through this."""
        return digest_of(definition_of(self) | {"mechanism": mechanism})

    def send(self, h: FloatArray, y: IntArray) -> Payload:
        """A coordinate and a symbol for each row of h (n, d) and its label. The system's randomness; no seed."""
        t, labels = self.scaled(finite("h", h)), self._labels(y)
        first = uniform_below(self.coordinates, len(t))
        bits = _exact_bits(self._window(t, first))
        symbols = self.response.privatise(self._symbols(bits, labels))
        return Payload(symbols=symbols, of=2**self.width, coordinates=first)

    def simulate(self, h: ArrayLike, y: ArrayLike, *, generator: np.random.Generator) -> Payload:
        """Reproducible coordinates and symbols for experiments. NOT private: never release them."""
        t, labels = self.scaled(h), self._labels(y)
        first = generator.integers(self.coordinates, size=len(t))
        window = self._window(t, first)
        symbols = self._symbols(generator.random(window.shape) < window, labels)
        return Payload(
            symbols=self.response.simulate(symbols, generator=generator), of=2**self.width, coordinates=first
        )

    def _window(self, t: FloatArray, first: IntArray) -> FloatArray:
        """t of the m coordinates from ``first`` on: (n, m)."""
        columns = (first[:, None] + np.arange(self.width)) % self.coordinates
        window: FloatArray = np.take_along_axis(t, columns, axis=1)
        return window

    def _symbols(self, bits: BoolArray, labels: IntArray) -> IntArray:
        """Which bits agree with the label, as a number: (n, m) and (n,) to (n,); the first bit is the lowest."""
        agrees = bits == labels.astype(np.bool_)[:, None]
        symbols: IntArray = agrees.astype(np.int64) @ (1 << np.arange(self.width, dtype=np.int64))
        return symbols

    def _labels(self, y: ArrayLike) -> IntArray:
        labels = RandomisedResponse(epsilon=1.0, classes=2).check(np.atleast_1d(np.asarray(y)))
        if labels.ndim != 1:
            raise ValueError(f"Expected a list of labels, got shape {labels.shape}.")
        return labels


def best_bits(epsilon: float) -> int:
    """The m with the least noise: the largest m·κ², where κ = (e^ε − 1)/(e^ε + 2ᵐ − 1).

    >>> [best_bits(epsilon) for epsilon in (1.0, 2.0, 4.0, 8.0)]
    [1, 2, 4, 8]
    """
    return max(range(1, MOST_BITS + 1), key=lambda bits: worth(epsilon, bits))


def worth(epsilon: float, bits: int) -> float:
    """m·κ²: how many noiseless bits a report of m bits is worth."""
    inverse = math.exp(-epsilon)
    kept = (1.0 - inverse) / (1.0 + ((1 << bits) - 1) * inverse)
    return bits * kept * kept


def _exact_bits(t: FloatArray) -> BoolArray:
    """1 with probability t, in exact multiples of 2⁻⁶⁴: any shape to the same."""
    below = np.minimum(t, 1.0 - 2.0**-53) * 2.0**64  # exact: a power of two; the largest fits 64 bits
    bits: BoolArray = (random_words(t.size).reshape(t.shape) < below.astype(np.uint64)) | (t == 1.0)
    return bits
