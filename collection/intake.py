"""From a body that anybody may have sent to a report of this campaign, or an error that says what is wrong with it."""

from __future__ import annotations

import json
import re
from typing import Any

from collection.campaign import Campaign
from rlm_core.report import Report

MOST_BYTES = 16_384
_NONCE = re.compile("[0-9a-f]{32}", re.ASCII)


def read_envelope(body: bytes, campaign: Campaign) -> tuple[bytes, bytes]:
    """The nonce (16 bytes) and the report in its compact form.

    An envelope is ``{"nonce": 32 hexadecimal digits, "report": a report of format 2}``. The nonce is drawn by the
    device, once for a report: the same one again is the same report, sent again.
    """
    if len(body) > MOST_BYTES:
        raise ValueError(f"Expected at most {MOST_BYTES} bytes, got {len(body)}.")
    try:
        fields: Any = json.loads(body.decode("utf-8"), object_pairs_hook=_once, parse_constant=_refuse)
    except (ValueError, RecursionError) as error:
        raise ValueError(f"Expected JSON: {str(error)[:100]}.") from None
    if not isinstance(fields, dict) or set(fields) != {"nonce", "report"}:
        raise ValueError('Expected an object with the fields "nonce" and "report" and no other.')
    nonce, report = fields["nonce"], fields["report"]
    if not isinstance(nonce, str) or not _NONCE.fullmatch(nonce):
        raise ValueError("Expected a nonce of 32 hexadecimal digits in lower case.")
    if not isinstance(report, dict):
        raise ValueError("Expected the report as an object.")
    try:
        sent = Report.from_json(json.dumps(report))
    except TypeError as error:
        raise ValueError(str(error)) from None
    return bytes.fromhex(nonce), campaign.check(sent)


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise ValueError("a field is there twice")
    return fields


def _refuse(constant: str) -> None:
    raise ValueError(f"{constant} is not JSON")
