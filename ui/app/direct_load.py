"""A page that is opened by its own address, told where its server is.

Streamlit's frame, opened at ``/advise``, looks for its server at ``/advise/_stcore/health`` before it tries
``/_stcore/health``: two requests that fail, and two errors in the visitor's console. A line in the frame names the
folder that the page is in, which is right behind a proxy with a prefix, too.
"""

from __future__ import annotations

from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import HTMLResponse
from starlette.routing import Route

from ui.app.site import pages

STATIC = Path(st.__file__).with_name("static")
"""Where Streamlit keeps its frame and the scripts of it."""

FRAME = STATIC.joinpath("index.html").read_text(encoding="utf-8")
"""Streamlit's own."""

_FIRST = "<script>"
_BACKEND_URL = 'window.__streamlit = { BACKEND_BASE_URL: new URL("./", window.location.href).href };'

FRAME_WITH_BACKEND = FRAME.replace(_FIRST, f"{_FIRST}\n      {_BACKEND_URL}", 1)
"""The same with the address of the server in its first script, which runs before Streamlit's."""


async def frame(request: Request) -> HTMLResponse:
    """The frame of any page."""
    return HTMLResponse(FRAME_WITH_BACKEND, headers={"cache-control": "no-cache"})


ROUTES = [Route(f"/{page.file}", frame) for page in pages() if page.file != "start"]
"""One for each page but the first, whose address is the server's own: there the first place looked at is right."""
