"""All blocks of all files, each to its part; the same call again goes on where the last one stopped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from rlm_core.bulk.blocks import Block, find_blocks
from rlm_core.bulk.engine import run_tasks
from rlm_core.bulk.job import Done, Job, read_ledger, run_block
from rlm_core.bulk.ledger import LedgerFolder
from rlm_core.bulk.store import Folder

Progress = Callable[[int, int], None]
"""Is told how many rows are done, of how many."""


@dataclass(frozen=True, kw_only=True)
class Found:
    """What is in the folder when all is done, and what this call added."""

    rows: int
    parts: int
    new_parts: int
    blocks_charged: int
    digest: str


def privatise_files(
    job: Job,
    inputs: Sequence[str],
    *,
    workers: int | None = None,
    scheduler: str | None = None,
    progress: Progress | None = None,
) -> Found:
    """One report for each row of the files, in the job's folder.

    A block that cannot be read is an error at the end; the others are done by then, and stay. It quotes the cell where
    this machine reads the rows, not where the workers of a cluster do.

    Raises:
        ValueError, OSError: Of the first block that failed; the message says how many did.
    """
    check_places(job, inputs)
    blocks = [block for path in inputs for block in find_blocks(path, job.block_rows)]
    if not blocks:
        raise ValueError("Expected at least one row, got none.")
    total, done = sum(block.rows for block in blocks), 0
    results: list[Done] = []
    failed: list[Exception] = []
    # On a cluster errors pass the scheduler, which sees no rows.
    task: Callable[[Block], Done] = partial(run_block, job, quotes=scheduler is None)
    # Where blocks run, not here: the mechanism and its packages are then in the workers' memory alone.
    for block, result in run_tasks(task, blocks, workers=workers, scheduler=scheduler, first=job.start):
        if isinstance(result, Exception):
            failed.append(result)
        else:
            results.append(result)
        done += block.rows
        if progress is not None:
            progress(done, total)
    folder = Folder(job.out)
    for each in (folder, LedgerFolder(job.ledger_path)):
        each.sweep()  # every block is done or failed: what is left are draws of workers that died
    if failed:
        more = f" ({len(failed)} of {len(blocks)} blocks failed)" if len(failed) > 1 else ""
        kind = type(failed[0]) if isinstance(failed[0], ValueError | OSError) else ValueError
        raise kind(f"{failed[0]}{more}") from failed[0]
    missing = {each.part for each in results} - set(folder.names())
    if missing:
        raise OSError(f"Expected all parts in {job.out!r}, {len(missing)} are not there: {min(missing)}.")
    _, charges = read_ledger(job.out, job.ledger)
    return Found(
        rows=sum(each.rows for each in results),
        parts=len({each.part for each in results}),
        new_parts=sum(each.published for each in results),
        blocks_charged=sum(each.charged for each in results),
        digest=charges[0].digest,
    )


def check_places(job: Job, inputs: Sequence[str]) -> None:
    """Raise if people's rows or the mechanism lie where their reports go: all of that folder is passed on."""
    out = Folder(job.out)
    inside = next((path for path in inputs if out.holds(Folder(path))), None)
    if inside is not None:
        raise ValueError(
            f"Expected another folder for --out than that of the rows, got {job.out!r}, which holds {inside}: what is "
            "in it is passed on. Nothing was drawn."
        )
    if Path(job.model).is_dir() and (out.holds(Folder(job.model)) or Folder(job.model).holds(out)):
        raise ValueError(
            f"Expected another folder for --out than the mechanism's, got {job.out!r} and {job.model!r}. Nothing was "
            "drawn."
        )


def part_names(out: str) -> list[str]:
    """The parts in a folder."""
    return [name for name in Folder(out).names() if name.endswith(".parquet")]
