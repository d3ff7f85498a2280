"""What the README shows must run, and every file and picture it links must be there."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import pytest
from PIL import Image

from rlm_core import Report, release
from tests.docs.page_text import ROOT, python_blocks


def test_the_ten_lines_of_the_library(capsys: pytest.CaptureFixture[str]) -> None:
    code, _ = python_blocks(ROOT / "README.md")
    names: dict[str, Any] = {}
    exec(code, names)
    report = Report.from_json(capsys.readouterr().out)
    assert report == names["report"]
    assert names["picture"].shape == (28, 28)
    again = {"mechanism": names["model"].mechanism(5.6), "labels": names["labels"], "ledger": names["ledger"]}
    release(names["digits"].images[0].ravel() / 255, 0, **again, record="digit 0")
    with pytest.raises(ValueError, match="at most 20"):  # "a third release would be refused"
        release(names["digits"].images[0].ravel() / 255, 0, **again, record="digit 0")


def test_the_lines_for_own_data(
    capsys: pytest.CaptureFixture[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, code = python_blocks(ROOT / "README.md")
    monkeypatch.chdir(tmp_path)  # from another folder, as a user would
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)  # by chance (once in a thousand) no better than the majority
        exec(code, {})
    assert float(capsys.readouterr().out) > 0.6 and (tmp_path / "mine" / "card.json").is_file()


def test_what_no_other_software_has_is_shown_by_something() -> None:
    """Every row names a test, a committed result or a page, and it is there."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    table = text.partition("## What no other software has")[2].partition("\n## ")[0]
    rows = [line for line in table.splitlines() if line.startswith("| ")][1:]
    assert len(rows) >= 5
    for row in rows:
        evidence = re.findall(r"`([\w/.]+/[\w.]*)`|\]\(([\w/.-]+)\)", row.split("|")[2])
        assert evidence, row
        for named in evidence:
            assert (ROOT / "".join(named)).exists(), f"README names {''.join(named)}"


def test_the_film_is_a_film_and_small() -> None:
    film = ROOT / "docs" / "images" / "start.webp"
    with Image.open(film) as picture:
        assert getattr(picture, "n_frames", 1) >= 10
    assert film.stat().st_size <= 2_000_000


@pytest.mark.parametrize(
    "page", ["README.md", "docs/architecture.md", "docs/results.md", "docs/own-data.md", "models/README.md"]
)
def test_links_lead_somewhere(page: str) -> None:
    path = ROOT / page
    for target in re.findall(r"\]\(([^)#:]+)\)", path.read_text(encoding="utf-8")):
        assert (path.parent / target).exists(), f"{page} links to {target}, which does not exist"


def test_every_shipped_mechanism_is_listed() -> None:
    listed = (ROOT / "models" / "README.md").read_text(encoding="utf-8")
    for card in (ROOT / "models").glob("*/card.json"):
        assert f"`{card.parent.name}`" in listed
