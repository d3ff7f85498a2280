"""What the tests read of a page: its blocks of Python, and the tests that it names."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def python_blocks(page: Path) -> list[str]:
    """Every ```python block of a page, in order."""
    return re.findall(r"^```python\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def shown_blocks(page: Path) -> list[str]:
    """Every ```py block of a page: Python for machines that the tests do not have, read but not run."""
    return re.findall(r"^```py\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)


def named_tests(text: str) -> list[tuple[str, str]]:
    """Path and function of every `tests/….py::test_…`; a bare `test_…` belongs to the file named before it."""
    found: list[tuple[str, str]] = []
    for path, first, bare in re.findall(r"`(tests/[\w/]+\.py)(?:::(\w+))?`|`(test_\w+)`", text):
        if path:
            found.append((path, first))
        elif found:
            found.append((found[-1][0], bare))
    return found


def commands(page: Path, program: str = "rlm") -> list[list[str]]:
    """Arguments of every `rlm …` on a page, in a block or in a line; an ellipsis marks what is only named."""
    text = page.read_text(encoding="utf-8").replace("\\\n", " ")
    name = re.escape(program)
    lines = re.findall(rf"^(?:\s*[A-Z_]+=\S+ )*{name} ([^\n]+)", text, re.MULTILINE)
    within = re.findall(rf"`{name} ([^`\n]+)`", text)
    return [shlex.split(each, comments=True) for each in [*lines, *within] if not re.search(r"…|\.\.\.|COMMAND", each)]
