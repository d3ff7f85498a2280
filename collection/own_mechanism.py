"""A fitted mechanism that a campaign brings along: what devices need of it, and the folder to learn with.

::

    /device/mechanisms/campaign-<id>.json    what a device must know of it
    /device/weights/campaign-<id>            its encoder

Everything in it comes from public rows; whoever has the campaign's link can read it.
"""

from __future__ import annotations

import io
import json
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from collection.own_row import BITS, CODES, Row

if TYPE_CHECKING:
    from rlm_core.privatiser import LocalPrivatiser

MOST_BYTES = 4 * 2**20
"""Of a folder, packed: a linear layer and 600 public representations take far less."""


@dataclass(frozen=True, kw_only=True)
class OwnMechanism:
    """What is kept beside a campaign that asks for rows."""

    description: str = field(repr=False)
    encoder: bytes = field(repr=False)
    folder: bytes = field(repr=False)

    @classmethod
    def of(cls, privatiser: LocalPrivatiser) -> OwnMechanism:
        """Of a fitted one: without what it may have learnt from other people's reports."""
        from rlm_core.privatiser.folder import CLASSIFIER
        from rlm_core.privatiser.own_mechanism import encoder_file, own_description

        with tempfile.TemporaryDirectory() as place:
            saved = privatiser.save(Path(place) / "mine")
            files = {path.name: path.read_bytes() for path in sorted(saved.iterdir())}
        if CLASSIFIER in files:
            raise ValueError("Expected a mechanism that has learnt nothing yet: fit it anew for a campaign.")
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
            for name, content in files.items():
                archive.writestr(f"mine/{name}", content)
        if len(buffer.getvalue()) > MOST_BYTES:
            raise ValueError(f"Expected a mechanism of at most {MOST_BYTES} bytes, got {len(buffer.getvalue())}.")
        description = json.dumps(own_description(privatiser), ensure_ascii=False)
        return cls(description=description, encoder=encoder_file(privatiser), folder=buffer.getvalue())

    def described(self, campaign_id: str) -> dict[str, Any]:
        """For ``static/device/mechanism.js``; the encoder is where this campaign's is."""
        about: dict[str, Any] = json.loads(self.description)
        about["files"]["encoder"]["url"] = f"weights/campaign-{campaign_id}"
        return about


def row_question(privatiser: LocalPrivatiser, text: str) -> Row:
    """The question that a fitted mechanism can ask."""
    from rlm_core.privatiser.plan import RANGE

    plan, classes = privatiser.plan_, privatiser.class_names
    if not classes:
        raise ValueError("Expected a mechanism with a label: fit it with one.")
    if plan.kind not in (BITS, CODES):
        raise ValueError(f"Expected reports of kind {BITS!r} or {CODES!r} for a campaign, got {plan.kind!r}.")
    return Row(
        text=text,
        target=str(privatiser.label_ or "label"),
        classes=classes,
        report=plan.kind,
        size=plan.size,
        reach=RANGE,
        fitted=privatiser.method_.digest,
    )
