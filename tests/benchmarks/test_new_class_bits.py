"""The novel class by joint bits: a class that no code is for, told by how badly the nearest code fits."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
import torch

from benchmarks.experiments import codes, new_class_bits, novel_class
from benchmarks.experiments.protocol import Trial


def new_people(seed: int = 0) -> codes.Coded:
    """Known records lie near one of four corners; new ones in the middle, where every score is low."""
    rng = np.random.default_rng(seed)
    corners = np.array([[1.0, 1.0], [1.0, -1.0], [-1.0, 1.0], [-1.0, -1.0]])

    def some(known: int, new: int) -> tuple[np.ndarray, np.ndarray]:
        at = np.concatenate([corners[rng.integers(4, size=known)], np.zeros((new, 2))])
        return at + 0.1 * rng.normal(size=at.shape), np.repeat([0, 1], [known, new])

    features, labels = {}, {}
    for part, count in (
        ("mechanism_train", (4_000, 0)),
        ("classifier_train", (50, 3_000)),
        ("classifier_test", (500, 500)),
    ):
        features[part], labels[part] = some(*count)
    scores = torch.nn.Linear(2, 4)
    with torch.no_grad():
        scores.weight.copy_(torch.from_numpy(corners))
        scores.bias.zero_()
    run: Any = SimpleNamespace(encoder=torch.nn.Sequential(torch.nn.Identity(), scores))
    nobody = np.zeros(0, dtype=np.int64)
    return codes.Coded(
        run=run,
        train=(nobody, labels["classifier_train"]),
        valid=(nobody, nobody),
        test=(nobody, labels["classifier_test"]),
        prior=nobody,
        features=features,
        classes=2,
    )


def trial(epsilon: float) -> Trial:
    return Trial(
        experiment="novel_class",
        dataset="mnist",
        mechanism=new_class_bits.MECHANISM,
        epsilon=epsilon,
        seed=16,
        protocol=4,
    )


@pytest.mark.parametrize(("epsilon", "least"), [(1.0, 75), (4.0, 85)])
def test_a_class_between_the_others_is_found(monkeypatch: pytest.MonkeyPatch, epsilon: float, least: int) -> None:
    """Averages of the two coordinates are those of everybody: only the score tells, or it would be 50 %. Seeded."""
    monkeypatch.setattr(codes, "coded", lambda *arguments: new_people())
    row = novel_class.measure(trial(epsilon), Path("unused"))
    assert row.accuracy > least and (row.epsilon_x, row.epsilon_y, row.protocol) == (epsilon, 0.0, 4)


def test_the_known_send_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others' records at the time of asking change nothing: only D₁'s are used."""
    one, other = new_people(), new_people()
    other.features["classifier_train"][:50] += 7.0
    rows = []
    for people in (one, other):
        monkeypatch.setattr(codes, "coded", lambda *arguments, people=people: people)
        rows.append(novel_class.measure(trial(2.0), Path("unused")).accuracy)
    assert rows[0] == rows[1]


def test_the_number_of_components_follows_epsilon_and_n() -> None:
    assert [new_class_bits.numbers_for(epsilon, 5_354) for epsilon in (0.1, 1.0, 8.0)] == [5, 21, 64]
