"""The frozen protocols as a command: which trials, in which order, once each; and the joint report in an experiment."""

from __future__ import annotations

import argparse
import math
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks import frozen, table
from benchmarks.experiments import joint
from benchmarks.experiments.protocol import Answers, People, Trial
from benchmarks.protocols import PROTOCOLS, Protocol

ROOT = Path(__file__).resolve().parents[2]


def nothing(epsilon_x: float) -> Any:
    raise AssertionError(epsilon_x)


def people(classes: int, seed: int = 0) -> People:
    """Groups on a circle; a third coordinate that has collapsed."""
    rng = np.random.default_rng(seed)

    def some(count: int) -> tuple[np.ndarray, np.ndarray]:
        y = rng.integers(classes, size=count)
        angle = 2 * np.pi * y / classes
        z = np.stack([np.cos(angle), np.sin(angle), np.zeros(count)], axis=1) + 0.15 * rng.normal(size=(count, 3))
        z[:, 2] *= 0.01
        return z, y

    return People(
        make=nothing, train=some(20_000), valid=some(10), test=some(2_000), prior=some(2_000)[0], classes=classes,
        hidden=((),), facts={"latent_dim": 3, "radius": 5.0, "epsilon_pretraining": 1.0},
    )  # fmt: skip


def cell(dataset: str, epsilon: float = 4.0, **changes: Any) -> Trial:
    mechanism = joint.MECHANISMS[dataset]
    return Trial(
        experiment="data_collection",
        dataset=dataset,
        mechanism=mechanism,
        epsilon=epsilon,
        seed=10,
        protocol=2,
        **changes,
    )


@pytest.mark.parametrize(("dataset", "classes"), [("lending_club", 2), ("mnist", 5)])
def test_a_joint_report_teaches_the_collector(monkeypatch: pytest.MonkeyPatch, dataset: str, classes: int) -> None:
    """Seeded; groups are ten deviations apart, so that far fewer than a tenth are mistaken."""
    found = people(classes)
    monkeypatch.setattr(joint.participants, "learnt", lambda *arguments: found)
    answers = joint.collection(cell(dataset), Path("unused"))
    assert answers.correct.mean() > 0.9
    row = answers.row(cell(dataset), 0.0)
    assert (row.epsilon_x, row.epsilon_y, row.lam, row.protocol) == (4.0, 0.0, "", 2)


def test_what_the_report_is_about_comes_from_public_records() -> None:
    public = people(5).prior
    assert public is not None
    report = joint.coordinate_report(public, 5, 1.0)
    assert report.drawn.tolist() == [0, 1]
    signed, vectors = joint.signed_report(public, 1.0)
    assert np.abs(vectors).sum(axis=1).max() <= signed.radius
    assert signed.constant == pytest.approx(joint.CONSTANT * signed.radius)


def test_every_trial_of_a_protocol_is_new_and_there_once() -> None:
    found = {
        number: [(stage.experiment, trial.key) for stage in protocol.stages for trial in protocol.trials(stage)]
        for number, protocol in PROTOCOLS.items()
    }
    for number, keys in found.items():
        assert len(keys) == len(set(keys)) and {key[5] for _, key in keys} == {number}
    assert {key[3] for _, key in found[2]} == {10, 11, 12} and {key[3] for _, key in found[3]} == {13, 14, 15}
    codes = PROTOCOLS[2].trials(PROTOCOLS[2].stages[0], (10,))
    assert [trial.draw for trial in codes if trial.epsilon == 1.0] == [0, 1, 2, 3, 4]
    assert [trial.draw for trial in codes if math.isinf(trial.epsilon)] == [0]


def test_what_is_there_is_not_measured_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(table, "RESULTS", tmp_path)
    monkeypatch.setattr(frozen, "train_for", lambda trial, runs: None)
    correct = np.arange(2_000) % 2 == 0
    answers = Answers(correct=correct, people=people(2), columns={})
    experiment = SimpleNamespace(answers=lambda trial, runs: answers)
    monkeypatch.setattr(frozen, "import_module", lambda name: experiment)
    monkeypatch.setattr(frozen, "unseen_people", lambda *arguments: correct)
    options = argparse.Namespace(
        runs=tmp_path, dataset=["mnist"], mechanism=["Q-RLM"], seed=[11], protocol=None, list=False
    )
    assert frozen.main(options) == 0
    rows = table.read("data_collection", tmp_path)
    assert len(rows) == 31 and {row["accuracy"] for row in rows} == {"50.0"}
    assert {row["accuracy"] for row in table.read("data_collection_unseen", tmp_path)} == {"100.0"}
    monkeypatch.setattr(frozen, "measure", nothing)
    assert frozen.main(options) == 0


@pytest.mark.parametrize("protocol", PROTOCOLS.values(), ids=str)
def test_the_page_says_the_seeds_and_the_command(protocol: Protocol) -> None:
    page = (ROOT / protocol.page).read_text(encoding="utf-8")
    assert "python -m benchmarks frozen" in page and f"Seeds {', '.join(map(str, protocol.seeds))}" in page
