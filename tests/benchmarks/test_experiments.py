"""The experiments, on people made up for the purpose: who learns what, and that the runner resumes."""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

from benchmarks import experiments, report, run_experiments, summary, table
from benchmarks.__main__ import main
from benchmarks.experiments import (
    auxiliary_size,
    data_collection,
    data_join,
    novel_class,
    participants,
    private_grid,
    private_inference,
)
from benchmarks.experiments.protocol import People, Trial, ask_group, best, same_without_ldp
from rlm_core.catalogue import RAW
from rlm_core.collector.classifier import NoiseAwareClassifier
from rlm_core.mechanism import RLM
from rlm_core.owner.budget import Budget
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.registry import identity
from rlm_core.training.presets import PRESETS, preset_name

CELL = Trial(experiment="data_collection", dataset="mnist", mechanism="V-RLM", epsilon=8.0, seed=0)


def _people(per_class: int = 150) -> People:
    """Four classes near the four corners of a ball in two dimensions."""
    generator = np.random.default_rng(0)
    clip = L1Clip(radius=1.0)
    corners = np.array([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])

    def part(count: int) -> tuple[np.ndarray, np.ndarray]:
        labels = np.tile(np.arange(4), count)
        return clip(0.9 * corners[labels] + generator.normal(0.0, 0.05, (len(labels), 2))), labels

    def make(epsilon: float) -> RLM:
        noise = LaplaceNoise(epsilon=epsilon, clip=clip)
        return RLM(name="V-RLM", encoder=identity, noise=noise, input_dim=2, output_dim=2)

    return People(
        make=make,
        train=part(per_class),
        valid=part(50),
        test=part(50),
        prior=part(50)[0],
        classes=4,
        hidden=((16,),),
    )


def test_data_collection_learns_clean_classes_from_reports() -> None:
    assert data_collection.collect(CELL, _people()) > 0.9


def test_a_hundredth_of_the_budget_teaches_next_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(data_collection, "split_budget", lambda trial: Budget(epsilon=0.08, lam=0.7))
    assert data_collection.collect(CELL, _people()) < 0.6


def test_private_inference_classifies_reports_worse_than_records() -> None:
    trial = replace(CELL, experiment="private_inference")
    accuracy, estimate = private_inference.classify_reports(trial, _people())
    assert 0.6 < accuracy < 0.98  # four corners at ε_test = 5.6: the bound is 0.86
    assert abs(accuracy - estimate) < 0.2


def test_a_novel_group_is_recognised() -> None:
    people = _people()
    binary = {
        part: (getattr(people, part)[0], np.isin(getattr(people, part)[1], (0, 3)).astype(np.int64))
        for part in ("train", "valid", "test")
    }
    trial = replace(CELL, experiment="novel_class")
    assert novel_class.recognise(trial, replace(people, classes=2, **binary)) > 0.85


def test_the_join_adds_what_the_clean_columns_lack() -> None:
    """Clean columns tell the axis, reports the side: only together they tell the class."""
    people = _people()
    parts = (people.train, people.valid, people.test)
    sides = tuple((y % 2).astype(np.int64) for _, y in parts)
    own = tuple((np.abs(x) > 0.5, side) for (x, _), side in zip(parts, sides, strict=True))
    nothing = tuple(np.empty((len(side), 0)) for side in sides)
    trial = replace(CELL, experiment="data_join", epsilon=math.inf)
    assert data_join.classify(trial, own, nothing) < 0.65
    assert data_join.classify(trial, own, data_join.received(trial, people)) > 0.9
    private = replace(trial, epsilon=6.0)
    assert 0.65 < data_join.classify(private, own, data_join.received(private, people)) < 1.0


def test_trials_have_different_noise_and_the_same_in_every_run() -> None:
    draws = {trial.generator().integers(2**62) for trial in data_collection.trials(2)}
    assert len(draws) == len(data_collection.trials(2))
    assert CELL.generator().integers(2**62) == replace(CELL).generator().integers(2**62)


def test_the_validation_group_answers_through_randomised_response() -> None:
    inputs, labels = np.zeros((4000, 1)), np.zeros(4000, dtype=np.int64)
    exact = ask_group(math.inf, (inputs, labels), np.random.default_rng(0))(lambda x: np.zeros(len(x), dtype=np.int64))
    assert exact.estimate == 1.0
    private = ask_group(1.0, (inputs, labels), np.random.default_rng(0))(lambda x: np.zeros(len(x), dtype=np.int64))
    assert private.estimate != 1.0 and abs(private.estimate - 1.0) < 0.11  # 7 standard errors


def test_the_best_candidate_is_the_one_the_group_prefers() -> None:
    group = ask_group(math.inf, (np.zeros((3, 1)), np.array([0, 0, 1])), np.random.default_rng(0))
    candidates = []
    for answer in (1, 0):
        classifier = NoiseAwareClassifier(classes=2)
        predict = lambda x, answer=answer: np.full(len(x), answer)  # noqa: E731
        classifier.validation_ = group(predict)
        candidates.append((classifier, predict))
    predict, estimate = best(candidates)
    assert predict(np.zeros((1, 1)))[0] == 0 and estimate == pytest.approx(2 / 3)


def test_the_search_can_be_limited_to_some_mechanisms() -> None:
    best_of_all = private_grid.chosen("mnist", 8.0, seed=0)
    assert private_grid.estimates(8.0, 0)[best_of_all] == max(private_grid.estimates(8.0, 0).values())
    some = ("mnist-vrlm-l10-eps33", "mnist-vrlm-l5-eps32")
    assert private_grid.chosen("mnist", 8.0, seed=0, among=some) in some
    for seed in (0, 1):
        assert private_grid.chosen("mnist", 8.0, seed=seed, among=["none"]) == "mnist-vrlm-l7.5-eps5"  # the paper's


