"""``rlm privatise``: people's rows to reports, by the release path: one file, or any number of blocks."""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from rlm_core.cli.ledger_file import LedgerFile
from rlm_core.cli.own_data import model_folder, parser_of, show
from rlm_core.cli.shipped_table import is_shipped_table, release_shipped
from rlm_core.types import positive

if TYPE_CHECKING:
    from rlm_core.owner.budget import Ledger
    from rlm_core.release import OnProgress, Releases


MOST_BY_DEFAULT = 20.0
"""The largest ε that a model's card may choose: the folder can be somebody else's, and the rows are not theirs."""


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    parser = parser_of(
        "privatise",
        "Release one report for each row. One CSV or parquet file goes to one file, and so do pictures (a folder of "
        "them, or one) by a model of your own; each call spends epsilon for every row again. A pattern, any other "
        "folder, an address (s3://…) or pictures for a shipped model are bulk work: blocks of .parquet and .npy files "
        "go to parts in a folder, each once, and the same call goes on where it stopped. Pass on what is in --out, "
        "nothing else: the ledger, by default the folder --out.ledger, stays with you. It has the names of your files "
        "and the key of their digests, with which guesses of a row can be tested.",
        "rlm privatise people.csv --model mine --epsilon 4 --out reports.parquet\n"
        "  rlm privatise loans.csv --model lending-qrlm-k96 --epsilon 4 --out reports.parquet\n"
        "  rlm privatise 'people/*.parquet' --model mine --epsilon 4 --out reports/ --workers 2\n"
        "  rlm privatise digits.npy --model mnist-qrlm-k12 --epsilon 4 --no-label --out reports/",
    )
    parser.add_argument("table", help="people's rows: a file, a folder, or a pattern in quotes")
    parser.add_argument("--model", required=True, help="a folder that `rlm fit` wrote, or a name in `rlm models`")
    parser.add_argument(
        "--epsilon",
        type=float,
        help=f"of one report (default: the one it was fitted for; above {MOST_BY_DEFAULT:g} it has to be said)",
    )
    parser.add_argument("--label", help="the label's column (default: the one it was fitted with)")
    parser.add_argument("--no-label", action="store_true", help="send records without labels")
    parser.add_argument("--out", required=True, help="reports as .parquet or lines of JSON; bulk: a folder")
    parser.add_argument(
        "--ledger",
        help="a folder that stays with you: what was charged, for this --out alone (default: --out with .ledger at "
        "its end; needed where --out is an address, s3://…: not in the bucket that others read)",
    )
    parser.add_argument("--lam", type=float, help="the record's share of epsilon, where a label goes by itself")
    bulk = parser.add_argument_group("bulk work")
    bulk.add_argument("--workers", type=int, help="local processes (default: one a core)")
    bulk.add_argument("--scheduler", help="of a Dask cluster, tcp://…, instead of local processes")
    bulk.add_argument("--block-rows", type=int, help="rows of a block at most (default: 65,536)")
    options = parser.parse_args(arguments)
    if options.workers is not None and options.workers < 1:
        raise ValueError(f"Expected --workers >= 1, got {options.workers}.")
    if options.epsilon is not None:
        check_private(options.epsilon)
    if options.label is not None and options.no_label:
        raise ValueError(f"Expected --label {options.label} or --no-label, got both.")
    options.model = model_folder(options.model)
    if (Path(options.model) / "pictures.json").is_file():
        if any(each is not None for each in (options.workers, options.scheduler, options.block_rows)):
            raise ValueError(
                "Expected no --workers, --scheduler or --block-rows: own pictures are privatised in one process, "
                "a folder or a file of them at a time."
            )
        return _one_file(options)
    return _bulk(options) if _is_bulk(options) else _one_file(options)


def check_private(epsilon: float) -> None:
    """Raise for what is no ε, and at ε = ∞, where reports are records in the clear: this releases people's rows."""
    if math.isinf(epsilon):
        raise ValueError(
            "Expected a finite epsilon, got infinity: nothing would be private. Such reports are for comparisons, on "
            "rows that are public: LocalPrivatiser makes them, in Python."
        )
    positive("epsilon", epsilon)


