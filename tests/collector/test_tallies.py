"""Tallies of numbers, of joint reports and of whole reports: they add up in any order, and survive the wire."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rlm_core.collector.tally import Tally
from rlm_core.collector.tally_coordinates import CoordinateTally
from rlm_core.collector.tally_sums import SumTally, exact_sums

FLOATS = st.floats(allow_nan=False, allow_infinity=False)
ROWS = hnp.arrays(np.float64, st.tuples(st.integers(0, 5), st.just(2)), elements=FLOATS)
D, K = 3, 4


@st.composite
def coordinate_tallies(draw: st.DrawFn) -> CoordinateTally:
    n, d = draw(st.integers(0, 6)), draw(st.integers(1, D))
    coordinates = draw(hnp.arrays(np.int64, n, elements=st.integers(0, d - 1)))
    return CoordinateTally.empty(d, K).add(coordinates, draw(hnp.arrays(np.bool_, (n, K))))


SUMS = ROWS.map(lambda rows: SumTally.empty(2).add(rows))


@given(a=SUMS, b=SUMS, c=SUMS)
def test_sums_merge_in_any_order(a: SumTally, b: SumTally, c: SumTally) -> None:
    """To the last bit, from 5e-324 to 1.8e308: floats would not."""
    assert a + b == b + a and (a + b) + c == a + (b + c) and a + SumTally.empty(2) == a
    assert SumTally.from_bytes(a.to_bytes()) == a and hash(a + b) == hash(b + a)


@given(left=ROWS, right=ROWS)
def test_adding_rows_is_merging_tallies(left: np.ndarray, right: np.ndarray) -> None:
    together = SumTally.empty(2).add(np.concatenate([left, right]))
    assert together == SumTally.empty(2).add(left) + SumTally.empty(2).add(right)


@given(rows=ROWS)
def test_sums_are_exact(rows: np.ndarray) -> None:
    expected = [sum((Fraction(value) for value in column.tolist()), Fraction(0)) for column in rows.T]
    assert [Fraction(total, 2**1130) for total in exact_sums(rows)] == expected


def test_many_rows_and_the_mean() -> None:
    rows = np.random.default_rng(0).laplace(size=(20_000, 3)) * [1e-5, 1.0, 1e9]
    tally = SumTally.empty(3).add(rows)
    assert np.allclose(tally.mean, rows.mean(axis=0), rtol=1e-9, atol=1e-12) and len(tally.to_bytes()) < 100
    with pytest.raises(ValueError, match="at least one report"):
        _ = SumTally.empty(3).mean


@given(a=coordinate_tallies(), b=coordinate_tallies(), c=coordinate_tallies())
def test_coordinates_merge_in_any_order(a: CoordinateTally, b: CoordinateTally, c: CoordinateTally) -> None:
    assert a + b == b + a and (a + b) + c == a + (b + c) and a + CoordinateTally.empty(1, K) == a
    assert CoordinateTally.from_bytes(a.to_bytes()) == a and hash(a + b) == hash(b + a)
    assert (a + b).total == a.total + b.total


@given(n=st.integers(0, 40), seed=st.integers(0, 99))
def test_coordinates_count_what_was_held(n: int, seed: int) -> None:
    generator = np.random.default_rng(seed)
    j, members = generator.integers(D, size=n), generator.random((n, K)) < 0.4
    tally = CoordinateTally.empty(D, K).add(j, members)
    for each in range(D):
        assert tally.people[each] == (j == each).sum()
        assert tally.counts[each].tolist() == members[j == each].sum(axis=0).tolist()


@pytest.mark.parametrize("kind", [SumTally, CoordinateTally])
@given(data=st.binary(max_size=80))
def test_other_bytes_are_refused(kind: type[SumTally] | type[CoordinateTally], data: bytes) -> None:
    with pytest.raises(ValueError, match="Expected"):
        kind.from_bytes(data)


def test_bad_reports_are_refused() -> None:
    with pytest.raises(ValueError, match="NaN"):
        SumTally.empty(2).add([[np.nan, 0.0]])
    with pytest.raises(ValueError, match=r"shape \(n, 2\)"):
        SumTally.empty(2).add([[0.0]])
    with pytest.raises(ValueError, match="as many numbers"):
        SumTally.empty(2) + SumTally.empty(3)
    with pytest.raises(ValueError, match="a larger one"):
        SumTally(people=0, totals=(1,))
    with pytest.raises(ValueError, match="from 0 to 2"):
        CoordinateTally.empty(D, K).add([3], np.zeros((1, K), dtype=bool))
    with pytest.raises(ValueError, match="one width"):
        CoordinateTally.empty(D, K) + CoordinateTally.empty(D, 2)
    with pytest.raises(ValueError, match="counts from 0"):
        CoordinateTally(people=np.array([1]), counts=np.array([[2]]))


def test_kilobytes() -> None:
    assert len(Tally(people=10**7, counts=np.full(960, 10**6)).to_bytes()) < 8_000
    assert len(CoordinateTally(people=np.full(33, 10**6), counts=np.full((33, 12), 10**5)).to_bytes()) < 4_000
