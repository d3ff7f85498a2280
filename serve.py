"""The app with warm models, strict headers and known hosts: `rlm run` starts `streamlit run serve.py`.

What it adds to `streamlit run app.py`: torch and the first mechanism are loaded before the first
visitor comes; every answer tells the browser to talk to this server only; a request under a name
that is not ours, or from another site's page, is refused; and the server itself contacts nobody.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
from base64 import b64encode
from collections.abc import AsyncIterator, Iterable
from contextlib import asynccontextmanager
from ipaddress import ip_address
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import streamlit as st
from starlette.middleware import Middleware
from starlette.routing import BaseRoute
from streamlit import net_util

import device_routes
from collection.routes import collection_routes
from ui.app.public_demo import UPLOADS, raw_data_allowed
from ui.own import routes as own_routes
from ui.record import routes as record_routes


def inline_scripts() -> list[str]:
    """The scripts that stand in Streamlit's own page, by their hash: these run, and no other that gets into it."""
    page = Path(st.__file__).with_name("static").joinpath("index.html").read_bytes()
    scripts = re.findall(rb"<script>(.*?)</script>", page, re.DOTALL)
    return [f"'sha256-{b64encode(hashlib.sha256(each).digest()).decode()}'" for each in scripts]


# The page's own scripts, styles and data addresses; no other host, no plug-ins, no framing elsewhere. Streamlit 1.67
# needs neither eval nor further inline scripts (plotly included). It does need blob: for the scripts of own
# components, and inline styles, which its style sheets and st.html are made of.
POLICY = "; ".join(
    (
        "default-src 'self'",
        f"script-src 'self' {' '.join(inline_scripts())} blob:",
        "style-src 'self' 'unsafe-inline'",
        "img-src 'self' data: blob:",
        "font-src 'self' data:",
        "media-src 'self' data: blob:",
        "worker-src 'self' blob:",
        "connect-src 'self' data: blob:",
        "object-src 'none'",
        "base-uri 'self'",
        "frame-ancestors 'self'",
    )
)
HEADERS = {
    b"content-security-policy": POLICY.encode(),
    b"referrer-policy": b"no-referrer",
    b"x-content-type-options": b"nosniff",
}
CLOSED = ("/_stcore/metrics", "/_stcore/agent")
"""Streamlit's own addresses that no visitor needs: what the server holds in memory, and driving the app by programs."""

ROUTES: list[BaseRoute] = [*record_routes.ROUTES, *own_routes.ROUTES, *device_routes.ROUTES, *collection_routes()]
"""Further addresses of this server, before Streamlit's own."""


def nobody() -> None:
    """No address: Streamlit would ask a public host for ours, to compare it with a request's origin."""


net_util.get_external_ip = net_util.get_internal_ip = nobody


class StrictHeaders:
    """Adds HEADERS to every HTTP answer; those that an answer has of its own stay."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass the request on; complete the head of its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = {name.lower() for name, _ in message["headers"]}  # a route may be stricter
                added = [(name, value) for name, value in HEADERS.items() if name not in own]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        await self.app(scope, receive, send_with_headers)


class KnownHosts:
    """Refuses requests under a foreign name, from a foreign page, or for a closed address.

    A page of evil.example may let its name point to 127.0.0.1 (DNS rebinding): the browser then takes
    our server for evil.example's and hands over what it answers. Such a request names evil.example as
    its host. Known are localhost, the names in RLM_ALLOWED_HOSTS, and any IP address: an address cannot
    be rebound. A page elsewhere is told by its Origin, which must be the host asked for.
    """

    def __init__(self, app: Any, names: Iterable[str] = ()) -> None:
        self.app, self.names = app, frozenset(names)

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass a request on, or answer it with an error (a handshake is refused with 403)."""
        refusal = self.refusal(scope) if scope["type"] in ("http", "websocket") else None
        if refusal is None:
            await self.app(scope, receive, send)
        elif scope["type"] == "websocket":
            await send({"type": "websocket.close", "code": 1008, "reason": refusal[1]})
        else:
            status, text = refusal
            await send({"type": "http.response.start", "status": status, "headers": [(b"content-type", b"text/plain")]})
            await send({"type": "http.response.body", "body": text.encode()})

    def refusal(self, scope: Any) -> tuple[int, str] | None:
        """Status and reason, or None for a request that may pass."""
        hosts, origins = (
            [value.decode("latin-1").lower() for name, value in scope["headers"] if name.lower() == wanted]
            for wanted in (b"host", b"origin")
        )
        if len(hosts) != 1 or not self.knows(hosts[0]):
            return 400, "Unknown host: serve under this name with RLM_ALLOWED_HOSTS.\n"
        for origin in origins:
            if origin.partition("://")[2] != hosts[0]:
                return 403, "Requests from other sites are refused.\n"
        uploads = () if raw_data_allowed() else (UPLOADS,)
        if any(closed in scope["path"] for closed in (*CLOSED, *uploads)):
            return 404, "Not found.\n"
        return None

    def knows(self, host: str) -> bool:
        """Whether we serve under this name, given with or without a port."""
        name = hostname(host)
        return name == "localhost" or name in self.names or is_address(name)


def hostname(place: str) -> str:
    """The name in ``name:port``; empty if there is none."""
    try:
        return urlsplit(f"//{place}").hostname or ""
    except ValueError:
        return ""


def is_address(name: str) -> bool:
    """Whether a host is given as an IP address."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True


def allowed_names() -> list[str]:
    """RLM_ALLOWED_HOSTS, divided by commas."""
    return [name.strip().lower() for name in os.environ.get("RLM_ALLOWED_HOSTS", "").split(",") if name.strip()]


@asynccontextmanager
async def warm(app: Any) -> AsyncIterator[dict[str, Any]]:
    """Import torch and load what the start page shows, before the first visit."""
    # Outside a visit Streamlit warns about every call; here that is what we want.
    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").setLevel(logging.ERROR)
    from ui.app import cache
    from ui.app.startup import import_ahead, settle
    from ui.start import stage

    cache.device()
    cache.gallery("mnist", 3)
    stage.public_facts()
    cache.model(cache.chosen_mechanism("mnist", stage.START_EPSILON))
    import_ahead()
    settle()
    yield {}


app = st.App(
    "app.py",
    lifespan=warm,
    routes=ROUTES,
    middleware=[Middleware(StrictHeaders), Middleware(KnownHosts, names=allowed_names())],
)
