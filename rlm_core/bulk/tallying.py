"""The reports in a folder of parts as one tally: part by part, on one process, several, or a cluster."""

from __future__ import annotations

from functools import partial, reduce

from rlm_core.bulk.engine import run_tasks
from rlm_core.bulk.parts import read_part
from rlm_core.bulk.run import part_names
from rlm_core.bulk.store import Folder
from rlm_core.report import Report
from rlm_core.report_tally import ReportTally

TOGETHER = 16
"""Parts that one task tallies."""


def tally_parts(out: str, *, workers: int | None = 1, scheduler: str | None = None) -> ReportTally:
    """The tally of all reports in a folder; one part is in memory at a time."""
    names = part_names(out)
    if not names:
        raise FileNotFoundError(f"Expected parts of reports in {out!r}, found none.")
    groups = [tuple(names[start : start + TOGETHER]) for start in range(0, len(names), TOGETHER)]
    found = []
    for _, result in run_tasks(partial(_tally, out), groups, workers=workers, scheduler=scheduler):
        if isinstance(result, Exception):
            raise result
        found.append(ReportTally.from_bytes(result))
    return reduce(ReportTally.__add__, found)


def read_parts(out: str) -> list[Report]:
    """All reports in a folder, one by one: for those that a tally cannot hold."""
    folder = Folder(out)
    return [report for name in part_names(out) for report in read_part(folder.read(name))]


def _tally(out: str, names: tuple[str, ...]) -> bytes:
    folder = Folder(out)
    return reduce(ReportTally.__add__, (ReportTally.of(read_part(folder.read(name))) for name in names)).to_bytes()
