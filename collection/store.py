"""Campaigns and their reports, kept. Every method is one transaction."""

from __future__ import annotations

import hashlib
import hmac
import os
import re
import secrets
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from functools import lru_cache

from sqlalchemy import delete, func, insert, select, update

from collection.campaign import Campaign
from collection.database import Database, default_url
from collection.own_mechanism import OwnMechanism
from collection.own_row import Row
from collection.tables import campaigns, own_mechanisms, reports
from rlm_core.collector.tally import Tally

HOUR = 3600
_ALPHABET = "abcdefghijkmnpqrstuvwxyz23456789"  # 32 characters that are not mistaken for each other
_ID = re.compile(f"[{_ALPHABET}]{{26}}", re.ASCII)
PAGE = 10_000


class Outcome(Enum):
    """What became of a report."""

    STORED = "stored"
    ALREADY = "already stored"  # the same nonce and the same report: a retry
    OTHER = "another report has this nonce"
    CLOSED = "the campaign is closed"
    GONE = "there is no such campaign"


@dataclass(frozen=True, kw_only=True)
class Created:
    """A new campaign's public id, and the creator's secret: it is not stored and cannot be shown again."""

    id: str
    token: str


@dataclass(frozen=True, kw_only=True)
class State:
    """A campaign as it stands."""

    id: str
    campaign: Campaign
    closed: bool
    tally: Tally

    @property
    def is_open(self) -> bool:
        """Whether reports are taken now."""
        return not self.closed and not self.campaign.is_over()


class Store:
    """All campaigns of one database."""

    def __init__(self, url: str | None = None) -> None:
        self.database = Database(default_url() if url is None else url)

    def create(self, campaign: Campaign, own: OwnMechanism | None = None) -> Created:
        """Keep a new campaign. Its id (130 random bits) is the link; its token is the creator's alone.

        ``own`` is the mechanism of a question for rows, and of no other.
        """
        if isinstance(campaign.question, Row) != (own is not None):
            raise ValueError("Expected an own mechanism for a question that asks for rows, and for no other.")
        made = Created(id="".join(secrets.choice(_ALPHABET) for _ in range(26)), token=secrets.token_urlsafe(32))
        row = {
            "id": made.id,
            "token_hash": _hash(made.token),
            "settings": campaign.to_json(),
            "closed": False,
            "tally": Tally.empty(campaign.mechanism.cells).to_bytes(),
        }
        with self.database.writing() as connection:
            connection.execute(insert(campaigns).values(row))
            if own is not None:
                connection.execute(insert(own_mechanisms).values({"campaign": made.id} | vars(own)))
        return made

    def own_mechanism(self, campaign_id: str) -> OwnMechanism | None:
        """What a campaign of rows brought along, or None."""
        if not is_id(campaign_id):
            return None
        with self.database.reading() as connection:
            query = select(own_mechanisms).where(own_mechanisms.c.campaign == campaign_id)
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        return OwnMechanism(description=row.description, encoder=bytes(row.encoder), folder=bytes(row.folder))

    def state(self, campaign_id: str) -> State | None:
        """The campaign with its tally, or None. Takes as long for ten reports as for ten million."""
        if not is_id(campaign_id):
            return None
        with self.database.reading() as connection:
            row = connection.execute(select(campaigns).where(campaigns.c.id == campaign_id)).one_or_none()
        return None if row is None else _state(row)

    def states(self) -> list[State]:
        """All campaigns: for whoever owns the database, not for a page."""
        with self.database.reading() as connection:
            rows = connection.execute(select(campaigns).order_by(campaigns.c.id)).all()
        return [_state(row) for row in rows]

    def is_creator(self, campaign_id: str, token: str) -> bool:
        """Whether the token is this campaign's; takes the same time whatever differs."""
        kept = None
        if is_id(campaign_id):
            with self.database.reading() as connection:
                query = select(campaigns.c.token_hash).where(campaigns.c.id == campaign_id)
                kept = connection.execute(query).scalar_one_or_none()
        return hmac.compare_digest(_hash(token), bytes(kept) if kept is not None else os.urandom(32))

    def is_watcher(self, campaign_id: str, key: str) -> bool:
        """Whether this is the campaign's :func:`wall_key`."""
        kept = None
        if is_id(campaign_id):
            with self.database.reading() as connection:
                query = select(campaigns.c.token_hash).where(campaigns.c.id == campaign_id)
                kept = connection.execute(query).scalar_one_or_none()
        expected = _watching(bytes(kept)) if kept is not None else secrets.token_hex(16)
        return hmac.compare_digest(key.encode("utf-8", "surrogatepass"), expected.encode())

    def close(self, campaign_id: str) -> None:
        """Take no further reports."""
        with self.database.writing() as connection:
            connection.execute(update(campaigns).where(campaigns.c.id == campaign_id).values(closed=True))

    def delete(self, campaign_id: str) -> None:
        """For good: the campaign, its reports, and what the database's files still held of them."""
        with self.database.writing() as connection:
            connection.execute(delete(reports).where(reports.c.campaign == campaign_id))
            connection.execute(delete(own_mechanisms).where(own_mechanisms.c.campaign == campaign_id))
            connection.execute(delete(campaigns).where(campaigns.c.id == campaign_id))
        self.database.erase_traces()

    def add(self, campaign_id: str, entries: Sequence[tuple[bytes, bytes]]) -> list[Outcome]:
        """Store reports (row id, body), each once, and their tally, in one transaction.

        The campaign's row is locked first (SQLite: the database), so that two servers cannot both store one nonce.
        """
        with self.database.writing() as connection:
            query = select(campaigns).where(campaigns.c.id == campaign_id).with_for_update()
            row = connection.execute(query).one_or_none() if is_id(campaign_id) else None
            if row is None:
                return [Outcome.GONE] * len(entries)
            state = _state(row)
            wanted = dict(reversed(entries))  # of two with one nonce in a batch the first counts
            kept = {
                bytes(found.id): bytes(found.body)
                for found in connection.execute(
                    select(reports.c.id, reports.c.body)
                    .where(reports.c.campaign == campaign_id)
                    .where(reports.c.id.in_(list(wanted)))
                )
            }
            new = {key: body for key, body in wanted.items() if key not in kept} if state.is_open else {}
            if new:
                hour = int(time.time()) // HOUR
                rows = [{"campaign": campaign_id, "id": key, "hour": hour, "body": body} for key, body in new.items()]
                connection.execute(insert(reports), rows)
                tally = state.tally + state.campaign.count(list(new.values()))
                connection.execute(
                    update(campaigns).where(campaigns.c.id == campaign_id).values(tally=tally.to_bytes())
                )
        return _outcomes(entries, kept, new)

    def reports(self, campaign_id: str, *, limit: int | None = None) -> Iterator[tuple[int, bytes]]:
        """(hour, body) of every report, or of the first ``limit``, in the order of the random row ids."""
        last, left = b"", limit
        while left is None or left > 0:
            wanted = PAGE if left is None else min(PAGE, left)
            with self.database.reading() as connection:
                page = connection.execute(
                    select(reports.c.id, reports.c.hour, reports.c.body)
                    .where(reports.c.campaign == campaign_id, reports.c.id > last)
                    .order_by(reports.c.id)
                    .limit(wanted)
                ).all()
            yield from ((row.hour, bytes(row.body)) for row in page)
            if len(page) < wanted:
                return
            last, left = bytes(page[-1].id), None if left is None else left - len(page)

    def count(self, campaign_id: str) -> int:
        """How many rows there are, counted: for tests of the tally."""
        with self.database.reading() as connection:
            query = select(func.count()).select_from(reports).where(reports.c.campaign == campaign_id)
            return int(connection.execute(query).scalar_one())