@pytest.mark.parametrize("name", experiments.NAMES)
def test_every_experiment_lists_its_cells_once_and_in_the_papers_names(name: str) -> None:
    trials = import_module(f"benchmarks.experiments.{name}").trials(3)
    assert len({trial.key for trial in trials}) == len(trials)
    paper = summary.paper_tables().get(name, {})
    for dataset in ("mnist", "cifar10", "lending_club"):
        listed = {(trial.mechanism, trial.epsilon) for trial in trials if trial.dataset == dataset}
        for mechanism, cells in paper.get(dataset, {}).items():
            assert {(mechanism, float(epsilon)) for epsilon in cells} <= listed


@pytest.mark.parametrize("trial", [*data_collection.trials(1), *novel_class.trials(1), *auxiliary_size.trials(1)])
def test_every_learnt_cell_has_a_preset(trial: Trial) -> None:
    split = "novel_class" if trial.experiment == "novel_class" else "data_collection"
    share = auxiliary_size.SHARES.get(trial.mechanism, 0.75)
    assert preset_name(split, trial.dataset, trial.epsilon, share=share) in PRESETS


def _options(**changes: object) -> argparse.Namespace:
    options = {"experiment": "pca", "dataset": None, "mechanism": None, "epsilon": None, "seeds": 3}
    return argparse.Namespace(**(options | changes))


def test_the_runner_skips_what_is_there_and_takes_filters(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run_experiments.table, "done", lambda experiment: {("mnist", "PCA", 10.0, 0, 0, 1)})
    assert len(run_experiments.missing(_options())) == 3 * 7 - 1
    assert [trial.seed for trial in run_experiments.missing(_options(epsilon=[10.0]))] == [1, 2]
    assert len(run_experiments.missing(_options(epsilon=[math.inf]))) == 3
    assert run_experiments.missing(_options(dataset=["cifar10"])) == []


def test_a_missing_run_is_named_with_its_command(tmp_path: Path) -> None:
    with pytest.raises(participants.MissingRun, match="rlm train mnist-vrlm-l10-eps33 --seed 1"):
        participants.learnt("mnist-vrlm-l10-eps33", 1, tmp_path)


def test_bad_numbers_of_seeds_are_refused(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["run", "pca", "--seeds", "0"]) == 2
    assert "Expected --seeds >= 1" in capsys.readouterr().err


def test_without_ldp_the_benchmarks_are_one_classifier(monkeypatch: pytest.MonkeyPatch) -> None:
    row = {name: "" for name in table.COLUMNS} | {
        "experiment": "data_collection",
        "dataset": "mnist",
        "mechanism": "Laplace",
        "epsilon": "inf",
        "seed": "2",
        "accuracy": "96.0",
        "train_rows": "5",
        "test_rows": "5",
        "seconds": "1.0",
        "version": "1",
    }
    monkeypatch.setattr(table, "read", lambda experiment: [row])
    trial = Trial(experiment="private_inference", dataset="mnist", mechanism="Duchi", epsilon=math.inf, seed=2)
    found = same_without_ldp(trial, RAW, "data_collection")
    assert found is not None
    assert (found.experiment, found.mechanism, found.accuracy) == ("private_inference", "Duchi", 96.0)
    assert same_without_ldp(replace(trial, seed=1), RAW) is None
    assert same_without_ldp(replace(trial, mechanism="V-RLM"), RAW) is None
    assert same_without_ldp(replace(trial, epsilon=10.0), RAW) is None


def test_the_grid_chooses_the_highest_private_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    names = private_grid.candidates()
    base = {name: "" for name in table.COLUMNS} | {"dataset": "mnist", "seed": "0", "epsilon": "10.0"}
    base |= {"train_rows": "1", "test_rows": "1", "seconds": "1", "version": "1", "experiment": "private_grid"}
    rows = [base | {"mechanism": name, "accuracy": str(20 + number)} for number, name in enumerate(names)]
    monkeypatch.setattr(table, "read", lambda experiment: rows)
    assert private_grid.chosen("mnist", 10.0, 0) == names[-1]
    assert private_grid.finalists(10.0, 1) == names[-3:]  # 2, 1 and 0 points below the best
    assert private_grid.chosen("mnist", 2.0, 0) == preset_name("private_inference", "mnist", 2.0)
    assert private_grid.chosen("cifar10", 10.0, 0) == preset_name("private_inference", "cifar10", 10.0)
    later = [base | {"mechanism": name, "accuracy": "30", "seed": "1"} for name in names[-3:-1]]
    rows.extend([*later, base | {"mechanism": names[-1], "accuracy": "29", "seed": "1"}])
    assert private_grid.chosen("mnist", 10.0, 1) == names[-3]
    del rows[-1]
    with pytest.raises(participants.MissingRun, match="private_grid"):
        private_grid.chosen("mnist", 10.0, 1)


def test_the_report_counts_what_the_cells_say(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    compared = [cell for cell in told["cells"] if cell["paper_mean"] is not None]
    assert told["headline"]["cells"] == len(compared)
    above = [c for c in compared if round(c["mean"], 2) >= round(c["paper_mean"] - c["paper_std"], 2)]
    assert abs(told["headline"]["reaches"] - len(above)) <= 1  # the printed mean is rounded once more
    assert set(report.measured()) == {cell["experiment"] for cell in told["cells"]}
