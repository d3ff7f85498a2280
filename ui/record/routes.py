"""What serve.py serves for the two sides beside the owner's scripts: their views, and public samples, each whole.

::

    /device/view/<file>.js             what the owner sees, of static/device/view
    /device/samples/<dataset>.json     all pictures of the gallery, or all example rows, in one answer

A file is always fetched whole: an address that named one sample would tell the server which one was chosen.
"""

from __future__ import annotations

import base64
from functools import lru_cache
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import FileResponse, JSONResponse, PlainTextResponse, Response
from starlette.routing import BaseRoute, Route

from rlm_core.catalogue import DATASETS
from rlm_core.places import app

VIEWS = app() / "static" / "device" / "view"
HEADERS = {"cache-control": "no-cache", "x-content-type-options": "nosniff"}


async def view(request: Request) -> Response:
    """A script of static/device/view."""
    path = VIEWS / f"{request.path_params['file']}.js"
    if path.parent != VIEWS or not path.is_file():
        return _missing()
    return FileResponse(path, media_type="text/javascript", headers=HEADERS)


async def samples(request: Request) -> Response:
    """All public samples of a dataset."""
    if request.path_params["dataset"] not in DATASETS:
        return _missing()
    content = await run_in_threadpool(samples_of, request.path_params["dataset"])
    return JSONResponse(content, headers=HEADERS)


@lru_cache(maxsize=8)
def samples_of(dataset: str) -> dict[str, Any]:
    """Pictures as bytes in base64 with their labels; or rows with what each column is called and may hold."""
    from ui.app import cache
    from ui.record import public_photos

    if DATASETS[dataset].record == "picture":
        found = cache.samples(dataset)
        about: dict[str, Any] = {
            "classes": list(found.classes),
            "labels": found.labels.tolist(),
            "count": len(found.labels),
            "pixels": found.images.shape[1] * found.images.shape[2],
            "images": base64.b64encode(found.images.tobytes()).decode(),
            "in_gallery": public_photos.IN_GALLERY,
        }
        return about | ({"public_photos": _photos()} if dataset == public_photos.DATASET else {})
    from rlm_core.data.schema import FEATURES
    from ui.record.loan import EXAMPLES, GROUPS, IN_SHORT, LABEL, level_name

    loans = cache.loans()
    return {
        "label": LABEL,
        "classes": list(DATASETS[dataset].classes),
        "telling": list(IN_SHORT),
        "groups": {title: list(names) for title, names in GROUPS.items()},
        "fields": {
            feature.name: {
                "title": feature.title,
                "unit": feature.unit,
                "low": feature.low,
                "high": feature.high,
                "step": feature.step,
                "help": feature.help,
                "names": {level: level_name(feature, level) for level in feature.choices},
            }
            for feature in FEATURES.values()
        },
        "examples": [
            {
                "name": loans.descriptions[row],
                "label": int(loans.target[row]),
                "row": {name: _plain(value) for name, value in loans.frame.iloc[row].items()},
            }
            for row in EXAMPLES
        ],
    }


def _photos() -> dict[str, Any]:
    """Which of the samples are public photos, and the trunk's features of each, as float16 in base64."""
    from ui.record import public_photos

    features = public_photos.features().astype("<f2")
    return {
        "rows": public_photos.public_rows().tolist(),
        "width": features.shape[1],
        "features": base64.b64encode(features.tobytes()).decode(),
    }


def _plain(value: Any) -> str | float:
    return value if isinstance(value, str) else float(value)


def _missing() -> Response:
    return PlainTextResponse("Not found.\n", status_code=404)


ROUTES: list[BaseRoute] = [
    Route("/device/view/{file}.js", view),
    Route("/device/samples/{dataset}.json", samples),
]
