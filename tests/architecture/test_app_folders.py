"""A page is a folder of its own, and starts on every system."""

from __future__ import annotations

import ast
import re

from tests.architecture.source_trees import CORE, imports, loaded_with, offenders, touches, tree_of, under

SHARED = ("kit", "components", "app", "record")
"""Folders of ``ui`` that pages share, from the lowest: each may import itself and those before it."""


def test_a_page_is_three_lines() -> None:
    pages = under("pages")
    assert len(pages) == 12
    for source in pages:
        assert [type(node) for node in tree_of(source).body] == [ast.Expr, ast.ImportFrom, ast.Expr], source
        assert all(re.fullmatch(r"ui\.\w+\.page(\.show)?", name) for name in imports(source)), source


def test_no_page_of_the_app_knows_another() -> None:
    def other_pages(source: str) -> set[str]:
        folder = source.split("/")[1]
        allowed = SHARED[: SHARED.index(folder) + 1] if folder in SHARED else (*SHARED, folder)
        return {name.split(".")[1] for name in touches(source, "ui") if "." in name} - {*allowed}

    assert offenders(under("ui"), other_pages) == {}


def test_library_and_app_import_on_windows() -> None:
    unix_only = {"fcntl", "resource", "pwd", "grp", "termios"}
    assert offenders([*CORE, *under("ui")], lambda source: loaded_with(source) & unix_only) == {}
