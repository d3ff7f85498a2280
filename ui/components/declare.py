"""Declare an own component from its folder: HTML in Python, look and behaviour in a .css and a .js file beside it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import streamlit as st

FOLDER = Path(__file__).parent


def declare(
    name: str, *, html: str, isolate_styles: bool = True, like: str | None = None, parts: Sequence[str] = ()
) -> Any:
    """The component ``rlm_<name>`` with ``<name>/<name>.js`` and, where there is one, ``<name>/<name>.css``.

    ``like`` names another one whose sheet applies too, before its own. ``parts`` are further scripts of the folder, by
    name, which come before its own in the same text.

    The files are handed over as text, read once: with a path Streamlit would serve and watch them. A text without a
    newline would be taken for a path; files end with one. ``isolate_styles=False`` lets the page's own sheet apply.
    """
    sheets = [FOLDER / each / f"{each}.css" for each in (like, name) if each is not None]
    style = "".join(sheet.read_text(encoding="utf-8") for sheet in sheets if sheet.is_file())
    return st.components.v2.component(
        f"rlm_{name}",
        html=html,
        css=style or None,
        js="".join((FOLDER / name / f"{part}.js").read_text(encoding="utf-8") for part in (*parts, name)),
        isolate_styles=isolate_styles,
    )
