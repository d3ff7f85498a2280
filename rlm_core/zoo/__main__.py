"""List the shipped mechanisms, or ship new ones from training runs."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path

from rlm_core.types import printable
from rlm_core.zoo.cards import Card, names, own_cards
from rlm_core.zoo.code_tree import FEWEST
from rlm_core.zoo.lookup import card


def row(about: Card) -> dict[str, object]:
    """What the list shows of one mechanism."""
    return {
        "name": about.name,
        "kind": about.kind,
        "dataset": about.dataset,
        "d": about.latent_dim,
        "l": about.radius,
        "epsilon_pretraining": about.epsilon_pretraining,
        "epsilon_central": None if about.central_dp is None else about.central_dp["epsilon"],
        "megabytes": round(about.size() / 1e6, 2),
        "training_seconds": about.seconds,
        "metrics": about.metrics,
    }


HEAD = ("name", "d", "l", "ε_pre", "seed", "epochs", "minutes", "validation loss", "clean %", "MB")
"""Of the table of mechanisms of numbers."""


def markdown(about: Card) -> str:
    """One line of the table in ``models/README.md``, under :data:`HEAD`."""
    pre = about.epsilon_pretraining
    return (
        f"| `{about.name}` | {about.latent_dim} | {about.radius:g} | {pre if isinstance(pre, str) else f'{pre:g}'} | "
        f"{about.seed} | {sum(about.epochs.values())} | {about.seconds / 60:.1f} | "
        f"{about.metrics['mechanism_valid_loss']:.1f} | {about.metrics['clean_accuracy_percent']:.1f} | "
        f"{about.size() / 1e6:.1f} |"
    )


def markdown_table() -> list[str]:
    """The mechanisms of numbers, from their cards."""
    cards = [card(name) for name in names()]
    head = ["| " + " | ".join(HEAD) + " |", "|---" * len(HEAD) + "|"]
    return head + [markdown(about) for about in cards if "order" not in about.architecture]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="rlm models", description=__doc__)
    parser.add_argument("--json", action="store_true", help="print a list of objects")
    parser.add_argument("--markdown", action="store_true", help="print the table of models/README.md")
    commands = parser.add_subparsers(dest="command")
    shipping = commands.add_parser("ship", help="turn training runs into shipped mechanisms (needs the dataset)")
    shipping.add_argument("runs", nargs="+", type=Path, help="run folders written by rlm train")
    tree = commands.add_parser(
        "tree", help="write the order of merges on the card of shipped codes (needs the dataset)"
    )
    tree.add_argument("name", help="the finest codes of a dataset")
    reading = commands.add_parser("card", help="print a mechanism's card as Markdown, with the header of model hubs")
    reading.add_argument("name", help="as the list has it")
    options = parser.parse_args(arguments)
    if options.command == "card":
        from rlm_core.zoo.model_card import model_card

        print("\n".join(map(printable, model_card(card(options.name)).split("\n"))), end="")
        return 0
    if options.command == "tree":
        from rlm_core.zoo.code_order import write_order

        print(f"{options.name}: {len(write_order(options.name).architecture['order'])} merges")
        return 0
    if options.command == "ship":
        ship(options.runs)
        return 0
    rows = [row(card(name)) for name in names()]
    own = own_rows()
    if options.json:
        print(json.dumps([*rows, *own], indent=1))
    elif options.markdown:
        print("\n".join(map(printable, markdown_table())))
    else:
        print_table(rows)
        for about in map(card, names()):
            if "order" in about.architecture:
                family = about.name.rpartition("-k")[0]
                print(printable(f"{family}-k<N>: any N from {FEWEST} to {about.latent_dim}, cut from {about.name}"))
        for each in own:
            line = f"{each['name']!s:28} own data: {each['kind']}, size {each['d']}, fitted on {each['rows']} rows"
            print(printable(line))
    return 0


def own_rows() -> list[dict[str, object]]:
    """What the list shows of mechanisms of own data; ``LocalPrivatiser.load(name)`` reads them."""
    cards = {folder.name: about for folder, about in reversed(own_cards().items())}  # the first of a name counts
    return [
        {"name": name, "kind": about["kind"], "dataset": "own data", "d": about["size"]}
        | {"rows": about["data"]["public_rows"], "classes": about["classes"]}
        for name, about in sorted(cards.items())
    ]


def ship(runs: Sequence[Path]) -> None:
    """Ship training runs of whatever kind; one line for each."""
    import torch

    from rlm_core.zoo.ship import ship as ship_numbers
    from rlm_core.zoo.ship_codes import ship_codes

    torch.set_num_threads(1)
    for run in runs:
        about = ship_codes(run) if (run / "codes.json").is_file() else ship_numbers(run)
        accuracy, megabytes = about.metrics["clean_accuracy_percent"], about.size() / 1e6
        print(f"{about.name}: {accuracy} % on clean representations, {megabytes:.1f} MB", flush=True)


def print_table(rows: Sequence[dict[str, object]]) -> None:
    """The list for the eye."""
    print(f"{'name':28} {'kind':6} {'dataset':13} {'d':>3} {'l':>5} {'ε_pre':>7} {'MB':>5} {'clean %':>8}")
    for line in rows:
        metrics = line["metrics"]
        assert isinstance(metrics, dict)
        text = (
            f"{line['name']!s:28} {line['kind']!s:6} {line['dataset']!s:13} {line['d']!s:>3} {line['l']:>5g} "
            f"{line['epsilon_pretraining']!s:>7} {line['megabytes']:>5} {metrics.get('clean_accuracy_percent', ''):>8}"
        )
        print(printable(text))


if __name__ == "__main__":
    sys.exit(main())
