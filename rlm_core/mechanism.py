"""The one interface of all mechanisms, and the learnt one.

    x ─encoder─▶ h ─clip ν─▶ z ─Laplace─▶ z̃ ──▶ Report ──▶ collector
    y ───────────────────────── k-RR ───▶ ỹ ──┘

A mechanism is a frozen value whose fields are public numbers (and, for the RLM, a public
encoder). The record is an argument, and so is the randomness of a simulation.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.digest import definition_of, digest_of
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.owner.payload import Payload
from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.report import Report
from rlm_core.types import FloatArray, finite


@runtime_checkable
class Mechanism(Protocol):
    """A randomised map of records (n, input_dim) to reports (n, output_dim), ε-LDP per row."""

    @property
    def name(self) -> str:
        """As in the registry and in every result table."""

    @property
    def epsilon(self) -> float:
        """The claimed ε of one release."""

    @property
    def input_dim(self) -> int:
        """Numbers in a record."""

    @property
    def output_dim(self) -> int:
        """Numbers in a report."""

    def represent(self, x: ArrayLike) -> FloatArray:
        """The clean representation z, before any noise. NOT private."""

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Release each row, with the operating system's randomness. Takes no seed."""

    def simulate(self, x: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """The same distribution, reproducible and fast, for experiments. NOT private."""


@runtime_checkable
class HasDensity(Protocol):
    """A mechanism whose noise has a known density, which the collector can marginalise."""

    def log_density_pairs(self, z_private: ArrayLike, z: ArrayLike) -> FloatArray:
        """log p(z̃ₙ | zₘ): (n, output_dim) and clean (m, ·) to (n, m)."""


@dataclass(frozen=True, kw_only=True)
class Trace:
    """Every intermediate value of one record. NOT PRIVATE: for teaching, on the owner's own screen.

    A Trace holds the raw record. It has no method that serialises it, and nothing on the
    collector's side accepts one.
    """

    x: FloatArray
    h: FloatArray
    z: FloatArray
    noise: FloatArray
    z_private: FloatArray

    def __repr__(self) -> str:
        return f"<Trace of a record, NOT PRIVATE: d={self.z.shape[-1]}>"


@dataclass(frozen=True, kw_only=True)
class RLM:
    """Representation-Learning Laplace Mechanism: z̃ = ν(encoder(x)) + Laplace(0, 2l/ε).

    With :class:`SubsetSelection` as the noise it is the Q-RLM: ν picks the code with the highest
    score, and what is released is a random set of codes.

    Guarantee: ε-LDP for *any* encoder, however it was trained and whatever it computes.

    Proof. ν and the noise are ε-LDP for any two finite h (see :class:`LaplaceNoise` and
    :class:`SubsetSelection` for the exact statements), and h is a total function of x: where the encoder
    gives NaN or an infinity in any coordinate, h is the zero vector, a fixed point of the ball (for codes:
    equal scores, so the first code). So every finite x leads to a report, none to an error that would tell
    it apart. ∎ The encoder must be deterministic and must not depend on the records being released. x that
    is not finite, or of another shape, is refused before anything is charged or drawn.

    ``card_digest`` is the digest of the card that the mechanism was loaded from. Without one,
    :attr:`digest` is made of the fields, the encoder by its name.

    >>> from rlm_core.owner import L1Clip
    >>> noise = LaplaceNoise(epsilon=4.0, clip=L1Clip(radius=1.0))
    >>> rlm = RLM(name="V-RLM", encoder=lambda x: x[:, :2], noise=noise, input_dim=3, output_dim=2)
    >>> rlm.privatise([[9.0, 9.0, 9.0]]).shape
    (1, 2)
    """

    name: str
    encoder: Callable[[FloatArray], ArrayLike]
    noise: LaplaceNoise | SubsetSelection
    input_dim: int
    output_dim: int
    card_digest: str | None = None

    @property
    def epsilon(self) -> float:
        """ε of the noise: all of it goes to the representation."""
        return self.noise.epsilon

    @cached_property
    def digest(self) -> str:
        """Of all that defines what is released, but for ε."""
        return self.card_digest or digest_of(definition_of(self))

    def encode(self, x: ArrayLike) -> FloatArray:
        """h: the encoder's output before the clip; raises where it is not finite. NOT private."""
        return finite("the encoder's output", self._encoded(x))

    def encode_total(self, x: ArrayLike) -> FloatArray:
        """h for every x, as a release has it: zero where the encoder's output is not finite. NOT private."""
        h = self._encoded(x)
        return np.where(np.isfinite(h).all(axis=1, keepdims=True), h, 0.0)

    def represent(self, x: ArrayLike) -> FloatArray:
        """z = ν(h). NOT private."""
        return self.noise.clip(self.encode_total(x))

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Release z̃ for each row of x."""
        return self.noise.privatise(self.encode_total(x))

    def send(self, h: ArrayLike) -> Payload:
        """What is sent for each row of h: numbers, or, for codes, a set of them."""
        if isinstance(self.noise, SubsetSelection):
            members = self.noise.privatise_symbols(self.noise.clip.codes(h))
            return Payload(members=members, channel=self.noise)
        return Payload(numbers=self.noise.privatise(h))

    def simulate(self, x: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """Reproducible z̃ for experiments. NOT private."""
        return self.noise.simulate(self.encode_total(x), generator=generator)

    def log_density_pairs(self, z_private: ArrayLike, z: ArrayLike) -> FloatArray:
        """log p(z̃ₙ | zₘ)."""
        return self.noise.log_density_pairs(z_private, z)

    def of_representations(self) -> RLM:
        """The same mechanism for records that were encoded before, such as the public ones of a bundle."""
        return replace(self, encoder=_identity, input_dim=self.output_dim, card_digest=self.digest)

    def vector(self, report: Report) -> FloatArray:
        """z̃ (d,) of a report by this mechanism, at this ε; raises if it cannot be one."""
        noise, vectors = self.noise, np.empty((0, self.output_dim))
        if isinstance(noise, SubsetSelection):
            if report.members is not None and report.of == noise.symbols:
                vectors = noise.vector(noise.of_right_size(report.in_set()[None]))
            elif report.numbers is not None and report.digest is None:  # format 1 wrote sets as vectors
                vectors = noise.vector(noise.members([report.numbers]))
        elif report.numbers is not None:
            vectors = rows("the report's numbers", [report.numbers], self.output_dim)
        if not len(vectors):
            kind = "a set of" if isinstance(noise, SubsetSelection) else "numbers,"
            raise ValueError(f"Expected a report of {kind} {self.output_dim} by {self.name}, got another kind.")
        vector: FloatArray = vectors[0]
        return vector

    def _encoded(self, x: ArrayLike) -> FloatArray:
        """The encoder's output as (n, output_dim), finite or not, for finite x."""
        h = np.asarray(self.encoder(rows("x", x, self.input_dim)))
        if h.dtype.kind not in "fiub":
            raise TypeError(f"Expected numbers in the encoder's output, got dtype {h.dtype}.")
        return _of_width("the encoder's output", h.astype(np.float64, copy=False), self.output_dim)


def _identity(h: FloatArray) -> FloatArray:
    return h


def rows(name: str, values: ArrayLike, width: int) -> FloatArray:
    """Finite numbers of shape (n, width), or an error that says what was wrong."""
    return _of_width(name, finite(name, values), width)


def _of_width(name: str, array: FloatArray, width: int) -> FloatArray:
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"Expected {name} of shape (n, {width}), got shape {array.shape}.")
    return array
