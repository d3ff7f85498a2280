"""Without Dask one process does the work and says so; what is handed to other engines can be pickled."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from rlm_core import LocalPrivatiser
from rlm_core.bulk import engine
from rlm_core.data import adult_sample


def double(task: int) -> int:
    return 2 * task


def test_without_dask_one_process_does_it_and_says_so(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(engine, "find_spec", lambda _: None)
    assert list(engine.run_tasks(double, [1, 2, 3], workers=2)) == [(1, 2), (2, 4), (3, 6)]
    assert "Dask is not installed: one process instead of 2" in capsys.readouterr().err
    with pytest.raises(ValueError, match="Expected Dask for --scheduler"):
        list(engine.run_tasks(double, [1], scheduler="tcp://127.0.0.1:1"))


def test_a_privatiser_pickles_and_sends_what_its_copy_would() -> None:
    table = adult_sample()
    privatiser = LocalPrivatiser(epsilon=4, reports=1_000).fit(table[:600], "income-per-year")
    copy = pickle.loads(pickle.dumps(privatiser))
    assert np.array_equal(copy.encode_table(table[600:650]), privatiser.encode_table(table[600:650]))
    assert {each.digest for each in copy.privatise(table[600:610], "income-per-year")} == {
        each.digest for each in privatiser.privatise(table[600:610], "income-per-year")
    }
