"""The experiment with encoders trained under central DP: which runs it asks for, and what it takes over."""

from __future__ import annotations

import math
from pathlib import Path

import pytest

from benchmarks.experiments import cdp, data_collection, participants
from benchmarks.experiments.protocol import Trial
from benchmarks.table import Row
from rlm_core.training.presets import PRESETS


def test_private_cells_ask_for_private_runs(tmp_path: Path) -> None:
    asked = set()
    for trial in cdp.trials(2):
        if math.isinf(cdp.central_epsilon(trial.mechanism)):
            continue
        with pytest.raises(participants.MissingRun, match=f"--seed {trial.seed}") as missing:
            cdp.measure(trial, tmp_path)
        asked.add(str(missing.value).split()[2])
    # 7 distinct mechanisms for MNIST and 4 for Lending Club, at two central budgets
    assert len(asked) == (7 + 4) * 2 and asked <= set(PRESETS)
    assert all(PRESETS[name].central is not None for name in asked)


def test_without_central_dp_it_is_the_cell_of_data_collection(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    trial = Trial(experiment="cdp", dataset="mnist", mechanism="V-RLM eps_cdp=inf", epsilon=8.0, seed=1)
    rows: list[dict[str, str]] = []
    monkeypatch.setattr(data_collection, "read", lambda experiment: rows)
    with pytest.raises(participants.MissingRun, match="python -m benchmarks run data_collection"):
        cdp.measure(trial, tmp_path)
    known = Row(
        experiment="data_collection",
        dataset="mnist",
        mechanism="V-RLM",
        epsilon=8.0,
        seed=1,
        accuracy=81.5,
        train_rows=10,
        test_rows=10,
        seconds=1.0,
        version="1",
    )
    rows.append({name: str(value) for name, value in vars(known).items()})
    found = cdp.measure(trial, tmp_path)
    assert (found.experiment, found.mechanism, found.accuracy) == ("cdp", trial.mechanism, 81.5)
