"""`rlm privatise` on a disk that is full: no part of the reports, and what to do next."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest

from rlm_core.cli import main
from rlm_core.data import adult_sample

LABEL = "income-per-year"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """People's rows, and a model for them."""
    here, adult = tmp_path_factory.mktemp("writing"), adult_sample()
    adult[:600].to_csv(here / "public.csv", index=False)
    adult[600:700].to_parquet(here / "test.parquet")
    assert main(["fit", str(here / "public.csv"), "--label", LABEL, "--out", str(here / "mine")]) == 0
    return here


@pytest.mark.parametrize("out", ["full.jsonl", "full.parquet"])
def test_reports_are_written_whole_or_not_at_all(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], out: str
) -> None:
    """A disk that is full half-way: a part of the reports would look like all of them."""
    call = ["privatise", str(folder / "test.parquet"), "--model", str(folder / "mine"), "--out", str(tmp_path / out)]

    def full(path: Path, *_: object, **__: object) -> None:
        path.touch()
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_text", full)
        patch.setattr(pd.DataFrame, "to_parquet", lambda _, path, **__: full(path))
        assert main(call) == 2
    said = capsys.readouterr().err
    assert "No space left on device" in said and "nobody has seen it" in said and f"{out}.ledger" in said
    assert [path.name for path in tmp_path.iterdir()] == [f"{out}.ledger"]
    assert main(call) == 2  # the rows are charged until the owner says otherwise
    shutil.rmtree(tmp_path / f"{out}.ledger")
    assert main(call) == 0
