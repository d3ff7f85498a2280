"""What a visitor does on the picture and the row page, all but send, with one record or with another."""

from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from PIL import Image, ImageDraw

DRAWN = "() => Number(document.querySelector('.sides')?.dataset.updates ?? 0)"

KEEP = """() => {
  window.examples ??= new Set();
  window.pictures ??= new Set();
  window.examples.add(location.hash.slice(1));
  for (const each of document.querySelectorAll(".sides .tiles canvas, .sides .shown canvas"))
    if (each.checkVisibility()) window.pictures.add(each.toDataURL("image/png"));
}"""
"""The example that the address names, and the pictures on the left side as PNG: the record and its rehearsals."""


@dataclass
class Record:
    """One of two records that the same actions are done with."""

    sample: int
    label: str
    stroke: list[tuple[float, float]]
    ink: list[tuple[int, int]]
    photos: tuple[int, int]
    example: str
    amount: str
    outcome: str


ONE = Record(
    sample=2,
    label="seven",
    stroke=[(0.3, 0.25), (0.7, 0.25), (0.45, 0.8)],
    ink=[(90, 90), (220, 90), (130, 320)],
    photos=(3, 14),
    example="Surgeon",
    amount="13750",
    outcome="charged off",
)
OTHER = Record(
    sample=25,
    label="one",
    stroke=[(0.5, 0.2), (0.5, 0.5), (0.5, 0.85)],
    ink=[(150, 80), (150, 330)],
    photos=(28, 1),
    example="Young cook",
    amount="31450",
    outcome="repaid",
)


def file(ink: list[tuple[int, int]]) -> bytes:
    image = Image.new("RGB", (300, 400), (244, 240, 228))
    ImageDraw.Draw(image).line(ink, fill=(20, 30, 90), width=26)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def settle(page: Any, act: Callable[[], Any]) -> None:
    """Act, wait for new rehearsals, and until they stop coming."""
    before = page.evaluate(DRAWN)
    act()
    page.wait_for_function(f"(before) => ({DRAWN})() > before", arg=before)
    rest(page)


def rest(page: Any) -> None:
    """Until everything asked for has come, and nothing changes any more. The pictures shown then are kept."""
    last = -1
    while last != (last := page.evaluate(DRAWN)):
        page.wait_for_function("() => (document.querySelector('.sides')?.dataset.loading ?? '0') === '0'")
        page.wait_for_timeout(250)
    page.evaluate(KEEP)


def drag(page: Any, name: str) -> None:
    """Both ways along a slider with the keyboard: every position is an input event, as in dragging."""
    thumb = page.locator(f".sides .{name} input")
    thumb.focus()
    for press in ["ArrowRight"] * 3 + ["ArrowLeft"] * 5:
        thumb.press(press)


def picture_actions(page: Any, record: Record) -> None:
    """Choose, drag, change the mechanism, draw, upload; all but send."""
    settle(page, page.locator(".sides .gallery button").nth(record.sample).click)
    settle(page, page.get_by_role("radio", name=record.label, exact=True).click)
    settle(page, lambda: drag(page, "eps"))
    settle(page, lambda: drag(page, "lam"))
    for lane in ("Noise on every pixel", "Codes: one symbol", "Numbers with noise"):
        settle(page, page.get_by_role("radio", name=lane).click)
    settle(page, page.get_by_role("button", name="Again").click)
    page.get_by_role("radio", name="Draw").click()
    box = page.locator(".sides canvas.pad").bounding_box()
    (x, y), *rest_of = [(box["x"] + a * box["width"], box["y"] + b * box["height"]) for a, b in record.stroke]
    page.mouse.move(x, y)
    page.mouse.down()
    for x, y in rest_of:
        page.mouse.move(x, y, steps=5)
    settle(page, page.mouse.up)
    page.get_by_role("radio", name="Upload").click()
    chosen = {"name": "picture.png", "mimeType": "image/png", "buffer": file(record.ink)}
    settle(page, lambda: page.locator(".sides input[type=file]").set_input_files(chosen))
    settle(page, page.get_by_role("radio", name=record.label, exact=True).click)


def photo_actions(page: Any, record: Record) -> None:
    """Choose two photos, drag, rehearse codes; all but send."""
    for photo in record.photos:
        settle(page, page.locator(".sides .gallery button").nth(photo).click)
    settle(page, lambda: drag(page, "eps"))
    for lane in ("Codes: one symbol", "Numbers with noise"):
        settle(page, page.get_by_role("radio", name=lane).click)


def row_actions(page: Any, record: Record) -> None:
    """Choose an example, type, drag, change the mechanism; all but send."""
    examples = page.get_by_label("Example")
    option = next(words for words in examples.locator("option").all_inner_texts() if record.example in words)
    settle(page, lambda: examples.select_option(label=option))
    settle(page, page.get_by_role("radio", name=record.outcome, exact=True).click)
    settle(page, page.get_by_role("button", name="Again").click)
    settle(page, lambda: page.get_by_label("Loan amount").fill(record.amount))
    page.locator(".sides details.all-fields > summary").click()
    settle(page, lambda: page.get_by_label("Debt-to-income").fill(record.amount[:2]))
    settle(page, lambda: drag(page, "eps"))
    for lane in ("Codes: one symbol", "Numbers with noise"):
        settle(page, page.get_by_role("radio", name=lane).click)
