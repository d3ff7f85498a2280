"""The joint reports as mechanisms of rows (h, y), the label as the last number: for audits and everything generic."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.mechanism import rows
from rlm_core.owner.joint import JointLaplace, JointSelection
from rlm_core.owner.joint_bits import JointBits
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.payload import Payload
from rlm_core.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, kw_only=True)
class JointLaplaceRows:
    """:class:`JointLaplace` of rows (h, y): (n, d + 1) to (n, d + 1)."""

    joint: JointLaplace
    name: str = "joint Laplace"

    @property
    def epsilon(self) -> float:
        """Of record and label together."""
        return self.joint.epsilon

    @property
    def input_dim(self) -> int:
        """d + 1."""
        return len(self.joint.centre) + 1

    @property
    def output_dim(self) -> int:
        """d + 1."""
        return self.input_dim

    def represent(self, x: ArrayLike) -> FloatArray:
        """v, clipped. NOT private."""
        return self.joint.noise.clip(self.joint.signed(*_parts(x, self.input_dim)))

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Release each row."""
        return self.joint.privatise(*_parts(x, self.input_dim))

    def simulate(self, x: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """Reproducible. NOT private."""
        return self.joint.simulate(*_parts(x, self.input_dim), generator=generator)

    def log_density_pairs(self, z_private: ArrayLike, z: ArrayLike) -> FloatArray:
        """log p(ṽₙ | vₘ)."""
        return self.joint.noise.log_density_pairs(z_private, z)


@dataclass(frozen=True, kw_only=True)
class JointSelectionRows:
    """:class:`JointSelection` of rows (h, y): (n, d + 1) to (n, 1 + 2K), the coordinate and then the set as 0 and 1."""

    joint: JointSelection
    name: str = "joint selection"

    @property
    def epsilon(self) -> float:
        """Of record and label together."""
        return self.joint.epsilon

    @property
    def input_dim(self) -> int:
        """d + 1."""
        return len(self.joint.low) + 1

    @property
    def output_dim(self) -> int:
        """1 + 2K."""
        return 1 + 2 * self.joint.classes

    def represent(self, x: ArrayLike) -> FloatArray:
        """(t, y). NOT private."""
        h, y = _parts(x, self.input_dim)
        if len(y) and not (y.min() >= 0 and y.max() < self.joint.classes):
            raise ValueError(f"Expected labels from 0 to {self.joint.classes - 1}, got {y.min()} to {y.max()}.")
        return np.concatenate([self.joint.scaled(h), y[:, None].astype(np.float64)], axis=1)

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Release each row."""
        return _output(*self.joint.privatise(*_parts(x, self.input_dim)))

    def simulate(self, x: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """Reproducible. NOT private."""
        return _output(*self.joint.simulate(*_parts(x, self.input_dim), generator=generator))

    def log_density_pairs(self, z_private: ArrayLike, z: ArrayLike) -> FloatArray:
        """log P(jₙ, Sₙ | tₘ, yₘ), P = (1/number of j)·Σ_bit P(bit | t_mj)·P(Sₙ | 2yₘ + bit): to (n, m)."""
        output, clean = rows("z_private", z_private, self.output_dim), rows("z", z, self.input_dim)
        coordinates, members = output[:, 0].astype(np.int64), output[:, 1:] > 0
        channel = self.joint.channel
        symbols = np.eye(channel.symbols)
        log = channel.log_density_pairs(channel.vector(members), symbols)  # (n, 2K)
        t, y = clean[:, coordinates].T, clean[:, -1].astype(np.int64)  # (n, m), (m,)
        with np.errstate(divide="ignore"):
            zero, one = np.log1p(-t) + log[:, 2 * y], np.log(t) + log[:, 2 * y + 1]
        total: FloatArray = np.logaddexp(zero, one) - np.log(len(self.joint.drawn))
        return total


@dataclass(frozen=True, kw_only=True)
class JointBitsRows:
    """:class:`JointBits` of rows (h, y): (n, d + 1) to (n, d + 1).

    Of every coordinate +1 if its bit is said to agree with the label, −1 if not, 0 if nothing is said; of the first
    that the report is about twice that, so that the report can be read from it.
    """

    joint: JointBits
    name: str = "joint bits"

    @property
    def epsilon(self) -> float:
        """Of record and label together."""
        return self.joint.epsilon

    @property
    def input_dim(self) -> int:
        """d + 1."""
        return self.joint.coordinates

    @property
    def output_dim(self) -> int:
        """d + 1."""
        return self.joint.coordinates

    def written(self, sent: Payload) -> FloatArray:
        """Reports as vectors: (n, d + 1)."""
        first, symbols = np.asarray(sent.coordinates)[:, None], np.asarray(sent.symbols)[:, None]
        bits = np.arange(self.joint.width)
        vectors = np.zeros((len(first), self.joint.coordinates))
        signs = np.where(symbols >> bits & 1, 1.0, -1.0) * np.where(bits == 0, 2.0, 1.0)  # (n, m)
        np.put_along_axis(vectors, (first + bits) % self.joint.coordinates, signs, axis=1)
        return vectors

    def represent(self, x: ArrayLike) -> FloatArray:
        """(t, y), t without the constant coordinate. NOT private."""
        h, y = _parts(x, self.input_dim)
        labels = RandomisedResponse(epsilon=1.0, classes=2).check(y)
        return np.concatenate([self.joint.scaled(h)[:, :-1], labels[:, None].astype(np.float64)], axis=1)

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Release each row."""
        return self.written(self.joint.send(*_parts(x, self.input_dim)))

    def simulate(self, x: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """Reproducible. NOT private."""
        return self.written(self.joint.simulate(*_parts(x, self.input_dim), generator=generator))

    def log_density_pairs(self, z_private: ArrayLike, z: ArrayLike) -> FloatArray:
        """log P(jₙ, sₙ | tₘ, yₘ), P = (κ·Π P(agreesᵢ | tₘᵢ, yₘ) + (1 − κ)/2ᵐ)/(d + 1): to (n, m)."""
        output, clean = rows("z_private", z_private, self.output_dim), rows("z", z, self.input_dim)
        first = np.abs(output).argmax(axis=1)
        t = np.concatenate([clean[:, :-1], np.ones((len(clean), 1))], axis=1)  # (m, d + 1)
        agrees = np.where(clean[:, -1:] > 0, t, 1.0 - t)  # P(a bit agrees with the label)
        exact = np.ones((len(output), len(clean)))  # (n, m)
        for bit in range(self.joint.width):
            at = (first + bit) % self.joint.coordinates
            one = agrees[:, at].T
            exact *= np.where(output[np.arange(len(output)), at][:, None] > 0, one, 1.0 - one)
        keep = self.joint.keep
        with np.errstate(divide="ignore"):
            total: FloatArray = np.log((keep * exact + (1.0 - keep) / 2**self.joint.width) / self.joint.coordinates)
        return total


def _parts(x: ArrayLike, width: int) -> tuple[FloatArray, IntArray]:
    table = rows("x", x, width)
    labels = table[:, -1]
    if not (labels == np.round(labels)).all():
        raise ValueError("Expected whole numbers as labels in the last column.")
    return table[:, :-1], labels.astype(np.int64)


def _output(coordinates: IntArray, members: BoolArray) -> FloatArray:
    return np.concatenate([coordinates[:, None], members], axis=1).astype(np.float64)
