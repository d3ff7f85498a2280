"""A campaign: one question to many people, how their answers leave their devices, and what was promised about it."""

from __future__ import annotations

import json
import time
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from collection.question_parts import Line, Mechanism, check_text
from collection.questions import Question, question_fields, question_of
from rlm_core.collector.frequencies import half_width, people_needed
from rlm_core.collector.tally import Tally
from rlm_core.report import Report
from rlm_core.types import positive

WITHIN = 0.05
"""± 5 points: what "how many people are needed" means."""
LEAST_EPSILON, MOST_EPSILON = 0.01, 20.0


@dataclass(frozen=True, kw_only=True)
class Campaign:
    """What is decided before it starts, and never changes: the store keeps it as JSON.

    Args:
        title: for the wall.
        question: one of :mod:`collection.questions`.
        epsilon: finite; all of it goes to one symbol (there is nothing to divide).
        people: how many are expected; sets the interval that is promised.
        closes: seconds since 1970 after which nothing is taken.
        reports_per_device: kept by the device's ledger. The server knows no devices, so a cheat can send more.
        digest: of the mechanism when the campaign was made; empty for the one that this version has. Should a later
            version ship another mechanism of that name, devices see the difference and send nothing.
    """

    title: str
    question: Question
    epsilon: float
    people: int
    closes: int
    reports_per_device: int = 1
    digest: str = field(default="", compare=False, repr=False)

    def __post_init__(self) -> None:
        check_text("title", self.title, 120)
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        if not LEAST_EPSILON <= self.epsilon <= MOST_EPSILON:
            raise ValueError(f"Expected {LEAST_EPSILON} <= epsilon <= {MOST_EPSILON:g}, got epsilon={self.epsilon:g}.")
        for name, most in (("people", 10**9), ("closes", 10**11), ("reports_per_device", 100)):
            value = getattr(self, name)
            if isinstance(value, bool) or not isinstance(value, int) or not 1 <= value <= most:
                raise ValueError(f"Expected an integer from 1 to {most} for {name}, got {name}={value!r}.")

    @cached_property
    def mechanism(self) -> Mechanism:
        """How an answer leaves the device."""
        found = self.question.mechanism(self.epsilon)
        return replace(found, digest=self.digest or found.digest)

    @property
    def promised(self) -> float:
        """Half the width of the 95 % interval for the people expected, at worst; as a share (of the range)."""
        return half_width(self.question.deviation(self.epsilon), self.people)

    @property
    def people_needed(self) -> int:
        """For ± 5 points, at worst."""
        return people_needed(self.question.deviation(self.epsilon), within=WITHIN)

    def is_over(self, now: float | None = None) -> bool:
        """Whether the closing time has passed."""
        return (time.time() if now is None else now) >= self.closes

    def check(self, report: Report) -> bytes:
        """The report's compact form, if it is one of this campaign; otherwise an error that says what differs.

        Mechanism, ε and number of symbols are the campaign's, so what is left to keep is the symbol (two bytes, with
        a coordinate that comes with it sometimes four) or the set (a bit a symbol).
        """
        expected = self.mechanism
        for name, got, wanted in (
            ("mechanism", report.mechanism, expected.name),
            ("digest", report.digest, expected.digest),
            ("epsilon", report.epsilon_x, self.epsilon),
            ("label", report.label, None),
            ("of", report.of, expected.symbols),
        ):
            if got != wanted:
                raise ValueError(f"Expected {name} {_shown(wanted)}, got {_shown(got)}.")
        coordinate = report.coordinate
        if not expected.coordinates and coordinate is not None:
            raise ValueError(f"Expected coordinate none, got {_shown(coordinate)}.")
        if expected.coordinates and (coordinate is None or not 0 <= coordinate < expected.coordinates):
            raise ValueError(f"Expected a coordinate from 0 to {expected.coordinates - 1}, got {_shown(coordinate)}.")
        if expected.payload == "symbol":
            if report.symbol is None:
                raise ValueError("Expected a symbol, got another payload.")
            cell = (coordinate or 0) * expected.symbols + int(report.symbol)
            return cell.to_bytes(self._width, "big")
        if report.members is None:
            raise ValueError("Expected a set, got another payload.")
        members = int(report.in_set().sum())
        if members != expected.subset:
            raise ValueError(f"Expected a set of {expected.subset} symbols, got {members}.")
        return report.members

    @property
    def _width(self) -> int:
        """Bytes of a symbol in its compact form."""
        return 2 if self.mechanism.cells <= 2**16 else 4

    def report(self, body: bytes) -> Report:
        """Back from the compact form: the very report that was sent."""
        about, payload = self.mechanism, dict[str, Any]()
        if about.payload == "symbol":
            coordinate, payload["symbol"] = divmod(int.from_bytes(body, "big"), about.symbols)
            payload |= {"coordinate": coordinate} if about.coordinates else {}
        else:
            payload["members"] = body
        return Report(mechanism=about.name, digest=about.digest, epsilon_x=self.epsilon, of=about.symbols, **payload)

    def count(self, bodies: list[bytes]) -> Tally:
        """The tally of reports in their compact form."""
        empty = Tally.empty(self.mechanism.cells)
        if not bodies:
            return empty
        if self.mechanism.payload == "symbol":
            return empty.add(np.frombuffer(b"".join(bodies), dtype=f">u{self._width}"))
        packed = np.frombuffer(b"".join(bodies), dtype=np.uint8).reshape(len(bodies), -1)
        return empty.add_sets(np.unpackbits(packed, axis=1, count=self.mechanism.symbols).view(np.bool_))

    def estimate(self, tally: Tally) -> list[Line]:
        """What the reports say together; nothing of nobody."""
        return self.question.estimate(tally, self.epsilon) if tally.people else []

    def public(self) -> dict[str, Any]:
        """What everybody who has the link may know: all that a device needs to take part."""
        about = self.mechanism
        return {
            "title": self.title,
            "question": question_fields(self.question),
            "mechanism": about.name,
            "digest": about.digest,
            "epsilon": self.epsilon,
            "symbols": about.symbols,
            "subset": about.subset,
            "payload": about.payload,
            "coordinates": about.coordinates,
            "people": self.people,
            "promised": self.promised,
            "odds": self.question.odds(self.epsilon),
            "closes": self.closes,
            "reports_per_device": self.reports_per_device,
        }

    def to_json(self) -> str:
        """For the store."""
        fields = {name: getattr(self, name) for name in ("title", "epsilon", "people", "closes", "reports_per_device")}
        about = {"mechanism": self.mechanism.name, "digest": self.mechanism.digest}
        return json.dumps(fields | about | {"question": question_fields(self.question)}, ensure_ascii=False)

    @classmethod
    def from_json(cls, text: str) -> Campaign:
        """Back from :meth:`to_json`."""
        fields = json.loads(text)
        fields.pop("mechanism", None)  # for readers of the database; it follows from the question
        return cls(**(fields | {"question": question_of(fields["question"])}))


def _shown(value: object) -> str:
    return "none" if value is None else str(value)[:80]
