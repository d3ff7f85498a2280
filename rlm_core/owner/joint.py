"""The joint report: representation and label leave the device together, in *one* release with all of ε.

The paper divides ε by λ between z̃ and ỹ. Where ε is small that leaves a label which is a coin toss. What a
collector learns from are averages of representation *and* label, so these are what is sent here:

    two classes    v = ν((h − μ, c)·(2y − 1))  ─ Laplace(2l/ε) ─▶  numbers       :class:`JointLaplace`
    K classes      (y, a random bit of hⱼ) of 2K symbols ─ subset selection(ε) ─▶  j and a set   :class:`JointSelection`

Centre μ, constant c, radius l and ranges are public numbers, from auxiliary data D₁. They are fixed before any
record is seen. The encoder may be any encoder; the collector's side is ``rlm_core.collector.joint``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.digest import definition_of, digest_of
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.owner.payload import Encoding, Payload
from rlm_core.owner.randomness import random_words, uniform_below
from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.types import BoolArray, FloatArray, IntArray, finite, positive

_MOST = 1e300  # a difference of two numbers within it is finite: no record ends in an error


@dataclass(frozen=True, kw_only=True)
class JointLaplace:
    """Two classes: v = ν(((h − μ), c)·(2y − 1)), released as v + Laplace(0, 2l/ε), all of ε at once.

    **Guarantee.** Exactly ε′-LDP of the pair (h, y), ε′ ≤ ε as :class:`LaplaceNoise` has it.

    Proof. v is some vector computed from (h, y) and public numbers, and ν comes *last*, on the whole of it, the
    constant coordinate included. So ‖v‖₁ ≤ l whatever h and y are, ‖v − v′‖₁ ≤ 2l for any two pairs, and
    :class:`LaplaceNoise` proves the rest. The bound is attained: the same record with the other label is −v. ∎

    To clip h first and subtract μ afterwards would *not* do: ‖ν(h) − μ‖₁ may be up to l + ‖μ‖₁.

    The label is nowhere else in the report. E[v] is half the difference of the class means (of clipped vectors,
    classes equally frequent), and the constant coordinate tells how frequent they are.

    Args:
        epsilon: of the one release; ∞ sends v (no privacy).
        radius: l of the clip.
        centre: μ, (d,); the mean of h in D₁.
        constant: c > 0.

    >>> joint = JointLaplace(epsilon=float("inf"), radius=4.0, centre=(1.0, 0.0), constant=0.5)
    >>> joint.privatise([[2.0, -1.0]], [0])
    array([[-1. ,  1. , -0.5]])
    """

    epsilon: float
    radius: float
    centre: tuple[float, ...]
    constant: float

    def __post_init__(self) -> None:
        object.__setattr__(self, "centre", _vector("centre", self.centre))
        if max(map(abs, self.centre)) > _MOST:
            raise ValueError(f"Expected a centre within ±{_MOST:g}, got {max(self.centre, key=abs):g}.")
        object.__setattr__(self, "constant", positive("constant", self.constant))
        object.__setattr__(self, "radius", positive("radius", self.radius))
        object.__setattr__(self, "epsilon", self.noise.epsilon)  # checked there

    @property
    def classes(self) -> int:
        """Two."""
        return 2

    @property
    def noise(self) -> LaplaceNoise:
        """Clip and noise, for vectors of d + 1 numbers."""
        return LaplaceNoise(epsilon=self.epsilon, clip=L1Clip(radius=self.radius))

    def check(self, mechanism: Encoding, y: ArrayLike) -> IntArray:
        """Labels as (n,), checked, for a mechanism whose h has as many numbers as the centre."""
        return _fitting(mechanism, len(self.centre), y, self.classes)

    def send(self, h: FloatArray, y: IntArray) -> Payload:
        """Numbers for each row of h and its label."""
        return Payload(numbers=self.privatise(h, y))

    def digest(self, mechanism: str) -> str:
        """Of the mechanism that makes h and of these public numbers."""
        return digest_of(definition_of(self) | {"mechanism": mechanism})

    def signed(self, h: ArrayLike, y: ArrayLike) -> FloatArray:
        """(h − μ, c)·(2y − 1), before the clip: (n, d) and (n,) to (n, d + 1). NOT private."""
        centred, labels = self.centred(h), _labels(y, 2, len(np.asarray(h)))
        result: FloatArray = centred * (2.0 * labels - 1.0)[:, None]
        return result

    def centred(self, h: ArrayLike) -> FloatArray:
        """(h − μ, c): (n, d) to (n, d + 1), whatever h is: beyond ±10³⁰⁰ it counts as that. NOT private."""
        rows = np.clip(_rows(h, len(self.centre)), -_MOST, _MOST) - np.asarray(self.centre)  # cannot overflow
        return np.concatenate([rows, np.full((len(rows), 1), self.constant)], axis=1)

    def privatise(self, h: ArrayLike, y: ArrayLike) -> FloatArray:
        """Release each pair: (n, d) and (n,) to (n, d + 1). Randomness: the operating system's; no seed."""
        return self.noise.privatise(self.signed(h, y))

    def simulate(self, h: ArrayLike, y: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """Reproducible numbers for experiments. NOT private: never release them."""
        return self.noise.simulate(self.signed(h, y), generator=generator)


@dataclass(frozen=True, kw_only=True)
class JointSelection:
    """K classes: coordinate j at random, a random bit of hⱼ, and (y, bit) as one of 2K symbols with all of ε.

        j uniform on the coordinates with lowⱼ < highⱼ;   t = clamp((hⱼ − lowⱼ)/(highⱼ − lowⱼ), 0, 1);   P(bit = 1) = t
        symbol 2y + bit of 2K  ─ subset selection(ε) ─▶  S;   the report is (j, S)

    **Guarantee.** Exactly ε-LDP of the pair (h, y).

    Proof. j is drawn from the system's source, independently of the record, and so is its being in the report:
    P(j, S | h, y) = P(j)·P(S | j, h, y). Given j, the symbol is a randomised function of (h, y), so
    P(S | j, h, y) = Σ_s P(s | j, h, y)·P(S | s) is an average of numbers P(S | s), which lie within a factor e^ε
    of each other for every S (:class:`SubsetSelection`). Two averages of them do too. ∎

    The proof asks nothing of the bit; that it is 1 with probability t, in exact multiples of 2⁻⁶⁴, makes
    E[bit | h, j] = t, so that the collector's averages are right. A report is about *one* coordinate, and its noise
    does not grow with d.

    Args:
        epsilon: of the one release; ∞ sends {symbol} (no privacy).
        classes: K.
        low, high: (d,) the range of each coordinate, from D₁. Where they are equal the coordinate is never drawn:
            encoders have coordinates that say nothing.

    >>> joint = JointSelection(epsilon=float("inf"), classes=3, low=(0.0,), high=(1.0,))
    >>> coordinates, members = joint.privatise([[7.0]], [2])  # beyond the range: the bit is 1, the symbol 2·2 + 1
    >>> int(coordinates[0]), np.flatnonzero(members[0])
    (0, array([5]))
    """

    epsilon: float
    classes: int
    low: tuple[float, ...]
    high: tuple[float, ...]

    def __post_init__(self) -> None:
        if isinstance(self.classes, bool) or not isinstance(self.classes, int | np.integer):
            raise TypeError(f"Expected an integer for classes, got classes={self.classes!r}.")
        if not self.classes >= 2:
            raise ValueError(f"Expected classes >= 2, got classes={self.classes}.")
        object.__setattr__(self, "classes", int(self.classes))
        for name in ("low", "high"):
            object.__setattr__(self, name, _vector(name, getattr(self, name)))
        if len(self.low) != len(self.high):
            raise ValueError(f"Expected as many low as high, got {len(self.low)} and {len(self.high)}.")
        for low, high in zip(self.low, self.high, strict=True):
            if not (low <= high and math.isfinite(high - low)):
                raise ValueError(f"Expected low <= high, a finite range, got {low:g} and {high:g}.")
        if not self.drawn.size:
            raise ValueError("Expected low < high for at least one coordinate, got none.")
        object.__setattr__(self, "epsilon", self.channel.epsilon)  # checked there

    @property
    def drawn(self) -> IntArray:
        """The coordinates that a report may be about."""
        return np.flatnonzero(np.asarray(self.low) < np.asarray(self.high))

    @property
    def channel(self) -> SubsetSelection:
        """The channel of the 2K symbols."""
        return SubsetSelection(epsilon=self.epsilon, symbols=2 * self.classes)

    def check(self, mechanism: Encoding, y: ArrayLike) -> IntArray:
        """Labels as (n,), checked, for a mechanism whose h has as many numbers as there are ranges."""
        return _fitting(mechanism, len(self.low), y, self.classes)

    def send(self, h: FloatArray, y: IntArray) -> Payload:
        """A coordinate and a set of symbols for each row of h and its label."""
        coordinates, members = self.privatise(h, y)
        return Payload(members=members, channel=self.channel, coordinates=coordinates)

    def digest(self, mechanism: str) -> str:
        """Of the mechanism that makes h and of these public numbers."""
        return digest_of(definition_of(self) | {"mechanism": mechanism})

    def scaled(self, h: ArrayLike) -> FloatArray:
        """t of every coordinate: (n, d) to (n, d), in [0, 1]; 0 for those that are never drawn. NOT private."""
        low, high = np.asarray(self.low), np.asarray(self.high)
        inside = np.clip(_rows(h, len(low)), low, high)  # first: a difference of clipped numbers is finite
        scaled: FloatArray = np.clip((inside - low) / np.where(low < high, high - low, 1.0), 0.0, 1.0)
        return scaled

    def privatise(self, h: ArrayLike, y: ArrayLike) -> tuple[IntArray, BoolArray]:
        """Release each pair as coordinate and set: (n, d) and (n,) to (n,) and (n, 2K). No seed."""
        t, labels = self.scaled(h), _labels(y, self.classes, len(np.asarray(h)))
        coordinates = self.drawn[uniform_below(len(self.drawn), len(t))]
        chosen = t[np.arange(len(t)), coordinates]  # (n,)
        below = np.minimum(chosen, 1.0 - 2.0**-53) * 2.0**64  # exact: a power of two; the largest fits 64 bits
        bits = (random_words(len(t)) < below.astype(np.uint64)) | (chosen == 1.0)
        return coordinates, self.channel.privatise_symbols(2 * labels + bits)

    def simulate(self, h: ArrayLike, y: ArrayLike, *, generator: np.random.Generator) -> tuple[IntArray, BoolArray]:
        """Reproducible coordinates and sets for experiments. NOT private: never release them."""
        t, labels = self.scaled(h), _labels(y, self.classes, len(np.asarray(h)))
        coordinates = self.drawn[generator.integers(len(self.drawn), size=len(t))]
        bits = generator.random(len(t)) < t[np.arange(len(t)), coordinates]
        return coordinates, self.channel.simulate_symbols(2 * labels + bits, generator=generator)


def _vector(name: str, values: ArrayLike) -> tuple[float, ...]:
    array = finite(name, values)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"Expected {name} with one axis and at least one number, got shape {array.shape}.")
    return tuple(array.tolist())


def _rows(h: ArrayLike, width: int) -> FloatArray:
    rows = finite("h", h)
    if rows.ndim != 2 or rows.shape[1] != width:
        raise ValueError(f"Expected h of shape (n, {width}), got shape {rows.shape}.")
    return rows


def _fitting(mechanism: Encoding, width: int, y: ArrayLike, classes: int) -> IntArray:
    if mechanism.output_dim != width:
        raise ValueError(f"Expected a mechanism of {width} numbers, got one of {mechanism.output_dim}.")
    labels = np.atleast_1d(np.asarray(y))
    return _labels(labels, classes, len(labels))


def _labels(y: ArrayLike, classes: int, count: int) -> IntArray:
    labels = np.asarray(y)
    if labels.dtype.kind not in "iu" or labels.ndim != 1:
        raise TypeError(f"Expected a list of integer labels, got {labels.dtype} of shape {labels.shape}.")
    if len(labels) != count:
        raise ValueError(f"Expected as many labels as records, got {len(labels)} and {count}.")
    if len(labels) and not (labels.min() >= 0 and labels.max() < classes):
        raise ValueError(f"Expected labels from 0 to {classes - 1}, got {labels.min()} to {labels.max()}.")
    return labels.astype(np.int64)
