"""The server under load: the campaigns' routes, and one that checks a report and stores nothing, for comparison."""

from __future__ import annotations

from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from collection import join
from collection.api import Api
from collection.intake import read_envelope
from collection.store import Store

api = Api(Store())


async def check_only(request: Request) -> Response:
    """All that the real route does, but for the database."""
    campaign = await api._campaign(request.path_params["campaign"])
    assert campaign is not None
    read_envelope(await request.body(), campaign)
    return JSONResponse({"status": "checked"}, status_code=201)


app = Starlette(routes=[*api.routes(), *join.ROUTES, Route("/null/{campaign}", check_only, methods=["POST"])])
