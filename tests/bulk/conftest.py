"""People in files, and a mechanism that was fitted for them."""

from __future__ import annotations

from pathlib import Path

import pytest

from benchmarks.scale.people import LABEL, fit_model, typed_sample

ROWS = 1_100


@pytest.fixture(scope="session")
def here(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """``people/a.parquet`` and ``b.parquet`` of 700 and 400 rows in row groups of 300, and ``mine``."""
    folder = tmp_path_factory.mktemp("bulk")
    (folder / "people").mkdir()
    sample = typed_sample()[3_000:]
    sample[:700].to_parquet(folder / "people" / "a.parquet", index=False, row_group_size=300)
    sample[700:ROWS].to_parquet(folder / "people" / "b.parquet", index=False, row_group_size=300)
    assert LABEL in sample
    fit_model(folder / "mine", epsilon=4.0, reports=20_000)
    return folder
