"""The API's description in OpenAPI 3.1, with the schema of a report as the library has it."""

from __future__ import annotations

import json
from functools import lru_cache
from pathlib import Path
from typing import Any

import rlm_core
from collection.intake import MOST_BYTES

_ERROR = {
    "type": "object",
    "required": ["error"],
    "properties": {"error": {"type": "string", "description": "What was wrong, in a sentence."}},
}


@lru_cache(maxsize=1)
def description() -> dict[str, Any]:
    """The whole document."""
    text = (Path(rlm_core.__file__).parent / "report.schema.json").read_text(encoding="utf-8")
    report = json.loads(text.replace("#/$defs/", "#/components/schemas/"))
    definitions = report.pop("$defs", {})
    envelope = {
        "type": "object",
        "additionalProperties": False,
        "required": ["nonce", "report"],
        "properties": {
            "nonce": {
                "type": "string",
                "pattern": "^[0-9a-f]{32}$",
                "description": "Drawn by the device, once for a report: the same again is the same report.",
            },
            "report": {"$ref": "#/components/schemas/report"},
        },
    }
    identifier = {"name": "campaign", "in": "path", "required": True, "schema": {"type": "string"}}
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Campaigns under local differential privacy",
            "version": rlm_core.__version__,
            "description": "Devices privatise their answer themselves and send one report. No address is kept.",
        },
        "components": {
            "schemas": definitions
            | {"report": {key: value for key, value in report.items() if key not in ("$schema", "$id")}}
            | {"envelope": envelope}
        },
        "paths": {
            "/api/campaigns/{campaign}": {
                "parameters": [identifier],
                "get": {
                    "operationId": "describe",
                    "summary": "What a device needs to take part",
                    "responses": {
                        "200": {
                            "description": "Question, mechanism, epsilon; whether it is open",
                            "content": {"application/json": {"schema": {"type": "object"}}},
                        },
                        "404": _answer("There is no such campaign"),
                        "503": _answer("The database cannot be reached"),
                    },
                },
            },
            "/api/campaigns/{campaign}/reports": {
                "parameters": [identifier],
                "post": {
                    "operationId": "send",
                    "summary": "Send one report",
                    "requestBody": {
                        "required": True,
                        "description": f"At most {MOST_BYTES} bytes.",
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/envelope"}}},
                    },
                    "responses": {
                        "200": _stored("It was stored before: the same nonce, the same report"),
                        "201": _stored("It is on disk"),
                        "400": _answer("It is not a report of this campaign; the text says why"),
                        "404": _answer("There is no such campaign"),
                        "409": _answer("Another report has this nonce"),
                        "410": _answer("The campaign is closed"),
                        "413": _answer("Too long"),
                        "415": _answer("Not JSON by its type"),
                        "429": _answer("Too many at once; retry-after says when"),
                        "503": _answer("Not stored: the database cannot be written. Send it again"),
                    },
                },
            },
        },
    }


def _answer(text: str) -> dict[str, Any]:
    return {"description": text, "content": {"application/json": {"schema": _ERROR}}}


def _stored(text: str) -> dict[str, Any]:
    schema = {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}}
    return {"description": text, "content": {"application/json": {"schema": schema}}}
