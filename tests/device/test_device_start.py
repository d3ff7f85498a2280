"""The start page's modules compute what the library does: the crowd's fit, the cut of the tree, the verdict."""

from __future__ import annotations

import json
import math
import subprocess
from functools import lru_cache
from typing import Any

import numpy as np
import pytest
from device_server import DEVICE, HERE

from rlm_core.collector.code_labels import every_label_owns_a_code, one_to_one
from rlm_core.collector.codes import PairSets, expectation_maximisation
from rlm_core.owner.pairs import PairSelection
from rlm_core.theory.verdict import verdict
from rlm_core.training.codes.choice import codes_for
from rlm_core.zoo.code_tree import cut, finest_codes

PEOPLE, CLASSES = 13_500, 10
EPSILONS = (0.5, 1.0, 1.5, 2.0, 3.3, 4.0, 6.0, 7.999, 8.0, 10.0)
CUTS = (1, 2, 10, 13, 42, 95, 96)
SHAPES = ((0.5, 10, 1_500), (1.0, 13, 1_200), (4.0, 20, 600), (8.0, 30, 500))
DRAWS = ((0.5, 100), (4.0, 420), (10.0, 960))
COUNT = 20_000


@lru_cache(maxsize=1)
def fits() -> list[tuple[PairSets, np.ndarray, np.ndarray]]:
    """Reports with the frequencies of codes and of pairs; codes follow the labels, mostly."""
    found = []
    for epsilon, codes, people in SHAPES:
        generator = np.random.default_rng(codes)
        code = generator.integers(0, codes, people)
        label = np.where(generator.random(people) < 0.9, code % CLASSES, generator.integers(0, CLASSES, people))
        channel = PairSelection(epsilon=epsilon, codes=codes, classes=CLASSES)
        members = channel.simulate(code, label, generator=generator)
        joint = np.bincount(code * CLASSES + label, minlength=codes * CLASSES).astype(np.float64)
        reports = PairSets(members=members, epsilon=epsilon, codes=codes, classes=CLASSES)
        found.append((reports, joint.reshape(codes, CLASSES).sum(axis=1), joint))
    return found


@pytest.fixture(scope="module")
def twin(node: str) -> dict[str, Any]:
    """What JavaScript makes of all cases."""
    cases = {
        "people": PEOPLE,
        "finest": finest_codes("mnist").latent_dim,
        "order": finest_codes("mnist").architecture["order"],
        "epsilons": EPSILONS,
        "cuts": CUTS,
        "draws": [{"epsilon": epsilon, "symbols": k, "symbol": 7, "count": COUNT} for epsilon, k in DRAWS],
        "fits": [
            {
                "epsilon": reports.epsilon,
                "codes": reports.codes,
                "classes": CLASSES,
                "size": int(reports.members[0].sum()),
                "sets": [np.flatnonzero(row).tolist() for row in reports.members],
                "frequencies": frequencies.tolist(),
                "joint": joint.tolist(),
            }
            for reports, frequencies, joint in fits()
        ],
    }
    command = [node, str(HERE / "conformance" / "start.mjs"), str(DEVICE)]
    done = subprocess.run(command, input=json.dumps(cases), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def test_maximum_likelihood_is_the_librarys(twin: dict[str, Any]) -> None:
    for (reports, frequencies, _), found in zip(fits(), twin["fits"], strict=True):
        expected = expectation_maximisation(reports, frequencies)
        table = np.array(found["table"]).reshape(expected.table.shape)
        assert np.allclose(table.sum(axis=1), 1.0)
        assert np.abs(table - expected.table).max() < 0.02  # Python's sums are float32, which may end a step earlier
        assert (table.argmax(axis=1) == expected.table.argmax(axis=1)).mean() > 0.95


def test_codes_that_may_be_the_classes_get_one_label_each(twin: dict[str, Any]) -> None:
    for (reports, frequencies, _), found in zip(fits(), twin["fits"], strict=True):
        assert found["oneToOne"] == one_to_one(frequencies, CLASSES)
        if reports.codes == CLASSES:
            assert found["owned"] == every_label_owns_a_code(reports).table.argmax(axis=1).tolist()


def test_a_guess_about_one_sender_is_bayes_rule(twin: dict[str, Any]) -> None:
    for (reports, _, joint), found in zip(fits(), twin["fits"], strict=True):
        likelihood = np.where(reports.members, 1.0, math.exp(-reports.epsilon))  # (n, k·K)
        belief = (likelihood * joint).reshape(len(likelihood), -1, CLASSES).sum(axis=1)
        ordered = np.sort(belief, axis=1)
        clear = ordered[:, -1] - ordered[:, -2] > 1e-9 * ordered[:, -1]  # of equals either may be named
        assert clear.mean() > 0.5
        assert (np.array(found["guesses"])[clear] == belief.argmax(axis=1)[clear]).all()


def test_cuts_and_numbers_of_codes(twin: dict[str, Any]) -> None:
    assert twin["cuts"] == [cut(finest_codes("mnist"), k).tolist() for k in CUTS]
    assert twin["codes"] == [codes_for(epsilon, PEOPLE) for epsilon in EPSILONS]


def test_verdicts(twin: dict[str, Any]) -> None:
    expected = [verdict(epsilon) for epsilon in EPSILONS]
    assert twin["verdicts"] == [
        {"strength": each.strength, "sentence": each.sentence, "warning": each.warning} for each in expected
    ]


def test_simulated_sets_follow_the_channel(twin: dict[str, Any]) -> None:
    """Counts within 6.5 standard deviations: over 1,480 symbols a wrong alarm has probability below 1e-6."""
    for (_, symbols), found in zip(DRAWS, twin["draws"], strict=True):
        held, inside = np.array(found["held"]), found["inside"]
        assert held.sum() == COUNT * found["size"]
        outside = (found["size"] - inside) / (symbols - 1)
        expected = np.full(symbols, outside)
        expected[7] = inside
        deviation = np.sqrt(COUNT * expected * (1 - expected))
        # rare symbols are Poisson, whose tail is longer: 6.5 deviations and 13 more
        assert (np.abs(held - COUNT * expected) <= 6.5 * deviation + 13 * (COUNT * expected < 100)).all()
