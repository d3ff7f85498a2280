"""Another visitor of the same server moves a slider: alone, and while a lecture hall sends its reports.

Its figures belong to those of ``python -m benchmarks service``, and are written into the same file.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import statistics
import tempfile
import threading
from pathlib import Path
from typing import Any

from benchmarks.app_speed.load import running, visit
from benchmarks.result_file import write_result
from benchmarks.service.measure import RESULTS, bodies, coffee_campaign, summary
from benchmarks.service.phones import send_all
from collection.store import Store

RATE = 100
"""Reports a second: what a campaign takes by default before it asks for patience."""
MOVES = 15


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line."""
    parser.add_argument("--out", type=Path, default=RESULTS, help="JSON that is updated (default %(default)s)")


def main(options: argparse.Namespace) -> int:
    """Measure, print, and write."""
    kept: dict[str, Any] = json.loads(options.out.read_text(encoding="utf-8")) if options.out.is_file() else {}
    kept["slider"] = slider()
    write_result(options.out, summary(kept))
    print(json.dumps(kept["slider"], indent=1))
    return 0


def slider() -> dict[str, Any]:
    """The median time of a move idle and during the load, on the server that ``rlm run`` starts."""
    campaign = coffee_campaign()
    sent = bodies(campaign, 60 * RATE)
    with tempfile.TemporaryDirectory() as folder:
        url = f"sqlite:///{Path(folder) / 'campaigns.db'}"
        made = Store(url).create(campaign)
        with running({"RLM_DATABASE": url}) as port:
            asyncio.run(visit(port, "advise", 1, 3))  # what the first visit loads does not count
            idle = median(port)
            path, halt = f"/api/campaigns/{made.id}/reports", threading.Event()
            hall = threading.Thread(target=lambda: asyncio.run(steadily(port, path, sent, halt)))
            hall.start()
            busy = median(port)
            halt.set()
            hall.join()
        state = Store(url).state(made.id)
        if state is None or not state.tally.people:
            raise RuntimeError("Expected reports in the campaign, got none.")
    return {
        "reports_per_second_meanwhile": RATE,
        "reports": state.tally.people,
        "idle_ms": round(idle, 1),
        "meanwhile_ms": round(busy, 1),
        "meanwhile_over_idle": round(busy / idle, 2),
    }


def median(port: int) -> float:
    """Milliseconds of one visitor's move."""
    (session,) = asyncio.run(visit(port, "advise", 1, MOVES))
    return 1000 * statistics.median(session.seconds)


async def steadily(port: int, path: str, bodies: list[bytes], halt: threading.Event) -> None:
    """``RATE`` reports in every second, until told to stop."""
    for start in range(0, len(bodies), RATE):
        if halt.is_set():
            return
        await asyncio.gather(send_all(port, path, bodies[start : start + RATE], 8), asyncio.sleep(1.0))
