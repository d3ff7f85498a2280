"""The command line ``rlm`` (also ``python -m rlm_core``): one file a command, imported when it is called.

Exit codes: 0 done; 1 answered, and the answer is no (``advise``: no ε reaches the wish; ``audit``: a claim is refuted;
``data get``: not to be had); 2 not done: the call is wrong, or something that it needs is missing or damaged; 130
interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from rlm_core import __version__

COMMANDS = {
    "run": "serve the app on this machine: http://127.0.0.1:8501",
    "campaign": "collect reports from people: make, list, export and close campaigns",
    "models": "list the pretrained mechanisms, or add those that you trained",
    "audit": "measure the privacy of every mechanism, and compare it with its claim",
    "data": "list the datasets, or download them",
    "train": "train a mechanism by the name of its preset",
    "fit": "own data: fit a mechanism on a public table",
    "privatise": "own data: people's rows to reports",
    "learn": "own data: a classifier from reports",
    "advise": "own data: which epsilon reaches which accuracy?",
}
NEEDS = dict.fromkeys(COMMANDS, "learn") | {"run": "app", "campaign": "app"}
"""The extra that installs what a command may lack."""

EXAMPLES = """examples:
  rlm run                                     open the app in your browser
  rlm campaign list                           who has reported what, together
  rlm models                                  which mechanisms are here, and how accurate they are
  rlm audit --mechanism k-RR --epsilon 1      is randomised response as private as it says?
  rlm data get mnist                          download a dataset, checked
  rlm train mnist-vrlm-l10-eps33              train a mechanism on it
  rlm advise public.csv --label income --people 20000 --accuracy 0.8
  rlm fit public.csv --label income --out mine

`rlm COMMAND --help` says what a command takes.

exit codes: 0 done, 1 answered: no (advise: no epsilon reaches the wish; audit: a claim is refuted; data get: not to
be had), 2 not done (the call is wrong, or something is missing or damaged), 130 interrupted"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Call one command with the arguments that follow it; a mistake gets a message, not a traceback."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    if not given:
        _parser().print_help()
        return 2
    if given[0] not in COMMANDS:
        _parser().parse_args(given)  # --help, --version, or an error that names the commands
        return 0
    command, rest = given[0], given[1:]
    try:
        return int(import_module(f"rlm_core.cli.{command}").main(rest))
    except ModuleNotFoundError as error:
        if error.name is None or error.name.split(".")[0] == "rlm_core":
            raise
        install = f"pip install -c constraints.txt '.[{NEEDS[command]}]'"
        return _failed(command, f"the package {error.name} is missing. Install it, in a checkout: {install}", 2)
    except BrokenPipeError:  # who reads our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        named = error.strerror is not None and error.filename is not None
        return _failed(command, f"{error.strerror}: {str(error.filename)!r}" if named else str(error), 2)
    except ValueError as error:
        return _failed(command, str(error), 2)
    except KeyboardInterrupt:
        return _failed(command, "interrupted", 130)


def _parser() -> argparse.ArgumentParser:
    width = max(map(len, COMMANDS))
    listing = "\n".join(f"  {name:<{width}}  {text}" for name, text in COMMANDS.items())
    parser = argparse.ArgumentParser(
        prog="rlm",
        usage="rlm COMMAND ...",
        description=f"Learnt local differential privacy.\n\ncommands:\n{listing}",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"rlm {__version__}")
    parser.add_argument("command", choices=list(COMMANDS), metavar="COMMAND", help=argparse.SUPPRESS)
    return parser


def _failed(command: str, message: str, code: int) -> int:
    print(f"rlm {command}: {message}", file=sys.stderr)
    return code
