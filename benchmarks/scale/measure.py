"""``python -m benchmarks scale``: bulk work on this machine, stage by stage; an interrupted run goes on.

    python -m benchmarks scale                       10 million rows, 1 million digits
    python -m benchmarks scale --rows 200000 --digits 20000 --again

Every stage runs ``rlm privatise`` in processes of its own. Rates are of the steady state (from the first part to
the last, without the start of the workers), memory is the sum of the peaks of all processes of a call.
"""

from __future__ import annotations

import argparse
import json
import platform
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from benchmarks.result_file import write_result
from benchmarks.scale.people import fit_model, write_digits, write_tables
from benchmarks.scale.runs import look, privatise
from benchmarks.scale.tally_loss import tally_loss
from rlm_core.bulk.ledger import beside

RESULT = Path(__file__).resolve().parents[1] / "results" / "scale.json"
EPSILON = 4.0
DIGITS_MODEL = "mnist-qrlm-k12"
MILLION = 1_000_000
SCALING = 0.85  # of 64 cores so much is work: what two workers over one must reach, halved
Figures = dict[str, Any]
MEANING = {
    "rows": "people of the table that were privatised, two workers",
    "rows_per_second_per_core": "of the table, one worker",
    "digits": "digits that were privatised with their labels, two workers",
    "digits_per_second_per_core": "of them, per worker",
    "peak_mb_1m": "sum of the peaks of all processes, first million rows (fewer if rows are fewer), two workers",
    "peak_mb_10m": "the same for all rows",
    "peak_mb_digits": "the same for the digits",
    "two_workers_over_one": "rows a second",
    "kills": "kill -9 of a worker between charge and publication, over all runs",
    "lost": "reports that were missing after them",
    "doubled": "reports that were there twice",
    "ledger_exact": "every block charged once, with its rows, after every run",
    "tally_bytes": "of all the table's reports",
    "tally_learn_seconds": "a classifier from that tally",
    "bytes_per_report": "in the parts",
    "billion": "people on paper: core hours, hours, gigabytes",
    "tally_loss": "accuracy from reports and from their tally, the same reports",
    "device": "what ran the encoder",
}


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line."""
    parser.add_argument("--rows", type=int, default=10 * MILLION, help="of the table (default: %(default)s)")
    parser.add_argument("--digits", type=int, default=MILLION, help="(default: %(default)s)")
    parser.add_argument("--kill-rows", type=int, default=MILLION, help="in each of the killed runs")
    parser.add_argument("--kill-runs", type=int, default=3, help="with one killed worker each (default: %(default)s)")
    parser.add_argument("--draws", type=int, default=3, help="for the tally's loss (default: %(default)s)")
    parser.add_argument("--block-rows", type=int, default=65_536, help="(default: %(default)s)")
    parser.add_argument("--work", type=Path, default=Path("runs/scale"), help="people, reports and finished stages")
    parser.add_argument("--out", type=Path, default=RESULT, help="where the figures go (default: the results)")
    parser.add_argument("--again", action="store_true", help="measure finished stages again")


def main(options: argparse.Namespace) -> int:
    """Run the stages that are missing, and write the figures."""
    work = options.work.resolve()
    work.mkdir(parents=True, exist_ok=True)
    figures: Figures = {}
    for name, stage in STAGES.items():
        kept = work / f"stage-{name}.json"
        asked = {key: str(value) for key, value in vars(options).items() if key not in ("again", "out", "work")}
        found = json.loads(kept.read_text()) if kept.is_file() and not options.again else {}
        if found.get("asked") != asked:
            start = time.perf_counter()
            found = {"figures": stage(options, work, figures), "seconds": round(time.perf_counter() - start, 1)}
            write_result(kept, found | {"asked": asked})
        print(f"{name:<8}{found['seconds']:>7} s  {json.dumps(found['figures'])[:150]}", flush=True)
        figures |= found["figures"]
    figures["billion"] = billion(figures, options.block_rows)
    figures |= {"device": "cpu", "machine": f"{platform.machine()}, {_cores()} cores"}
    write_result(options.out, figures)
    print(f"{options.out}")
    return 0 if not figures["lost"] and not figures["doubled"] and figures["ledger_exact"] else 1


def billion(figures: Figures, block_rows: int) -> Figures:
    """A billion people on paper, from what was measured; docs/scale.md has the assumptions."""
    people = 10**9
    core_hours = people / figures["rows_per_second_per_core"] / 3600
    return {
        "core_hours": round(core_hours, 1),
        "hours_on_64_cores": round(core_hours / 64 / SCALING, 2),
        "digits_core_hours": round(people / figures["digits_per_second_per_core"] / 3600, 1),
        "parts": -(-people // block_rows),
        "report_gigabytes": round(people * figures["bytes_per_report"] / 1e9, 1),
        "tally_core_hours": round(figures["tally_seconds"] / figures["tally_reports"] * people / 3600, 2),
        "tally_bytes": figures["tally_bytes"],
    }


def _people(options: argparse.Namespace, work: Path, _: Figures) -> Figures:
    fit_model(work / "mine", epsilon=EPSILON, reports=options.rows)
    write_tables(work / "people", options.rows)
    write_tables(work / "million", min(MILLION, options.rows))
    write_tables(work / "killed", options.kill_rows)
    write_digits(work / "digits", options.digits)
    return {}


def _one(options: argparse.Namespace, work: Path, _: Figures) -> Figures:
    rows = min(MILLION, options.rows)
    out = _fresh(work / "reports-one")
    run = privatise(str(work / "million"), str(work / "mine"), out, *_block(options), workers=1)
    found = look(out, rows)
    return {
        "rows_per_second_per_core": round(found.rows_per_second),
        "cpu_microseconds_per_row": round(1e6 * run.cpu_seconds / rows, 2),
        "ledger_exact": found.ledger_exact,
    }


def _million(options: argparse.Namespace, work: Path, figures: Figures) -> Figures:
    rows = min(MILLION, options.rows)
    out = _fresh(work / "reports-million")
    run = privatise(str(work / "million"), str(work / "mine"), out, *_block(options), workers=2)
    exact = look(out, rows).ledger_exact and figures["ledger_exact"]
    return {"peak_mb_1m": round(run.peak_mb), "ledger_exact": exact}


def _all(options: argparse.Namespace, work: Path, figures: Figures) -> Figures:
    out = _fresh(work / "reports-all")
    run = privatise(str(work / "people"), str(work / "mine"), out, *_block(options), workers=2)
    found = look(out, options.rows)
    return {
        "rows": found.reports,
        "peak_mb_10m": round(run.peak_mb),
        "seconds_all_rows": round(run.seconds, 1),
        "bytes_per_report": round(sum(path.stat().st_size for path in out.glob("*.parquet")) / found.reports, 2),
        "two_workers_over_one": round(found.rows_per_second / figures["rows_per_second_per_core"], 2),
        "ledger_exact": found.ledger_exact and figures["ledger_exact"],
    }


def _digits(options: argparse.Namespace, work: Path, figures: Figures) -> Figures:
    out = _fresh(work / "reports-digits")
    with_label = ("--label", "label", "--epsilon", str(EPSILON))
    run = privatise(str(work / "digits"), DIGITS_MODEL, out, *with_label, *_block(options), workers=2)
    found = look(out, options.digits)
    return {
        "digits": found.reports,
        "digits_per_second_per_core": round(found.rows_per_second / 2),
        "peak_mb_digits": round(run.peak_mb),
        "ledger_exact": found.ledger_exact and figures["ledger_exact"],
    }


def _kills(options: argparse.Namespace, work: Path, figures: Figures) -> Figures:
    kills = lost = doubled = 0
    exact = figures["ledger_exact"]
    block = ("--block-rows", str(min(options.block_rows, max(1, options.kill_rows // 30))))
    for number in range(options.kill_runs):
        out = _fresh(work / f"reports-killed-{number}")
        run = privatise(str(work / "killed"), str(work / "mine"), out, *block, workers=2, kills=1)
        found = look(out, options.kill_rows)
        kills, lost, doubled = kills + run.kills, lost + found.lost, doubled + found.doubled
        exact = exact and found.ledger_exact
    return {"kills": kills, "lost": lost, "doubled": doubled, "ledger_exact": exact}


def _tally(options: argparse.Namespace, work: Path, _: Figures) -> Figures:
    from rlm_core.bulk.tallying import tally_parts

    start = time.perf_counter()
    tally = tally_parts(str(work / "reports-all"))
    counted = time.perf_counter() - start
    privatiser = fit_model(work / "mine", epsilon=EPSILON, reports=options.rows)
    start = time.perf_counter()
    privatiser.learn(tally)
    learnt = time.perf_counter() - start
    return {
        "tally_reports": tally.people,
        "tally_bytes": len(tally.to_bytes()),
        "tally_seconds": round(counted, 2),
        "tally_learn_seconds": round(learnt, 3),
    }


def _loss(options: argparse.Namespace, work: Path, _: Figures) -> Figures:
    return {"tally_loss": tally_loss(work, draws=options.draws)}


STAGES: dict[str, Callable[[argparse.Namespace, Path, Figures], Figures]] = {
    "people": _people,
    "one": _one,
    "million": _million,
    "all": _all,
    "digits": _digits,
    "kills": _kills,
    "tally": _tally,
    "loss": _loss,
}


def _block(options: argparse.Namespace) -> tuple[str, str]:
    return "--block-rows", str(options.block_rows)


def _fresh(folder: Path) -> Path:
    """A folder of reports for a new measurement: the people are made up, so nobody spends twice."""
    for each in (folder, Path(beside(str(folder)))):
        shutil.rmtree(each, ignore_errors=True)
    return folder


def _cores() -> int:
    import os

    return os.cpu_count() or 1
