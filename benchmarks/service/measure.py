"""Campaigns under load and under kill -9, on SQLite and PostgreSQL, and how often their intervals hold.

Load comes from a process of its own on loopback. Rates are also given as shares of a route that checks a report and
stores nothing, in the same run: absolute figures depend on what else the machine does.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.result_file import write_result
from benchmarks.service import postgresql
from benchmarks.service.coverage import PEOPLE, campaigns, coverage
from benchmarks.service.phones import open_page
from collection.campaign import Campaign
from collection.questions import OneOf
from collection.store import Store, report_id
from rlm_core.owner.labels import RandomisedResponse

RESULTS = Path(__file__).parents[1] / "results" / "service.json"
CONNECTIONS = 32
AT_ONCE = 500
PARTS = ("sqlite", "postgresql", "coverage", "slider")  # the last is benchmarks/app_speed/hall.py's
Figures = dict[str, Any]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line."""
    parser.add_argument("--reports", type=int, default=5000, help="for each load (default %(default)s)")
    parser.add_argument("--kills", type=int, default=10, help="of each server (default %(default)s)")
    parser.add_argument("--rooms", type=int, default=1000, help="simulated campaigns a kind and size (%(default)s)")
    parser.add_argument("--only", choices=PARTS[:3], help="a part; the rest stays")
    parser.add_argument("--out", type=Path, default=RESULTS, help="JSON that is updated (default %(default)s)")


