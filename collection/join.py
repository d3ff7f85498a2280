"""The join page: static files, with a policy that lets them talk to this server only."""

from __future__ import annotations

from pathlib import Path

from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.routing import Route

from rlm_core.device.served_script import served_script

FILES = Path(__file__).resolve().parents[1] / "static" / "join"
TYPES = {".js": "text/javascript", ".css": "text/css"}
HEADERS = {
    "content-security-policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; worker-src 'self'; "
        "img-src 'self' blob: data:; form-action 'none'; base-uri 'none'; frame-ancestors 'none'"
    ),
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "cache-control": "no-cache",
}


async def page(request: Request) -> Response:
    """The same for every campaign: the script asks for the one in the address."""
    return FileResponse(FILES / "index.html", media_type="text/html; charset=utf-8", headers=HEADERS)


async def file(request: Request) -> Response:
    """A script or a style."""
    path = FILES / request.path_params["file"]
    if path.parent != FILES or path.suffix not in TYPES or not path.is_file():
        return PlainTextResponse("Not found.\n", status_code=404, headers=HEADERS)
    return Response(served_script(path), media_type=TYPES[path.suffix], headers=HEADERS)


ROUTES = [Route("/join/files/{file}", file), Route("/join/{campaign}", page)]
