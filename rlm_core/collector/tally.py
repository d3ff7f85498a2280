"""What a collector has to remember of any number of reports: how often each symbol came.

A :class:`Tally` of counts is all that the estimates of shares and means need (see
``frequencies.py`` and ``means.py``), so a dashboard reads kilobytes, whatever the number of people.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.types import IntArray

_HEAD = struct.Struct("<8sIQ")  # magic, symbols, people
_MAGIC = b"rlmtally"
MAX_SYMBOLS = 2**20


@dataclass(frozen=True, kw_only=True, eq=False)
class Tally:
    """``counts[v]``: how many of ``people`` reports named the symbol v, or held it in their set.

    Tallies of two groups of people add up (``+``): associative, commutative, with
    :meth:`empty` as zero, since integers are added and nothing else. A tally says nothing that the
    reports did not: post-processing.

    >>> tally = Tally.empty(3).add([2, 0, 2])
    >>> tally.people, tally.counts.tolist()
    (3, [1, 0, 2])
    >>> (tally + Tally.from_bytes(tally.to_bytes())).counts.tolist()
    [2, 0, 4]
    """

    people: int
    counts: IntArray

    def __post_init__(self) -> None:
        counts = np.asarray(self.counts)
        if counts.ndim != 1 or counts.dtype.kind not in "iu" or not 2 <= counts.size <= MAX_SYMBOLS:
            raise ValueError(f"Expected 2 to {MAX_SYMBOLS} integer counts, got {counts.dtype} of {counts.shape}.")
        if not 0 <= self.people < 2**62:
            raise ValueError(f"Expected 0 <= people < 2**62, got people={self.people}.")
        if not (0 <= int(counts.min()) and int(counts.max()) <= self.people):
            raise ValueError(
                f"Expected counts from 0 to people={self.people}, got {int(counts.min())} to {int(counts.max())}."
            )
        counts = counts.astype(np.int64)
        counts.setflags(write=False)
        object.__setattr__(self, "counts", counts)
        object.__setattr__(self, "people", int(self.people))

    @classmethod
    def empty(cls, symbols: int) -> Tally:
        """Nobody has reported yet."""
        return cls(people=0, counts=np.zeros(symbols, dtype=np.int64))

    @classmethod
    def total(cls, tallies: Iterable[Tally], symbols: int) -> Tally:
        """The sum of any number of tallies of so many symbols."""
        result = cls.empty(symbols)
        for tally in tallies:
            result = result + tally
        return result

    @property
    def symbols(self) -> int:
        """k."""
        return self.counts.size

    def add(self, symbols: ArrayLike) -> Tally:
        """With n further reports of one symbol each: (n,) integers from 0 to k − 1."""
        values = np.asarray(symbols)
        if values.ndim != 1 or (values.size and values.dtype.kind not in "iu"):
            raise ValueError(f"Expected a list of integers, got {values.dtype} of shape {values.shape}.")
        if values.size and not (0 <= values.min() and values.max() < self.symbols):
            raise ValueError(f"Expected symbols from 0 to {self.symbols - 1}, got {values.min()} to {values.max()}.")
        counts = np.bincount(values.astype(np.int64), minlength=self.symbols)
        return self + Tally(people=len(values), counts=counts)

    def add_sets(self, members: ArrayLike) -> Tally:
        """With n further reports of one set each: (n, k), true for members."""
        sets = np.asarray(members)
        if sets.ndim != 2 or sets.shape[1] != self.symbols or sets.dtype != np.bool_:
            raise ValueError(f"Expected booleans of shape (n, {self.symbols}), got {sets.dtype} of {sets.shape}.")
        return self + Tally(people=len(sets), counts=sets.sum(axis=0, dtype=np.int64))

    def __add__(self, other: Tally) -> Tally:
        """Two groups of people together."""
        if self.symbols != other.symbols:
            raise ValueError(f"Expected tallies of as many symbols, got {self.symbols} and {other.symbols}.")
        return Tally(people=self.people + other.people, counts=self.counts + other.counts)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Tally) and self.people == other.people and np.array_equal(self.counts, other.counts)

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def to_bytes(self) -> bytes:
        """20 bytes, and eight a symbol: little-endian, the same on every machine."""
        return _HEAD.pack(_MAGIC, self.symbols, self.people) + self.counts.astype("<i8").tobytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> Tally:
        """Back from :meth:`to_bytes`; raises on anything else."""
        if len(data) < _HEAD.size:
            raise ValueError(f"Expected a tally of at least {_HEAD.size} bytes, got {len(data)}.")
        magic, symbols, people = _HEAD.unpack_from(data)
        if magic != _MAGIC or len(data) != _HEAD.size + 8 * symbols:
            raise ValueError(f"Expected a tally of {symbols} symbols, got {len(data)} bytes that are none.")
        return cls(people=people, counts=np.frombuffer(data, dtype="<i8", offset=_HEAD.size))
