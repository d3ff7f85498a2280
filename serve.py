"""The app with warm models and strict headers: `streamlit run serve.py`.

What it adds to `streamlit run app.py`: torch and the first mechanism are loaded before the first
visitor comes, and every answer tells the browser to talk to this server only.
"""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import streamlit as st
from starlette.middleware import Middleware

# The page's own scripts, styles and data addresses; no other host, no plug-ins, no framing elsewhere.
POLICY = "; ".join(
    (
        "default-src 'self'",
        "script-src 'self' 'unsafe-inline' 'unsafe-eval' blob:",
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


class StrictHeaders:
    """Adds HEADERS to every HTTP answer."""

    def __init__(self, app: Any) -> None:
        self.app = app

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Pass the request on; complete the head of its answer."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return

        async def send_with_headers(message: Any) -> None:
            if message["type"] == "http.response.start":
                kept = [(name, value) for name, value in message["headers"] if name.lower() not in HEADERS]
                message["headers"] = kept + list(HEADERS.items())
            await send(message)

        await self.app(scope, receive, send_with_headers)


@asynccontextmanager
async def warm(app: Any) -> AsyncIterator[dict[str, Any]]:
    """Import torch and load what the start page shows, before the first visit."""
    # Outside a visit Streamlit warns about every call; here that is what we want.
    logging.getLogger("streamlit.runtime.scriptrunner_utils.script_run_context").setLevel(logging.ERROR)
    from ui.app import cache
    from ui.app.startup import settle
    from ui.start import live

    cache.device()
    cache.gallery("mnist", 3)
    cache.model(cache.chosen_mechanism("mnist", live.MECHANISM_FOR))
    settle()
    yield {}


app = st.App("app.py", lifespan=warm, middleware=[Middleware(StrictHeaders)])
