"""One thread that writes: whatever reports are waiting go into one transaction, and only then are acknowledged.

A commit that is forced to disk takes milliseconds; a hundred reports that wait for it share it.
"""

from __future__ import annotations

import queue
import threading
from collections import defaultdict
from concurrent.futures import Future
from dataclasses import dataclass, field

from collection.database import Unavailable
from collection.store import Outcome, Store

MOST_WAITING = 5_000
MOST_AT_ONCE = 500


@dataclass(frozen=True)
class _Entry:
    campaign: str
    key: bytes
    body: bytes
    outcome: Future[Outcome] = field(default_factory=Future)


class Writer:
    """Takes reports from any thread; each gets a future that is done when its fate is on disk."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._waiting: queue.Queue[_Entry] = queue.Queue(maxsize=MOST_WAITING)
        self._thread: threading.Thread | None = None
        self._starting = threading.Lock()

    def submit(self, campaign_id: str, key: bytes, body: bytes) -> Future[Outcome]:
        """Store a report under its row id; the future's error is :class:`Unavailable` where that failed."""
        entry = _Entry(campaign_id, key, body)
        try:
            self._waiting.put_nowait(entry)
        except queue.Full:
            entry.outcome.set_exception(Unavailable("too many reports are waiting for the database"))
            return entry.outcome
        with self._starting:
            if self._thread is None or not self._thread.is_alive():
                self._thread = threading.Thread(target=self._run, name="report writer", daemon=True)
                self._thread.start()
        return entry.outcome

    def _run(self) -> None:
        while True:
            batch = [self._waiting.get()]
            while len(batch) < MOST_AT_ONCE and not self._waiting.empty():
                batch.append(self._waiting.get_nowait())  # nobody else takes from it
            by_campaign: dict[str, list[_Entry]] = defaultdict(list)
            for entry in batch:
                by_campaign[entry.campaign].append(entry)
            for campaign_id, entries in by_campaign.items():
                self._write(campaign_id, entries)

    def _write(self, campaign_id: str, entries: list[_Entry]) -> None:
        try:
            outcomes = self._store.add(campaign_id, [(entry.key, entry.body) for entry in entries])
        except Exception as error:  # the thread must outlive whatever goes wrong; the request gets to know
            for entry in entries:
                if _waited_for(entry):
                    entry.outcome.set_exception(error)
            return
        for entry, outcome in zip(entries, outcomes, strict=True):
            if _waited_for(entry):
                entry.outcome.set_result(outcome)


def _waited_for(entry: _Entry) -> bool:
    """False if the request has given up meanwhile: its report is stored all the same, and its retry counts once."""
    return entry.outcome.set_running_or_notify_cancel()
