"""Every kind of file a visitor may bring: the good are fitted, the bad are refused in words."""

from __future__ import annotations

import io
import struct
import zlib

import numpy as np
import pytest
from PIL import Image, ImageDraw

from rlm_core.data.samples import cifar10_samples, mnist_samples
from ui.image.files import MAX_BYTES, ImageError, fit_digit, fit_photo, read_image


def encoded(image: Image.Image, kind: str = "PNG", **options) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, kind, **options)
    return buffer.getvalue()


def seven(mode: str = "L", size: tuple[int, int] = (200, 300), ink=0, paper=255) -> Image.Image:
    """A seven: a bar on top and a stroke down, away from the centre."""
    image = Image.new(mode, size, paper)
    pen = ImageDraw.Draw(image)
    pen.line([(60, 60), (150, 60)], fill=ink, width=16)
    pen.line([(150, 60), (90, 220)], fill=ink, width=16)
    return image


def quadrants(size: int = 64) -> Image.Image:
    """Red, green / blue, white: tells any rotation or swap of channels."""
    pixels = np.zeros((size, size, 3), np.uint8)
    half = size // 2
    pixels[:half, :half, 0] = pixels[:half, half:, 1] = pixels[half:, :half, 2] = 255
    pixels[half:, half:] = 255
    return Image.fromarray(pixels)


def png_with_size(width: int, height: int) -> bytes:
    """A PNG that claims a size and has no pixels: what a decompression bomb looks like from outside."""

    def chunk(kind: bytes, body: bytes) -> bytes:
        return struct.pack(">I", len(body)) + kind + body + struct.pack(">I", zlib.crc32(kind + body))

    header = struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def jpeg_of_many_scans(scans: int) -> bytes:
    """A progressive JPEG whose last scan is there again and again: a few bytes and all pixels, each time."""
    data = encoded(seven("RGB", (300, 300), (0, 0, 0), (255, 255, 255)), "JPEG", progressive=True)
    last = data.rindex(b"\xff\xda")
    return data[:last] + data[last:-2] * scans + data[-2:]


def deep_tiff(side: int) -> bytes:
    """One even colour as float32: it shrinks to a thousandth."""
    return encoded(Image.new("F", (side, side), 1.0), "TIFF", compression="tiff_deflate")


