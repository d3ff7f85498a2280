"""An own mechanism is found by its name in RLM_MODELS, and its reports wherever they are."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from rlm_core import LocalPrivatiser
from rlm_core.cli import main
from rlm_core.data import adult_sample

LABEL = "income-per-year"


@pytest.fixture
def models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    table = adult_sample()
    LocalPrivatiser(epsilon=4, reports=1_000).fit(table[:600], LABEL).save(tmp_path / "models" / "incomes")
    table[600:1_600].to_parquet(tmp_path / "people.parquet")
    monkeypatch.setenv("RLM_MODELS", str(tmp_path / "models"))
    monkeypatch.chdir(tmp_path)
    return tmp_path / "models"


def test_bulk_and_learning_find_a_mechanism_by_its_name(models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    reports = models.parent / "reports"
    assert main(["privatise", "people.parquet", "--model", "incomes", "--out", f"{reports}/", "--workers", "1"]) == 0
    capsys.readouterr()
    assert main(["learn", f"file://{reports}", "--model", "incomes", "--json"]) == 0
    found = json.loads(capsys.readouterr().out.splitlines()[-1])
    assert found["reports"] == 1_000 and Path(found["out"]) == models / "incomes"
    assert not (models.parent / "incomes").exists()  # learnt where the mechanism is, not in a new folder


def test_own_pictures_refuse_what_bulk_work_alone_has(models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pictures = np.random.default_rng(0).integers(0, 255, (200, 8, 8), dtype=np.uint8)
    LocalPrivatiser(epsilon=4, reports=1_000, classes=["a", "b"]).fit(pictures).save(models / "pictures")
    np.save("some.npy", pictures)
    asked = ["privatise", "some.npy", "--model", "pictures", "--no-label", "--out", "out.parquet", "--workers", "2"]
    assert main(asked) != 0
    assert "own pictures are privatised in one process" in capsys.readouterr().err
