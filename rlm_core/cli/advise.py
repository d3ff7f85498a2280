"""``rlm advise``: which ε for which accuracy, from simulations on public rows."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rlm_core.cli.own_data import parser_of, show, shown_warnings


def main(arguments: Sequence[str]) -> int:
    """Run the command; exit code 1 if no ε of the grid reaches the wish."""
    parser = parser_of(
        "advise",
        "Simulate collections on public rows, for all mechanisms, and say which epsilon reaches an accuracy.",
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
    import json

    from tqdm import tqdm

    from rlm_core.privatiser.advice import EPSILONS, advise
    from rlm_core.privatiser.advice_page import page
    from rlm_core.tables import TableSchema

    schema = TableSchema.from_json(options.schema.read_text(encoding="utf-8")) if options.schema else None

    with shown_warnings(), tqdm(desc="simulate", unit="cell", disable=options.json or None) as bar:

        def step(done: int, total: int) -> None:
            bar.total = total
            bar.update(done - bar.n)

        advice = advise(
            options.table,
            options.label,
            people=options.people,
            accuracy=options.accuracy,
            epsilons=options.epsilon or EPSILONS,
            schema=schema,
            draws=options.draws,
            splits=options.splits,
            seed=options.seed,
            vrlm=options.vrlm,
            progress=step,
        )
    if options.out is not None:
        options.out.write_text(page(advice), encoding="utf-8")
    lines = [*advice.sentences(), *([f"report: {options.out}"] if options.out else [])]
    show(options, json.loads(advice.to_json()), lines)
    return 0 if advice.chosen is not None else 1
