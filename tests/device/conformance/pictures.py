"""Vectors of pictures: files to x, as the app's Python side reads and fits them. They need a browser to be decoded."""

from __future__ import annotations

import base64
import io
from collections.abc import Callable
from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from rlm_core.data.samples import cifar10_samples, mnist_samples
from ui.image.files import fit_digit, fit_photo, read_image

EXACT, DECODED = 1e-5, 0.05
"""Tolerances: lossless opaque 8-bit pictures up to 1,024 pixels; everything that the browser decodes its own way."""

LIGHTS: dict[str, Callable[[Any, Any], Any]] = {
    "even light": lambda x, y: np.ones_like(x),
    "a gradient": lambda x, y: 1 - 0.4 * x,
    "a steep gradient": lambda x, y: 1 - 0.65 * (0.7 * x + 0.3 * y),
    "a vignette": lambda x, y: 1 - 1.2 * ((x - 0.5) ** 2 + (y - 0.5) ** 2),
    "half a shadow": lambda x, y: np.where(x < 0.5, 1.0, 0.5),
    "a shadow across": lambda x, y: np.where(x + 0.5 * y < 0.8, 1.0, 0.45),
}
"""How much light falls at (x, y) in [0, 1]², 1 at the most."""


def vectors() -> dict[str, Any]:
    """Files, what they are, and x."""
    return {"pictures": [_case(*case) for case in [*_digits(), *_uneven(), *_photos()]] + [_turned()]}


def _case(
    name: str, dataset: str, image: Image.Image, kind: str, tolerance: float, doubtful: bool = False, **options: Any
) -> dict[str, Any]:
    file = io.BytesIO()
    image.save(file, kind, **options)
    fit = fit_digit if dataset == "mnist" else fit_photo
    x = fit(read_image(file.getvalue())).reshape(-1)
    content = base64.b64encode(file.getvalue()).decode()
    about = {"name": name, "dataset": dataset, "tolerance": tolerance, "doubtful": doubtful}
    return about | {"file": content, "x": x.round(6).tolist()}


def _digits() -> list[tuple[Any, ...]]:
    digit = Image.fromarray(mnist_samples().images[130])
    page = _drawing((90, 130))
    light = Image.eval(page, lambda value: 255 - value)
    ink = Image.new("RGBA", (80, 80))  # black ink on nothing
    ink.putalpha(Image.eval(_drawing((80, 80)).convert("L"), lambda value: 255 - value))
    deep = Image.fromarray(np.asarray(page.convert("L"), dtype=np.uint16) * 257)
    return [
        ("a digit as MNIST has it", "mnist", digit, "PNG", EXACT),
        ("dark ink on paper", "mnist", page, "PNG", EXACT),
        ("light ink", "mnist", light.convert("L"), "PNG", EXACT),
        ("colours from a palette", "mnist", page.quantize(16), "PNG", EXACT),
        ("wider than high", "mnist", page.rotate(90, expand=True), "PNG", EXACT),
        ("ink on nothing", "mnist", ink, "PNG", DECODED),
        ("16 bits", "mnist", deep, "PNG", DECODED),
        ("larger than 1,024 pixels", "mnist", _drawing((1300, 1500)), "PNG", DECODED),
    ]


def _uneven() -> list[tuple[Any, ...]]:
    """Digits in light that is not even, as PNG, and what no one digit can be found in."""
    digits, cases = mnist_samples().images, []
    for number, kind in enumerate(LIGHTS):
        dark, light = (photographed(digits[37 * number + 5], kind, dark=each, noise=0.02) for each in (True, False))
        cases += [
            (f"{kind}, dark ink", "mnist", dark, "PNG", EXACT),
            (f"{kind}, light ink", "mnist", light, "PNG", EXACT),
        ]
    cut = photographed(digits[130], "half a shadow").crop((0, 60, 75, 130))
    rows = np.arange(120)
    dots = Image.fromarray(np.where((rows[:, None] % 24 < 6) & (rows % 24 < 6), 20, 230).astype(np.uint8))
    faint = Image.eval(photographed(digits[130], "a gradient"), lambda value: 180 + value // 7)
    return [
        *cases,
        ("cut off by the edge", "mnist", cut, "PNG", EXACT, True),
        ("dots", "mnist", dots, "PNG", EXACT, True),
        ("faint ink", "mnist", faint, "PNG", EXACT, True),
    ]


def photographed(digit: Any, kind: str, *, dark: bool = True, noise: float = 0.0) -> Image.Image:
    """A digit of 28 × 28 on a page of 120 × 150, lit in one of the ways of :data:`LIGHTS`."""
    ink = np.zeros((150, 120))
    ink[30:110, 20:100] = np.asarray(Image.fromarray(digit).resize((80, 80), Image.Resampling.BICUBIC)) / 255
    y, x = np.mgrid[0:1:150j, 0:1:120j]
    grey = (0.9 - 0.75 * ink if dark else 0.1 + 0.8 * ink) * LIGHTS[kind](x, y)
    grey += np.random.default_rng(0).normal(0, noise, grey.shape) if noise else 0.0
    return Image.fromarray(np.round(255 * np.clip(grey, 0, 1)).astype(np.uint8))


def _photos() -> list[tuple[Any, ...]]:
    small = Image.fromarray(cifar10_samples().images[60])
    large = small.resize((160, 128), Image.Resampling.NEAREST)
    clear = large.convert("RGBA")
    clear.putalpha(Image.linear_gradient("L").resize(large.size))
    return [
        ("a photo as CIFAR-10 has it", "cifar10", small, "PNG", EXACT),
        ("a larger photo", "cifar10", large, "PNG", EXACT),
        ("half transparent", "cifar10", clear, "PNG", DECODED),
    ]


def _turned() -> dict[str, Any]:
    """A JPEG as a phone stores it: lying on its side, with a tag that says so."""
    exif = Image.Exif()
    exif[0x0112] = 6  # turn by 90 degrees
    image = _drawing((90, 130)).rotate(90, expand=True)
    return _case("a JPEG with an EXIF turn", "mnist", image, "JPEG", DECODED, quality=95, exif=exif)


def _drawing(size: tuple[int, int]) -> Image.Image:
    """A two, more or less, in dark grey on light grey paper."""
    image = Image.new("RGB", size, (228, 226, 220))
    pen, (width, height) = ImageDraw.Draw(image), size
    points = [(0.3, 0.35), (0.4, 0.22), (0.6, 0.22), (0.68, 0.38), (0.3, 0.75), (0.72, 0.75)]
    pen.line(
        [(x * width, y * height) for x, y in points], fill=(38, 40, 44), width=max(2, size[0] // 12), joint="curve"
    )
    return image
