"""``rlm fit``: schema, preprocessing and encoder from a public table, as a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rlm_core.cli.own_data import counted_bar, parser_of, read_schema, show, shown_warnings

if TYPE_CHECKING:
    from rlm_core.learning.loop import Progress

NO_LABEL = "none. No --label was named: reports carry no label, and nothing can be learnt to predict"


def main(arguments: Sequence[str]) -> int:
    """Run the command."""
    parser = parser_of(
        "fit",
        "Fit a mechanism on public rows. Nothing of the people who will be asked may be among them.",
        "rlm fit public.csv --label income --epsilon 4 --reports 14000 --out mine",
    )
    parser.add_argument("table", type=Path, help="public rows: CSV or parquet; or a folder of pictures")
    parser.add_argument(
        "--label",
        help="the column that is to be learnt; of pictures: folder, or a CSV file. Without it reports carry no label, "
        "and nothing can be learnt to predict",
    )
    parser.add_argument("--classes", help="the classes, separated by commas, instead of those in the table")
    parser.add_argument("--epsilon", type=float, default=4.0, help="of one report (default: %(default)s)")
    parser.add_argument("--reports", type=int, default=10_000, help="how many are expected (default: %(default)s)")
    parser.add_argument(
        "--kind",
        default="auto",
        help="of report: joint bits, joint Laplace, joint selection or codes, by rule unless given; or V-RLM, the "
        "paper's mechanism, which trains for minutes",
    )
    parser.add_argument("--size", type=int, help="numbers or codes; by rule unless given")
    parser.add_argument("--lam", type=float, help="V-RLM: the record's share of epsilon; by rule unless given")
    parser.add_argument("--encoder", default="auto", help="linear or network; by rule unless given")
    parser.add_argument("--schema", type=Path, help="a schema in JSON, as schema.json of a fitted folder")
    parser.add_argument("--seed", type=int, default=0, help="of the fit (default: %(default)s)")
    parser.add_argument(
        "--device", default="auto", help="where a network learns: cpu, cuda (default: a GPU if there is)"
    )
    parser.add_argument(
        "--checkpoint", type=Path, help="a file from which an interrupted training of a network goes on"
    )
    parser.add_argument(
        "--central-epsilon",
        type=float,
        metavar="EPSILON",
        help="V-RLM: train the encoder under central DP with this epsilon and delta = 1e-5, for the sake of those "
        "whose rows these are",
    )
    parser.add_argument("--out", type=Path, required=True, help="the folder to write")
    parser.add_argument(
        "--force",
        action="store_true",
        help="overwrite a fitted folder that is there, with the classifier that was learnt in it",
    )
    options = parser.parse_args(arguments)
    from rlm_core.privatiser import LocalPrivatiser
    from rlm_core.privatiser.place import check_place

    if options.out.exists() and not options.force:
        raise ValueError(f"Expected a new folder for --out, got {options.out.name!r}, which is there. Add --force.")
    check_place(options.out)
    schema = read_schema(options.schema)
    privatiser = LocalPrivatiser(
        epsilon=options.epsilon,
        reports=options.reports,
        classes=options.classes.split(",") if options.classes else None,
        kind=options.kind,
        size=options.size,
        lam=options.lam,
        encoder=options.encoder,
        schema=schema,
        seed=options.seed,
        device=options.device,
        checkpoint=options.checkpoint,
        central_epsilon=options.central_epsilon,
    )
    with shown_warnings() as warned, counted_bar("train", "step", quiet=options.json, leave=False) as count:

        def step(now: Progress) -> None:
            count((now.epoch - 1) * now.steps + now.step, now.epochs * now.steps)

        privatiser.fit(options.table, options.label, progress=step)
    privatiser.save(options.out)
    plan, classes = privatiser.plan_, list(privatiser.class_names)
    form, central = privatiser.pictures_, privatiser.central_dp_
    columns = [] if form is not None else list(privatiser.schema_.columns)
    seen = f"features: {len(columns)}" if form is None else f"pictures: {form.height} × {form.width}, "
    seen += "" if form is None else "in colour, behind the trunk" if form.colour else "grey"
    lines = [
        f"fitted on {privatiser.public_rows_:,} public rows in {privatiser.seconds_:.1f} s: {options.out}",
        f"reports: {plan.kind}, size {plan.size}, {plan.encoder} encoder, epsilon = {options.epsilon:g}",
        f"classes: {', '.join(classes) or NO_LABEL}",
        seen,
        *([] if central is None else [_central_line(central)]),
        *(f"note: {note}" for note in privatiser.notes_),
    ]
    facts = {
        "out": str(options.out),
        "rows": privatiser.public_rows_,
        "seconds": round(privatiser.seconds_, 2),
        "kind": plan.kind,
        "size": plan.size,
        "epsilon": options.epsilon,
        "classes": classes,
        "features": columns,
        "left_out": list(privatiser.notes_),
        "digest": privatiser.method_.digest,
        "central_dp": central,
        "warnings": warned if classes else [*warned, NO_LABEL],
    }
    show(options, facts, lines)
    return 0


def _central_line(spent: dict[str, Any]) -> str:
    """The second promise, in a line."""
    return (
        f"central DP: the encoder's training spent epsilon = {spent['epsilon']:g} of {spent['target_epsilon']:g} "
        f"(delta = {spent['delta']:g}), given its decoder; the card says what that does not cover"
    )
