"""One call of ``rlm privatise``, watched: how long, how much memory, and what is in the folder afterwards."""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import psutil
import pyarrow.parquet as pq

from rlm_core.bulk.job import read_ledger
from rlm_core.bulk.ledger import CHARGES, beside
from rlm_core.bulk.run import part_names

ROOT = Path(__file__).resolve().parents[2]
WATCH, WATCH_TO_KILL = 0.25, 0.02  # seconds between two looks


@dataclass(frozen=True, kw_only=True)
class Run:
    """Of a whole call: wall and processor seconds, the sum of every process's own peak of memory, and the kills.

    That sum is never below the peak of all together: what they share counts for each, and peaks need not coincide.
    """

    seconds: float
    cpu_seconds: float
    peak_mb: float
    kills: int
    facts: dict[str, int | float | str]


@dataclass(frozen=True, kw_only=True)
class Folder:
    """What a folder of parts holds against what went in."""

    reports: int
    lost: int
    doubled: int
    ledger_exact: bool
    rows_per_second: float


def privatise(table: str, model: str, out: Path, *options: str, workers: int, kills: int = 0) -> Run:
    """Run the command in processes of its own; kill -9 a worker so many times, each in the middle of a block."""
    command = [sys.executable, "-m", "rlm_core", "privatise", table, "--model", model, "--out", f"{out}/"]
    command += ["--workers", str(workers), "--json", *options]
    environment = os.environ | {"OMP_NUM_THREADS": "1"}
    start, killed = time.perf_counter(), 0
    cpu: dict[int, float] = {}
    peaks: dict[int, float] = {}
    seen: dict[str, str] = {}
    process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True)
    root = psutil.Process(process.pid)
    at_last_kill = 0
    while process.poll() is None:
        family = _family(root)
        cpu |= {each.pid: _seconds(each) for each in family}
        peaks |= {each.pid: max(_peak(each), peaks.get(each.pid, 0.0)) for each in family}
        if killed < kills:
            charged, published = _entries(out)
            if charged > published > at_last_kill:  # some block is charged and not yet published
                victim = _workers(family)[killed % workers :][:1]
                if victim:
                    seen |= digests(out)
                    os.kill(victim[0].pid, signal.SIGKILL)
                    killed, at_last_kill = killed + 1, published + 1
        time.sleep(WATCH_TO_KILL if killed < kills else WATCH)
    text = process.communicate()[0]
    seconds = time.perf_counter() - start
    if process.returncode:
        raise RuntimeError(f"{' '.join(command)} ended with {process.returncode}: {text}")
    after = digests(out) if seen else {}
    if any(after.get(name) != digest for name, digest in seen.items()):
        raise RuntimeError("A part that was published has changed.")
    return Run(
        seconds=seconds,
        cpu_seconds=sum(cpu.values()),
        peak_mb=sum(peaks.values()),
        kills=killed,
        facts=json.loads(text),
    )


def look(out: Path, rows: int) -> Folder:
    """Count reports by block: every block of the ledger has one part with its rows, and nothing else is there."""
    names = part_names(str(out))
    counts = {name: pq.read_metadata(out / name).num_rows for name in names}
    ledger, charges = read_ledger(str(out))
    expected = {each.part: each.rows for each in charges}
    lost = sum(max(0, count - counts.get(name, 0)) for name, count in expected.items())
    doubled = sum(max(0, count - expected.get(name, 0)) for name, count in counts.items())
    places = {(each.input, each.block) for each in charges}
    once = len(places) == len(charges) == len(names)
    spent = {ledger.spent(each.name) for each in charges}
    exact = once and spent == {charges[0].epsilon_x + charges[0].epsilon_y} and sum(expected.values()) == rows
    reports = sum(counts.values())
    return Folder(
        reports=reports,
        lost=lost + max(0, rows - reports - lost),
        doubled=doubled,
        ledger_exact=exact,
        rows_per_second=_rate(out, counts),
    )


def _rate(out: Path, counts: dict[str, int]) -> float:
    """Rows a second from the first part to the last; of a single part, from the start of the job."""
    times = sorted(((out / name).stat().st_mtime, count) for name, count in counts.items())
    if len(times) == 1:
        times.insert(0, ((out / "job.json").stat().st_mtime, 0))
    return sum(count for _, count in times[1:]) / max(1e-3, times[-1][0] - times[0][0])


def digests(out: Path) -> dict[str, str]:
    """SHA-256 of every part that is there."""
    return {name: hashlib.sha256((out / name).read_bytes()).hexdigest() for name in part_names(str(out))}


def _entries(out: Path) -> tuple[int, int]:
    folder = Path(beside(str(out))) / CHARGES
    names = os.listdir(folder) if folder.is_dir() else []
    return sum(name.endswith(".json") for name in names), sum(name.endswith(".published") for name in names)


def _family(root: psutil.Process) -> list[psutil.Process]:
    try:
        return [root, *root.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []


def _workers(family: list[psutil.Process]) -> list[psutil.Process]:
    """The processes that run blocks: those that Dask's nannies have spawned."""
    found = []
    for each in family:
        try:
            if "spawn_main" in " ".join(each.cmdline()):
                found.append(each)
        except psutil.Error:
            continue
    return sorted(found, key=lambda each: each.pid)


def _peak(process: psutil.Process) -> float:
    """The most memory that a process has had so far, MB; where the system does not tell, what it has now."""
    try:
        with open(f"/proc/{process.pid}/status") as file:
            return next((int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM")), 0.0)
    except OSError:
        pass
    try:
        return float(process.memory_info().rss) / 2**20
    except psutil.Error:
        return 0.0


def _seconds(process: psutil.Process) -> float:
    try:
        times = process.cpu_times()
        return float(times.user + times.system)
    except psutil.Error:
        return 0.0
