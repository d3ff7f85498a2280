"""What every answer tells the browser: which scripts may run, and that this server alone may be asked."""

from __future__ import annotations

import hashlib
import os
import re
from base64 import b64encode
from collections.abc import Sequence
from typing import Any

FRAME_ANCESTORS = "RLM_FRAME_ANCESTORS"
"""The environment variable with the sites that may show the app in a frame, divided by commas."""

SITE = re.compile(
    r"https://[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)+(?::[0-9]{1,5})?", re.ASCII
)
"""A site by its origin: HTTPS and a full name, no wildcard, no path."""


def framing_sites() -> list[str]:
    """The origins in RLM_FRAME_ANCESTORS; none by default.

    Raises:
        ValueError: One of them is no origin.
    """
    sites = [site.strip() for site in os.environ.get(FRAME_ANCESTORS, "").split(",") if site.strip()]
    for site in sites:
        if not SITE.fullmatch(site):
            raise ValueError(f"Expected origins such as https://ldp.example in {FRAME_ANCESTORS}, got {site[:80]!r}.")
    return sites


def inline_scripts(*pages: str) -> list[str]:
    """The scripts that stand in these pages, by their hash: these run, and no other that gets into them."""
    scripts = dict.fromkeys(re.findall(r"<script>(.*?)</script>", "".join(pages), re.DOTALL))
    return [f"'sha256-{b64encode(hashlib.sha256(each.encode()).digest()).decode()}'" for each in scripts]


def content_policy(scripts: list[str], framed_by: Sequence[str] = ()) -> str:
    """The page's own scripts, styles and data addresses; no other host, no plug-ins, no frame but ``framed_by``'s.

    Streamlit 1.67 needs neither eval nor inline scripts but its own (plotly included). It does need blob: for the
    scripts of own components, and inline styles, which its style sheets and st.html are made of.
    """
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' {' '.join(scripts)} blob:",
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "media-src 'self' data: blob:",
            "worker-src 'self' blob:",
            "connect-src 'self' data: blob:",
            "object-src 'none'",
            "base-uri 'self'",
            " ".join(("frame-ancestors 'self'", *framed_by)),
        )
    )


class StrictHeaders:
    """Adds headers to every HTTP answer; those that an answer has of its own stay, since a route may be stricter."""

    def __init__(self, app: Any, policy: str) -> None:
        self.app = app
        self.headers = {
            b"content-security-policy": policy.encode(),
            b"referrer-policy": b"no-referrer",
            b"x-content-type-options": b"nosniff",
        }

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass the request on; complete the head of its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                own = {name.lower() for name, _ in message["headers"]}
                added = [(name, value) for name, value in self.headers.items() if name not in own]
                message["headers"] = [*message["headers"], *added]
            await send(message)

        await self.app(scope, receive, send_with_headers)
