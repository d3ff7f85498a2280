"""A visitor's file becomes a picture as the dataset has it: bytes to a fitted array in [0, 1].

Uploads are hostile until proven otherwise: the name proves nothing, so the number of bytes, of scans
and of pixels are counted before anything is decoded, only the first frame is, and only decoders that
run in one process are allowed. A page calls :func:`fit_file` through :mod:`ui.app.decoding`, which bounds
time and memory. Whatever goes wrong is an :class:`ImageError` whose text is written for the visitor.

    fit_file    bytes  -> the picture as a dataset has it: all of the below
    read_image  bytes  -> RGB (h, w, 3), rotated as the camera meant, no transparency, 8 or 16 bit
    fit_digit   RGB    -> (28, 28), light ink on black, centred: as MNIST was made
    fit_photo   RGB    -> (32, 32, 3), the central square: as CIFAR-10
"""

from __future__ import annotations

import io
import warnings
from typing import TYPE_CHECKING

import numpy as np
from PIL import Image, ImageOps, UnidentifiedImageError
from scipy.ndimage import center_of_mass

from ui.image.ink import CONTRAST, border_of, find_ink

if TYPE_CHECKING:  # the worker that decodes starts in a moment without the library
    from rlm_core.types import FloatArray

MAX_BYTES = 10 * 2**20
MAX_PIXELS = 50_000_000
MAX_DEEP_PIXELS = 12_000_000  # with more than 8 bits a colour, each takes 20 bytes on its way
MAX_SCANS = 64  # of a progressive JPEG, which usually has 10
MAX_SCANNED_PIXELS = 600_000_000  # each scan goes over all of them
MIN_SIDE = 8
WORKING_SIDE = 1024  # larger pictures are reduced to this first; 32 pixels is all we need in the end
# Not ICO: its reader decodes before anybody can ask for the size.
FORMATS = ("PNG", "JPEG", "MPO", "WEBP", "GIF", "BMP", "TIFF", "PPM", "AVIF", "TGA")


class ImageError(ValueError):
    """The file cannot be used, for the reason in the message."""


def fit_file(data: bytes, dataset: str) -> FloatArray:
    """A picture file as MNIST (28, 28) or as CIFAR-10 (32, 32, 3) would have it."""
    return {"mnist": fit_digit, "cifar10": fit_photo}[dataset](read_image(data))


def read_image(data: bytes) -> FloatArray:
    """Decode a picture file to RGB in [0, 1], (h, w, 3), with no side above 1,024.

    Rotated by its EXIF tag; transparent parts put on a ground that the rest stands out from; of
    several frames the first.
    """
    if not data:
        raise ImageError("The file is empty.")
    if len(data) > MAX_BYTES:
        raise ImageError(f"The file has {len(data) / 2**20:.1f} MB; at most {MAX_BYTES // 2**20} MB can be read.")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # corrupt metadata is no reason to refuse; limits are our own
            with Image.open(io.BytesIO(data), formats=_available_formats()) as image:
                _check_size(image, data)
                image.draft("RGB", (WORKING_SIDE, WORKING_SIDE))  # JPEG only: decode fewer pixels
                image.load()
                return _to_rgb(_upright(image))
    except ImageError:
        raise
    except UnidentifiedImageError:
        raise ImageError(_not_a_picture(data)) from None
    except (Image.DecompressionBombError, MemoryError):
        raise ImageError(_too_many_pixels("far too many pixels")) from None
    except Exception as error:  # a broken file may raise almost anything from its decoder
        raise ImageError(f"The file is damaged and could not be decoded ({type(error).__name__}).") from error


