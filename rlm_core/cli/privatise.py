"""``rlm privatise``: people's rows to reports, by the release path."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rlm_core.cli.own_data import parser_of, show


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    parser = parser_of(
        "privatise",
        "Release one report for each row. Each call spends epsilon for every row again.",
        "rlm privatise people.csv --model mine --epsilon 4 --out reports.parquet",
    )
    parser.add_argument("table", type=Path, help="people's rows: CSV or parquet")
    parser.add_argument("--model", type=Path, required=True, help="a folder that `rlm fit` wrote")
    parser.add_argument("--epsilon", type=float, help="of one report (default: the one it was fitted for)")
    parser.add_argument("--label", help="the label's column (default: the one it was fitted with)")
    parser.add_argument("--no-label", action="store_true", help="send records without labels")
    parser.add_argument("--out", type=Path, required=True, help="reports as .parquet, or as lines of JSON")
    options = parser.parse_args(arguments)
    from tqdm import tqdm

    from rlm_core.privatiser import LocalPrivatiser
    from rlm_core.privatiser.received import write_reports
    from rlm_core.tables import read_table

    if options.out.exists():
        raise ValueError(f"Expected a new file for --out, got {options.out.name!r}, which is there.")
    privatiser = LocalPrivatiser.load(options.model)
    if options.epsilon is not None:
        privatiser.set_params(epsilon=options.epsilon)
    label = None if options.no_label else options.label or privatiser.label_
    if label is None and not options.no_label and len(privatiser.classes_):
        raise ValueError("Expected --label NAME for the labels' column, or --no-label; got neither.")
    frame = read_table(options.table)
    with tqdm(total=len(frame), desc="privatise", unit="row", disable=options.json or None) as bar:

        def step(done: int) -> None:
            bar.update(done - bar.n)

        reports = privatiser.privatise(frame, label, progress=step)
    write_reports(reports, options.out)
    facts = {"out": str(options.out), "reports": len(reports), "epsilon": reports.epsilon, "digest": reports.digest}
    lines = [f"{len(reports):,} reports: {options.out}", f"each row has spent epsilon = {reports.epsilon:g}"]
    show(options, facts, lines)
    return 0
