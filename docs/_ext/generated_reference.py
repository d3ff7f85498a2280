"""Directives that print what the code says of itself: a command's help, the HTTP API.

```{rlm-help} audit
```
```{http-api}
```
"""

from __future__ import annotations

import contextlib
import io
from importlib import import_module
from typing import Any, ClassVar

from docutils import nodes
from docutils.parsers.rst import Directive


def help_text(command: str) -> str:
    """What ``rlm COMMAND --help`` prints; ``rlm --help`` for an empty command."""
    from rlm_core.cli import main

    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), contextlib.suppress(SystemExit):
        main([*command.split(), "--help"])
    return printed.getvalue()


class CommandHelp(Directive):
    """The help of one command, as text."""

    optional_arguments = 8
    final_argument_whitespace = False

    def run(self) -> list[nodes.Node]:
        """One literal block."""
        text = help_text(" ".join(self.arguments))
        block = nodes.literal_block(text, text)
        block["language"] = "text"
        return [block]


class HttpApi(Directive):
    """A table of the API's addresses and answers, from its OpenAPI description."""

    has_content: ClassVar[bool] = False

    def run(self) -> list[nodes.Node]:
        """One section of text for every operation."""
        description = import_module("collection.openapi").description()
        found: list[nodes.Node] = []
        for path, operations in description["paths"].items():
            for method in ("get", "post"):
                if method in operations:
                    found += _operation(f"{method.upper()} {path}", operations[method])
        return found


def _operation(title: str, operation: dict[str, Any]) -> list[nodes.Node]:
    head = nodes.paragraph()
    head += nodes.literal(text=title)
    head += nodes.Text(f": {operation['summary']}.")
    answers = nodes.definition_list()
    for status, answer in operation["responses"].items():
        item = nodes.definition_list_item()
        item += nodes.term(text=status)
        item += nodes.definition("", nodes.paragraph(text=answer["description"]))
        answers += item
    return [head, answers]


def setup(app: Any) -> dict[str, Any]:
    """Called by Sphinx."""
    app.add_directive("rlm-help", CommandHelp)
    app.add_directive("http-api", HttpApi)
    return {"parallel_read_safe": True}
