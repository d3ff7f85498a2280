"""The page of an own mechanism of pictures, opened from disk in a real browser: files, pixels, reports, refusals."""

from __future__ import annotations

import base64
import io
import struct
import warnings
import zlib
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image
from sklearn.datasets import load_digits

from rlm_core import LocalPrivatiser
from rlm_core.privatiser import UtilityWarning
from rlm_core.privatiser.plan import CODES
from rlm_core.report import Report

pytestmark = pytest.mark.browser

DIGITS = load_digits()
PICTURES = np.rint(DIGITS.images * 255 / 16).astype(np.uint8)
CERTAIN = 1000.0
"""An ε at which a report is the code and the label themselves."""

DROP = """([name, content]) => {
    const files = new DataTransfer();
    if (name) files.items.add(new File([Uint8Array.from(atob(content), (letter) => letter.charCodeAt(0))], name));
    const drop = new DragEvent("drop", { dataTransfer: files, bubbles: true, cancelable: true });
    document.body.dispatchEvent(drop);
    return drop.defaultPrevented;
}"""


@cache
def fitted() -> LocalPrivatiser:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UtilityWarning)
        return LocalPrivatiser(epsilon=2.0, reports=900, kind=CODES).fit(PICTURES[:600], DIGITS.target[:600])


@pytest.fixture
def opened(chromium: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """``opened(width=390)``: the exported page, which asks for nothing but itself and has no errors."""
    address = fitted().export(tmp_path / "owner.html").as_uri()
    contexts, asked, problems = [], [], []

    def open_page(**options: Any) -> Any:
        contexts.append(chromium.new_context(**options))
        page = contexts[-1].new_page()
        page.on("request", lambda sent: asked.append(sent.url))
        page.on("pageerror", lambda error: problems.append(str(error)))
        page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
        page.goto(address)
        page.wait_for_selector("body[data-ready=yes]")
        return page

    yield open_page
    for context in contexts:
        context.close()
    assert set(asked) == {address} and problems == []


def png(picture: Any) -> bytes:
    file = io.BytesIO()
    Image.fromarray(picture).save(file, "PNG")
    return file.getvalue()


def empty_png(width: int, height: int) -> bytes:
    """The head of a PNG of any size, with no pixels behind it."""

    def chunk(kind: bytes, content: bytes) -> bytes:
        checked = kind + content
        return struct.pack(">I", len(content)) + checked + struct.pack(">I", zlib.crc32(checked))

    head = chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 0, 0, 0, 0))
    return b"\x89PNG\r\n\x1a\n" + head + chunk(b"IDAT", zlib.compress(b"")) + chunk(b"IEND", b"")


def choose(page: Any, name: str, content: bytes) -> None:
    page.set_input_files("#picture", [{"name": name, "mimeType": "", "buffer": content}])


@pytest.mark.parametrize("scale", [1, 5])
def test_a_file_becomes_a_report_that_is_learnt_from(opened: Callable[..., Any], scale: int) -> None:
    page, privatiser = opened(), fitted()
    picture = np.kron(PICTURES[700], np.ones((scale, scale + 2 * (scale > 1)), np.uint8))
    choose(page, "digit.png", png(picture))
    page.wait_for_selector("canvas[data-picture='digit.png']")
    said = page.inner_text("figcaption")
    assert "8 × 8 grey pixels" in said and (scale == 1 or "made here from 56 × 40" in said)
    page.select_option("#label", "7")
    page.click("summary")
    page.fill("#epsilon", f"{CERTAIN:g}")
    page.click("#release")
    report = Report.from_json(page.input_value("#report"))
    code = privatiser.method_.codes(privatiser.method_.encoder(privatiser.encode_table(picture[None])))[0]
    assert np.flatnonzero(report.in_set()).tolist() == [10 * code + 7] and report.epsilon == CERTAIN
    assert page.inner_text("#spent") == "1 released in this browser; about this record ε = 1000 in total."
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UtilityWarning)
        assert privatiser.learn([report.to_json()]).reports_ == 1


def test_what_is_no_picture_is_said_and_nothing_is_lost(opened: Callable[..., Any]) -> None:
    page = opened(viewport={"width": 390, "height": 844})
    page.select_option("#label", "3")
    page.click("summary")
    page.fill("#epsilon", "1.5")
    page.click("#release")
    assert page.inner_text("p.error") == "Choose a picture first."
    choose(page, "digit.png", png(PICTURES[700]))
    page.wait_for_selector("canvas[data-picture]")
    assert page.inner_text("p.error") == ""
    page.click("#release")
    report = page.input_value("#report")
    bad = {
        "notes.txt": (b"no picture", "This is not a picture that can be read here. Use PNG or JPEG."),
        "nothing.png": (b"", "The file is empty."),
        "drawn.svg": (
            b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>',
            "This is SVG or HTML, not pixels.",
        ),
        "cut.png": (png(PICTURES[700])[:60], "This is not a picture that can be read here."),
        "no.png": (empty_png(0, 0), "The picture has 0 × 0 pixels; each side needs at least 4."),
        "tiny.png": (png(PICTURES[700][:3]), "The picture has 8 × 3 pixels; each side needs at least 4."),
        "huge.png": (empty_png(20_000, 20_000), "has 20000 × 20000 pixels; at most 50 million can be read."),
        "long.png": (bytes(11 * 2**20), "The file has 11.0 MB; at most 10 MB can be read."),
    }
    for name, (content, expected) in bad.items():
        choose(page, name, content)
        page.wait_for_selector(f"figcaption.error:has-text('{name}:')")
        assert expected in page.inner_text("figcaption"), name
        assert page.input_value("#picture") == "" and page.locator("canvas[data-picture]").count() == 0
        page.click("#release")
        assert page.inner_text("p.error") == "Choose a picture first."
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert page.input_value("#report") == report and page.input_value("#label") == "3"
    assert page.input_value("#epsilon") == "1.5" and "1 released" in page.inner_text("#spent")


def test_a_picture_can_be_dropped_anywhere(opened: Callable[..., Any]) -> None:
    """And never replaces the page."""
    page = opened(color_scheme="dark")
    assert page.evaluate(DROP, ["dropped.png", base64.b64encode(png(PICTURES[701])).decode()])
    page.wait_for_selector("canvas[data-picture='dropped.png']")
    assert page.input_value("#picture").endswith("dropped.png")
    assert page.evaluate(DROP, ["", ""])
    assert page.inner_text("figcaption.error") == "Expected one picture’s file, got 0 files."
    assert page.is_disabled("#release")
    page.select_option("#label", "none")
    page.click("#release")
    Report.from_json(page.input_value("#report"))