def main(options: argparse.Namespace) -> int:
    """Measure, print, and write."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))  # so that servers and phones end with us
    parts: dict[str, Callable[[], Figures]] = {
        "sqlite": lambda: database("sqlite", options),
        "postgresql": lambda: database("postgresql", options),
        "coverage": lambda: coverages(options.rooms),
    }
    kept: Figures = json.loads(options.out.read_text(encoding="utf-8")) if options.out.is_file() else {}
    for name, measure in parts.items():
        if options.only in (None, name):
            print(f"{name} …", file=sys.stderr, flush=True)
            kept[name] = measure()
            write_result(options.out, summary(kept))
    print(json.dumps(summary(kept), indent=1))
    return 0


def summary(kept: Figures) -> Figures:
    """The figures that the project checks, first; the parts that they come from after them."""
    parts = {name: kept[name] for name in PARTS if name in kept}
    databases = {name: part for name, part in parts.items() if "kills" in part}
    short: Figures = {}
    for name, part in databases.items():
        short |= {f"{name}_reports_per_second": part["reports_per_second"], f"{name}_p99_ms": part["p99_ms"]}
    for figure in ("errors", "kills", "lost", "doubled"):
        short[figure] = sum(part[figure] for part in databases.values())
    if "coverage" in parts:
        short["coverage_worst"] = parts["coverage"]["worst"]
    if "slider" in parts:
        short["slider_meanwhile_over_idle"] = parts["slider"]["meanwhile_over_idle"]
    return short | parts


def database(kind: str, options: argparse.Namespace) -> Figures:
    """Load, then kills, on one kind of database."""
    if kind == "postgresql" and postgresql.missing():
        return {"skipped": postgresql.missing()}
    with (
        tempfile.TemporaryDirectory() as folder,
        postgresql.Cluster() if kind == "postgresql" else nullcontext() as cluster,
    ):
        url = cluster.url if cluster else f"sqlite:///{folder}/campaigns.db"
        server = Server(url)
        with server:
            figures = load(server, Path(folder), options.reports)
        victims = [server, cluster] if cluster else [server]
        with server:
            return figures | kills(server, victims, Path(folder), options)


def load(server: Server, folder: Path, reports: int) -> Figures:
    """Reports a second and the 99th percentile, beside the route that stores nothing."""
    store, campaign = Store(server.url), coffee_campaign()
    made = store.create(campaign)
    file = folder / "load"
    file.write_bytes(bodies(campaign, 1)[0])
    with client(server.port, f"/api/campaigns/{made.id}/reports", file) as running:  # opens the database
        finished(running)
    file.write_bytes(b"\n".join(bodies(campaign, reports)))
    with client(server.port, f"/null/{made.id}", file) as running:
        null = finished(running)
    with client(server.port, f"/api/campaigns/{made.id}/reports", file) as running:
        found = finished(running)
    opened = asyncio.run(open_page(server.port, f"/join/{made.id}", AT_ONCE))
    state = store.state(made.id)
    assert state is not None
    store.database.close()
    rate, null_rate = (len(each["milliseconds"]) / each["seconds"] for each in (found, null))
    return {
        "reports_per_second": round(rate, 1),
        "p99_ms": round(float(np.percentile(found["milliseconds"], 99)), 1),
        "median_ms": round(float(np.median(found["milliseconds"])), 1),
        "share_of_storing_nothing": round(rate / null_rate, 3),
        "nothing_stored_per_second": round(null_rate, 1),
        "reports": state.tally.people,
        "errors": found["errors"] + found["retries"] + opened.errors,
        "join_page_at_once": AT_ONCE,
        "join_page_slowest_ms": round(max(opened.milliseconds), 1),
        "load_average": round(os.getloadavg()[0], 1),
    }


def kills(server: Server, victims: list[Any], folder: Path, options: argparse.Namespace) -> Figures:
    """kill -9 in the middle of the load; afterwards every acknowledged report is there, once."""
    store, campaign = Store(server.url), coffee_campaign()
    made = store.create(campaign)
    generator, total, done = np.random.default_rng(0), 0, 0
    expected: set[bytes] = set()
    for victim in victims:
        for _ in range(options.kills):
            batch = bodies(campaign, 400)
            file = folder / f"kill{done}"
            file.write_bytes(b"\n".join(batch))
            expected |= {report_id(made.id, bytes.fromhex(json.loads(body)["nonce"])) for body in batch}
            with client(server.port, f"/api/campaigns/{made.id}/reports", file) as running:
                before = people(store, made.id)
                while people(store, made.id) < before + generator.integers(20, 200) and running.poll() is None:
                    time.sleep(0.01)
                in_the_middle = running.poll() is None
                victim.kill()
                victim.start()
                found = finished(running)  # it sends until everything is acknowledged
            total += len(found["milliseconds"])
            done += in_the_middle
            print(f"kill {done}: {found['retries']} retries", file=sys.stderr, flush=True)
    with store.database.reading() as connection:
        rows = [
            bytes(row[0]) for row in connection.exec_driver_sql(f"SELECT id FROM reports WHERE campaign = '{made.id}'")
        ]
    state = store.state(made.id)
    assert state is not None and state.tally.people == len(rows), "the tally is not that of the rows"
    store.database.close()
    return {
        "kills": done,
        "acknowledged": total,
        "lost": len(expected - set(rows)) if total == len(expected) else len(expected) - total,
        "doubled": len(rows) - len(set(rows) & expected),
    }


def people(store: Store, campaign_id: str) -> int:
    """How many have been stored, as far as the database answers."""
    state = store.state(campaign_id)
    return 0 if state is None else state.tally.people


def coverages(rooms: int) -> Figures:
    """Of every kind and size: the lines with the lowest and the highest share, and the mean."""
    found: Figures = {"rooms": rooms}
    worst, highest = 1.0, 0.0
    for kind in campaigns():
        for count in PEOPLE:
            shares = coverage(kind, count, rooms)
            low, high = float(shares.min()), float(shares.max())
            found[f"{kind}, {count}"] = {"lowest": low, "highest": high, "mean": round(float(shares.mean()), 4)}
            worst, highest = min(worst, low), max(highest, high if count >= 300 else 0.0)
            print(f"{kind}, {count}: {low:.3f} to {high:.3f}", file=sys.stderr, flush=True)
    return {"worst": round(worst, 4), "highest_from_300": round(highest, 4)} | found


def coffee_campaign() -> Campaign:
    """Yes or no, at ε = 1."""
    question = OneOf(text="Do you like coffee?", answers=("no", "yes"))
    return Campaign(title="Load", question=question, epsilon=1.0, people=1000, closes=int(time.time()) + 86400)


def bodies(campaign: Campaign, count: int) -> list[bytes]:
    """What so many phones send."""
    answers = RandomisedResponse(epsilon=campaign.epsilon, classes=2).privatise(np.arange(count) % 2)
    return [
        b'{"nonce":"%s","report":%s}' % (os.urandom(16).hex().encode(), campaign.report(answer).to_json().encode())
        for answer in (int(value).to_bytes(2, "big") for value in answers)
    ]


class Server:
    """The API by uvicorn in a process of its own; started, killed, started again on the same port."""

    def __init__(self, url: str) -> None:
        self.url = url
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = int(free.getsockname()[1])
        self._process: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()

    def start(self) -> None:
        """Start and wait until it answers."""
        command = [sys.executable, "-m", "uvicorn", "benchmarks.service.server:app", "--port", str(self.port)]
        environment = os.environ | {"RLM_DATABASE": self.url, "RLM_REPORTS_PER_SECOND": "1000000"}
        quiet = ["--log-level", "error", "--no-access-log"]
        self._process = subprocess.Popen([*command, *quiet], env=environment)
        while True:
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                if self._process.poll() is not None:
                    raise RuntimeError("The server did not start.") from None
                time.sleep(0.05)

    def kill(self) -> None:
        """SIGKILL."""
        if self._process is not None:
            self._process.send_signal(signal.SIGKILL)
            self._process.wait()
            self._process = None


@contextmanager
def client(port: int, path: str, file: Path) -> Iterator[subprocess.Popen[bytes]]:
    """Phones that send the bodies in a file."""
    command = [sys.executable, "-m", "benchmarks.service.phones", str(port), path, str(file), str(CONNECTIONS)]
    running = subprocess.Popen(command, stdout=subprocess.PIPE)
    try:
        yield running
    finally:
        running.kill()
        running.wait()


def finished(running: subprocess.Popen[bytes]) -> Figures:
    """What the phones have seen."""
    output, _ = running.communicate(timeout=600)
    result: Figures = json.loads(output)
    return result
