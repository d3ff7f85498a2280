"""All that is remembered of any number of reports of one mechanism, in constant memory.

    what is sent                          body                what estimates need of it
    a set, or a symbol (pairs, k-RR)      Tally               how often each symbol came
    numbers (Laplace, Duchi)              SumTally            their sums, exact
    a coordinate and a set or bits        CoordinateTally     the same counts for every coordinate

Tallies of shards merge (``+``) in any order and grouping: on Dask, in SQL, on a napkin.
"""

from __future__ import annotations

import json
import struct
from dataclasses import dataclass, replace

import numpy as np

from rlm_core.collector.moments import tally_of_bits
from rlm_core.collector.tally import Tally
from rlm_core.collector.tally_coordinates import CoordinateTally
from rlm_core.collector.tally_sums import SumTally
from rlm_core.owner.payload import Payload
from rlm_core.release import Releases
from rlm_core.report_checks import told_apart

Body = Tally | SumTally | CoordinateTally
_BODIES: dict[str, type[Tally] | type[SumTally] | type[CoordinateTally]] = {
    "counts": Tally,
    "sums": SumTally,
    "coordinates": CoordinateTally,
}
_LENGTH = struct.Struct("<I")


@dataclass(frozen=True, kw_only=True)
class ReportTally:
    """A tally of reports of one mechanism at one ε, which are named as in the reports themselves.

    Labels that were sent by themselves (ε split by λ) are not tallied: sums without their label do not tell a class.
    """

    mechanism: str
    digest: str
    epsilon: float
    body: Body

    @classmethod
    def of(cls, releases: Releases) -> ReportTally:
        """The tally of some releases."""
        if releases.y_private is not None:
            raise ValueError("Expected record and label in one report to tally, got labels by themselves.")
        return cls(
            mechanism=releases.mechanism,
            digest=releases.digest,
            epsilon=releases.epsilon,
            body=body_of(releases.payload),
        )

    @property
    def people(self) -> int:
        """How many have reported."""
        return self.body.total if isinstance(self.body, CoordinateTally) else self.body.people

    def add(self, releases: Releases) -> ReportTally:
        """With further reports."""
        return self + ReportTally.of(releases)

    def __add__(self, other: ReportTally) -> ReportTally:
        """Two groups of people together."""
        if (self.mechanism, self.digest, self.epsilon) != (other.mechanism, other.digest, other.epsilon):
            here, there = told_apart(self.epsilon, other.epsilon)
            raise ValueError(
                f"Expected tallies of one mechanism at one epsilon, got {self.mechanism} ({self.digest[:8]}…) at "
                f"{here} and {other.mechanism} ({other.digest[:8]}…) at {there}."
            )
        left, right = self.body, other.body
        if isinstance(left, Tally) and isinstance(right, Tally):
            return replace(self, body=left + right)
        if isinstance(left, SumTally) and isinstance(right, SumTally):
            return replace(self, body=left + right)
        if isinstance(left, CoordinateTally) and isinstance(right, CoordinateTally):
            return replace(self, body=left + right)
        raise ValueError(f"Expected tallies of one kind, got {type(left).__name__} and {type(right).__name__}.")

    def to_bytes(self) -> bytes:
        """A line of JSON with its length before it, and the body."""
        kind = next(name for name, each in _BODIES.items() if isinstance(self.body, each))
        about = {"kind": kind, "mechanism": self.mechanism, "digest": self.digest, "epsilon": self.epsilon}
        head = json.dumps(about, ensure_ascii=False).encode()
        return _LENGTH.pack(len(head)) + head + self.body.to_bytes()

    @classmethod
    def from_bytes(cls, data: bytes) -> ReportTally:
        """Back from :meth:`to_bytes`; raises on anything else."""
        try:
            (length,) = _LENGTH.unpack_from(data)
            about = json.loads(data[_LENGTH.size : _LENGTH.size + length])
            body = _BODIES[about.pop("kind")].from_bytes(data[_LENGTH.size + length :])
            return cls(**about, body=body)
        except (struct.error, KeyError, TypeError, AttributeError, UnicodeDecodeError, json.JSONDecodeError) as error:
            raise ValueError(f"Expected a tally of reports, got {error!r}.") from None


def body_of(payload: Payload) -> Body:
    """What is remembered of a payload."""
    if payload.numbers is not None:
        return SumTally.empty(payload.numbers.shape[1]).add(payload.numbers)
    if payload.coordinates is None:
        if payload.members is not None:
            return Tally.empty(payload.members.shape[1]).add_sets(payload.members)
        return Tally.empty(payload.of or 2).add(np.asarray(payload.symbols))
    d = int(payload.coordinates.max(initial=0)) + 1
    if payload.members is not None:
        return CoordinateTally.empty(d, payload.members.shape[1]).add(payload.coordinates, payload.members)
    bits = ((payload.of or 2) - 1).bit_length()
    return tally_of_bits(payload.coordinates, np.asarray(payload.symbols), bits=bits, features=d)
