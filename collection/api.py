"""The API that phones talk to, as Starlette routes: a campaign's description, and one way to send a report.

    GET  /api/campaigns/<id>            what a device needs to take part
    POST /api/campaigns/<id>/reports    {"nonce": …, "report": …}: 201 when it is on disk, and not before
    GET  /api/openapi.json              this, for machines

Nothing is read of a request but its path, its type and its body; nothing of it is logged or kept but the report.
"""

from __future__ import annotations

import asyncio
import math
from collections import OrderedDict
from collections.abc import Callable
from typing import TypeVar

from anyio import CapacityLimiter, fail_after
from anyio.to_thread import run_sync
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from collection.campaign import Campaign
from collection.database import Unavailable
from collection.intake import MOST_BYTES, read_envelope
from collection.openapi import description
from collection.own_mechanism import OwnMechanism
from collection.rate_limit import RateLimit
from collection.store import Outcome, Store, is_id, report_id
from collection.writer import Writer

RETRY_SECONDS = 2
BODY_SECONDS = 20.0
"""A phone in a bad network sends its 2 kB well within this; a connection that trickles is let go."""

COMMIT_SECONDS = 15.0
"""A database that hangs keeps nobody waiting for longer. The report may be stored later: the retry counts once."""

KNOWN_CAMPAIGNS = 1024
READERS = 8
FRESH = {"cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}
Found = TypeVar("Found")
STATUS = {Outcome.STORED: 201, Outcome.ALREADY: 200, Outcome.OTHER: 409, Outcome.CLOSED: 410, Outcome.GONE: 404}


class Api:
    """The routes' state: the store, its writer, the rate limits, and the settings of campaigns that were asked for."""

    def __init__(self, store: Store, *, limit: RateLimit | None = None) -> None:
        self.store = store
        self.writer = Writer(store)
        self.limit = RateLimit.from_environment() if limit is None else limit
        self._known: OrderedDict[str, Campaign] = OrderedDict()
        self._readers = CapacityLimiter(READERS)

    def routes(self) -> list[Route]:
        """For a Starlette app, or ``streamlit.App``."""
        return [
            Route("/api/openapi.json", self.openapi, methods=["GET"]),
            Route("/api/campaigns/{campaign}", self.describe, methods=["GET"]),
            Route("/api/campaigns/{campaign}/reports", self.take, methods=["POST"]),
            Route("/device/mechanisms/campaign-{campaign}.json", self.own_description),
            Route("/device/weights/campaign-{campaign}", self.own_weights),
        ]

    async def openapi(self, request: Request) -> Response:
        """What this API is, for machines."""
        return JSONResponse(description())

    async def describe(self, request: Request) -> Response:
        """What everybody who has the link may know."""
        try:
            state = await self._read(self.store.state, request.path_params["campaign"])
        except Unavailable as error:
            return _unavailable(error)
        if state is None:
            return _error(404, "There is no such campaign.")
        public = {"id": state.id, "open": state.is_open} | state.campaign.public()
        return JSONResponse(public, headers=FRESH)

    async def own_description(self, request: Request) -> Response:
        """What a device must know of the mechanism that a campaign of rows brought along."""
        campaign_id = request.path_params["campaign"]
        own = await self._own(campaign_id)
        return own if isinstance(own, Response) else JSONResponse(own.described(campaign_id), headers=FRESH)

    async def own_weights(self, request: Request) -> Response:
        """Its encoder; the description has its checksum."""
        own = await self._own(request.path_params["campaign"])
        if isinstance(own, Response):
            return own
        return Response(own.encoder, media_type="application/octet-stream", headers=FRESH)

    async def _own(self, campaign_id: str) -> OwnMechanism | Response:
        try:
            own = await self._read(self.store.own_mechanism, campaign_id)
        except Unavailable as error:
            return _unavailable(error)
        return _error(404, "There is no such mechanism.") if own is None else own

    async def _read(self, ask: Callable[[str], Found], campaign_id: str) -> Found:
        """Ask the store in a thread, of which a database that hangs can hold a few only, and not for long."""
        if not is_id(campaign_id):
            return ask(campaign_id)  # it answers at once that there is none
        try:
            with fail_after(COMMIT_SECONDS):
                return await run_sync(ask, campaign_id, abandon_on_cancel=True, limiter=self._readers)
        except TimeoutError:
            raise Unavailable("the database does not answer") from None

    async def take(self, request: Request) -> Response:
        """One report."""
        campaign_id = request.path_params["campaign"]
        try:
            campaign = await self._campaign(campaign_id)
            if campaign is None:
                return _error(404, "There is no such campaign.")
            if request.headers.get("content-type", "").split(";")[0].strip().lower() != "application/json":
                return _error(415, "Expected content-type: application/json.")
            try:
                async with asyncio.timeout(BODY_SECONDS):
                    body = await _body(request)
            except TimeoutError:
                return _error(408, f"Expected the whole report within {BODY_SECONDS:g} seconds.")
            if body is None:
                return _error(413, f"Expected at most {MOST_BYTES} bytes.")
            try:
                nonce, compact = read_envelope(body, campaign)
            except ValueError as error:
                return _error(400, str(error))
            wait = self.limit.wait(campaign_id)  # the database is what it guards: what is no report does not count
            if wait:
                seconds = str(math.ceil(wait))
                return _error(429, "Too many reports at once. Send this one again later.", {"retry-after": seconds})
            async with asyncio.timeout(COMMIT_SECONDS):
                waiting = self.writer.submit(campaign_id, report_id(campaign_id, nonce), compact)
                outcome = await asyncio.wrap_future(waiting)
        except TimeoutError:
            return _unavailable(Unavailable("the database does not answer"))
        except Unavailable as error:
            return _unavailable(error)
        except ClientDisconnect:
            return Response(status_code=400)
        if outcome is Outcome.GONE:
            self._known.pop(campaign_id, None)
        status = STATUS[outcome]
        return JSONResponse({"status" if status < 300 else "error": outcome.value}, status_code=status)

    async def _campaign(self, campaign_id: str) -> Campaign | None:
        """Its settings, which never change; whether it is open is asked when a report is stored."""
        if campaign_id in self._known:
            self._known.move_to_end(campaign_id)
            return self._known[campaign_id]
        state = await self._read(self.store.state, campaign_id)
        if state is None:
            return None
        self._known[campaign_id] = state.campaign
        while len(self._known) > KNOWN_CAMPAIGNS:
            self._known.popitem(last=False)
        return state.campaign


async def _body(request: Request) -> bytes | None:
    """The body, or None as soon as it is too long."""
    declared = request.headers.get("content-length", "0")
    if not declared.isdecimal() or int(declared[:20]) > MOST_BYTES:
        return None
    parts, size = [], 0
    async for part in request.stream():
        size += len(part)
        if size > MOST_BYTES:
            return None
        parts.append(part)
    return b"".join(parts)


def _error(status: int, message: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"error": message}, status_code=status, headers=headers)


def _unavailable(error: Unavailable) -> JSONResponse:
    message = f"Not stored: {error}. Send it again later."
    return _error(503, message, {"retry-after": str(RETRY_SECONDS)})
