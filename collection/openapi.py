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
    # Here a name is the campaign's, so which characters it may have needs no saying (generators stumble over it).
    report["properties"]["mechanism"] = {"type": "string", "description": "As the campaign names it."}
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
    identifier = {
        "name": "campaign",
        "in": "path",
        "required": True,
        "description": "The campaign's id, as the join link ends.",
        "schema": {"type": "string"},
    }
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
            | {"envelope": envelope, "campaign": _campaign()}
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
                            "content": {"application/json": {"schema": {"$ref": "#/components/schemas/campaign"}}},
                        },
                        "404": _answer("There is no such campaign"),
                        "503": _answer("The database cannot be reached", again=True),
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
                        "408": _answer("The body took too long"),
                        "409": _answer("Another report has this nonce"),
                        "410": _answer("The campaign is closed"),
                        "413": _answer("Too long"),
                        "415": _answer("Not JSON by its type"),
                        "429": _answer("Too many at once for this campaign; retry-after says when", again=True),
                        "503": _answer(
                            "Not acknowledged: the database cannot be written. Send the same again", again=True
                        ),
                    },
                },
            },
        },
    }


def _campaign() -> dict[str, Any]:
    """As :meth:`collection.campaign.Campaign.public` gives it."""
    number, whole, text = {"type": "number"}, {"type": "integer"}, {"type": "string"}
    kinds = ["one-of", "number", "digit", "row"]
    properties: dict[str, Any] = {
        "id": text,
        "open": {"type": "boolean", "description": "Whether reports are taken now."},
        "title": text,
        "question": {
            "type": "object",
            "required": ["kind", "text"],
            "properties": {"kind": {"type": "string", "enum": kinds}, "text": text},
            "description": "With the fields of its kind: answers; low, high and unit; card and label; classes.",
        },
        "mechanism": text | {"description": "The report's field of that name."},
        "digest": text | {"description": "The report's field of that name."},
        "epsilon": number | {"description": "Of one report."},
        "symbols": whole | {"description": "The report's `of`."},
        "subset": whole | {"description": "Members of a set; 1 for k-RR."},
        "payload": {"type": "string", "enum": ["symbol", "set"]},
        "coordinates": whole | {"description": "A report names one of so many coordinates; 0: none."},
        "people": whole | {"description": "How many are expected."},
        "promised": number | {"description": "Half the width of the 95 % interval for so many, at worst, as a share."},
        "odds": {
            "type": "array",
            "items": number,
            "minItems": 2,
            "maxItems": 2,
            "description": "How often a report names (or holds) the true symbol, and any other one.",
        },
        "closes": whole | {"description": "Seconds since 1970."},
        "reports_per_device": whole | {"description": "Kept by the device itself: the server knows no devices."},
    }
    return {"type": "object", "required": list(properties), "properties": properties, "additionalProperties": False}


def _answer(text: str, *, again: bool = False) -> dict[str, Any]:
    wait = {"retry-after": {"description": "Seconds to wait", "schema": {"type": "integer", "minimum": 1}}}
    answer = {"description": text, "content": {"application/json": {"schema": _ERROR}}}
    return answer | {"headers": wait} if again else answer


def _stored(text: str) -> dict[str, Any]:
    schema = {"type": "object", "required": ["status"], "properties": {"status": {"type": "string"}}}
    return {"description": text, "content": {"application/json": {"schema": schema}}}
