"""Docstrings as they are written: prose with formulas, in which | and * mean themselves."""

from __future__ import annotations

import re
from typing import Any

MARKED = re.compile(r"(``.*?``|:\w+:`.*?`|`[^`]*`_*|\*\*[^*]+\*\*|(?<![\w*])\*[^\s*][^*]*\*(?![\w*]))")
"""Code, references, and emphasis that is closed on its line."""


def escape(line: str) -> str:
    """The line with bars, asterisks and trailing underscores outside code escaped.

    >>> escape("p(z | x) and ``a | b``")
    'p(z \\\\| x) and ``a | b``'
    """
    if line.lstrip().startswith((">>>", "...", "* ", "- ")):  # code, and lists
        head, rest = line[: len(line) - len(line.lstrip()) + 2], line.lstrip()[2:]
        return line if line.lstrip().startswith((">>>", "...")) else head + escape(rest)
    parts = MARKED.split(line)
    return "".join(
        part if at % 2 else re.sub(r"([|*])|(?<=\w)_(?=\W|$)", r"\\\g<0>", part) for at, part in enumerate(parts)
    )


def plain(app: Any, what: str, name: str, found: Any, options: Any, lines: list[str]) -> None:
    """For autodoc: escape the prose, leave literal blocks (indented, after a line of prose) alone."""
    result: list[str] = []
    literal = False
    for line in lines:
        indented = line.startswith("    ")
        if indented and not literal and result and not result[-1].strip() and not _in_list(result):
            if not line.lstrip().startswith(">>>"):
                result += ["::", ""]
                literal = True
        elif line.strip() and not indented:
            literal = False
        result.append(line if literal else escape(line))
    lines[:] = result


def _in_list(lines: list[str]) -> bool:
    """Whether the last block of prose is a field, an argument or a list, whose text is indented too."""
    block = [line for line in lines if line.strip()]
    return bool(block) and (block[-1].startswith((":", "*", "-", "  ")) or block[-1].rstrip().endswith("::"))


def skip(app: Any, what: str, name: str, found: Any, skipped: bool, options: Any) -> bool | None:
    """Methods that scikit-learn adds to every estimator are not ours to document."""
    return True if re.fullmatch(r"set_\w+_request|get_metadata_routing|[gs]et_params", name) else None


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx. Runs after napoleon, which has turned "Args:" into fields."""
    app.connect("autodoc-process-docstring", plain, priority=900)
    app.connect("autodoc-skip-member", skip)
    return {"parallel_read_safe": True}
