"""Who may ask this server: requests under our own names, from our own pages, for addresses that are open."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterable, Sequence
from ipaddress import ip_address
from typing import Any

VARIABLE = "RLM_ALLOWED_HOSTS"
"""The environment variable with further names that we serve under, divided by commas."""

HOST = re.compile(r"(?:\[(?P<address>[0-9a-f:.]+)\]|(?P<name>[a-z0-9._-]+))(?::[0-9]{1,5})?", re.ASCII)
"""What a browser may name as the host it asks, in lower case."""

MOST_CHARACTERS = 1024
"""Of a path: for a longer name the disk has an error instead of an answer, and the visitor would get a 500."""

Refusal = tuple[int, str]
"""Status and reason of an answer that is not given."""


class KnownHosts:
    """Refuses requests under a foreign name, from a foreign page, or for a closed address.

    A page of evil.example may let its name point to 127.0.0.1 (DNS rebinding): the browser then takes
    our server for evil.example's and hands over what it answers. Such a request names evil.example as
    its host. Known are localhost, the names in RLM_ALLOWED_HOSTS, and any IP address: an address cannot
    be rebound. A page elsewhere is told by its Origin, which must be the host asked for.

    Args:
        app: what answers a request that may pass.
        names: further host names of ours.
        closed: asked at every request for the parts of addresses that nobody may ask for.
    """

    def __init__(self, app: Any, names: Iterable[str] = (), closed: Callable[[], Sequence[str]] = lambda: ()) -> None:
        self.app, self.names, self.closed = app, frozenset(names), closed

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

    def refusal(self, scope: Any) -> Refusal | None:
        """Status and reason, or None for a request that may pass."""
        hosts, origins = (
            [value.decode("latin-1").lower() for name, value in scope["headers"] if name.lower() == wanted]
            for wanted in (b"host", b"origin")
        )
        if len(hosts) != 1 or not self.knows(hosts[0]):
            return 400, f"Unknown host: serve under this name with {VARIABLE}.\n"
        for origin in origins:
            if origin.partition("://")[2] != hosts[0]:
                return 403, "Requests from other sites are refused.\n"
        if len(scope["path"]) > MOST_CHARACTERS:
            return 414, "The address is too long.\n"
        if any(closed in scope["path"] for closed in self.closed()):
            return 404, "Not found.\n"
        return None

    def knows(self, host: str) -> bool:
        """Whether we serve under this name, given with or without a port."""
        name = hostname(host)
        return name == "localhost" or name in self.names or is_address(name)


def allowed_names() -> list[str]:
    """The names in RLM_ALLOWED_HOSTS."""
    return [name.strip().lower() for name in os.environ.get(VARIABLE, "").split(",") if name.strip()]


def hostname(place: str) -> str:
    """The name in ``name:port``; empty if it is anything else, such as ``localhost/.evil.example``."""
    found = HOST.fullmatch(place)
    return found["address"] or found["name"] if found else ""


def is_address(name: str) -> bool:
    """Whether a host is given as an IP address."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
