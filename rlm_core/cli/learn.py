"""``rlm learn``: a classifier from reports."""

from __future__ import annotations

import argparse
import math
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rlm_core.cli.own_data import model_folder, parser_of, show, shown_warnings

if TYPE_CHECKING:
    from rlm_core.privatiser import LocalPrivatiser
    from rlm_core.report import Report
    from rlm_core.report_tally import ReportTally

STEPS = "{desc} ({n_fmt} of {total_fmt} steps done)"
"""Steps are few and unlike: the time that some took says nothing of the others."""


def _received(options: argparse.Namespace, kind: str) -> Path | ReportTally | list[Report]:
    """A file of reports as it is; parts in a folder, or at an address, as one tally, or one by one for a V-RLM."""
    from rlm_core.bulk.tallying import read_parts, tally_parts
    from rlm_core.privatiser.plan import VRLM

    if "://" in options.reports or Path(options.reports).is_dir():
        if kind == VRLM:
            return read_parts(options.reports)
        return tally_parts(options.reports, workers=options.workers, scheduler=options.scheduler)
    return Path(options.reports)


def _usable(options: argparse.Namespace, privatiser: LocalPrivatiser) -> tuple[list[Report], dict[str, list[int]]]:
    """What can be learnt from, one report after the other; and which ones cannot, by the reason."""
    from rlm_core.bulk.tallying import read_parts
    from rlm_core.privatiser.received import usable

    bulk = "://" in options.reports or Path(options.reports).is_dir()
    given = read_parts(options.reports) if bulk else Path(options.reports)
    epsilon = privatiser.epsilon if options.epsilon is None else options.epsilon
    if math.isinf(epsilon) and not math.isinf(privatiser.epsilon):
        raise ValueError("Expected a finite --epsilon, got infinity: the model was not fitted for that.")
    lam = privatiser.lam if options.lam is None else options.lam
    kept, left_out = usable(given, privatiser.method_, len(privatiser.classes_), epsilon=epsilon, lam=lam)
    if not kept:
        raise ValueError(
            f"Expected at least one report at epsilon = {epsilon:g} that can be used, got none: "
            f"{_counted(left_out) or 'no reports'}. If the collection was at another epsilon, say so with --epsilon."
        )
    out = sum(map(len, left_out.values()))
    if out > len(kept) and (options.out is None or options.out.resolve() == options.model.resolve()):
        raise ValueError(
            f"Expected to use at least half of the reports, got {len(kept):,} of {len(kept) + out:,} at epsilon = "
            f"{epsilon:g}: {_counted(left_out)}. Nothing was learnt, and the saved classifier is as it was. If the "
            "collection was at another epsilon, say so with --epsilon; to learn from the few, name another folder with "
            "--out."
        )
    return kept, left_out


def _counted(left_out: dict[str, list[int]]) -> str:
    """How many there are of each reason, and where the first is.

    >>> _counted({"without a label": [3, 5], "at another epsilon": [7]})
    '2 without a label (first: report 3), 1 at another epsilon (first: report 7)'
    """
    return ", ".join(f"{len(which)} {reason} (first: report {which[0]})" for reason, which in left_out.items())


def _next(bar: Any, words: str) -> None:
    """One step is done, and the next is called so."""
    bar.set_description_str(words, refresh=False)
    bar.update(1)


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    parser = parser_of(
        "learn",
        "Learn a classifier from reports, and keep it in the model's folder.",
        "rlm learn reports.parquet --model mine --test test.csv",
    )
    parser.add_argument("reports", help="what `rlm privatise` wrote: a file, or a folder of parts (s3://… too)")
    parser.add_argument("--model", required=True, help="the folder that they were made with, or its name")
    parser.add_argument("--test", type=Path, help="rows with labels, to measure with")
    parser.add_argument("--label", help="the label's column in the test rows (default: as fitted)")
    parser.add_argument(
        "--skip",
        action="store_true",
        help="leave out reports that cannot be used (no label, another epsilon or mechanism), and count them; if those "
        "are more than half, only with --out",
    )
    parser.add_argument("--epsilon", type=float, help="with --skip: of the collection (default: the model's)")
    parser.add_argument("--lam", type=float, help="with --skip: the record's share of it, of a V-RLM")
    parser.add_argument("--out", type=Path, help="another folder for model and classifier")
    parser.add_argument("--workers", type=int, default=1, help="local processes that tally parts (default: 1)")
    parser.add_argument("--scheduler", help="of a Dask cluster, tcp://…, that tallies parts")
    options = parser.parse_args(arguments)
    if not options.skip and (options.epsilon is not None or options.lam is not None):
        raise ValueError("Expected --epsilon and --lam with --skip alone: without it, all reports have to agree.")
    options.model = Path(model_folder(options.model))
    from tqdm import tqdm

    from rlm_core.collector.wilson import wilson
    from rlm_core.pictures import read_pictures
    from rlm_core.privatiser import LocalPrivatiser
    from rlm_core.tables import read_table

    facts: dict[str, Any] = {}
    left_out: dict[str, list[int]] = {}
    steps = 2 if options.test is None else 3
    bar = tqdm(total=steps, desc="load", bar_format=STEPS, disable=options.json or None)
    with shown_warnings() as warned, bar:
        privatiser = LocalPrivatiser.load(options.model)
        _next(bar, "learn")
        if options.skip and len(privatiser.classes_):
            kept, left_out = _usable(options, privatiser)
            privatiser.learn(kept)
        else:
            privatiser.learn(_received(options, privatiser.plan_.kind))
        _next(bar, "test" if steps == 3 else "done")
        if options.test is not None:
            frame = read_table(options.test) if privatiser.pictures_ is None else read_pictures(options.test)
            tested = privatiser.tested(frame, options.label or privatiser.label_)
            low, high = (float(each) for each in wilson(tested.accuracy, tested.rows, confidence=0.95))
            facts = {"accuracy": tested.accuracy, "low": low, "high": high}
            facts |= {"majority": tested.majority, "test_rows": tested.rows}
            _next(bar, "done")
    where = privatiser.save(options.out or options.model)
    lines = [f"learnt from {privatiser.reports_:,} reports at epsilon = {privatiser.reports_epsilon_:g}: {where}"]
    if left_out:
        lines.append(f"left out {sum(map(len, left_out.values())):,} reports: {_counted(left_out)}")
    if facts:
        lines.append(
            f"accuracy {tested.accuracy:.1%} on {tested.rows:,} test rows (95 % interval {low:.1%} to {high:.1%}); "
            f"always the commonest class: {tested.majority:.1%}"
        )
    common = {"out": str(where), "reports": privatiser.reports_, "epsilon": privatiser.reports_epsilon_}
    if options.skip:
        common["left_out"] = {reason: len(which) for reason, which in left_out.items()}
    show(options, common | facts | {"warnings": warned}, lines)
    return 0
