"""Figures are written whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from benchmarks.result_file import write_result


def test_a_failed_write_leaves_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    file = tmp_path / "figures.json"
    write_result(file, {"a": 1})

    def full(_: int) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        write_result(file, {"a": 2})
    with pytest.raises(TypeError):
        write_result(file, {"a": object()})
    assert json.loads(file.read_text(encoding="utf-8")) == {"a": 1} and list(tmp_path.iterdir()) == [file]
