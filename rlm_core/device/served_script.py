"""A script as a browser gets it: without the comments that have lines of their own.

They are for readers of the repository, and would be a third of what a phone has to load.
"""

from __future__ import annotations

import re
from functools import lru_cache
from pathlib import Path

_COMMENT = re.compile(r"^[ \t]*(?://[^\n]*|/\*(?:[^*]|\*(?!/))*\*/[ \t]*)\n", re.MULTILINE)


def served_script(path: Path) -> bytes:
    """What is sent of a script; read anew when the file has changed."""
    return _read(path, path.stat().st_mtime_ns)


def without_comments(script: str) -> str:
    """The script without whole lines of comments; those beside code stay, types in expressions among them.

    >>> without_comments("// What it is.\\n/** @param {number} x */\\nf = (x) => x; // twice\\n")
    'f = (x) => x; // twice\\n'
    """
    return _COMMENT.sub("", script)


@lru_cache(maxsize=256)
def _read(path: Path, changed: int) -> bytes:
    return without_comments(path.read_text(encoding="utf-8")).encode()
