"""``rlm campaign``: make, list, show, export, close or delete campaigns, for whoever owns the database.

Campaigns belong to the app: a process of its own, started from its folder (``collection/__main__.py``). The library
imports nothing of it; here is the command line, which both read.
"""

from __future__ import annotations

import argparse
import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

from rlm_core.places import app

EXAMPLES = """examples:
  rlm campaign new "Coffee" --ask "Do you like coffee?" --epsilon 1 --people 30
  rlm campaign new "Lunch" --ask "What do you eat?" --answers soup bread salad --epsilon 2 --people 300
  rlm campaign new "Sleep" --ask "How long did you sleep?" --range 0 12 --unit h --epsilon 2 --people 100
  rlm campaign new "Digits" --digits --epsilon 4 --people 1000
  rlm campaign export ID --format parquet --out reports.parquet"""


def main(arguments: Sequence[str]) -> int:
    """Run the command with the app's code; paths are still those of the caller."""
    parser().parse_args(arguments)  # --help, or an error, before a process is started
    for package in ("sqlalchemy", "alembic"):
        if importlib.util.find_spec(package) is None:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    folder = app()
    if not (folder / "collection").is_dir():
        raise FileNotFoundError(f"Expected the app in {folder}, but collection is not there.")
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-m", "collection", *arguments]
    return subprocess.call(command, env=os.environ | {"PYTHONPATH": path})


def parser() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="rlm campaign",
        description="Collect reports from people: for whoever owns the database.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--database", metavar="URL", help="default: RLM_DATABASE, else a SQLite file of this user")
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("new", help="make a campaign")
    make.add_argument("title")
    make.add_argument("--ask", metavar="TEXT", help="the question")
    make.add_argument("--answers", nargs="+", default=["no", "yes"], help="default: no yes")
    make.add_argument("--range", nargs=2, type=float, metavar=("LOW", "HIGH"), help="ask for a number instead")
    make.add_argument("--unit", default="")
    make.add_argument("--digits", action="store_true", help="ask for a drawn digit instead")
    make.add_argument("--epsilon", type=float, required=True)
    make.add_argument("--people", type=int, required=True, help="how many are expected")
    make.add_argument("--hours", type=float, default=24.0, help="until it closes (default: %(default)g)")
    make.add_argument("--reports-per-device", type=int, default=1)
    commands.add_parser("list", help="all campaigns")
    commands.add_parser("show", help="what the reports say together").add_argument("id")
    export = commands.add_parser("export", help="write the reports to a file, or to the terminal")
    export.add_argument("id")
    export.add_argument("--format", choices=("csv", "parquet"), default="csv")
    export.add_argument("--out", type=Path)
    commands.add_parser("close", help="take no further reports").add_argument("id")
    delete = commands.add_parser("delete", help="delete a campaign and its reports for good")
    delete.add_argument("id")
    delete.add_argument("--yes", action="store_true")
    return parser
