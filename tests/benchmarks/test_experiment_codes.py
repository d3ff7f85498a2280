"""The Q-RLM's rows, on made-up people whose codes almost tell their labels."""

from __future__ import annotations

import math
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from benchmarks.experiments import codes
from benchmarks.experiments.participants import MissingRun
from benchmarks.experiments.protocol import Trial
from rlm_core.training.codes.hierarchy import merge_order, merged_codes

FINE, CLASSES = 20, 4


class MadeUpRun:
    """Twenty fine codes, five for each label; two codes of one label are confused more than others."""

    finest = FINE
    preset = SimpleNamespace(split="data_collection", contrast=1.0)

    def merge(self, k: int) -> Any:
        label = np.arange(FINE) % CLASSES
        joint = 0.01 + 0.2 * (label[:, None] == label) + 0.5 * np.eye(FINE)
        return merged_codes(merge_order(joint / joint.sum()), k)


def everybody(seed: int = 0, purity: float = 0.95) -> codes.Coded:
    generator = np.random.default_rng(seed)

    def people(count: int) -> tuple[np.ndarray, np.ndarray]:
        fine = generator.integers(FINE, size=count)
        wrong = generator.random(count) > purity
        return fine, np.where(wrong, generator.integers(CLASSES, size=count), fine % CLASSES)

    train, valid, test, prior = people(6000), people(800), people(2000), people(4000)[0]
    features = {
        part: np.eye(FINE)[fine]
        for part, fine in (
            ("classifier_train", train[0]),
            ("classifier_valid", valid[0]),
            ("classifier_test", test[0]),
            ("mechanism_train", prior),
        )
    }
    run: Any = MadeUpRun()
    return codes.Coded(run=run, train=train, valid=valid, test=test, prior=prior, features=features, classes=CLASSES)


def trial(experiment: str, epsilon: float) -> Trial:
    return Trial(experiment=experiment, dataset="mnist", mechanism="Q-RLM", epsilon=epsilon, seed=0)


@pytest.fixture
def made_up(monkeypatch: pytest.MonkeyPatch) -> codes.Coded:
    found = everybody()
    monkeypatch.setattr(codes, "coded", lambda *arguments: found)
    return found


@pytest.mark.parametrize(("epsilon", "least"), [(1.0, 85.0), (4.0, 93.0), (math.inf, 95.0)])
def test_collection_learns_the_labels_of_codes(made_up: codes.Coded, epsilon: float, least: float) -> None:
    row = codes.collection(trial("data_collection", epsilon), Path("unused")).row(trial("data_collection", epsilon), 0)
    assert least < row.accuracy < 98 and row.mechanism == "Q-RLM"
    assert row.latent_dim == made_up.codes_for(epsilon) and row.lam == ""
    again = codes.collection(trial("data_collection", epsilon), Path("unused"))
    assert row.accuracy == pytest.approx(100 * again.correct.mean(), abs=1e-3)  # the noise is the trial's
    other = codes.collection(replace(trial("data_collection", epsilon), draw=1), Path("unused"))
    assert math.isinf(epsilon) or other.correct.shape == again.correct.shape


def test_a_row_among_some_people_counts_these(made_up: codes.Coded) -> None:
    cell = trial("data_collection", 4.0)
    answers = codes.collection(cell, Path("unused"))
    chosen = np.arange(len(answers.correct)) % 3 == 0
    row = answers.row_among(cell, 0.0, chosen)
    assert (row.experiment, row.test_rows) == ("data_collection_unseen", chosen.sum())
    assert row.accuracy == pytest.approx(100 * answers.correct[chosen].mean(), abs=1e-3)


def test_inference_stays_below_the_cap_of_the_channel(made_up: codes.Coded) -> None:
    """k-RR among K codes: cap times purity (0.95 and a quarter of the rest), 5 standard errors of 2,000 people."""
    answers = codes.inference(trial("private_inference", 4.0), Path("unused"), 0.7)
    cap = math.exp(2.8) / (math.exp(2.8) + CLASSES - 1)
    assert abs(answers.correct.mean() - 0.9625 * cap) < 5 * math.sqrt(0.25 / 2_000)
    assert answers.people.facts["latent_dim"] == CLASSES


def test_a_table_of_fewer_codes_is_the_mean_over_the_merged(made_up: codes.Coded) -> None:
    fine = np.random.default_rng(1).dirichlet(np.ones(CLASSES), size=FINE)
    frequencies, merge = made_up.frequencies(FINE), made_up.run.merge(6)
    finest = made_up.run.merge(FINE)
    coarse = codes.coarser_table(made_up, fine, FINE, 6)
    for code in range(6):
        members = [finest[each] for each in np.flatnonzero(merge == code)]
        np.testing.assert_allclose(coarse[code], np.average(fine[members], axis=0, weights=frequencies[members]))


def test_a_novel_class_is_told_by_its_codes(monkeypatch: pytest.MonkeyPatch) -> None:
    found = everybody(purity=1.0)
    novel = codes.Coded(
        run=found.run,
        train=(found.train[0], (found.train[1] == 3).astype(np.int64)),
        valid=(found.valid[0], (found.valid[1] == 3).astype(np.int64)),
        test=(found.test[0], (found.test[1] == 3).astype(np.int64)),
        prior=found.prior,
        features=found.features,
        classes=2,
    )
    monkeypatch.setattr(codes, "coded", lambda *arguments: novel)
    assert codes.novel(trial("novel_class", 6.0), Path("unused")).accuracy > 97


def test_people_of_the_join_are_one_hot_and_a_missing_run_is_named(made_up: codes.Coded, tmp_path: Path) -> None:
    people = codes.one_hot_people(trial("data_join", 2.0), Path("unused"))
    assert (people.train[0].sum(axis=1) == 1.0).all()
    mechanism = people.make(2.0)
    assert mechanism.simulate(people.test[0], generator=np.random.default_rng(0)).shape == people.test[0].shape


def test_a_missing_run_is_named_with_its_command(tmp_path: Path) -> None:
    with pytest.raises(MissingRun, match="rlm train mnist-qrlm --seed 7"):
        codes.coded("data_collection", "mnist", 7, tmp_path)