def announce(options: argparse.Namespace, epsilon: float) -> None:
    """Say what every row will spend, before anything is drawn; raise if that is much and only a card says so."""
    from tqdm import tqdm

    check_private(epsilon)
    if options.epsilon is None and epsilon > MOST_BY_DEFAULT:
        raise ValueError(
            f"Expected --epsilon with {options.model}, which was fitted for epsilon = {epsilon:g}: above "
            f"{MOST_BY_DEFAULT:g} a report tells nearly everything, so it has to be said. Nothing was drawn."
        )
    if not options.json:
        tqdm.write(f"each row will spend epsilon = {epsilon:g}", file=sys.stderr)  # above a bar, if there is one


def _is_bulk(options: argparse.Namespace) -> bool:
    asked = any(each is not None for each in (options.workers, options.scheduler, options.block_rows))
    pattern = any(mark in options.table for mark in "*?[") or "://" in options.table + options.out
    folder = Path(options.table).is_dir() or options.out.endswith("/") or Path(options.out).is_dir()
    if asked or pattern or folder or options.table.endswith(".npy"):
        return True
    if is_shipped_table(options.model):  # a file that is named goes to a file that is named
        return options.table.endswith(".parquet") and not Path(options.out).suffix
    shipped = "/" not in options.model and not Path(options.model).exists() and not options.table.endswith(".csv")
    return (options.lam is not None and not Path(options.model).is_dir()) or shipped


def _one_file(options: argparse.Namespace) -> int:
    from tqdm import tqdm

    from rlm_core.bulk.ledger import check_apart
    from rlm_core.privatiser.received import write_reports
    from rlm_core.tables.errors import TooManyRows
    from rlm_core.tables.files import MOST_ROWS

    out = Path(options.out)
    beside = out.with_name(f"{out.name}.ledger")
    ledger = LedgerFile(path=Path(options.ledger or beside), input=Path(options.table))
    if options.ledger and ("://" in options.ledger or ledger.path.exists()):
        raise ValueError(f"Expected a new folder on this machine for --ledger, got {options.ledger!r}.")
    here, there = out.resolve(), ledger.path.resolve()
    if here == there or here in there.parents or there in here.parents:
        raise ValueError(f"Expected a ledger apart from --out {str(out)!r}, got {options.ledger!r}.")
    check_apart(str(ledger.path))
    for path in (out, beside, out.with_name(f"{out.name}.ledger.json")):  # the last one: of version 1.0.0
        if path.exists():
            raise ValueError(f"Expected a new file for --out, got {path.name!r}, which is there.")
    if not out.parent.is_dir():
        raise ValueError(f"Expected a folder that is there for --out, got {str(out.parent)!r}.")
    with tqdm(desc="privatise", unit="row", disable=options.json or None) as bar:

        def begin(rows: int) -> None:
            bar.reset(total=rows)  # so that the bar can say how long it will take

        def step(done: int) -> None:
            bar.update(done - bar.n)

        shipped = is_shipped_table(options.model)
        if shipped and options.epsilon is not None:
            announce(options, options.epsilon)
        release = release_shipped if shipped else _release_own
        try:
            reports = release(options, ledger, begin, step)
        except TooManyRows:  # nobody is to be left out of these
            raise TooManyRows(
                f"Expected at most {MOST_ROWS:,} rows for one file of reports, got more. Save them as parquet, in one "
                "file or several, and name a folder for the reports, --out reports/: that is bulk work, block by block "
                "(--workers, --block-rows). Nothing was drawn."
            ) from None
    try:
        write_reports(reports, out)
    except OSError as error:
        raise OSError(
            f"Expected to write {str(out)!r}, got: {error.strerror or error}. What was drawn is gone and nobody has "
            f"seen it, so no privacy was lost: make room, delete the ledger {str(ledger.path)!r}, and call again."
        ) from None
    facts = {
        "out": str(out),
        "ledger": str(ledger.path),
        "reports": len(reports),
        "epsilon": reports.epsilon,
        "digest": reports.digest,
    }
    spent = (
        f"each row has spent epsilon = {reports.epsilon:g} by these reports; the ledger stays with you: {ledger.path}"
    )
    show(options, facts, [f"{len(reports):,} reports: {out}", spent])
    return 0


