"""``python -m benchmarks COMMAND``: one module per command, each with ``add_arguments`` and ``main``."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

os.environ.setdefault("OMP_NUM_THREADS", "1")  # before numpy is imported: one core, as the figures say

COMMANDS = {
    "scale": ("scale.measure", "bulk work: rows a second, memory, two workers, kill -9, tallies"),
    "speed": ("speed", "how fast the mechanisms are, beside numpy and OpenDP"),
    "run": ("run_experiments", "an experiment of the paper; appends to benchmarks/results/EXPERIMENT.csv"),
    "representations": ("representations", "accuracy on clean representations, without LDP, three seeds"),
    "app": ("app_speed.pages", "how fast the pages answer a slider"),
    "collect": ("app_speed.collect", "how fast the collector's page learns, and what other visitors notice of it"),
    "service": ("service.measure", "campaigns under load and kill -9, on two databases; coverage of the intervals"),
    "two-sides": ("app_speed.two_sides", 'how live the picture and row pages are, and what leaves before "send"'),
    "device": ("device", "how fast the owner's side is in a browser, beside torch"),
    "frozen": (
        "frozen",
        "the frozen protocols (docs/protocol*.md); appends to benchmarks/results",
    ),
    "crowd_curve": ("crowd_curve", "the paper's mechanism with more and more people, for the start page"),
    "vrlm_settings": ("vrlm_settings", "which settings a V-RLM of own data wants, from public rows alone"),
    "load": ("app_speed.load", "how long a slider takes while 20 or 40 others move theirs"),
    "settled": ("app_speed.settled", "seconds from a page's address until it is whole, in a browser"),
    "hall": ("app_speed.hall", "another visitor's slider while a lecture hall sends its reports"),
    "report": ("report", "ours against the paper, from the committed results"),
}
"""Command to its module and what it does. A new experiment adds its line here."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Hand over to the command's module; only that one is imported."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    given = list(sys.argv[1:] if arguments is None else arguments)
    for name, (module, summary) in COMMANDS.items():
        command = commands.add_parser(name, help=summary, description=summary)
        if name in given[:1]:
            import_module(f"benchmarks.{module}").add_arguments(command)
    options = parser.parse_args(given)
    code: int = import_module(f"benchmarks.{COMMANDS[options.command][0]}").main(options)
    return code


if __name__ == "__main__":
    sys.exit(main())
