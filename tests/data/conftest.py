"""The fixture that every test of the data layer uses: its own empty cache."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty cache, no Lending Club file, and an npm client on the path."""
    monkeypatch.setenv("RLM_DATA_DIR", str(tmp_path))
    monkeypatch.delenv("RLM_LENDING_CLUB", raising=False)
    monkeypatch.setattr("shutil.which", lambda name: f"/usr/bin/{name}")
    return tmp_path
