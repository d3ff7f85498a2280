"""What the commands for own data share: help, schemas, bars, warnings, and results as text or JSON."""

from __future__ import annotations

import argparse
import json
import math
import sys
import warnings
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rlm_core.tables import TableSchema

NO = {"advise": "1 answered, but no epsilon of the grid reaches the wish, "}
"""What exit code 1 says, of the commands that answer with yes or no."""

COUNTED = "rows and reports in errors are counted from 0: row 0 is the first below the header"


def parser_of(command: str, summary: str, example: str) -> argparse.ArgumentParser:
    """A parser whose help ends in an example, how rows are counted and the exit codes, with ``--json``."""
    codes = f"0 done, {NO.get(command, '')}2 not done (the call or an input is wrong), 130 interrupted"
    parser = argparse.ArgumentParser(
        prog=f"rlm {command}",
        description=summary,
        epilog=f"example:\n  {example}\n\n{COUNTED}\n\nexit codes: {codes}",
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


def read_schema(file: Path | None) -> TableSchema | None:
    """The schema in the file of --schema, None if there is none; an error says which file it is of."""
    from rlm_core.tables import TableError, TableSchema

    if file is None:
        return None
    try:
        return TableSchema.from_json(file.read_text(encoding="utf-8-sig"))  # some editors add a mark at the start
    except UnicodeDecodeError:
        raise TableError(f"Expected a schema in UTF-8 for --schema, got {str(file)!r}, which is not.") from None
    except OSError as error:
        why = error.strerror or error
        raise TableError(f"Expected a schema for --schema, got {str(file)!r}, which cannot be read: {why}.") from None
    except TableError as error:
        raise TableError(f"{error} This is about --schema {str(file)!r}.") from None


@contextmanager
def counted_bar(words: str, unit: str, *, quiet: bool, leave: bool = True) -> Iterator[Callable[[int, int], None]]:
    """What tells a bar how many are done, of how many: it is there from the first time on, so it always has a total."""
    from tqdm import tqdm

    with ExitStack() as shown:
        bars: list[tqdm[Any]] = []

        def step(done: int, total: int) -> None:
            if not bars:
                new = tqdm(total=total, desc=words, unit=unit, disable=quiet or None, leave=leave)
                bars.append(shown.enter_context(new))
            bars[0].total = total  # another training may follow
            bars[0].update(done - bars[0].n)

        yield step


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
