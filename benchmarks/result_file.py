"""A file of figures, written whole or not at all: beside the old one, which it then replaces."""

from __future__ import annotations

import json
import os
import tempfile
from pathlib import Path
from typing import Any


def write_result(path: Path, figures: Any) -> None:
    """Write figures as JSON. A full disk, or an end in the middle, leaves what was there."""
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(json.dumps(figures, indent=1) + "\n")
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        os.unlink(name)
        raise
