"""The button with which a visitor takes a file along. It changes nothing on the page and runs nothing again."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import PurePath
from typing import Any

import streamlit as st

KINDS = {
    ".csv": "text/csv",
    ".html": "text/html",
    ".json": "application/json",
    ".png": "image/png",
    ".zip": "application/zip",
}


def file_button(
    label: str, content: str | bytes | Callable[[], str | bytes], *, name: str, key: str, **options: Any
) -> None:
    """A file called ``name``; ``content`` may be a function, called when the file is asked for."""
    st.download_button(
        label, content, file_name=name, mime=KINDS[PurePath(name).suffix], key=key, on_click="ignore", **options
    )
