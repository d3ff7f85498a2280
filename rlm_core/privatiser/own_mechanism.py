"""What a device must know of a fitted :class:`~rlm_core.privatiser.LocalPrivatiser`: as for a shipped mechanism."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from safetensors.numpy import save

from rlm_core.device.owner_file import OwnerFile, owner_page
from rlm_core.owner.joint import JointLaplace, JointSelection
from rlm_core.owner.joint_bits import MOST_BITS, JointBits
from rlm_core.owner.payload import Together
from rlm_core.pictures.format import PictureFormat
from rlm_core.privatiser.network import NetworkEncoder
from rlm_core.privatiser.plan import CODES
from rlm_core.privatiser.vrlm.method import SplitMethod
from rlm_core.tables.decimals import parse_number
from rlm_core.tables.feature import Feature
from rlm_core.tables.preprocessor import CLIP_DEVIATIONS
from rlm_core.tables.values import number_text

if TYPE_CHECKING:  # which imports this file
    from rlm_core.privatiser.estimator import LocalPrivatiser


def own_description(privatiser: LocalPrivatiser, *, url: str = "", pictures: bool = False) -> dict[str, Any]:
    """For ``static/device/mechanism.js``; ``url`` is where the encoder's file is, from /device/ on.

    Rows are read leniently there, as :meth:`LocalPrivatiser.privatise` reads them, and numbers leave with their label
    as one joint report; those of a V-RLM apart from it, with ``lam`` of ε. ``pictures``: whether the asker can take a
    picture where a table has a form; the others (campaigns) are told that they cannot.
    """
    method = privatiser._fitted().method_
    if math.isinf(privatiser.epsilon):
        raise ValueError("Expected a finite epsilon for a page with a form, got epsilon=inf: nothing would be private.")
    reading = _of_rows(privatiser) if privatiser.pictures_ is None else _of_pictures(privatiser.pictures_, pictures)
    mechanism = method.mechanism(privatiser.epsilon)
    encoder = encoder_file(privatiser)
    result: dict[str, Any] = {
        "name": mechanism.name,
        "digest": method.digest,
        "release": "codes" if method.plan.kind == CODES else "numbers",
        "dataset": "own",
        "classes": list(privatiser.class_names),
        "input_dim": mechanism.input_dim,
        "latent_dim": method.size,
        "radius": method.radius,
        "epsilon": float(privatiser.epsilon),
        **reading,
        "label": (privatiser.label_ or "") if privatiser.pictures_ is None else "",
        "files": {"encoder": {"sha256": hashlib.sha256(encoder).hexdigest(), "bytes": len(encoder), "url": url}},
    }
    if isinstance(method, SplitMethod):
        return result | {"lam": method.budget(privatiser.epsilon, privatiser.lam).lam}
    if isinstance(method.encoder, NetworkEncoder):
        result["merge"] = list(method.encoder.merge)
    if len(privatiser.classes_) and method.plan.kind != CODES:
        result["joint"] = _joint(method.together(privatiser.epsilon, len(privatiser.classes_)), method.digest)
    return result


def _of_rows(privatiser: LocalPrivatiser) -> dict[str, Any]:
    """How a row becomes numbers, and what a form has to know of its columns."""
    fields = [
        {name: asdict(feature)[name] for name in ("name", "title", "unit", "kind", "choices")}
        | ({"low": feature.low, "high": feature.high} if feature.bounded else {})
        for feature in privatiser.schema_.features
    ]
    return {"preprocessor": device_preprocessor(privatiser), "fields": fields}


def _of_pictures(form: PictureFormat, accepted: bool) -> dict[str, Any]:
    """The pixels that ``static/device/own_picture.js`` makes of a file: white is 255 there, whatever it was here."""
    if not accepted:
        raise ValueError("Expected a mechanism of a table for a page with a form, got one of pictures.")
    if form.colour:
        raise ValueError(
            "Expected a mechanism of a table or of grey pictures for a page, got one of colour pictures: they go "
            "through a ResNet-18 of 22 MB, too large for a page. Call privatise() on the owner's machine instead, or "
            "fit on grey pictures. For photos, the app's photo page has shipped mechanisms."
        )
    return {"pictures": {"height": form.height, "width": form.width}}


def device_preprocessor(privatiser: LocalPrivatiser) -> dict[str, Any]:
    """How a device makes numbers of a row, for ``static/device/table_row.js``; bounds where the schema has some."""
    result: dict[str, Any] = json.loads(privatiser.preprocessor_.to_json())
    result |= {"lenient": True, "clip": CLIP_DEVIATIONS}
    numbers = [feature for feature in privatiser.schema_.features if not feature.is_category]
    bounds = {each.name: [each.low, each.high] for each in numbers if each.bounded}
    missing = {each.name: _said_missing(each) for each in numbers if each.missing}
    return result | ({"bounds": bounds} if bounds else {}) | ({"missing": missing} if missing else {})


def _said_missing(feature: Feature) -> list[str]:
    """Words that say nothing; those that are numbers also as a browser writes them."""
    read = [] if feature.kind == "date" else [parse_number(each, decimal=feature.decimal) for each in feature.missing]
    plain = [number_text(each) or "" for each in read if each is not None]
    return list(dict.fromkeys([*feature.missing, *plain]))


def encoder_file(privatiser: LocalPrivatiser) -> bytes:
    """The encoder's weights, as a saved folder has them."""
    content: bytes = save(privatiser._fitted().method_.encoder.tensors())
    return content


def own_page(privatiser: LocalPrivatiser) -> OwnerFile:
    """The owner's side as one file: with a form made from the schema, or with a place for a grey picture."""
    return owner_page(own_description(privatiser, pictures=True), encoder_file(privatiser))


def _joint(together: Together, mechanism: str) -> dict[str, Any]:
    """For ``static/device/together.js``. How many bits a report has follows from ε, and its digest from both."""
    if isinstance(together, JointBits):
        low, high = together.low, together.high
        counts = range(1, min(MOST_BITS, together.coordinates) + 1)
        digests = [JointBits(epsilon=1.0, low=low, high=high, bits=bits).digest(mechanism) for bits in counts]
        return {"kind": "bits", "low": low, "high": high, "digests": digests}
    digests = [together.digest(mechanism)]
    if isinstance(together, JointLaplace):
        public = {"radius": together.radius, "centre": together.centre, "constant": together.constant}
        return {"kind": "laplace", "digests": digests} | public
    assert isinstance(together, JointSelection)
    return {"kind": "selection", "low": together.low, "high": together.high, "digests": digests}
