"""What a report gives away: the attacker's rule is Bayes', its likelihoods are the mechanisms'."""

from __future__ import annotations

import itertools
import math
from pathlib import Path

import numpy as np
import pytest

from benchmarks import gain, shipped, summary, table
from benchmarks.experiments import gain_risk
from benchmarks.experiments.gain_risk_reports import duchi_density
from benchmarks.experiments.people_needed import measure
from benchmarks.experiments.protocol import Trial
from benchmarks.experiments.shipped_codes import coded_people
from rlm_core.baselines import Duchi
from rlm_core.baselines.duchi import half_spaces
from rlm_core.collector.inference import infer
from rlm_core.theory import krr_cap


def test_a_guess_is_the_most_probable_class() -> None:
    generator = np.random.default_rng(0)
    likelihoods, labels = generator.normal(size=(40, 30)) * 5, generator.integers(4, size=30)
    found = gain_risk.guess(likelihoods, labels, 4)
    assert found.tolist() == [int(infer(each, labels, classes=4).classes.argmax()) for each in likelihoods]


def test_duchi_s_density_is_the_mechanism_s() -> None:
    """Against the sum over all corners v, in eight dimensions: the normal approximation is off by little."""
    duchi, x = Duchi(epsilon=2.0, dimension=8), np.random.default_rng(1).uniform(-0.6, 0.6, size=(3, 8))
    corners = np.array(list(itertools.product((-1.0, 1.0), repeat=8)))
    plus, minus = half_spaces(8)
    p = float(duchi.probability)
    chosen = np.prod((1 + x[:, None] * corners) / 2, axis=2)  # (m, v)
    given = np.where(corners @ corners.T >= 0, p / plus, (1 - p) / minus)  # (v, t)
    exact = (chosen @ given).T  # (t, m)
    found = np.exp(duchi_density(duchi, corners, x))
    assert found / found.sum(axis=0) == pytest.approx(exact, rel=0.08)


@pytest.mark.parametrize("mechanism", ["V-RLM", "Q-RLM", "joint V-RLM"])
@pytest.mark.parametrize("dataset", ["mnist", "lending_club"])
def test_nobody_is_guessed_beyond_the_cap(monkeypatch: pytest.MonkeyPatch, dataset: str, mechanism: str) -> None:
    monkeypatch.setattr(gain_risk, "SENDERS", 800)
    monkeypatch.setattr(gain_risk, "PUBLIC", 800)
    trial = Trial(experiment="gain_risk", dataset=dataset, mechanism=mechanism, epsilon=1.0, seed=0)
    row = gain_risk.measure(trial, Path("runs"))
    classes = 2 if dataset == "lending_club" else 10
    slack = 100 * 5.2 * math.sqrt(0.25 / 800)  # a normal deviate exceeds 5.2 once in ten million
    assert 100 / classes - slack < row.accuracy < 100 * float(krr_cap(1.0, classes)) + slack
    assert (row.test_rows, row.epsilon_x) == (800, 1.0 if mechanism != "V-RLM" else pytest.approx(1.0 * float(row.lam)))


def test_the_committed_rows_are_of_this_experiment() -> None:
    cells = summary.cells("gain_risk")
    assert {(cell.dataset, cell.mechanism) for cell in cells} >= {
        (dataset, name) for dataset in gain.datasets() for name in ("Q-RLM", gain.DATASETS[dataset].kind)
    }


def test_shipped_codes_learn_what_the_experiment_measured() -> None:
    """A cell of data collection from the shipped people: k by the rule, one pair, the same estimator."""
    people, about = coded_people("mnist", 1.0), shipped.origin("mnist")
    key = ("mnist", "Q-RLM", 1.0, about.seed, 0, about.protocol)
    (row,) = [each for each in map(table.parse, table.read("data_collection")) if each.key == key]
    assert people.k == row.latent_dim and len(people.train[1]) == row.train_rows
    trial = Trial(experiment="people_needed", dataset="mnist", mechanism="Q-RLM people=1", epsilon=1.0, seed=0, draw=9)
    error = 100 * math.sqrt(0.05 * 0.95 / 2_500)  # of 2,500 test people
    assert measure(trial, Path("runs")).accuracy == pytest.approx(row.accuracy, abs=5.2 * error)


@pytest.mark.parametrize("factor", [0.5, 4.0])
def test_more_people_are_worth_a_smaller_epsilon(factor: float) -> None:
    worth = gain.equivalent_epsilon(1.5, factor)
    assert (worth > 1.5) == (factor > 1) and gain.equivalent_epsilon(worth, 1 / factor) == pytest.approx(1.5)
