"""What the server has of the owner's side: scripts, descriptions, weights, and files to take home.

::

    /device/<file>                     scripts of static/device; Workers with a policy of their own
    /device/mechanisms/<name>.json     what a device must know of a mechanism
    /device/weights/<sha256>           its weights, as they are, cached for good
    /device/owner/<name>.html          the owner's side of one mechanism as a single file
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from rlm_core.device import description as device
from rlm_core.device.owner_file import SCRIPTS, has_file, owner_file
from rlm_core.device.served_script import served_script
from rlm_core.zoo.cards import own_folders

if TYPE_CHECKING:
    from rlm_core.privatiser.saved_tables import SavedTable

TYPES = {".js": "text/javascript", ".wasm": "application/wasm"}
BYTES = "application/octet-stream"
STRICT = {
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'",
    "cross-origin-resource-policy": "same-origin",
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
}
WORKERS = ("worker.js", "start_worker.js")
FOR_GOOD = "public, max-age=31536000, immutable"


def worker_policy(request: Request) -> str:
    """The Worker holds the record: it may fetch our weights and the kernels, run our scripts, and nothing else.

    A path needs an origin in front of it, and the origin is the one asked for; a name that no host can have is left
    out, and then the Worker can fetch nothing.
    """
    host = request.headers.get("host", "")
    origin = f"{request.url.scheme}://{host}/device" if re.fullmatch(r"[\w.\-\[\]:]+", host, re.ASCII) else ""
    allowed = f"{origin}/weights/ {origin}/conv.wasm" if origin else "'none'"
    return f"default-src 'none'; script-src 'self' 'wasm-unsafe-eval'; connect-src {allowed}"


async def script(request: Request) -> Response:
    """A file of static/device."""
    path = SCRIPTS / request.path_params["file"]
    if path.suffix not in TYPES or path.parent != SCRIPTS or not path.is_file():
        return _missing()
    headers = STRICT | {"cache-control": "no-cache"}
    if path.name in WORKERS:
        headers["content-security-policy"] = worker_policy(request)
    if path.suffix == ".js":
        return Response(served_script(path), media_type=TYPES[path.suffix], headers=headers)
    return FileResponse(path, media_type=TYPES[path.suffix], headers=headers)


async def mechanism(request: Request) -> Response:
    """A description; weights are named by their address below /device/."""
    name = request.path_params["name"]
    own = await run_in_threadpool(_own_table, name)
    if own is None and not await run_in_threadpool(_is_offered, name):
        return _missing()
    about = own.description if own else await run_in_threadpool(device.description, name)
    return JSONResponse(about, headers=STRICT | {"cache-control": "no-cache"})


async def weights(request: Request) -> Response:
    """A file by its checksum: it never changes. Marked as encoded already, so that nothing compresses it anew."""
    checksum = request.path_params["sha256"]
    headers = STRICT | {"cache-control": FOR_GOOD, "content-encoding": "identity"}
    path = (await run_in_threadpool(_weights)).get(checksum)
    if path is not None:
        return FileResponse(path, media_type=BYTES, headers=headers)
    content = await run_in_threadpool(_own_encoder, checksum)
    return _missing() if content is None else Response(content, media_type=BYTES, headers=headers)


async def owner(request: Request) -> Response:
    """One file with the owner's side of a mechanism; it brings its own policy."""
    name = request.path_params["name"]
    own = await run_in_threadpool(_own_table, name)
    if own is None and (not await run_in_threadpool(_is_offered, name) or not has_file(name)):
        return _missing()
    page = await run_in_threadpool(own.page) if own else await run_in_threadpool(owner_file, name)
    download = f'attachment; filename="owner-{name}.html"'
    headers = STRICT | {"content-security-policy": page.policy, "content-disposition": download}
    return Response(page.html, media_type="text/html; charset=utf-8", headers=headers)


@lru_cache(maxsize=1)
def _offered() -> frozenset[str]:
    return frozenset(device.offered())


def _is_offered(name: str) -> bool:
    return name in _offered() or device.is_cut(name)


# Own tables: asked anew each time, since people fit while the server runs. What reads them takes seconds to import, so
# it waits until there is one.


def _own_table(name: str) -> SavedTable | None:
    if name not in own_folders():
        return None
    from rlm_core.privatiser.saved_tables import saved_table

    return saved_table(name)


def _own_encoder(checksum: str) -> bytes | None:
    if not own_folders():
        return None
    from rlm_core.privatiser.saved_tables import saved_encoder

    return saved_encoder(checksum)


@lru_cache(maxsize=1)
def _weights() -> dict[str, Path]:
    return device.weights()


def _missing() -> Response:
    return PlainTextResponse("Not found.\n", status_code=404, headers=STRICT)


ROUTES: list[BaseRoute] = [
    Route("/device/mechanisms/{name}.json", mechanism),
    Route("/device/weights/{sha256}", weights),
    Route("/device/owner/{name}.html", owner),
    Route("/device/{file}", script),
]
