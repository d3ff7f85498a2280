"""Arrays in [0, 1] to small PNG files and data addresses: cheaper to send than any chart."""

from __future__ import annotations

import base64
import io

import numpy as np
from numpy.typing import ArrayLike
from PIL import Image

SHAPES: dict[str, tuple[int, ...]] = {"mnist": (28, 28), "cifar10": (32, 32, 3)}
PIXELS = {"mnist": 140, "cifar10": 128}
"""How large to show a record: a multiple of its side, so that all its pixels are equally large."""


def png(pixels: ArrayLike, *, enlarge: int = 1) -> bytes:
    """(h, w) or (h, w, 3) in [0, 1] to a PNG file, each pixel ``enlarge`` × ``enlarge`` large.

    >>> png([[0.0, 1.0]])[1:4]
    b'PNG'
    """
    values = np.asarray(pixels, dtype=np.float64)
    image = Image.fromarray(np.round(np.clip(values, 0.0, 1.0) * 255).astype(np.uint8))
    if enlarge > 1:
        image = image.resize((image.width * enlarge, image.height * enlarge), Image.Resampling.NEAREST)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def data_address(content: bytes, kind: str = "image/png") -> str:
    """A file as an address that needs no request."""
    return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def as_picture(x: ArrayLike, dataset: str) -> np.ndarray:
    """A flat record (input_dim,) in its picture's shape."""
    return np.asarray(x, dtype=np.float64).reshape(SHAPES[dataset])
