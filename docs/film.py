"""The film at the top of the README, from the running app: python docs/film.py

Starts the app on loopback, opens the start page in Chromium, drags ε from strong to weak and back, and writes what was
seen as docs/images/start.webp. Real screenshots, nothing drawn in; needs Chromium and requirements-dev.txt.
"""

from __future__ import annotations

import io
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from PIL import Image
from playwright.sync_api import sync_playwright

ROOT = Path(__file__).resolve().parents[1]
OUT = ROOT / "docs" / "images" / "start.webp"
SIZE = (1280, 800)
WIDTH = 900
"""Of the film, in pixels."""

MOST_BYTES = 2_000_000
POSITIONS = (0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 19, 16, 12, 8, 4)
"""Of the slider, one frame each."""


@contextmanager
def served() -> Iterator[str]:
    """The app's address while it runs."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "rlm_core", "run", "--port", str(port)]
    server = subprocess.Popen(command, cwd=ROOT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(240):
            try:
                urllib.request.urlopen(f"{address}/_stcore/health", timeout=5)
                break
            except OSError as error:
                if server.poll() is not None:
                    raise RuntimeError("The app stopped while it started: see `rlm run`.") from error
                time.sleep(1)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=60)


def frames(page: Any) -> Iterator[Image.Image]:
    """A screenshot at every position of the slider, once the three lanes show it."""
    slider = page.locator("input[type=range]")
    for position in POSITIONS:
        slider.fill(str(position))
        page.wait_for_timeout(1200)  # the lanes follow, and the crowd reports
        picture = Image.open(io.BytesIO(page.screenshot())).convert("RGB")
        yield picture.resize((WIDTH, round(WIDTH * picture.height / picture.width)), Image.Resampling.LANCZOS)


def chromium_path() -> str | None:
    """Of the browser that is installed; None leaves the choice to playwright."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


def film() -> None:
    """Write the file, as large as allowed."""
    with served() as address, sync_playwright() as playwright:
        arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking"]
        browser = playwright.chromium.launch(executable_path=chromium_path(), args=arguments)
        page = browser.new_page(viewport={"width": SIZE[0], "height": SIZE[1]}, color_scheme="light")
        page.goto(address)
        page.locator(".lane").nth(2).wait_for(timeout=120_000)
        page.locator(".crowd[data-done]").wait_for(timeout=120_000)
        taken = list(frames(page))
        browser.close()
    for quality in (80, 70, 60, 50, 40):
        taken[0].save(
            OUT, save_all=True, append_images=taken[1:], duration=700, loop=0, quality=quality, method=6, lossless=False
        )
        if OUT.stat().st_size <= MOST_BYTES:
            break
    print(f"{OUT.name}: {len(taken)} frames, {OUT.stat().st_size / 1e6:.2f} MB, quality {quality}")


if __name__ == "__main__":
    film()
