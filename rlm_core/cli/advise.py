"""``rlm advise``: which ε for which accuracy, from simulations on public rows."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from rlm_core.cli.own_data import counted_bar, parser_of, read_schema, show, shown_warnings

MANY_CLASSES = 20
"""From here on a collection takes seconds to minutes."""


def main(arguments: Sequence[str]) -> int:
    """Run the command; exit code 1 if no ε of the grid reaches the wish."""
    parser = parser_of(
        "advise",
        "Simulate collections on public rows, for every mechanism (the V-RLM only with --vrlm), and say which epsilon "
        "reaches an accuracy.",
        "rlm advise public.csv --label income --people 20000 --accuracy 0.8 --out advice.html",
    )
    parser.add_argument("table", type=Path, help="public rows with labels: CSV or parquet; or a folder of pictures")
    parser.add_argument(
        "--label", required=True, help="the column that is to be learnt; of pictures: folder, or a CSV file"
    )
    parser.add_argument("--people", type=int, required=True, help="how many will send a report")
    parser.add_argument("--accuracy", type=float, required=True, help="the wish, 0.8 for 80 %%")
    parser.add_argument("--epsilon", type=float, action="append", help="of the grid (may be repeated)")
    parser.add_argument("--schema", type=Path, help="a schema in JSON, as schema.json of a fitted folder")
    parser.add_argument("--draws", type=int, default=5, help="collections of a split (default: %(default)s)")
    parser.add_argument("--splits", type=int, default=2, help="of the public rows (default: %(default)s)")
    parser.add_argument("--seed", type=int, default=0, help="of splits and simulations (default: %(default)s)")
    parser.add_argument(
        "--vrlm",
        action="store_true",
        help="simulate the paper's V-RLM too; it trains networks: minutes, and 250 rows at least",
    )
    parser.add_argument("--out", type=Path, help="a self-contained HTML report")
    options = parser.parse_args(arguments)
    if options.draws < 1 or options.splits < 1:
        raise ValueError(f"Expected --draws and --splits >= 1, got {options.draws} and {options.splits}.")
    _check_out(options.out)
    import json

    from rlm_core.privatiser.advice import EPSILONS, advise
    from rlm_core.privatiser.advice_page import page

    schema = read_schema(options.schema)
    epsilons = options.epsilon or EPSILONS
    public, classes = _public(options.table, options.label)
    said = False
    with shown_warnings(), counted_bar("simulate", "cell", quiet=options.json) as count:

        def step(done: int, total: int) -> None:
            nonlocal said
            if not said:  # nothing was refused
                _say_beforehand(options, total, classes)
                said = True
            count(done, total)

        advice = advise(
            public,
            options.label,
            people=options.people,
            accuracy=options.accuracy,
            epsilons=epsilons,
            schema=schema,
            draws=options.draws,
            splits=options.splits,
            seed=options.seed,
            vrlm=options.vrlm,
            progress=step,
        )
    advice = replace(advice, table=str(options.table))
    show(options, json.loads(advice.to_json()), advice.sentences())
    if options.out is not None:  # after the answer, which took minutes
        options.out.write_text(page(advice), encoding="utf-8")
        if not options.json:
            print(f"report: {options.out}")
    return 0 if advice.chosen is not None else 1


def _check_out(out: Path | None) -> None:
    """Raise for a report that could not be written, before minutes of simulation."""
    if out is None:
        return
    from rlm_core.privatiser.place import check_writable

    if out.is_dir():
        raise ValueError(f"Expected a file for --out, got the folder {str(out)!r}.")
    if out.suffix.lower() not in (".html", ".htm"):
        raise ValueError(f"Expected a file that ends in .html for --out, got {out.name!r}.")
    if not out.parent.is_dir():
        raise ValueError(f"Expected a folder that is there for --out, got {str(out.parent)!r}.")
    check_writable(out)


def _public(table: Path, label: str) -> tuple[Any, int]:
    """The public rows or pictures, and how many classes they have."""
    from rlm_core.pictures import are_pictures, read_pictures
    from rlm_core.privatiser.labels import rows_of_classes
    from rlm_core.privatiser.records import label_pictures, split_label
    from rlm_core.tables import read_table

    public: Any
    if are_pictures(table):
        public = read_pictures(table)
        labels = label_pictures(public, label)[1]
    else:
        public = read_table(table)
        labels = split_label(public, label)[1]
    return public, len(rows_of_classes(() if labels is None else labels))


def _say_beforehand(options: argparse.Namespace, cells: int, classes: int) -> None:
    """How much is to be simulated, on the error stream: with a terminal a bar follows, without one nothing does."""
    said = f"simulating {cells} cells (mechanisms × epsilons × splits), collections in each: {options.draws}"
    if classes > MANY_CLASSES:
        said += (
            f". With {classes} classes a collection takes up to minutes, the last ones the longest: is {options.label} "
            "the right label? --epsilon (one of the grid), --splits 1 and --draws 1 make it shorter"
        )
    print(f"rlm advise: {said}.", file=sys.stderr)