def fit_digit(rgb: FloatArray) -> FloatArray:
    """As MNIST's authors did: light ink on black, cropped, 20 × 20 with its shape kept, centred by mass.

    Dark ink on light paper (judged by the border) is inverted, uneven light is made even
    (:mod:`ui.image.ink`). A picture that already is a digit of 28 × 28 on black is left as it is.
    """
    grey: FloatArray = rgb @ np.array([0.299, 0.587, 0.114])  # (h, w)
    if grey.shape == (28, 28) and border_of(grey).max() == 0.0 and grey.max() > CONTRAST:
        return grey
    found = find_ink(grey)
    if found is None:
        raise ImageError(
            "No digit found: the picture has one even colour. Use dark ink on light paper, or the reverse."
        )
    rows, columns = (np.flatnonzero((found.marks > found.level).any(axis=axis)) for axis in (1, 0))
    ink = found.marks[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    scale = 20.0 / max(ink.shape)
    height, width = (max(1, round(side * scale)) for side in ink.shape)
    small = np.clip(_resized(ink, width, height), 0.0, 1.0)
    return _centred_by_mass(small / max(float(small.max()), 1e-9))


def fit_photo(rgb: FloatArray) -> FloatArray:
    """The central square, reduced to 32 × 32 × 3. A picture of that size is left as it is."""
    height, width = rgb.shape[:2]
    side = min(height, width)
    top, left = (height - side) // 2, (width - side) // 2
    square = rgb[top : top + side, left : left + side]
    if side == 32:
        return square
    return np.clip(np.stack([_resized(square[..., c], 32, 32) for c in range(3)], axis=-1), 0.0, 1.0)


def _check_size(image: Image.Image, data: bytes) -> None:
    """Refuse what would cost too much, by what the head of the file says; nothing is decoded yet."""
    width, height = image.size
    deep = image.mode.startswith("I") or image.mode == "F"
    if width * height > (MAX_DEEP_PIXELS if deep else MAX_PIXELS):
        raise ImageError(_too_many_pixels(f"{width:,} × {height:,} pixels", deep))
    if min(width, height) < MIN_SIDE:
        raise ImageError(f"The picture has {width} × {height} pixels; each side needs at least {MIN_SIDE}.")
    # In a JPEG's compressed data no 0xff is followed by 0xda, so this counts starts of scans (and those of a preview).
    scans = data.count(b"\xff\xda") if image.format in ("JPEG", "MPO") else 1
    if scans > MAX_SCANS or scans * width * height > MAX_SCANNED_PIXELS:
        raise ImageError(
            f"The picture is stored in {scans:,} layers of {width:,} × {height:,} pixels, too many to read. "
            "Save it as an ordinary JPEG or PNG first."
        )


def _available_formats() -> list[str]:
    Image.init()
    return [name for name in FORMATS if name in Image.OPEN]


def _upright(image: Image.Image) -> Image.Image:
    try:
        return ImageOps.exif_transpose(image)
    except Exception:  # a broken EXIF block: show the picture as it is stored
        return image


def _to_rgb(image: Image.Image) -> FloatArray:
    """Any mode to RGB in [0, 1]: 16-bit and float pictures by their range, transparency by its ground."""
    if image.mode.startswith("I") or image.mode == "F":
        grey = np.asarray(image, dtype=np.float64)
        grey = np.nan_to_num(grey, nan=0.0, posinf=0.0, neginf=0.0)
        low, high = min(0.0, float(grey.min())), float(grey.max())
        # 16-bit greys keep their exposure; anything else has no agreed white, so its brightest is white.
        white = 65535.0 if image.mode.startswith("I") and low == 0.0 and 255.0 < high <= 65535.0 else high
        grey = (grey - low) / (white - low) if white > low else np.zeros_like(grey)
        return np.repeat(_reduced(grey)[..., None], 3, axis=-1)
    if image.mode in ("RGBA", "LA", "PA", "La", "RGBa") or "transparency" in image.info:
        image.thumbnail((WORKING_SIDE, WORKING_SIDE))
        pixels = np.asarray(image.convert("RGBA"), dtype=np.float64) / 255.0
        colour, alpha = pixels[..., :3], pixels[..., 3:]
        seen = float((colour.mean(axis=-1, keepdims=True) * alpha).sum() / max(float(alpha.sum()), 1e-9))
        ground = 1.0 if seen < 0.6 else 0.0  # light ink on nothing would vanish on white
        return colour * alpha + ground * (1.0 - alpha)
    image.thumbnail((WORKING_SIDE, WORKING_SIDE))
    return np.asarray(image.convert("RGB"), dtype=np.float64) / 255.0


def _reduced(grey: FloatArray) -> FloatArray:
    height, width = grey.shape
    scale = WORKING_SIDE / max(height, width)
    return grey if scale >= 1 else _resized(grey, max(1, int(width * scale)), max(1, int(height * scale)))


def _resized(grey: FloatArray, width: int, height: int) -> FloatArray:
    """Antialiased resize of one channel."""
    image = Image.fromarray(grey.astype(np.float32))
    return np.asarray(image.resize((width, height), Image.Resampling.LANCZOS), dtype=np.float64)


def _centred_by_mass(ink: FloatArray) -> FloatArray:
    """Put a digit of at most 20 × 20 into 28 × 28 with its centre of mass at (14, 14), cutting nothing off."""
    height, width = ink.shape
    y, x = center_of_mass(ink)
    top = min(max(round(14.0 - y), 0), 28 - height)
    left = min(max(round(14.0 - x), 0), 28 - width)
    digit = np.zeros((28, 28))
    digit[top : top + height, left : left + width] = ink
    return digit


def _too_many_pixels(how_many: str, deep: bool = False) -> str:
    most = MAX_DEEP_PIXELS if deep else MAX_PIXELS
    kind = " with more than 8 bits a colour" if deep else ""
    return f"The picture has {how_many}{kind}; at most {most // 10**6} million can be read."


def _not_a_picture(data: bytes) -> str:
    """Name what it probably is, and what to do."""
    head = data[:16]
    if head[4:8] == b"ftyp":
        return "This looks like a HEIC photo or a video, which cannot be read here. Save it as JPEG or PNG first."
    if head[:5] == b"%PDF-":
        return "This is a PDF. Save the page as PNG or JPEG first."
    if data[:512].lstrip()[:5].lower() in (b"<svg ", b"<?xml", b"<html", b"<!doc"):
        return "This is SVG or HTML, not pixels. Save it as PNG first."
    return f"This is not a picture that can be read here. Use {', '.join(FORMATS[:2])}, {FORMATS[3]}, GIF, BMP or TIFF."
