"""How fast the owner's side is in a browser: headless Chromium, one thread, beside torch on one thread.

Each figure is a median over repetitions, in processor time of one core (so a busy machine does not count against
anybody; the browser's is what its page processes used, all threads together), measured in turns.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import statistics
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import torch
import uvicorn
from starlette.applications import Starlette
from starlette.responses import HTMLResponse
from starlette.routing import Route

from rlm_core import zoo
from rlm_core.data.samples import cifar10_samples, loan_examples, mnist_samples
from rlm_core.types import FloatArray
from server.device_routes import ROUTES

RESULTS = Path(__file__).parent / "results" / "device.json"
DIGIT, ROW, PHOTO = "mnist-vrlm-l7.5-eps13", "lending-vrlm-l10-eps21", "cifar10-qrlm-k48"
PAIRS = "mnist-qrlm-k96"
LIMITS = {"mlp_ms": 3.0, "row_ms": 3.0, "trunk_ms": 300.0, "noise_8_ms": 0.2}
"""What a phone's owner should not have to wait for, on one core of a computer."""

LIVE = 20.0
"""Updates a second that a dragged slider should have."""

LOAD = """async (name) => {
    const about = await (await fetch(`/device/mechanisms/${name}.json`)).json();
    const { Mechanism } = await import("/device/mechanism.js");
    const { trunkFeatures } = await import("/device/trunk.js");
    const file = async (role) => (await fetch(`/device/${about.files[role].url}`)).arrayBuffer();
    const features = about.trunk ? await trunkFeatures(about.trunk, await file("trunk")) : null;
    (window.loaded ??= {})[name] = Mechanism.from(about, await file("encoder"), features);
}"""
ENCODE = """([name, x, count]) => {
    for (let i = 0; i < count; i++) loaded[name].encode(x);
}"""
NOISE = """async (count) => {
    const { LaplaceNoise } = await import("/device/laplace.js");
    const { L1Clip } = await import("/device/clip.js");
    const noise = new LaplaceNoise({ epsilon: 2, clip: new L1Clip(5) });
    for (let i = 0; i < count; i++) noise.privatise([1, -1, 0.5, 0.5, 0, 0.25, -0.25, 1]);
}"""
REPORT = """async ([name, x, label, settings]) => {
    const { release } = await import("/device/release.js");
    return new TextEncoder().encode(release(loaded[name], x, label, settings)).length;
}"""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line of ``python -m benchmarks device``."""
    parser.add_argument("--repeats", type=int, default=7, help="of each measurement; default: %(default)s")
    parser.add_argument("--check", action="store_true", help="fail where a figure is above its limit")
    parser.add_argument("--no-write", action="store_true", help=f"print only, leave {RESULTS.name} as it is")


def main(options: argparse.Namespace) -> int:
    """Measure, print and keep."""
    torch.set_num_threads(1)
    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        print("No Chromium found; set CHROMIUM to its path.")
        return 1
    load = os.getloadavg()[0]
    with open_page(chromium) as page:
        figures = measure(page, options.repeats)
    figures |= two_sides()
    note = f"processor time, headless Chromium; load {load:.1f} on {os.cpu_count()} cores before the run"
    result = {name: round(value, 4) for name, value in figures.items()} | {"note": note}
    print(json.dumps(result, indent=1))
    if not options.no_write:
        RESULTS.write_text(json.dumps(result, indent=1) + "\n", encoding="utf-8")
    slow = [name for name, limit in LIMITS.items() if not figures[name] <= limit]
    late = [name for name in figures if name.startswith("updates_per_second") and not figures[name] >= LIVE]
    if late or figures["bytes_before_send"]:
        print(f"Not live or not silent: {', '.join(late)}; {figures['bytes_before_send']} bytes differ before send.")
    if slow:
        print("Above the limit: " + ", ".join(f"{name} {figures[name]:.3g} > {LIMITS[name]:g}" for name in slow))
    return 1 if (slow or late or figures["bytes_before_send"]) and options.check else 0


def measure(page: Any, repeats: int) -> dict[str, float]:
    """All figures, by name."""
    digit = mnist_samples().images[200].reshape(1, -1) / 255.0
    photo = cifar10_samples().images[60].reshape(1, -1) / 255.0
    table = zoo.load(ROW, "cpu").preprocessor
    assert table is not None
    row = table.transform(loan_examples().frame.iloc[:1]).astype(float)
    figures: dict[str, float] = {}
    for figure, name, x, count in (("mlp", DIGIT, digit, 200), ("row", ROW, row, 200), ("trunk", PHOTO, photo, 3)):
        ours, torchs = in_turns(page, name, x, count, repeats)
        figures |= {f"{figure}_ms": ours, f"{figure}_over_torch": ours / torchs}
    noise = [processor_ms(page, NOISE, 3000, count=3000) for _ in range(repeats + 1)]
    figures["noise_8_ms"] = statistics.median(noise[1:])
    page.evaluate(LOAD, PAIRS)
    pair, split = {"epsilon": 4.0}, {"epsilon": 4.0, "lam": 0.75}
    figures["bytes_per_report"] = page.evaluate(REPORT, [PAIRS, digit[0].tolist(), 7, pair])
    figures["bytes_per_report_of_numbers"] = page.evaluate(REPORT, [DIGIT, digit[0].tolist(), 7, split])
    return figures


def two_sides() -> dict[str, float]:
    """The figures of the pages themselves, by a process of their own: it serves the app."""
    command = [sys.executable, "-m", "benchmarks", "two-sides", "--json"]
    answer = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(answer.stdout.splitlines()[-1])
    return figures


def in_turns(page: Any, name: str, x: FloatArray, count: int, repeats: int) -> tuple[float, float]:
    """Milliseconds for one record: in the browser, and by torch. One turn first, to warm up."""
    page.evaluate(LOAD, name)
    model = zoo.load(name, "cpu")
    ours, torchs = [], []
    for _ in range(repeats + 1):
        ours.append(processor_ms(page, ENCODE, [name, x[0].tolist(), count], count=count))
        start = time.thread_time()
        for _ in range(count):
            model.encode(x)
        torchs.append(1e3 * (time.thread_time() - start) / count)
    return statistics.median(ours[1:]), statistics.median(torchs[1:])


def processor_ms(page: Any, script: str, argument: Any, *, count: int) -> float:
    """Processor time of the browser's page processes while a script runs, for each of its ``count`` rounds."""
    before = processor_seconds(page.context.browser)
    page.evaluate(script, argument)
    return 1e3 * (processor_seconds(page.context.browser) - before) / count


@contextmanager
def open_page(chromium: str) -> Iterator[Any]:
    """A page of a server that serves the device's addresses."""
    from playwright.sync_api import sync_playwright

    home = Route("/", lambda request: HTMLResponse("<!doctype html><title>device</title>"))
    config = uvicorn.Config(
        Starlette(routes=[home, *ROUTES]), host="127.0.0.1", port=0, log_level="error", lifespan="off"
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        time.sleep(0.05)
    address = f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run", "--headless"]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        opened = browser.new_page()
        opened.set_default_timeout(300_000)
        opened.goto(address)
        yield opened
        browser.close()
    server.should_exit = True
    thread.join(timeout=30)


def processor_seconds(browser: Any) -> float:
    """What the browser's page processes have used so far, all threads."""
    session = browser.new_browser_cdp_session()
    processes = session.send("SystemInfo.getProcessInfo")["processInfo"]
    session.detach()
    return float(sum(each["cpuTime"] for each in processes if each["type"] == "renderer"))