def is_id(text: str) -> bool:
    """Whether it has the form of a campaign's id. What has not is not there, and no database is asked."""
    return bool(_ID.fullmatch(text))


def wall_key(token: str) -> str:
    """What lets a wall watch the campaign of this token: the token cannot be found from it."""
    return _watching(_hash(token))


def _watching(token_hash: bytes) -> str:
    return hashlib.sha256(b"wall\0" + token_hash).hexdigest()[:32]


def report_id(campaign_id: str, nonce: bytes) -> bytes:
    """The row of a nonce: a hash, so that it tells neither the nonce nor an order, whatever a client counts up."""
    return hashlib.sha256(campaign_id.encode() + b"\0" + nonce).digest()[:16]


def _outcomes(
    entries: Sequence[tuple[bytes, bytes]], kept: dict[bytes, bytes], new: dict[bytes, bytes]
) -> list[Outcome]:
    outcomes, seen = [], dict(kept)
    for key, body in entries:
        if key in seen:
            outcomes.append(Outcome.ALREADY if seen[key] == body else Outcome.OTHER)
        else:
            outcomes.append(Outcome.STORED if key in new else Outcome.CLOSED)
            if key in new:
                seen[key] = body
    return outcomes


def _hash(token: str) -> bytes:
    """Of 256 random bits, so it needs no salt and no slow hash."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).digest()


@lru_cache(maxsize=1024)
def _campaign(settings: str) -> Campaign:
    return Campaign.from_json(settings)


def _state(row: object) -> State:
    return State(
        id=row.id,  # type: ignore[attr-defined]
        campaign=_campaign(row.settings),  # type: ignore[attr-defined]
        closed=bool(row.closed),  # type: ignore[attr-defined]
        tally=Tally.from_bytes(bytes(row.tally)),  # type: ignore[attr-defined]
    )
