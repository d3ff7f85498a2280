"""What the tests of campaigns share: campaigns to ask with, a server on loopback, and what a phone sends."""

from __future__ import annotations

import http.client
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from starlette.applications import Starlette
from starlette.routing import BaseRoute

from collection.api import Api
from collection.campaign import Campaign
from collection.questions import Digit, Number, OneOf, Question
from collection.rate_limit import RateLimit
from collection.store import Store
from tests.device.device_server import app_server

QUESTIONS: dict[str, Question] = {
    "yes or no": OneOf(text="Do you like coffee?", answers=("no", "yes")),
    "one of ten": OneOf(text="Which?", answers=tuple("abcdefghij")),
    "number": Number(text="How long did you sleep?", low=0, high=12, unit="h"),
    "digit": Digit(text="Draw a digit", card="mnist-qrlm-k12"),
}


def campaign(kind: str = "yes or no", *, epsilon: float = 1.0, lasts: int = 3600, **changes: Any) -> Campaign:
    fields = {"title": "A test", "people": 30, "closes": int(time.time()) + lasts, "epsilon": epsilon}
    return Campaign(**{"question": QUESTIONS[kind]} | fields | changes)


@dataclass
class Client:
    """A connection a request, as phones have it."""

    port: int

    def ask(self, method: str, path: str, body: bytes | None = None, **headers: str) -> tuple[int, Any, dict[str, str]]:
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, {key.replace("_", "-"): value for key, value in headers.items()})
            answer = connection.getresponse()
            content = answer.read()
        finally:
            connection.close()
        kind = answer.getheader("content-type", "")
        found = json.loads(content) if "json" in kind else content
        return answer.status, found, {key.lower(): value for key, value in answer.getheaders()}

    def send(self, campaign_id: str, body: bytes | dict[str, Any]) -> tuple[int, Any, dict[str, str]]:
        data = body if isinstance(body, bytes) else json.dumps(body).encode()
        return self.ask("POST", f"/api/campaigns/{campaign_id}/reports", data, content_type="application/json")


@contextmanager
def serving(store: Store, limit: RateLimit | None = None, routes: Sequence[BaseRoute] = ()) -> Iterator[Client]:
    """The API (and other routes) by uvicorn in a thread, on a free port."""
    app = Starlette(routes=[*Api(store, limit=limit).routes(), *routes])
    with app_server(app) as address:
        yield Client(int(address.rsplit(":", 1)[1]))


def envelope(campaign: Campaign, answer: int = 0, nonce: str | None = None) -> dict[str, Any]:
    """What a phone would send whose symbol is ``answer``: here without noise, since the store does not care."""
    about = campaign.mechanism
    if about.payload == "symbol":
        body = answer.to_bytes(2, "big")
    else:
        bits = [(index - answer) % about.symbols < about.subset for index in range(about.symbols)]
        packed = int("".join("01"[bit] for bit in bits).ljust(-(-len(bits) // 8) * 8, "0"), 2)
        body = packed.to_bytes(-(-len(bits) // 8), "big")
    report = json.loads(campaign.report(body).to_json())
    return {"nonce": nonce or os.urandom(16).hex(), "report": report}
