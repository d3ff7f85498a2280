"""Whether reports show that records tell the label: how often that is said of noise, and that it is said of others.

Of labels that are drawn apart from the records, "related" should be said of 1 collection in 100. The statistics are
asymptotic, so more is allowed: at a rate of 7 %, more than 10 of 40 would be said so with a chance below 1e-4.
"""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from rlm_core import LocalPrivatiser
from rlm_core.privatiser import UtilityWarning, association
from rlm_core.privatiser.honesty import UNRELATED, not_better
from rlm_core.privatiser.method import Method
from rlm_core.privatiser.plan import BITS, KINDS, LAPLACE, choose_plan
from rlm_core.privatiser.vrlm.reports import SplitReports
from rlm_core.types import FloatArray, IntArray

COLLECTIONS = 40
X = np.random.default_rng(0).normal(size=(2_000, 6)).astype(np.float32)
CELLS = [(kind, classes, epsilon) for kind in KINDS for classes in (2, 4) for epsilon in (1.0, 4.0, 8.0)]


def chances(kind: str, classes: int, epsilon: float, *, related: bool, times: int) -> FloatArray:
    """Of so many simulated collections of 3,000 reports; related labels follow the first column."""
    generator, n = np.random.default_rng(1), 3_000
    plan = choose_plan(epsilon, n, classes, kind=kind, public_rows=len(X))
    method = Method.fit(plan, X, generator=np.random.default_rng(2), prior_rows=len(X))
    found = []
    for _ in range(times):
        people = X[generator.integers(0, len(X), n)]
        y: IntArray = generator.choice(classes, size=n, p=np.arange(classes, 0, -1) / (classes * (classes + 1) / 2))
        if related:
            y = np.digitize(people[:, 0], np.linspace(-1, 1, classes + 1)[1:-1])
        sent = method.simulate(method.encoder(people), y, epsilon, classes, generator)
        found.append(association.chance(method, sent, epsilon, classes))
    return np.array(found)


@pytest.mark.parametrize(
    ("kind", "classes", "epsilon"), [each for each in CELLS if each[1] == 2 or each[0] not in (BITS, LAPLACE)]
)
def test_noise_is_rarely_taken_for_a_relation(kind: str, classes: int, epsilon: float) -> None:
    found = chances(kind, classes, epsilon, related=False, times=COLLECTIONS)
    assert (found < UNRELATED).sum() <= 10
    assert 0.25 < found.mean() < 0.8  # neither always sure nor never


@pytest.mark.parametrize("kind", KINDS)
def test_what_records_tell_is_seen(kind: str) -> None:
    assert (chances(kind, 2, 4.0, related=True, times=5) < 1e-6).all()


@pytest.mark.parametrize("related", [False, True])
def test_record_and_label_apart(related: bool) -> None:
    generator, found = np.random.default_rng(3), []
    for _ in range(COLLECTIONS):
        y = generator.integers(0, 3, 2_000)
        z = generator.laplace(size=(2_000, 4)) + (0.5 * y[:, None] if related else 0.0)
        said = np.where(generator.random(2_000) < 0.5, y, generator.integers(0, 3, 2_000))
        found.append(association.of_split(SplitReports(z=z, y=said, epsilon_x=1.0, epsilon_y=1.0), 3))
    rate = (np.array(found) < UNRELATED).mean()
    assert rate == 1.0 if related else rate <= 0.15


def table(*, related: bool, rows: int = 9_000) -> pd.DataFrame:
    generator = np.random.default_rng(4)
    numbers = generator.normal(size=(rows, 3))
    tells = numbers[:, 0] if related else generator.normal(size=rows)
    return pd.DataFrame(
        {"a": numbers[:, 0], "b": numbers[:, 1], "c": numbers[:, 2], "ill": np.where(tells > 0, "yes", "no")}
    )


def test_a_label_that_has_nothing_to_do_with_the_record_is_warned_of_by_reports_and_by_test_rows() -> None:
    """Each warning is missing in 1 to 3 collections of 100; in all of four, in fewer than one of a million."""
    noise = table(related=False)
    privatiser = LocalPrivatiser(epsilon=4.0, reports=6_000).fit(noise[:2_000], "ill")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UtilityWarning)
        for _ in range(4):
            privatiser.learn(privatiser.privatise(noise[2_000:8_000], "ill")).score(noise[8_000:], "ill")
    said = "\n".join(str(each.message) for each in caught)
    assert "do not show that records tell the label" in said
    assert "no better than always saying the commonest class" in said


def test_one_that_has_is_not() -> None:
    """Warnings are errors in the tests."""
    tells = table(related=True)
    privatiser = LocalPrivatiser(epsilon=4.0, reports=6_000).fit(tells[:2_000], "ill")
    tested = privatiser.learn(privatiser.privatise(tells[2_000:8_000], "ill")).tested(tells[8_000:], "ill")
    assert tested.rows == 1_000 and tested.accuracy > 0.8 > 0.6 > tested.majority
    assert privatiser.score(tells[8_000:], "ill") == tested.accuracy


def test_a_gain_that_may_be_chance_is_none() -> None:
    """51 of 100 where the commonest class has 50: two standard deviations of where they differ."""
    truth = np.arange(100) < 50  # where the commonest class is right
    right = truth.copy()
    right[48:51] = ~right[48:51]
    said = not_better(right, truth)
    assert right.sum() == 49 and said is not None and "as far as" not in said
    right[51:54] = True
    said = not_better(right, truth)
    assert right.sum() == 52 and said is not None and "as far as 100 test rows can tell" in said
    right[54:74] = True
    assert not_better(right, truth) is None
    assert not_better(truth, truth) is not None  # the commonest class itself
