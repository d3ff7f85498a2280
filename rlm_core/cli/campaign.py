"""``rlm campaign``: collect reports from people; make, list, export and close campaigns.

Campaigns belong to the app: a process of its own, started from its folder. The library imports nothing of it.
"""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from collections.abc import Sequence

from rlm_core.places import app


def main(arguments: Sequence[str]) -> int:
    """Run the command in the app's folder; paths are still those of the caller."""
    for package in ("sqlalchemy", "alembic"):
        if importlib.util.find_spec(package) is None:
            raise ModuleNotFoundError(f"No module named {package!r}", name=package)
    folder = app()
    if not (folder / "collection").is_dir():
        raise FileNotFoundError(f"Expected the app in {folder}, but collection is not there.")
    path = os.pathsep.join(filter(None, (str(folder), os.environ.get("PYTHONPATH"))))
    command = [sys.executable, "-m", "collection", *arguments]
    return subprocess.call(command, env=os.environ | {"PYTHONPATH": path})
