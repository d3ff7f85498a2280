"""The frame's own scripts, styles and fonts from memory, compressed once: every page asks for about a hundred of them.

Streamlit reads each from the disk anew, by way of other threads, and sends it uncompressed. The files have a checksum
in their names: they never change while the server runs, and what a browser has once it need not ask for again.
"""

from __future__ import annotations

import gzip
import mimetypes
import os
from pathlib import Path
from typing import Any, NamedTuple

from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers
from starlette.responses import Response

FOR_GOOD = "public, immutable, max-age=31536000"
TEXTS = (".js", ".css", ".svg", ".json")
"""Endings of what is worth compressing; fonts and pictures are compressed already."""

LEAST = 500
"""Bytes: less is sent as it is."""


class Bundle(NamedTuple):
    """One file as it is sent; ``compressed`` for browsers that take gzip."""

    body: bytes
    compressed: bytes | None
    media_type: str


class Bundles:
    """Answers for the files below ``folder``; passes on what is not there.

    Each is read and compressed when it is first asked for, then kept.
    """

    def __init__(self, app: Any, folder: Path, address: str = "/static/") -> None:
        self.app, self.folder, self.address = app, folder.resolve(), address
        self.kept: dict[str, Bundle] = {}

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """A kept file at once, another after reading it."""
        found = None
        if scope["type"] == "http" and scope["method"] == "GET" and scope["path"].startswith(self.address):
            name = scope["path"].removeprefix(self.address)
            found = self.kept.get(name) or await run_in_threadpool(self.read, name)
        await (self.app if found is None else answer(found, Headers(scope=scope)))(scope, receive, send)

    def read(self, name: str) -> Bundle | None:
        """A file of the folder, kept from now on; None for anything else.

        Under its one name alone: ./a.js and b/../a.js are passed on, else each spelling would keep one more copy.
        """
        try:
            path = (self.folder / name).resolve()
            if str(path) != f"{self.folder}{os.sep}{name.replace('/', os.sep)}" or not path.is_file():
                return None
            body = path.read_bytes()
        except (OSError, ValueError):  # a name that no file can have: too long, or with a zero byte
            return None
        compressed = gzip.compress(body, 6, mtime=0) if path.suffix in TEXTS and len(body) >= LEAST else None
        media_type = "text/javascript" if path.suffix == ".js" else mimetypes.guess_type(name)[0]
        self.kept[name] = Bundle(body, compressed, media_type or "application/octet-stream")
        return self.kept[name]


def answer(bundle: Bundle, asked: Headers) -> Response:
    """The file in the form that the browser takes."""
    headers = {"cache-control": FOR_GOOD, "vary": "accept-encoding"}
    if bundle.compressed is None or "gzip" not in asked.get("accept-encoding", ""):
        return Response(bundle.body, media_type=bundle.media_type, headers=headers)
    headers["content-encoding"] = "gzip"
    return Response(bundle.compressed, media_type=bundle.media_type, headers=headers)
