"""Every way in which a release can go, run and weighed in exact rational arithmetic: P(report | record) and its ratios.

The formulas are not used: the release path itself runs once for every branch of its random draws. A word of 64 bits
is replaced by the four quarters of its range, which is exact where a record's numbers are quarters of theirs.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from decimal import Context, Decimal
from fractions import Fraction
from itertools import permutations, product
from math import factorial
from typing import Any

import numpy as np
import pytest

from rlm_core.owner import joint, joint_bits, labels, subset_selection
from rlm_core.owner.joint import JointSelection
from rlm_core.owner.joint_bits import JointBits
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.pairs import PairSelection
from rlm_core.owner.subset_selection import SubsetSelection

Distribution = dict[Hashable, Fraction]
EPSILONS = (0.1, 1.0, 2.5, 7.0)
QUARTERS = np.array([0, 2**62, 2**63, 3 * 2**62], dtype=np.uint64)


class Branches:
    """Runs a function once for every combination of what :meth:`choose` may return."""

    def __init__(self) -> None:
        self.path: list[tuple[int, int]] = []  # what was chosen, of how many
        self.at, self.weight = 0, Fraction(1)

    def choose(self, weights: Sequence[Fraction]) -> int:
        if self.at == len(self.path):
            self.path.append((0, len(weights)))
        chosen = self.path[self.at][0]
        self.at += 1
        self.weight *= weights[chosen]
        return chosen

    def distribution(self, function: Callable[[], Hashable]) -> Distribution:
        found: Distribution = {}
        self.path = []
        while True:
            self.at, self.weight = 0, Fraction(1)
            result = function()
            found[result] = found.get(result, Fraction(0)) + self.weight
            while self.path and self.path[-1][0] == self.path[-1][1] - 1:
                self.path.pop()
            if not self.path:
                return found
            self.path[-1] = (self.path[-1][0] + 1, self.path[-1][1])


@pytest.fixture
def branches(monkeypatch: pytest.MonkeyPatch) -> Branches:
    """Draws of one record that branch; two keys are never equal (a row with equal ones is drawn again)."""
    tree = Branches()

    def bernoulli(probability: Fraction, shape: Any) -> Any:
        return np.array([tree.choose([1 - probability, probability]) == 1]).reshape(shape)

    def uniform_below(bound: int, shape: Any) -> Any:
        return np.array([tree.choose([Fraction(1, bound)] * bound)]).reshape(shape)

    def random_keys(shape: tuple[int, int], *, bits: int) -> Any:
        orders = list(permutations(range(1, shape[1] + 1)))
        return np.array([orders[tree.choose([Fraction(1, factorial(shape[1]))] * len(orders))]], dtype=np.uint64)

    def random_words(count: int) -> Any:
        return np.array([QUARTERS[tree.choose([Fraction(1, 4)] * 4)] for _ in range(count)], dtype=np.uint64)

    for module in (labels, subset_selection):
        monkeypatch.setattr(module, "bernoulli", bernoulli)
    for module in (labels, subset_selection, joint, joint_bits):
        monkeypatch.setattr(module, "uniform_below", uniform_below)
    for module in (joint, joint_bits):
        monkeypatch.setattr(module, "random_words", random_words)
    monkeypatch.setattr(subset_selection, "random_keys", random_keys)
    return tree


def largest_ratio(rows: Sequence[Distribution]) -> Fraction:
    reports = set().union(*rows)
    for row in rows:
        assert sum(row.values()) == 1 and row.keys() == reports  # whatever is sent, anybody may have sent it
    return max(left[each] / right[each] for left in rows for right in rows for each in reports)


def spends(rows: Sequence[Distribution], epsilon: float) -> bool:
    """At most ε, and nearly all of it: between e^ε·(1 − 10⁻¹²) and e^ε."""
    context = Context(prec=80)
    most = Fraction(context.next_minus(context.exp(Decimal(epsilon))))
    return most * (1 - Fraction(1, 10**12)) < largest_ratio(rows) <= most


def as_set(members: Any) -> tuple[int, ...]:
    return tuple(np.flatnonzero(members).tolist())


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("classes", [2, 3, 10])
def test_randomised_response(branches: Branches, epsilon: float, classes: int) -> None:
    respond = RandomisedResponse(epsilon=epsilon, classes=classes)
    rows = [branches.distribution(lambda y=y: int(respond.privatise([y])[0])) for y in range(classes)]
    assert spends(rows, epsilon)
    assert all(row[y] == respond.truth_probability for y, row in enumerate(rows))


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize(("symbols", "size"), [(3, 1), (4, 2), (5, 2), (5, 3)])
def test_subset_selection(branches: Branches, epsilon: float, symbols: int, size: int) -> None:
    channel = SubsetSelection(epsilon=epsilon, symbols=symbols, subset=size)
    rows = [branches.distribution(lambda c=c: as_set(channel.privatise_symbols([c])[0])) for c in range(symbols)]
    assert spends(rows, epsilon)
    for c, row in enumerate(rows):  # two probabilities: of the sets with c, and of those without
        assert {len(each) for each in row} == {size}
        assert len({weight for each, weight in row.items() if c in each}) == 1
        assert len({weight for each, weight in row.items() if c not in each}) == 1


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_pairs(branches: Branches, epsilon: float) -> None:
    pairs = PairSelection(epsilon=epsilon, codes=2, classes=3)
    rows = [
        branches.distribution(lambda c=c, y=y: as_set(pairs.privatise([c], [y])[0])) for c in range(2) for y in range(3)
    ]
    assert spends(rows, epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_joint_selection(branches: Branches, epsilon: float) -> None:
    """Coordinates inside their range, at its ends and beyond, both classes."""
    mechanism = JointSelection(epsilon=epsilon, classes=2, low=(0.0, -1.0), high=(1.0, 3.0))

    def report(h: tuple[float, float], y: int) -> Hashable:
        coordinates, members = mechanism.privatise([h], [y])
        return int(coordinates[0]), as_set(members[0])

    records = [(h, y) for h in [(0.25, 0.0), (1.0, -1.0), (9.0, 1e300), (-2.0, -1e300)] for y in (0, 1)]
    assert spends([branches.distribution(lambda r=r: report(*r)) for r in records], epsilon)


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("bits", [1, 2])
def test_joint_bits(branches: Branches, epsilon: float, bits: int) -> None:
    mechanism = JointBits(epsilon=epsilon, low=(0.0, 0.0), high=(1.0, 2.0), bits=bits)

    def report(h: tuple[float, ...], y: int) -> Hashable:
        sent = mechanism.send(np.array([h]), np.array([y]))
        assert sent.coordinates is not None and sent.symbols is not None
        return int(sent.coordinates[0]), int(sent.symbols[0])

    records = [(h, y) for h in product([0.0, 0.25, 1.0], [0.5, 2.0]) for y in (0, 1)]
    assert spends([branches.distribution(lambda r=r: report(*r)) for r in records], epsilon)


def test_a_threshold_that_is_a_little_too_high_is_found(branches: Branches, monkeypatch: pytest.MonkeyPatch) -> None:
    right = RandomisedResponse.keep_probability.fget  # type: ignore[attr-defined]
    for step, allowed in ((0, True), (1, False)):  # one unit of 2⁻⁶⁴
        monkeypatch.setattr(
            RandomisedResponse, "keep_probability", property(lambda self, s=step: right(self) + Fraction(s, 2**64))
        )
        respond = RandomisedResponse(epsilon=1.0, classes=3)
        rows = [branches.distribution(lambda y=y, r=respond: int(r.privatise([y])[0])) for y in range(3)]
        assert spends(rows, 1.0) is allowed
