"""The paper's curve on the start page: committed, whole, and of the people it says."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import crowd, crowd_curve, table
from rlm_core import zoo


def test_every_point_is_committed() -> None:
    finished = table.done(crowd.EXPERIMENT)
    assert {trial.key for _, trial in crowd_curve.trials()} <= finished
    curves = crowd.curves()
    assert set(curves) == set(crowd_curve.EPSILONS)
    for points in curves.values():
        assert [size for size, _ in points] == sorted(crowd_curve.SIZES)


def test_a_point_is_the_mean_of_its_draws() -> None:
    rows = [table.parse(each) for each in table.read(crowd.EXPERIMENT)]
    newest = max(row.protocol for row in rows)
    drawn = [row.accuracy for row in rows if (row.epsilon, row.train_rows, row.protocol) == (4.0, 13_500, newest)]
    assert dict(crowd.curves()[4.0])[13_500] == pytest.approx(sum(drawn) / len(drawn), abs=0.01)


def test_the_first_people_of_the_bundle_take_part() -> None:
    people = crowd_curve.first_people(4.0, 500)
    bundle = zoo.load(zoo.choose("mnist", 4.0), device="cpu").bundle
    assert np.array_equal(people.train[0], bundle.train_z[:500]) and len(people.train[1]) == 500
    assert np.array_equal(people.test[1], bundle.test_y)