GOOD_PNG = encoded(seven())
BAD_FILES = {
    "empty": (b"", "empty"),
    "random bytes": (bytes(range(256)) * 20, "not a picture"),
    "text named png": (b"hello, I am a picture\n" * 10, "not a picture"),
    "a null byte": (b"\0", "not a picture"),
    "only the PNG signature": (b"\x89PNG\r\n\x1a\n", "not a picture|damaged"),
    "PNG cut in half": (encoded(quadrants(300))[:400], "damaged"),
    "PNG with a flipped byte": (GOOD_PNG[:60] + bytes([GOOD_PNG[60] ^ 255]) + GOOD_PNG[61:], "damaged"),
    "JPEG cut in half": (encoded(quadrants(300), "JPEG")[:700], "damaged"),
    "JPEG head only": (b"\xff\xd8\xff\xe0" + b"\0" * 40, "not a picture|damaged"),
    "WebP cut": (encoded(quadrants(300), "WEBP", lossless=True)[:60], "not a picture|damaged"),
    "GIF cut": (encoded(quadrants(300), "GIF")[:30], "not a picture|damaged"),
    "TIFF cut": (encoded(quadrants(300), "TIFF")[:30], "not a picture|damaged"),
    "BMP cut": (encoded(quadrants(300), "BMP")[:40], "not a picture|damaged"),
    "HEIC": (b"\0\0\0\x18ftypheic" + b"\0" * 64, "HEIC"),
    "PDF": (b"%PDF-1.7\n" + b"x" * 100, "PDF"),
    "SVG": (b'<svg xmlns="http://www.w3.org/2000/svg"><circle r="9"/></svg>', "SVG"),
    "PostScript": (b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 99 99\n", "not a picture"),
    "ZIP": (b"PK\x03\x04" + b"\0" * 200, "not a picture"),
    "executable": (b"\x7fELF" + b"\0" * 200, "not a picture"),
    "too many bytes": (b"\x89PNG" + b"\0" * MAX_BYTES, "MB"),
    "too many pixels": (png_with_size(9000, 9000), "million"),
    "a JPEG of 4,000 scans": (jpeg_of_many_scans(4000), "layers"),
    "a large picture with many bits": (deep_tiff(4000), "12 million"),
    "an icon": (encoded(seven(), "ICO"), "not a picture"),
    "a bomb": (png_with_size(60000, 60000), "million"),
    "no pixels": (png_with_size(0, 0), "not a picture|damaged|at least"),
    "one pixel": (encoded(Image.new("L", (1, 1))), "at least 8"),
    "a thread": (encoded(Image.new("L", (4, 4000))), "at least 8"),
}


@pytest.mark.parametrize("kind", BAD_FILES)
def test_bad_files_are_refused_in_words(kind: str) -> None:
    data, message = BAD_FILES[kind]
    with pytest.raises(ImageError, match=message) as caught:
        read_image(data)
    assert "Traceback" not in str(caught.value) and "/" not in str(caught.value)


def test_costly_files_are_refused_before_a_pixel_is_decoded(monkeypatch: pytest.MonkeyPatch) -> None:
    def decoded(*args: object) -> None:
        raise AssertionError("decoded")

    monkeypatch.setattr("PIL.ImageFile.ImageFile.load", decoded)
    for kind in ("a JPEG of 4,000 scans", "a large picture with many bits", "an icon", "too many pixels"):
        data, message = BAD_FILES[kind]
        with pytest.raises(ImageError, match=message):
            read_image(data)


def test_an_ordinary_progressive_picture_is_read() -> None:
    assert np.abs(fit_digit(read_image(jpeg_of_many_scans(1))) - fit_digit(read_image(GOOD_PNG))).mean() < 0.02


@pytest.mark.parametrize("value", [0, 128, 255])
def test_a_flat_picture_has_no_digit(value: int) -> None:
    with pytest.raises(ImageError, match="even colour"):
        fit_digit(read_image(encoded(Image.new("L", (100, 100), value))))


@pytest.mark.parametrize("kind", ["PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "PPM"])
@pytest.mark.parametrize("ink_and_paper", [(0, 255), (255, 0), (60, 190)])
def test_formats_give_the_same_digit(kind: str, ink_and_paper: tuple[int, int]) -> None:
    expected = fit_digit(read_image(GOOD_PNG))
    ink, paper = ink_and_paper
    digit = fit_digit(read_image(encoded(seven(ink=ink, paper=paper), kind)))
    assert np.abs(digit - expected).mean() < 0.01


MODES = {
    "1 bit": seven("L").convert("1"),
    "palette": seven("L").convert("P"),
    "RGB": seven("RGB", ink=(10, 20, 90), paper=(250, 240, 230)),
    "CMYK": seven("RGB", ink=(0, 0, 0), paper=(255, 255, 255)).convert("CMYK"),
    "YCbCr": seven("RGB", ink=(0, 0, 0), paper=(255, 255, 255)).convert("YCbCr"),
    "16 bit": Image.fromarray(np.asarray(seven(), np.uint16) * 257),
    "32 bit": Image.fromarray(np.asarray(seven(), np.int32) * 70000),
    "float": Image.fromarray(np.asarray(seven(), np.float32) / 3.0 - 7.0),
    "dark ink on nothing": seven("RGBA", ink=(0, 0, 0, 255), paper=(0, 0, 0, 0)),
    "light ink on nothing": seven("RGBA", ink=(255, 255, 255, 255), paper=(255, 255, 255, 0)),
    "grey with transparency": seven("LA", ink=(0, 255), paper=(255, 0)),
}


@pytest.mark.parametrize("mode", MODES)
def test_modes_give_the_same_digit(mode: str) -> None:
    image = MODES[mode]
    kind = {"CMYK": "TIFF", "YCbCr": "TIFF", "F": "TIFF", "I": "TIFF"}.get(image.mode, "PNG")
    digit = fit_digit(read_image(encoded(image, kind)))
    assert np.abs(digit - fit_digit(read_image(GOOD_PNG))).mean() < 0.01


def test_adobe_cmyk_jpeg_keeps_its_colours() -> None:
    rgb = read_image(encoded(quadrants().convert("CMYK"), "JPEG", quality=95))
    np.testing.assert_allclose(rgb[8, 8], [1, 0, 0], atol=0.1)
    np.testing.assert_allclose(rgb[56, 56], [1, 1, 1], atol=0.1)


def test_palette_with_transparency() -> None:
    image = seven("L").convert("P")
    rgb = read_image(encoded(image, "PNG", transparency=int(np.asarray(image)[0, 0])))
    assert fit_digit(rgb).max() == pytest.approx(1.0)


@pytest.mark.parametrize("orientation", range(1, 9))
def test_exif_rotation_is_undone(orientation: int) -> None:
    upright = quadrants()
    undo = {
        2: Image.Transpose.FLIP_LEFT_RIGHT,
        3: Image.Transpose.ROTATE_180,
        4: Image.Transpose.FLIP_TOP_BOTTOM,
        5: Image.Transpose.TRANSPOSE,
        6: Image.Transpose.ROTATE_90,
        7: Image.Transpose.TRANSVERSE,
        8: Image.Transpose.ROTATE_270,
    }
    stored = upright.transpose(undo[orientation]) if orientation > 1 else upright
    exif = Image.Exif()
    exif[0x0112] = orientation
    rgb = read_image(encoded(stored, "PNG", exif=exif))
    np.testing.assert_array_equal(rgb, np.asarray(upright) / 255)


def test_the_first_frame_of_an_animation() -> None:
    frames = [Image.new("RGB", (40, 40), colour) for colour in ("red", "blue")]
    rgb = read_image(encoded(frames[0], "GIF", save_all=True, append_images=frames[1:]))
    np.testing.assert_allclose(rgb[20, 20], [1, 0, 0], atol=0.01)


def test_digit_is_made_as_mnist_was() -> None:
    digit = fit_digit(read_image(GOOD_PNG))
    assert digit.shape == (28, 28) and digit.min() == 0.0 and digit.max() == pytest.approx(1.0)
    rows, columns = (np.flatnonzero((digit > 0.2).any(axis=axis)) for axis in (1, 0))
    assert max(np.ptp(rows), np.ptp(columns)) + 1 == pytest.approx(20, abs=1)
    centre = [(digit.sum(axis=axis) * np.arange(28)).sum() / digit.sum() for axis in (0, 1)]
    np.testing.assert_allclose(centre, [14.0, 14.0], atol=0.6)


def test_place_and_size_on_the_paper_do_not_matter() -> None:
    large = Image.new("L", (900, 700), 255)
    large.paste(seven().resize((400, 600)), (450, 30))
    assert np.abs(fit_digit(read_image(encoded(large))) - fit_digit(read_image(GOOD_PNG))).mean() < 0.02


def test_mnist_and_cifar_pictures_come_back_unchanged() -> None:
    digit = mnist_samples().images[123]
    np.testing.assert_allclose(fit_digit(read_image(encoded(Image.fromarray(digit)))), digit / 255, atol=1e-12)
    photo = cifar10_samples().images[45]
    np.testing.assert_array_equal(fit_photo(read_image(encoded(Image.fromarray(photo)))), photo / 255)


def test_refitting_enlarged_mnist_digits_gives_nearly_the_same() -> None:
    digits = mnist_samples().images[::20]
    differences = [
        np.abs(fit_digit(read_image(encoded(Image.fromarray(d).resize((280, 280))))) - d / 255).mean() for d in digits
    ]
    assert float(np.mean(differences)) < 0.04


@pytest.mark.parametrize("size", [(33, 33), (640, 480), (480, 640), (8, 500), (3000, 2000)])
def test_photo_is_the_central_square(size: tuple[int, int]) -> None:
    width, height = size
    image = Image.new("RGB", size, "black")
    side = min(size)
    image.paste(quadrants().resize((side, side)), ((width - side) // 2, (height - side) // 2))
    photo = fit_photo(read_image(encoded(image)))
    assert photo.shape == (32, 32, 3) and 0.0 <= photo.min() and photo.max() <= 1.0
    for corner, colour in (((4, 4), [1, 0, 0]), ((4, 27), [0, 1, 0]), ((27, 4), [0, 0, 1]), ((27, 27), [1, 1, 1])):
        np.testing.assert_allclose(photo[corner], colour, atol=0.35 if side == 8 else 0.1)


def test_large_pictures_are_reduced_before_anything_else() -> None:
    assert max(read_image(encoded(Image.new("RGB", (5000, 3000), "red"), "JPEG")).shape) <= 1280
