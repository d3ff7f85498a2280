"""How fast the app answers: the server's time from an ε move to the finished page.

One session, no browser: Streamlit's AppTest runs the whole script of a page, as a slider move does,
with a new release each time. Wall time on whatever else the machine is doing.
"""

from __future__ import annotations

import argparse
import gc
import json
import statistics
import time
from pathlib import Path

import torch
from streamlit.testing.v1 import AppTest

ENTRY = Path(__file__).resolve().parents[2] / "app.py"
PAGES = {
    "row, a file": ("pages/row.py", {"rows": "A CSV file"}),
}
BUDGETS = (2.0, 3.0, 4.0, 5.0, 6.0, 7.0)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line."""
    parser.add_argument("--json", action="store_true", help="one object instead of a table")


def main(options: argparse.Namespace) -> int:
    """Measure every page and print the medians in milliseconds."""
    torch.set_num_threads(1)
    figures = {name: slider_ms(path, query) for name, (path, query) in PAGES.items()}
    print(json.dumps(figures) if options.json else "\n".join(f"{name:16} {ms:6.0f} ms" for name, ms in figures.items()))
    return 0


def slider_ms(path: str, query: dict[str, str]) -> float:
    """The median time of an ε move on one page."""
    app = AppTest.from_file(str(ENTRY), default_timeout=120)
    app.run()
    for name, value in query.items():
        app.query_params[name] = value
    app.switch_page(path).run()
    for budget in (*BUDGETS, *BUDGETS[::-1]):  # the first round loads every mechanism that the second uses
        app.select_slider[0].set_value(budget).run()
    for button in app.button:
        if "afresh" in str(button.label).lower():
            raise RuntimeError("The page shows an error; its log says which.")
    gc.collect()
    gc.freeze()  # as the server does once, after the imports
    app.session_state["lam"] = 0.6  # so that every budget is a new release
    seconds = []
    for budget in BUDGETS:
        start = time.perf_counter()
        app.select_slider[0].set_value(budget).run()
        seconds.append(time.perf_counter() - start)
    return 1000 * statistics.median(seconds)
