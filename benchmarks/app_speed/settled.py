"""How long a page takes to settle: from its address to a page that is whole.

Headless Chromium at 1440 × 900 opens every page of a warm server, each visit in a new context (nothing is cached), and
waits until the script has run to its end, nothing is stale or loading, the fonts are there, and everything that the
browser draws itself (charts, boards, drawings, the eight rehearsals of both sides) is drawn, below the fold too.
Medians of three visits, wall time, on whatever else the machine is doing.
"""

from __future__ import annotations

import argparse
import os
import platform
import shutil
import statistics
import time
from pathlib import Path
from typing import Any

import rlm_core
from benchmarks import table
from benchmarks.app_speed.two_sides import serving
from benchmarks.result_file import write_result

PAGES = ("", "image", "row", "advise", "benchmarks", "bound", "collect", "audit", "concepts", "own", "room", "glossary")
VISITS = 3
LONGEST = 60_000  # milliseconds
SETTLED = """() => document.querySelector('.rlm-footer')
  && document.querySelector('.stApp')?.dataset.testScriptState === 'notRunning'
  && !document.querySelector('[data-stale=true], [data-testid=stSkeleton]')
  && document.fonts.status === 'loaded'"""
DRAWN = {
    "": {".stage[data-updates]": 1},
    "image": {".sides[data-updates]": 1},
    "row": {".sides[data-updates]": 1},
    "advise": {".rlm-chart svg": 1},
    "benchmarks": {".rlm-chart svg": 2},
    "bound": {".rlm-chart svg": 1, ".board[data-ready]": 1, ".space canvas[data-yaw]": 1},
    "collect": {".rlm-chart svg": 1},
    "audit": {".drawing svg": 1},
    "concepts": {".drawing svg": 1},
}
"""What pages draw in the browser, and how often; playwright looks into own components, which a page's script cannot."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line."""
    parser.add_argument("--out", type=Path, default=table.RESULTS / "settled.json", help="where the figures are kept")


def main(options: argparse.Namespace) -> int:
    """Measure every page, print the medians and keep them."""
    from playwright.sync_api import sync_playwright

    chromium = os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")
    if chromium is None:
        raise SystemExit("Expected Chromium: none was found; set CHROMIUM to its path.")
    arguments = ["--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run"]
    seconds: dict[str, float] = {}
    load = round(os.getloadavg()[0], 1)
    with serving() as address, sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=arguments)
        for page in PAGES:
            _, *visits = (visit_seconds(browser, address, page) for _ in range(1 + VISITS))  # the first warms up
            seconds[page or "start"] = round(statistics.median(visits), 2)
            print(f"{page or 'start':12} {seconds[page or 'start']:6.2f} s", flush=True)
        browser.close()
    about = {"version": rlm_core.__version__, "machine": f"{platform.machine()}, {os.cpu_count()} cores"}
    write_result(options.out, {"seconds": seconds, "load_before": load, **about})
    return 0


def visit_seconds(browser: Any, address: str, path: str) -> float:
    """One visit, from the address to the settled page."""
    context = browser.new_context(viewport={"width": 1440, "height": 900})
    page = context.new_page()
    start = time.perf_counter()
    page.goto(f"{address}/{path}", wait_until="commit")
    page.wait_for_function(SETTLED, timeout=LONGEST)
    for selector, count in DRAWN.get(path, {}).items():
        page.locator(selector).nth(count - 1).wait_for(state="attached", timeout=LONGEST)
    page.wait_for_function(SETTLED, timeout=LONGEST)
    took = time.perf_counter() - start
    context.close()
    return took
