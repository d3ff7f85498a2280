"""The one interface of all mechanisms, the learnt one, and the one value that crosses the boundary.

    x ─encoder─▶ h ─clip ν─▶ z ─Laplace─▶ z̃ ──▶ Report ──▶ collector
    y ───────────────────────── k-RR ───▶ ỹ ──┘

A mechanism is a frozen value whose fields are public numbers (and, for the RLM, a public
encoder). The record is an argument, and so is the randomness of a simulation.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any, Protocol, runtime_checkable

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.owner.budget import Ledger, Release
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.owner.pairs import PairSelection
from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.types import FloatArray, finite

FORMAT = "rlm-report/1"


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

    Guarantee: ε-LDP for *any* encoder, however it was trained and whatever it computes,
    since ν alone bounds what it can say (see :class:`LaplaceNoise` and :class:`SubsetSelection`
    for the exact statements). The encoder must not depend on the records being released.

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

    @property
    def epsilon(self) -> float:
        """ε of the noise: all of it goes to the representation."""
        return self.noise.epsilon

    def encode(self, x: ArrayLike) -> FloatArray:
        """h: the encoder's output before the clip, checked before and after. NOT private."""
        x = rows("x", x, self.input_dim)
        return rows("the encoder's output", self.encoder(x), self.output_dim)

    def represent(self, x: ArrayLike) -> FloatArray:
        """z = ν(encoder(x)). NOT private."""
        return self.noise.clip(self.encode(x))

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Release z̃ for each row of x."""
        return self.noise.privatise(self.encode(x))

    def simulate(self, x: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """Reproducible z̃ for experiments. NOT private."""
        return self.noise.simulate(self.encode(x), generator=generator)

    def log_density_pairs(self, z_private: ArrayLike, z: ArrayLike) -> FloatArray:
        """log p(z̃ₙ | zₘ)."""
        return self.noise.log_density_pairs(z_private, z)

    def trace(self, x: ArrayLike) -> Trace:
        """One release with every intermediate value, for teaching. The Trace is NOT private."""
        x = rows("x", x, self.input_dim)
        h = self.encode(x)
        z_private = self.noise.privatise(h)
        z = self.noise.clip(h)
        return Trace(x=x, h=h, z=z, noise=z_private - z, z_private=z_private)


@dataclass(frozen=True, kw_only=True)
class Report:
    """What leaves the device, whole: z̃, ỹ, and what was spent by which mechanism.

    Nothing in it is computed from x or y except through the noise. The collector takes
    reports from strangers, so reading one checks everything.
    """

    mechanism: str
    z_private: tuple[float, ...]
    y_private: int | None
    epsilon_x: float
    epsilon_y: float

    def __post_init__(self) -> None:
        if not isinstance(self.mechanism, str) or not 0 < len(self.mechanism) <= 100:
            raise ValueError(f"Expected a mechanism name of 1 to 100 characters, got {self.mechanism!r}.")
        try:
            values = finite("z_private", np.asarray(self.z_private, dtype=np.float64))
        except OverflowError:  # an integer beyond every float64
            raise ValueError("Expected finite numbers in z_private, got an integer above 1e308.") from None
        if values.ndim != 1:
            raise ValueError(f"Expected z_private with one axis, got shape {values.shape}.")
        object.__setattr__(self, "z_private", tuple(values.tolist()))
        if self.y_private is not None and (isinstance(self.y_private, bool) or not isinstance(self.y_private, int)):
            raise TypeError(f"Expected an integer or None for y_private, got {self.y_private!r}.")
        if self.y_private is not None and not 0 <= self.y_private < 2**31:
            raise ValueError("Expected 0 <= y_private < 2**31, got a label outside.")
        for name in ("epsilon_x", "epsilon_y"):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int | float) or not value >= 0:
                raise ValueError(f"Expected {name} >= 0, got {name}={value!r}.")
            if isinstance(value, int) and value > 2**1000:
                raise ValueError(f"Expected {name} as a float64 or inf, got an integer above 2**1000.")
            object.__setattr__(self, name, float(value))

    @property
    def epsilon(self) -> float:
        """εx + εy."""
        return self.epsilon_x + self.epsilon_y

    def to_json(self) -> str:
        """One line of JSON; ∞ is written as the string "inf"."""
        fields = asdict(self) | {"z_private": list(self.z_private)}
        for name in ("epsilon_x", "epsilon_y"):
            fields[name] = "inf" if math.isinf(fields[name]) else fields[name]
        return json.dumps({"format": FORMAT} | fields, allow_nan=False)

    @classmethod
    def from_json(cls, text: str | bytes) -> Report:
        """Read a report, checking its fields, types and numbers."""
        try:
            fields: Any = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise ValueError(f"Expected a report in JSON, got text that is not: {error}.") from None
        wanted = {"format", "mechanism", "z_private", "y_private", "epsilon_x", "epsilon_y"}
        if not isinstance(fields, dict) or set(fields) != wanted:
            got = sorted(fields) if isinstance(fields, dict) else type(fields).__name__
            raise ValueError(f"Expected a report with the fields {sorted(wanted)}, got {got}.")
        if fields.pop("format") != FORMAT:
            raise ValueError(f"Expected a report of format {FORMAT!r}.")
        if not isinstance(fields["z_private"], list) or any(type(v) not in (int, float) for v in fields["z_private"]):
            raise ValueError("Expected z_private to be a list of numbers.")
        for name in ("epsilon_x", "epsilon_y"):
            fields[name] = math.inf if fields[name] == "inf" else fields[name]
        return cls(**fields)


def release(
    x: ArrayLike,
    y: int | None = None,
    *,
    mechanism: Mechanism,
    labels: RandomisedResponse | None = None,
    ledger: Ledger | None = None,
    record: str = "record",
) -> Report:
    """The owner's one act: privatise one record (and its label) into a Report.

    The ledger is charged before anything is drawn: a refused release draws nothing.
    A label goes out only where ``labels`` says how; ``y`` alone is an error.
    """
    if (y is None) != (labels is None):
        raise ValueError("Expected y and labels together: a label leaves only through randomised response.")
    row = rows("x", np.asarray(x)[None] if np.ndim(x) == 1 else x, mechanism.input_dim)
    if len(row) != 1:
        raise ValueError(f"Expected one record, got {len(row)}.")
    label = None if labels is None or y is None else labels.check(y)  # before the ledger is charged
    if label is not None and label.size != 1:
        raise ValueError(f"Expected one label, got {label.size}.")
    cost_y = 0.0 if labels is None else labels.epsilon
    if ledger is not None:
        ledger.spend(Release(record=record, mechanism=mechanism.name, epsilon_x=mechanism.epsilon, epsilon_y=cost_y))
    return Report(
        mechanism=mechanism.name,
        z_private=tuple(mechanism.privatise(row)[0].tolist()),
        y_private=None if labels is None or label is None else int(labels.privatise(label)[0]),
        epsilon_x=mechanism.epsilon,
        epsilon_y=cost_y,
    )


def release_pair(
    x: ArrayLike,
    y: int,
    *,
    mechanism: RLM,
    pairs: PairSelection,
    ledger: Ledger | None = None,
    record: str = "record",
) -> Report:
    """A record and its label as *one* symbol: the code that the encoder names, and y, with all of ε together.

    The report's z̃ is the set of pairs, written as :meth:`SubsetSelection.vector` writes it; there is
    no ỹ, because the label is in the pair. The mechanism's own noise is not used.
    """
    if not isinstance(mechanism.noise, SubsetSelection) or mechanism.output_dim != pairs.codes:
        raise ValueError(
            f"Expected a mechanism of {pairs.codes} codes, got {mechanism.name} of {mechanism.output_dim}."
        )
    row = rows("x", np.asarray(x)[None] if np.ndim(x) == 1 else x, mechanism.input_dim)
    if len(row) != 1:
        raise ValueError(f"Expected one record, got {len(row)}.")
    codes = mechanism.noise.clip.codes(mechanism.encode(row))
    pairs.symbols(codes, [y])  # a label that is none is an error before the ledger is charged
    if ledger is not None:
        ledger.spend(Release(record=record, mechanism=mechanism.name, epsilon_x=pairs.epsilon, epsilon_y=0.0))
    sent = pairs.channel.vector(pairs.privatise(codes, [y]))
    return Report(
        mechanism=mechanism.name,
        z_private=tuple(sent[0].tolist()),
        y_private=None,
        epsilon_x=pairs.epsilon,
        epsilon_y=0.0,
    )


def rows(name: str, values: ArrayLike, width: int) -> FloatArray:
    """Finite numbers of shape (n, width), or an error that says what was wrong."""
    array = finite(name, values)
    if array.ndim != 2 or array.shape[1] != width:
        raise ValueError(f"Expected {name} of shape (n, {width}), got shape {array.shape}.")
    return array
