"""What a collector has to remember of joint reports: for every public coordinate, how often each bit or symbol came."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.types import IntArray

_HEAD = struct.Struct("<8sII")  # magic, coordinates, symbols
_MAGIC = b"rlmcoord"
MOST = 2**20


@dataclass(frozen=True, kw_only=True, eq=False)
class CoordinateTally:
    """``counts[j, v]``: how many of ``people[j]`` reports about coordinate j held v: (d, k) and (d,) integers.

    v is a symbol of the set of a ``JointSelection``, or a bit of a ``JointBits`` (bit i is about coordinate j + i).
    These are the moments that ``moments.py`` learns from, and all of them. Integers are added: tallies merge
    in any order and grouping. Post-processing.

    >>> tally = CoordinateTally.empty(2, 3).add([1, 1], [[True, False, True], [True, False, False]])
    >>> tally.people.tolist(), tally.counts.tolist()
    ([0, 2], [[0, 0, 0], [2, 0, 1]])
    """

    people: IntArray
    counts: IntArray

    def __post_init__(self) -> None:
        people, counts = np.asarray(self.people), np.asarray(self.counts)
        if counts.ndim != 2 or people.shape != counts.shape[:1] or not 1 <= counts.size <= MOST:
            raise ValueError(f"Expected people (d,) and counts (d, k), got {people.shape} and {counts.shape}.")
        if people.dtype.kind not in "iu" or counts.dtype.kind not in "iu":
            raise ValueError(f"Expected integers, got {people.dtype} and {counts.dtype}.")
        people, counts = people.astype(np.int64), counts.astype(np.int64)
        if people.max() >= 2**62 or not ((counts >= 0) & (counts <= people[:, None])).all():
            raise ValueError("Expected counts from 0 to the people who reported about the coordinate.")
        for name, array in (("people", people), ("counts", counts)):
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @classmethod
    def empty(cls, coordinates: int, symbols: int) -> CoordinateTally:
        """Nobody has reported yet."""
        zero = np.zeros((coordinates, symbols), dtype=np.int64)
        return cls(people=zero[:, 0], counts=zero)

    @property
    def total(self) -> int:
        """How many people have reported."""
        return int(self.people.sum())

    def add(self, coordinates: ArrayLike, members: ArrayLike) -> CoordinateTally:
        """With n further reports: (n,) coordinates and (n, k), true for what a report held."""
        j, sets = np.asarray(coordinates), np.asarray(members)
        d, k = self.counts.shape
        if j.ndim != 1 or j.dtype.kind not in "iu" or sets.shape != (len(j), k) or sets.dtype != np.bool_:
            raise ValueError(f"Expected n coordinates and booleans (n, {k}), got {j.shape} and {sets.shape}.")
        if j.size and not (0 <= j.min() and j.max() < d):
            raise ValueError(f"Expected coordinates from 0 to {d - 1}, got {j.min()} to {j.max()}.")
        counts = np.stack([np.bincount(j[sets[:, each]], minlength=d) for each in range(k)], axis=1)
        return self + CoordinateTally(people=np.bincount(j, minlength=d), counts=counts)

    def __add__(self, other: CoordinateTally) -> CoordinateTally:
        """Two groups of people together; a coordinate that one of them never heard of has nobody there."""
        if self.counts.shape[1] != other.counts.shape[1]:
            raise ValueError(f"Expected tallies of one width, got {self.counts.shape} and {other.counts.shape}.")
        d = max(len(self.people), len(other.people))
        left, right = self.widened(d), other.widened(d)
        return CoordinateTally(people=left.people + right.people, counts=left.counts + right.counts)

    def widened(self, coordinates: int) -> CoordinateTally:
        """The same for so many coordinates, nobody having reported about the further ones."""
        more = coordinates - len(self.people)
        if more < 0:
            raise ValueError(f"Expected at most {coordinates} coordinates, got {len(self.people)}.")
        if not more:
            return self
        return CoordinateTally(people=np.pad(self.people, (0, more)), counts=np.pad(self.counts, ((0, more), (0, 0))))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, CoordinateTally) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def to_bytes(self) -> bytes:
        """16 bytes, and 8·d·(k + 1): little-endian, the same on every machine."""
        table = np.concatenate([self.people[:, None], self.counts], axis=1)
        return _HEAD.pack(_MAGIC, *self.counts.shape) + table.astype("<i8").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> CoordinateTally:
        """Back from :meth:`to_bytes`; raises on anything else."""
        if len(data) < _HEAD.size:
            raise ValueError(f"Expected a tally of at least {_HEAD.size} bytes, got {len(data)}.")
        magic, d, k = _HEAD.unpack_from(data)
        if magic != _MAGIC or len(data) != _HEAD.size + 8 * d * (k + 1):
            raise ValueError(f"Expected a tally of {d} coordinates, got {len(data)} bytes that are none.")
        table = np.frombuffer(data, dtype="<i8", offset=_HEAD.size).reshape(d, k + 1)
        return cls(people=table[:, 0], counts=table[:, 1:])
