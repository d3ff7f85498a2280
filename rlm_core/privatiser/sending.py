"""What the release path is given for a record: its mechanism, and how a label goes with it."""

from __future__ import annotations

from dataclasses import dataclass

from rlm_core.mechanism import RLM
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.payload import Together


@dataclass(frozen=True, kw_only=True, eq=False)
class Sending:
    """The record's mechanism; with a label either ``pairs`` (one report, all of ε) or ``labels`` (apart, by k-RR)."""

    mechanism: RLM
    pairs: Together | None = None
    labels: RandomisedResponse | None = None

    @property
    def digest(self) -> str:
        """As the reports have it."""
        digest = self.mechanism.digest
        return digest if self.pairs is None else self.pairs.digest(digest)
