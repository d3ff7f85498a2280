"""Reports of bits tell whether the people look like the public rows: silent if so, said if not."""

from __future__ import annotations

import math
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest

from rlm_core.data import adult_sample
from rlm_core.owner.joint_bits import JointBits
from rlm_core.privatiser import LocalPrivatiser, UtilityWarning
from rlm_core.privatiser.drift import pair_statistic
from rlm_core.privatiser.plan import BITS

LABEL = "income-per-year"
ADULT = adult_sample()
PUBLIC, PEOPLE = ADULT[:3_000], ADULT[3_000:7_500].reset_index(drop=True)
YOUNG = PEOPLE[PEOPLE["age"].astype(int) < 30]
GROUPS = {"one person": pd.concat([PEOPLE.iloc[[5]]] * 3_000), "the young": pd.concat([YOUNG] * 3)}


@cache
def fitted(epsilon: float) -> LocalPrivatiser:
    return LocalPrivatiser(epsilon=epsilon, reports=4_500, kind=BITS).fit(PUBLIC, LABEL)


def said_of(people: pd.DataFrame, epsilon: float) -> str:
    privatiser = fitted(epsilon)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always", UtilityWarning)
        privatiser.learn(privatiser.privatise(people, LABEL))
    return "\n".join(str(each.message) for each in found)


@pytest.mark.parametrize("epsilon", [2.0, 4.0, 8.0])
def test_people_like_the_public_rows_are_not_warned_of(epsilon: float) -> None:
    assert "look like" not in said_of(PEOPLE, epsilon)


@pytest.mark.parametrize("epsilon", [4.0, 8.0])
@pytest.mark.parametrize("group", GROUPS)
def test_people_unlike_the_public_rows_are_noticed(group: str, epsilon: float) -> None:
    """Over 20 simulated collections one person had at least 244 where 92 is the limit (ε = 4)."""
    assert "do not look like the public rows" in said_of(GROUPS[group], epsilon)


@pytest.mark.parametrize("label_share", [0.1, 0.5])
def test_the_statistic_is_chi_square_whatever_the_labels(label_share: float) -> None:
    """Public rows and people of one distribution, correlated: mean f and variance 2f over 300 collections.

    The mean is within 5 of its deviations (6e-7 by chance); the covariance left out, or κ forgotten, is not.
    """
    generator, collections = np.random.default_rng(3), 300
    joint = JointBits(epsilon=3.0, low=(-1.0,) * 5, high=(1.0,) * 5, bits=4)
    mixing = generator.normal(size=(5, 5)) / 2
    found = []
    for _ in range(collections):
        public, people = (np.tanh(generator.normal(size=(n, 5)) @ mixing) for n in (500, 2_000))
        y = (generator.random(2_000) < label_share) ^ (people[:, 0] > 0.8)
        sent = joint.simulate(people, y.astype(np.int64), generator=generator)
        assert sent.coordinates is not None and sent.symbols is not None
        phi = np.concatenate([public, np.ones((500, 1))], axis=1)
        statistic, freedom = pair_statistic(sent.coordinates, sent.symbols, joint, phi)
        assert freedom == 15
        found.append(statistic)
    assert abs(np.mean(found) - 15) < 5 * math.sqrt(2 * 15 / collections)


def test_one_bit_or_few_reports_have_no_pairs() -> None:
    phi = np.ones((50, 4))
    one = JointBits(epsilon=1.0, low=(-1.0,) * 3, high=(1.0,) * 3, bits=1)
    many = np.zeros(1_000, dtype=np.int64)
    assert pair_statistic(many, many, one, phi) == (0.0, 0)
    four = JointBits(epsilon=4.0, low=(-1.0,) * 3, high=(1.0,) * 3, bits=4)
    assert pair_statistic(many[:5], many[:5], four, phi) == (0.0, 0)
