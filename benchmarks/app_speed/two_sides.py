"""The two sides in a real browser: how often rehearsals change while a slider moves, and what leaves before "send".

``updates_per_second``: the app as it is served, headless Chromium, the ε slider moved at every frame for some seconds;
all eight rehearsals are drawn, decoded and painted at each update. ``bytes_before_send``: the bytes of requests and
frames of web sockets that differ between two visits that do the same with different records. Wall time on whatever
else the machine is doing.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

ENTRY = Path(__file__).resolve().parents[2] / "serve.py"
SECONDS = 4.0
PAGES = {"mnist": "/image?mech=numbers", "mnist_codes": "/image?mech=codes", "row": "/row?mech=numbers"}
UPDATES = "() => Number(document.querySelector('.sides')?.dataset.updates ?? 0)"
DRAG = """(seconds) => new Promise((done) => {
    const sides = document.querySelector(".sides"), slider = sides.querySelector(".eps input");
    const [start, first] = [performance.now(), Number(sides.dataset.updates)];
    let [at, step] = [Number(slider.value), 1];
    const move = () => {
        const passed = (performance.now() - start) / 1000;
        if (passed > seconds) return done((Number(sides.dataset.updates) - first) / passed);
        step = at + step > 19 ? -1 : at + step < 0 ? 1 : step;
        slider.value = at += step;
        slider.dispatchEvent(new Event("input"));
        requestAnimationFrame(move);
    };
    move();
})"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of ``python -m benchmarks two-sides``."""
    parser.add_argument("--json", action="store_true", help="one object in one line")


def main(options: argparse.Namespace) -> int:
    """Measure and print."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("No Chromium found; set CHROMIUM to its path.")
        return 1
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    with serving() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        figures = {f"updates_per_second_{name}": updates(browser, address + path) for name, path in PAGES.items()}
        figures["bytes_before_send"] = differing_bytes(*(sent(browser, address, number) for number in (2, 25)))
        browser.close()
    print(json.dumps(figures, indent=None if options.json else 1))
    return 0


def updates(browser: Any, address: str) -> float:
    """Updates a second; a first round fetches every network that the slider passes."""
    page = opened(browser, address)
    page.evaluate(DRAG, SECONDS)
    rate = float(page.evaluate(DRAG, SECONDS))
    page.context.close()
    return round(rate, 1)


def sent(browser: Any, address: str, number: int) -> list[bytes]:
    """All that leaves a visit which chooses one of the samples and drags ε, after the page was opened."""
    context = browser.new_context()
    page, pieces = context.new_page(), list[bytes]()
    page.on("websocket", lambda each: each.on("framesent", lambda frame: pieces.append(_bytes(frame))))
    page.on("request", lambda request: pieces.append(request.url.encode() + (request.post_data_buffer or b"")))
    _ready(page, f"{address}/image")
    pieces.clear()
    page.locator(".sides .gallery button").nth(number).click()
    slider = page.locator(".sides .eps input")
    for press in ["ArrowRight"] * 3 + ["ArrowLeft"] * 6:
        slider.press(press)
    page.wait_for_timeout(3000)
    context.close()
    return pieces


def differing_bytes(one: list[bytes], other: list[bytes]) -> int:
    """Bytes of the pieces that only one of two visits sent."""
    return sum(len(each) for each in {*one} ^ {*other})


def opened(browser: Any, address: str) -> Any:
    """A page with its first rehearsals on the screen."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    _ready(page, address)
    return page


def _ready(page: Any, address: str) -> None:
    page.set_default_timeout(180_000)
    page.goto(address)
    page.wait_for_function(f"() => ({UPDATES})() > 0")


def _bytes(frame: Any) -> bytes:
    return frame.encode() if isinstance(frame, str) else bytes(frame)


@contextmanager
def serving() -> Iterator[str]:
    """The address of the app while a server runs it."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "streamlit", "run", str(ENTRY), "--server.port", str(port)]
    command += ["--server.headless", "true", "--server.address", "127.0.0.1"]
    server = subprocess.Popen(command, cwd=ENTRY.parent, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    address = f"http://127.0.0.1:{port}"
    try:
        for _ in range(480):
            with suppress(OSError), urllib.request.urlopen(f"{address}/_stcore/health", timeout=30):
                break
            time.sleep(0.5)
        yield address
    finally:
        server.terminate()
        server.wait(timeout=60)
