"""An own mechanism is found by its name in RLM_MODELS, and its reports wherever they are."""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest

from rlm_core import LocalPrivatiser
from rlm_core.cli import main
from rlm_core.data import adult_sample
from rlm_core.zoo import cards

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


SHELL = "\x1b]0;owned\x07\x1b[2J"
"""A title for the terminal, and an empty screen."""


def forge(models: Path, name: str, **fields: object) -> Path:
    """The good folder's card with other fields, in another folder."""
    card = json.loads((models / "incomes" / "card.json").read_text(encoding="utf-8"))
    (models / name).mkdir()
    (models / name / "card.json").write_text(json.dumps(card | fields), encoding="utf-8")
    return models / name


@pytest.mark.parametrize(
    ("fields", "said"),
    [
        ({"kind": None}, "kind=None"),
        ({"kind": ["codes"]}, r"kind=\['codes'\]"),
        ({"size": "7"}, "size='7'"),
        ({"size": True}, "size=True"),
        ({"data": []}, r"data=\[\]"),
        ({"data": {"public_rows": SHELL}}, r"data=.*\\x1b\]0;owned"),
        ({"classes": [1, 2]}, r"classes=\[1, 2\]"),
        ({"files": {}}, "files={}"),
    ],
)
def test_a_damaged_card_is_named_and_the_others_are_listed(
    fields: dict[str, object], said: str, models: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    forge(models, "evil", **fields)
    (models / "pipe").mkdir()
    os.mkfifo(models / "pipe" / "card.json")
    with pytest.warns(UserWarning) as caught:
        assert main(["models"]) == 0
        assert LocalPrivatiser.load("incomes").epsilon == 4
    messages = [str(each.message) for each in caught]
    assert any(re.search(f"A mechanism is left out: .*'evil', got {said}", each) for each in messages)
    assert any("a file card.json in 'pipe'" in each for each in messages) and not any(
        "\x1b" in each for each in messages
    )
    out = capsys.readouterr().out
    assert "incomes" in out and "evil" not in out


@pytest.mark.parametrize("asked", [["models"], ["models", "--json"]])
def test_a_terminal_obeys_no_card(asked: list[str], models: Path, capsys: pytest.CaptureFixture[str]) -> None:
    forge(models, "evil\x1b[2J", kind=SHELL)
    shipped = json.loads((cards.MODELS / "mnist-vrlm-l5-eps5" / "card.json").read_text(encoding="utf-8"))
    shutil.copytree(cards.MODELS / "mnist-vrlm-l5-eps5", models / "other")
    text = json.dumps(shipped | {"name": "other", "kind": SHELL, "summary": SHELL})
    (models / "other" / "card.json").write_text(text, encoding="utf-8")
    assert main(asked) == 0 and main(["models", "card", "other"]) == 0
    out = capsys.readouterr().out
    assert "owned" in out and not any(each in out for each in "\x1b\x07")
