"""The pictures of docs/tour.md, from the running app: python docs/stills.py [NAME ...]

Starts the app on loopback, opens every page in Chromium and writes docs/images/NAME.png with a palette, at most 250 kB
each. Real screenshots, nothing drawn in; needs Chromium and requirements-dev.txt. Without names, all are taken.
"""

from __future__ import annotations

import io
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from film import chromium_path, served
from PIL import Image
from playwright.sync_api import sync_playwright

FOLDER = Path(__file__).resolve().parent / "images"
DESKTOP, PHONE = (1440, 900), (390, 844)
MOST_BYTES = 250_000


@dataclass(frozen=True, kw_only=True)
class Still:
    """One picture: the page's address, how it is seen, how far down (pixels), and what must be there first."""

    page: str = ""
    dark: bool = False
    size: tuple[int, int] = DESKTOP
    scroll: int = 0
    wait: str = "[data-testid=stMain] h1, [data-testid=stMain] h2"


STILLS = {
    "start": Still(dark=True, wait=".crowd[data-done]"),
    "start-phone": Still(size=PHONE, wait=".crowd[data-done]"),
    "image": Still(page="image"),
    "row": Still(page="row"),
    "own": Still(page="own"),
    "concepts": Still(page="concepts", dark=True),
    "glossary": Still(page="glossary"),
    "advise": Still(page="advise"),
    "bound": Still(page="bound"),
    "bound-geometry": Still(page="bound", scroll=1_000),
    "benchmarks": Still(page="benchmarks"),
    "collect": Still(page="collect"),
    "room": Still(page="room"),
    "audit": Still(page="audit", dark=True),
}


def settled(page: Any, patience: int) -> bytes:
    """A screenshot, once the page has stopped working and looks the same twice."""
    last = b""
    for _ in range(patience):
        page.wait_for_timeout(1_500)
        busy = page.locator("[data-testid=stStatusWidget], [data-testid=stSkeleton], [data-stale=true]").count()
        now: bytes = page.screenshot(animations="disabled")
        if now == last and not busy:
            break
        last = now
    return now


def write(name: str, taken: bytes) -> int:
    """The file with as many colours as its size allows; its bytes."""
    target = FOLDER / f"{name}.png"
    picture = Image.open(io.BytesIO(taken)).convert("RGB")
    for colours in (256, 128, 64, 32):
        picture.quantize(colours, dither=Image.Dither.NONE).save(target, optimize=True)
        if target.stat().st_size <= MOST_BYTES:
            break
    return target.stat().st_size


def take(names: list[str]) -> None:
    """Every picture named, each in a visit of its own."""
    with served() as address, sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=arguments)
        for name in names:
            still = STILLS[name]
            page = browser.new_page(
                viewport={"width": still.size[0], "height": still.size[1]},
                color_scheme="dark" if still.dark else "light",
            )
            page.goto(f"{address}/{still.page}")
            page.locator(still.wait).first.wait_for(timeout=120_000)
            taken = settled(page, patience=10)
            if still.scroll:
                page.locator("[data-testid=stMain]").evaluate("(main, y) => main.scrollTo(0, y)", still.scroll)
                taken = settled(page, patience=4)
            page.close()
            print(f"{name}.png: {write(name, taken) / 1000:.0f} kB", flush=True)
        browser.close()


if __name__ == "__main__":
    take(sys.argv[1:] or list(STILLS))
