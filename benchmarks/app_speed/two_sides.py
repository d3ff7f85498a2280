"""Start, picture and row page in a real browser: how often rehearsals change while ε is dragged, and what leaves.

``updates_per_second_<page>_<lane>``: the app as it is served, headless Chromium, the ε slider moved at every frame for
some seconds; all eight rehearsals are drawn, decoded and painted at each update (on the start page of three lanes).
Wall time, so on whatever else the machine is doing. ``cpu_ms_per_update_…`` is the processor time of the page's own
process, all its threads, for one update. ``bytes_before_send``: the bytes of requests and frames of web sockets that
differ between two visits that do the same with different records.
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
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

from benchmarks.device import processor_seconds

ENTRY = Path(__file__).resolve().parents[2] / "serve.py"
SECONDS = 4.0
PAGES = {
    "start": "/",
    "mnist_pixels": "/image?mech=pixels",
    "mnist_numbers": "/image?mech=numbers",
    "mnist_codes": "/image?mech=codes",
    "row_numbers": "/row?mech=numbers",
    "row_codes": "/row?mech=codes",
}
STAGE = ".stage[data-updates], .sides[data-updates]"
DRAG = """(stage, seconds) => new Promise((done) => {
    const slider = stage.querySelector("#epsilon, .eps input");
    const [start, first] = [performance.now(), Number(stage.dataset.updates)];
    let [at, step] = [Number(slider.value), 1];
    const move = () => {
        const passed = (performance.now() - start) / 1000;
        if (passed > seconds) return done([Number(stage.dataset.updates) - first, passed]);
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
        figures: dict[str, float] = {}
        for name, path in PAGES.items():
            rate, cost = updates(browser, address + path)
            figures |= {f"updates_per_second_{name}": rate, f"cpu_ms_per_update_{name}": cost}
        figures["updates_per_second"] = min(figures[f"updates_per_second_{name}"] for name in PAGES)
        figures["bytes_before_send"] = differing_bytes(*(sent(browser, address, number) for number in (2, 25)))
        browser.close()
    print(json.dumps(figures, indent=None if options.json else 1))
    return 0


def updates(browser: Any, address: str) -> tuple[float, float]:
    """Updates a second, and processor milliseconds of each; a first round fetches all networks that ε passes."""
    page = opened(browser, address)
    stage = page.locator(STAGE)
    stage.evaluate(DRAG, SECONDS)
    loaded(page)
    before = processor_seconds(browser)
    count, passed = stage.evaluate(DRAG, SECONDS)
    used = processor_seconds(browser) - before
    page.context.close()
    return round(count / passed, 1), round(1e3 * used / max(1, count), 1)


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
    loaded(page)
    page.wait_for_timeout(1000)
    context.close()
    return pieces


def differing_bytes(one: list[bytes], other: list[bytes]) -> int:
    """Bytes of the pieces that only one of two visits sent, each as often as it was sent."""
    first, second = Counter(one), Counter(other)
    return sum(len(each) * count for each, count in ((first - second) + (second - first)).items())


def opened(browser: Any, address: str) -> Any:
    """A page with its first rehearsals on the screen."""
    page = browser.new_context(viewport={"width": 1440, "height": 900}).new_page()
    _ready(page, address)
    return page


def _ready(page: Any, address: str) -> None:
    page.set_default_timeout(180_000)
    page.goto(address)
    page.locator(STAGE).wait_for()
    loaded(page)


def loaded(page: Any) -> None:
    """Wait until every network that the slider may pass is there."""
    page.wait_for_function("() => (document.querySelector('.sides')?.dataset.loading ?? '0') === '0'")


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