def _release_own(options: argparse.Namespace, ledger: Ledger, begin: OnProgress, step: OnProgress) -> Releases:
    import pandas as pd
    from tqdm import tqdm

    from rlm_core.pictures import read_pictures
    from rlm_core.privatiser import LocalPrivatiser
    from rlm_core.tables import read_table
    from rlm_core.tables.files import notes_of_rows

    privatiser = LocalPrivatiser.load(options.model)
    if options.epsilon is not None:
        privatiser.set_params(epsilon=options.epsilon)
    announce(options, privatiser.epsilon)
    if options.lam is not None:
        privatiser.set_params(lam=options.lam)
    label = None if options.no_label else options.label or privatiser.label_
    if label is None and not options.no_label and len(privatiser.classes_):
        raise ValueError("Expected --label NAME for the labels' column, or --no-label; got neither.")
    source = read_table(options.table) if privatiser.pictures_ is None else read_pictures(options.table)
    if isinstance(source, pd.DataFrame) and not options.json:
        for note in notes_of_rows(source):
            tqdm.write(f"note: {note}", file=sys.stderr)
    begin(len(source))
    return privatiser.privatise(source, label, ledger=ledger, record=str(options.table), progress=step)


def _bulk(options: argparse.Namespace) -> int:
    from tqdm import tqdm

    from rlm_core.bulk.blocks import BLOCK_ROWS, find_inputs
    from rlm_core.bulk.job import Job
    from rlm_core.bulk.ledger import beside
    from rlm_core.bulk.run import privatise_files

    epsilon, label = _own_defaults(options)
    model = str(Path(options.model).resolve()) if Path(options.model).is_dir() else options.model
    out = options.out if "://" in options.out else str(Path(options.out).resolve())
    block_rows = BLOCK_ROWS if options.block_rows is None else options.block_rows
    ledger = options.ledger
    if ledger is None:
        ledger = beside(out)
    elif "://" not in ledger:
        ledger = str(Path(ledger).resolve())
    job = Job(model=model, epsilon=epsilon, out=out, block_rows=block_rows, label=label, lam=options.lam, ledger=ledger)
    inputs = find_inputs(options.table)
    with tqdm(desc="privatise", unit="row", unit_scale=True, disable=options.json or None) as bar:

        def step(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        found = privatise_files(job, inputs, workers=options.workers, scheduler=options.scheduler, progress=step)
    facts = {
        "out": options.out,
        "ledger": job.ledger_path,
        "reports": found.rows,
        "parts": found.parts,
        "new_parts": found.new_parts,
        "blocks_charged": found.blocks_charged,
        "epsilon": epsilon,
        "digest": found.digest,
    }
    lines = [
        f"{found.rows:,} reports in {found.parts:,} parts, {found.new_parts:,} of them new: {options.out}",
        f"each row has spent epsilon = {epsilon:g} by these reports, once; "
        f"the ledger stays with you: {job.ledger_path}",
    ]
    show(options, facts, lines)
    return 0


def _own_defaults(options: argparse.Namespace) -> tuple[float, str | None]:
    """ε and the label's column: as an own folder was fitted, unless said otherwise."""
    from rlm_core.bulk.source import own_card

    epsilon, label, card = options.epsilon, options.label, own_card(options.model)
    if card is not None:
        epsilon = card["parameters"]["epsilon"] if epsilon is None else epsilon
        label = label or card["label"]
    needed = card is None or card["classes"]
    if label is None and needed and not options.no_label:
        raise ValueError("Expected --label NAME for the labels' column, or --no-label; got neither.")
    if epsilon is None:
        raise ValueError(f"Expected --epsilon for {options.model}.")
    announce(options, float(epsilon))
    return epsilon, None if options.no_label else label
