"""Formulas in the texts of pages are written so that Streamlit's Markdown renders them."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

UI = Path(__file__).resolve().parents[2] / "ui"


def texts() -> Iterator[tuple[str, str]]:
    for path in sorted(UI.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and "$$" in node.value:
                yield f"{path.relative_to(UI)}:{node.lineno}", node.value


@pytest.mark.parametrize(("place", "text"), list(texts()))
def test_displayed_formulas_are_fenced(place: str, text: str) -> None:
    """Two dollars on a line of their own, in pairs: what begins beside them and ends lines later prints raw."""
    lines = [line.strip() for line in text.splitlines() if "$$" in line]
    assert len(lines) % 2 == 0 and set(lines) == {"$$"}, (place, lines)


def test_there_are_formulas() -> None:
    assert len(list(texts())) >= 6
