"""What a collector has to remember of reports of numbers (Laplace, Duchi): their sums, exactly."""

from __future__ import annotations

import struct
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.types import FloatArray, finite

_HEAD = struct.Struct("<8sIQHH")  # magic, numbers, people, zero bits that were left out, bytes a total
_MAGIC = b"rlmsums1"
_UNIT = 1130  # totals count 2⁻¹¹³⁰: every float64 is a whole multiple of it
_HALF = 27  # a mantissa of 53 bits is added up in two halves, so that no sum of 2²⁴ of them is rounded
_ROWS = 2**24


@dataclass(frozen=True, kw_only=True, eq=False)
class SumTally:
    """Σ of the reports of ``people``: d whole numbers of 2⁻¹¹³⁰, so nothing is ever rounded.

    Sums of floats depend on the order; these do not: tallies merge in any order and grouping to the same bits
    (associative, commutative, with :meth:`empty` as zero). Post-processing: a tally says nothing that
    the reports did not.

    >>> left, right = (SumTally.empty(2).add(rows) for rows in ([[0.1, 2.0]], [[0.2, -2.0], [1e300, 1.5]]))
    >>> left + right == right + left, (left + right).people, float((left + right).mean[1])
    (True, 3, 0.5)
    """

    people: int
    totals: tuple[int, ...]

    def __post_init__(self) -> None:
        if not 1 <= len(self.totals) <= 2**20:
            raise ValueError(f"Expected 1 to {2**20} totals, got {len(self.totals)}.")
        if not 0 <= self.people < 2**62:
            raise ValueError(f"Expected 0 <= people < 2**62, got people={self.people}.")
        if max(map(abs, self.totals)) > self.people << (_UNIT + 1024):
            raise ValueError(f"Expected totals of {self.people} finite numbers, got a larger one.")

    @classmethod
    def empty(cls, numbers: int) -> SumTally:
        """Nobody has reported yet."""
        return cls(people=0, totals=(0,) * numbers)

    @property
    def numbers(self) -> int:
        """d."""
        return len(self.totals)

    @property
    def mean(self) -> FloatArray:
        """The mean report, rounded once: (d,)."""
        if not self.people:
            raise ValueError("Expected at least one report, got an empty tally.")
        return np.array([total / (self.people << _UNIT) for total in self.totals])  # int / int rounds correctly

    def add(self, reports: ArrayLike) -> SumTally:
        """With n further reports: (n, d)."""
        rows = finite("reports", reports)
        if rows.ndim != 2 or rows.shape[1] != self.numbers:
            raise ValueError(f"Expected reports of shape (n, {self.numbers}), got shape {rows.shape}.")
        totals = list(self.totals)
        for start in range(0, len(rows), _ROWS):
            part = exact_sums(rows[start : start + _ROWS])
            totals = [left + right for left, right in zip(totals, part, strict=True)]
        return SumTally(people=self.people + len(rows), totals=tuple(totals))

    def __add__(self, other: SumTally) -> SumTally:
        """Two groups of people together."""
        if self.numbers != other.numbers:
            raise ValueError(f"Expected tallies of as many numbers, got {self.numbers} and {other.numbers}.")
        totals = tuple(left + right for left, right in zip(self.totals, other.totals, strict=True))
        return SumTally(people=self.people + other.people, totals=totals)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SumTally) and (self.people, self.totals) == (other.people, other.totals)

    def __hash__(self) -> int:
        return hash((self.people, self.totals))

    def to_bytes(self) -> bytes:
        """24 bytes, and some 10 to 20 a number: little-endian, the same on every machine."""
        zeros = min(((total & -total).bit_length() - 1 for total in self.totals if total), default=0)
        short = [total >> zeros for total in self.totals]
        width = max(total.bit_length() // 8 + 1 for total in short)
        head = _HEAD.pack(_MAGIC, self.numbers, self.people, zeros, width)
        return head + b"".join(total.to_bytes(width, "little", signed=True) for total in short)

    @classmethod
    def from_bytes(cls, data: bytes) -> SumTally:
        """Back from :meth:`to_bytes`; raises on anything else."""
        if len(data) < _HEAD.size:
            raise ValueError(f"Expected a tally of at least {_HEAD.size} bytes, got {len(data)}.")
        magic, numbers, people, zeros, width = _HEAD.unpack_from(data)
        if magic != _MAGIC or len(data) != _HEAD.size + numbers * width:
            raise ValueError(f"Expected a tally of {numbers} sums, got {len(data)} bytes that are none.")
        starts = range(_HEAD.size, len(data), width)
        totals = (int.from_bytes(data[start : start + width], "little", signed=True) << zeros for start in starts)
        return cls(people=people, totals=tuple(totals))


def exact_sums(rows: FloatArray) -> list[int]:
    """Σ over rows of each column, in units of 2⁻¹¹³⁰, without rounding: (n, d) to d integers, n ≤ 2²⁴."""
    d = rows.shape[1]
    mantissa, exponent = np.frexp(rows)  # rows = mantissa·2^exponent
    whole = np.ldexp(mantissa, 53).astype(np.int64)
    exponents, which = np.unique(exponent, return_inverse=True)
    bins = which.reshape(rows.shape) * d + np.arange(d)
    high, low = whole >> _HALF, whole & ((1 << _HALF) - 1)
    sums = [
        np.bincount(bins.ravel(), weights=part.ravel(), minlength=len(exponents) * d).reshape(-1, d)
        for part in (high, low)
    ]
    totals = [0] * d
    for each, power in enumerate(exponents.tolist()):
        for column in range(d):
            value = (int(sums[0][each, column]) << _HALF) + int(sums[1][each, column])
            totals[column] += value << (power - 53 + _UNIT)
    return totals
