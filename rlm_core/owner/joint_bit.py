"""The joint report of two classes as one bit: does a random bit of the record agree with the label?"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.digest import definition_of, digest_of
from rlm_core.owner.joint import JointSelection
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.payload import Encoding, Payload
from rlm_core.owner.randomness import random_words, uniform_below
from rlm_core.types import BoolArray, FloatArray, IntArray, finite


@dataclass(frozen=True, kw_only=True)
class JointBit:
    """Two classes: coordinate j at random, a random bit of hⱼ, and whether it agrees with y, with all of ε.

        j uniform on {0, …, d};   tⱼ = clamp((hⱼ − lowⱼ)/(highⱼ − lowⱼ), 0, 1), t_d = 1;   P(bit = 1) = tⱼ
        agrees = (bit = y)  ─ randomised response(ε) ─▶  symbol;   the report is (j, symbol)

    **Guarantee.** Exactly ε-LDP of the pair (h, y).

    Proof. j is drawn independently of the record, so P(j, s | h, y) = P(j)·P(s | j, h, y). Given j, what is
    sent is randomised response of a bit that is a randomised function of (h, y): P(s | j, h, y) is an average of
    P(s | 0) and P(s | 1), which lie within e^ε of each other (:class:`RandomisedResponse`). ∎

    With φ = (2t − 1) ∈ [−1, 1]ᵈ⁺¹ a report of coordinate j tells E[φⱼ·(2y − 1)]: the same averages as
    :class:`~rlm_core.owner.joint.JointLaplace` has, but the noise of an average grows as √d, not as d, and with
    1/tanh(ε/2), not with 1/ε. The last coordinate is constant and tells how frequent the classes are.

    Args:
        epsilon: of the one release; ∞ sends the bit itself (no privacy).
        low, high: (d,) the range of each coordinate, low < high; public, from auxiliary data.

    >>> joint = JointBit(epsilon=float("inf"), low=(0.0,), high=(1.0,))
    >>> sent = joint.send(np.array([[7.0], [7.0]]), np.array([1, 0]))  # beyond the range: the bit is 1
    >>> sent.symbols
    array([1, 0])
    """

    epsilon: float
    low: tuple[float, ...]
    high: tuple[float, ...]

    def __post_init__(self) -> None:
        ranges = self._ranges
        object.__setattr__(self, "low", ranges.low)
        object.__setattr__(self, "high", ranges.high)
        object.__setattr__(self, "epsilon", self.response.epsilon)  # checked there

    @property
    def _ranges(self) -> JointSelection:
        return JointSelection(epsilon=self.epsilon, classes=2, low=self.low, high=self.high)

    @property
    def response(self) -> RandomisedResponse:
        """How the bit is sent."""
        return RandomisedResponse(epsilon=self.epsilon, classes=2)

    @property
    def coordinates(self) -> int:
        """d + 1: how many coordinates a report may be about, the constant one included."""
        return len(self.low) + 1

    def scaled(self, h: ArrayLike) -> FloatArray:
        """t of every coordinate: (n, d) to (n, d + 1), in [0, 1]. NOT private."""
        t = self._ranges.scaled(h)
        return np.concatenate([t, np.ones((len(t), 1))], axis=1)

    @property
    def classes(self) -> int:
        """Two."""
        return 2

    def check(self, mechanism: Encoding, y: ArrayLike) -> IntArray:
        """Labels as (n,), checked, for a mechanism whose h has a number for every range."""
        if mechanism.output_dim != len(self.low):
            raise ValueError(f"Expected a mechanism of {len(self.low)} numbers, got one of {mechanism.output_dim}.")
        return self._labels(y)

    def digest(self, mechanism: str) -> str:
        """Of a mechanism with that digest, whose h leaves through this."""
        return digest_of(definition_of(self) | {"mechanism": mechanism})

    def _labels(self, y: ArrayLike) -> IntArray:
        labels = self.response.check(np.atleast_1d(np.asarray(y)))
        if labels.ndim != 1:
            raise ValueError(f"Expected a list of labels, got shape {labels.shape}.")
        return labels

    def send(self, h: FloatArray, y: IntArray) -> Payload:
        """A coordinate and a bit for each row of h (n, d) and its label. The system's randomness; no seed."""
        t, labels = self.scaled(finite("h", h)), self._labels(y)
        coordinates = uniform_below(self.coordinates, len(t))
        bits = _exact_bits(t[np.arange(len(t)), coordinates])
        symbols = self.response.privatise((bits == labels.astype(np.bool_)).astype(np.int64))
        return Payload(symbols=symbols, of=2, coordinates=coordinates)

    def simulate(self, h: ArrayLike, y: ArrayLike, *, generator: np.random.Generator) -> Payload:
        """Reproducible coordinates and bits for experiments. NOT private: never release them."""
        t, labels = self.scaled(h), self._labels(y)
        coordinates = generator.integers(self.coordinates, size=len(t))
        bits = generator.random(len(t)) < t[np.arange(len(t)), coordinates]
        agrees = (bits == labels.astype(np.bool_)).astype(np.int64)
        symbols = self.response.simulate(agrees, generator=generator)
        return Payload(symbols=symbols, of=2, coordinates=coordinates)


def _exact_bits(t: FloatArray) -> BoolArray:
    """1 with probability t, in exact multiples of 2⁻⁶⁴: (n,) to (n,)."""
    below = np.minimum(t, 1.0 - 2.0**-53) * 2.0**64  # exact: a power of two; the largest fits 64 bits
    bits: BoolArray = (random_words(len(t)) < below.astype(np.uint64)) | (t == 1.0)
    return bits
