"""A visitor's own mechanism for the browser's side of it, under an address that only this visitor was told.

::

    /device/mechanisms/own-<token>.json    what a device must know of it
    /device/weights/own-<token>            its encoder; nothing keeps a copy

Both are gone when the visit is.
"""

from __future__ import annotations

from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from ui.own.queue import offered

HEADERS = {"cache-control": "no-store", "x-content-type-options": "nosniff", "referrer-policy": "no-referrer"}


async def mechanism(request: Request) -> Response:
    """A description."""
    found = offered(request.path_params["token"])
    return _missing() if found is None else JSONResponse(found.description, headers=HEADERS)


async def weights(request: Request) -> Response:
    """An encoder's file."""
    found = offered(request.path_params["token"])
    if found is None:
        return _missing()
    return Response(found.encoder, media_type="application/octet-stream", headers=HEADERS)


def _missing() -> Response:
    return PlainTextResponse("Not found.\n", status_code=404, headers=HEADERS)


ROUTES: list[BaseRoute] = [
    Route("/device/mechanisms/own-{token}.json", mechanism),
    Route("/device/weights/own-{token}", weights),
]
