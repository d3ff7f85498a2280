"""Vectors of own grey pictures: from a file to the encoder's pixels, and from there to the bytes of a report."""

from __future__ import annotations

import base64
import io
import json
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageOps

from rlm_core.pictures import PictureFormat, read_pictures
from rlm_core.privatiser import LocalPrivatiser
from rlm_core.privatiser.folder import named, reading_of_pictures
from rlm_core.privatiser.own_mechanism import own_description
from rlm_core.privatiser.plan import BITS, CODES, LINEAR, NETWORK, SELECTION, VRLM

from .own import described, method_of, reports_of

HEIGHT, WIDTH = 6, 5
EXACT, ROUNDED, DECODED = 0.0, 1e-6, 0.02
"""Tolerances: grey pixels of the same size; box filter and colours; what a browser decodes or blends its own way."""

EPSILONS = (1.0, 4.0)
TWO, THREE = ("no", "yes"), ("a", "b", "c")
MECHANISMS = (
    (CODES, LINEAR, THREE),
    (CODES, NETWORK, THREE),
    (BITS, LINEAR, TWO),
    (SELECTION, LINEAR, THREE),
    (VRLM, NETWORK, TWO),
)
SENT = 3
"""The first pictures are the records of the reports."""


def vectors() -> dict[str, Any]:
    """Pictures, and mechanisms that the first of them are sent by."""
    pictures = [*_kinds(), *_sizes()]
    return {"pictures": pictures, "mechanisms": mechanisms(pictures)}


def mechanisms(pictures: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Every kind, with reports of the first pictures."""
    x = [each["x"] for each in pictures[:SENT]]
    form, found = PictureFormat(height=HEIGHT, width=WIDTH, white=255.0, colour=False), []
    for kind, by, classes in MECHANISMS:
        privatiser = LocalPrivatiser(epsilon=2.0, classes=list(classes))
        privatiser.pictures_, privatiser.classes_, privatiser.label_ = form, np.array(classes), None
        privatiser.method_ = named(method_of(kind, by, form.output_dim), reading_of_pictures(form), classes)
        reports = reports_of(privatiser, x, f"own pictures, {kind} {by}", EPSILONS)
        found.append(described(own_description(privatiser, pictures=True), privatiser) | {"reports": reports})
    return json.loads(json.dumps(found))


def read(content: bytes, height: int, width: int) -> tuple[NDArray[Any], NDArray[np.float32]]:
    """What Python decodes of a file, and the encoder's pixels: by the white of its depth, which is a browser's 255."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "picture"
        path.write_bytes(content)
        pictures = read_pictures(path)
        white = 255.0 if pictures[0].dtype == np.uint8 else 65535.0
        form = PictureFormat(height=height, width=width, white=white, colour=False)
        return pictures[0], form.matrix(pictures)[0]


def _kinds() -> list[dict[str, Any]]:
    """Kinds of files, to one size."""
    grey, colour = _noise(23, 17), Image.merge("RGB", [_noise(20, 25, seed) for seed in range(3)])
    clear = colour.convert("RGBA")
    clear.putalpha(Image.linear_gradient("L").resize(colour.size))
    deep = Image.fromarray(np.asarray(grey, dtype=np.uint16) * 257)
    smooth = ImageOps.colorize(Image.linear_gradient("L").rotate(90).resize((40, 25)), "navy", "yellow")
    turn = Image.Exif()
    turn[0x0112] = 6  # by 90 degrees, which Python's reader does not do
    to = {"height": HEIGHT, "width": WIDTH}
    return [
        _case("grey of the same size", _noise(HEIGHT, WIDTH), to, EXACT),
        _case("a larger one", grey, to, ROUNDED),
        _case("colours", colour, to, ROUNDED),
        _case("black and white", _noise(HEIGHT, WIDTH).convert("1"), to, EXACT),
        _case("smaller, from a palette", _noise(4, 4).quantize(7), to, ROUNDED),
        _case("half transparent", clear, to, DECODED),
        _case("16 bits", deep, to, DECODED),
        _case("a turn in a PNG", grey, to, ROUNDED, exif=turn),
        _case("a turn in a JPEG", smooth, to, DECODED, "JPEG", quality=95, exif=turn),
    ]


def _sizes() -> list[dict[str, Any]]:
    """Sizes at which centres of pixels lie on the edge of a box, exactly or to the last bit; and several strips."""
    shapes = ((9, 7, 6, 4), (7, 30, 6, 28), (45, 4, 30, 3), (4, 5, 32, 3))
    found = [
        _case(f"{height} × {width}", _noise(height, width), {"height": to[0], "width": to[1]}, ROUNDED)
        for height, width, *to in shapes
    ]
    large = Image.new("1", (1500, 2001), 1)
    large.paste(0, (333, 444, 1111, 1777))
    return [*found, _case("two thousand rows", large, {"height": HEIGHT, "width": WIDTH}, ROUNDED)]


def _noise(height: int, width: int, seed: int = 0) -> Image.Image:
    return Image.fromarray(np.random.default_rng(seed).integers(0, 256, (height, width)).astype(np.uint8))


def _case(
    name: str, image: Image.Image, to: dict[str, int], tolerance: float, kind: str = "PNG", **options: Any
) -> dict[str, Any]:
    """A file, what Python makes of it, and its decoded bytes, where they are few, for engines that decode nothing."""
    content = io.BytesIO()
    image.save(content, kind, **options)
    decoded, x = read(content.getvalue(), **to)
    few = decoded if decoded.dtype == np.uint8 and decoded.size < 10_000 else np.empty(0, dtype=np.uint8)
    return {
        "name": name,
        "tolerance": tolerance,
        "file": base64.b64encode(content.getvalue()).decode(),
        "from": {"height": decoded.shape[0], "width": decoded.shape[1]},
        "bytes": base64.b64encode(few.tobytes()).decode(),
        "to": to,
        "x": x.tolist(),
    }
