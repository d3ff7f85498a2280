"""What the commands for own data share: bars, warnings, and results as text or JSON."""

from __future__ import annotations

import argparse
import json
import math
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

NO = {"advise": "1 answered, but no epsilon of the grid reaches the wish, "}
"""What exit code 1 says, of the commands that answer with yes or no."""


def parser_of(command: str, summary: str, example: str) -> argparse.ArgumentParser:
    """A parser whose help ends in an example and the exit codes, with ``--json``."""
    codes = f"0 done, {NO.get(command, '')}2 not done (the call or an input is wrong), 130 interrupted"
    parser = argparse.ArgumentParser(
        prog=f"rlm {command}",
        description=summary,
        epilog=f"example:\n  {example}\n\nexit codes: {codes}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object instead of text")
    return parser


def model_folder(model: str) -> str:
    """The folder of an own mechanism that is named, in the places of ``RLM_MODELS``; anything else as it is."""
    from rlm_core.zoo import names
    from rlm_core.zoo.cards import own_folders

    if Path(model).exists() or model in names():  # shipped ones come first, as everywhere
        return model
    return str(own_folders().get(model, model))


@contextmanager
def shown_warnings() -> Iterator[list[str]]:
    """Warnings about usefulness, collected, and printed on the error stream at once, not as Python shows them."""
    from tqdm import tqdm

    from rlm_core.privatiser.honesty import UtilityWarning

    messages: list[str] = []
    with warnings.catch_warnings():
        warnings.simplefilter("always", UtilityWarning)
        shown = warnings.showwarning

        def show_warning(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
            if not issubclass(category, UtilityWarning):
                return shown(message, category, *where, **more)
            messages.append(str(message))
            tqdm.write(f"warning: {message}", file=sys.stderr)  # beside a bar, if there is one

        warnings.showwarning = show_warning
        yield messages


def show(options: argparse.Namespace, facts: dict[str, Any], lines: list[str]) -> None:
    """The result: ``facts`` as JSON, or ``lines`` of text."""
    print(json.dumps(_plain(facts), ensure_ascii=False, allow_nan=False) if options.json else "\n".join(lines))


def _plain(value: Any) -> Any:
    """JSON has no infinity: as in reports, it is written "inf".

    >>> _plain({"epsilon": [float("inf"), 1.0]})
    {'epsilon': ['inf', 1.0]}
    """
    if isinstance(value, dict):
        return {name: _plain(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [_plain(each) for each in value]
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
