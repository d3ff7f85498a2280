"""``python -m benchmarks COMMAND``: one module per command, each with ``add_arguments`` and ``main``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy is imported: one core, as the figures say

COMMANDS = {
    "speed": "how fast the mechanisms are, beside numpy and OpenDP",
    "run": "an experiment of the paper; appends to benchmarks/results/EXPERIMENT.csv",
    "representations": "accuracy on clean representations, without LDP, three seeds",
    "app": "how fast the pages answer a slider",
    "collect": "how fast the collector's page learns, and what other visitors notice of it",
    "report": "ours against the paper, from the committed results",
}
"""Command (and module) to what it does. A new experiment adds its line here."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Hand over to the command's module; only that one is imported."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    given = list(sys.argv[1:] if arguments is None else arguments)
    for name, summary in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary)
        if name in given[:1]:
            import_module(f"benchmarks.{name}").add_arguments(command)
    options = parser.parse_args(given)
    code: int = import_module(f"benchmarks.{options.command}").main(options)
    return code


if __name__ == "__main__":
    sys.exit(main())
