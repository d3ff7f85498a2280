"""Tallies: what they count, that they merge in any order, and what they refuse."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from rlm_core.collector.tally import Tally

SYMBOLS = 5
reports = st.lists(st.integers(0, SYMBOLS - 1), max_size=30)


def of(symbols: list[int]) -> Tally:
    return Tally.empty(SYMBOLS).add(np.array(symbols, dtype=np.int64))


def test_a_tally_counts_symbols_and_members_of_sets() -> None:
    assert of([4, 0, 4]).counts.tolist() == [1, 0, 0, 0, 2]
    sets = np.array([[True, True, False, False, False], [False, True, False, False, True]])
    tally = Tally.empty(SYMBOLS).add_sets(sets)
    assert tally.people == 2 and tally.counts.tolist() == [1, 2, 0, 0, 1]


@given(reports, reports, reports)
def test_merging_is_associative_and_commutative_and_the_same_as_counting_all(
    a: list[int], b: list[int], c: list[int]
) -> None:
    assert (of(a) + of(b)) + of(c) == of(a) + (of(b) + of(c)) == of(c + b + a)
    assert of(a) + of(b) == of(b) + of(a)
    assert of(a) + Tally.empty(SYMBOLS) == of(a) == Tally.total([of(a)], SYMBOLS)


@given(reports)
def test_bytes_bring_it_back(a: list[int]) -> None:
    tally = of(a)
    again = Tally.from_bytes(tally.to_bytes())
    assert again == tally and hash(again) == hash(tally) and again.to_bytes() == tally.to_bytes()
    assert len(tally.to_bytes()) == 20 + 8 * SYMBOLS


@given(st.binary(max_size=80))
def test_other_bytes_are_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="Expected"):
        Tally.from_bytes(data)


def test_what_cannot_be_is_refused() -> None:
    whole = of([1, 2]).to_bytes()
    with pytest.raises(ValueError, match="counts from 0 to people=2"):
        Tally.from_bytes(whole[:20] + (3).to_bytes(8, "little") + whole[28:])
    for data in (whole[:-1], whole + b"\0", b"RLMTALLY" + whole[8:]):
        with pytest.raises(ValueError, match="Expected"):
            Tally.from_bytes(data)
    with pytest.raises(ValueError, match="from 0 to 4"):
        of([5])
    with pytest.raises(ValueError, match="integers"):
        Tally.empty(SYMBOLS).add([0.5])
    with pytest.raises(ValueError, match="booleans"):
        Tally.empty(SYMBOLS).add_sets([[1, 0, 0, 0, 0]])
    with pytest.raises(ValueError, match="as many symbols"):
        of([1]) + Tally.empty(3)
    for bad in ({"people": -1}, {"counts": np.zeros(1, dtype=np.int64)}, {"counts": np.zeros(3)}):
        with pytest.raises(ValueError, match="Expected"):
            Tally(**({"people": 0, "counts": np.zeros(3, dtype=np.int64)} | bad))


def test_a_tally_cannot_be_changed_from_outside() -> None:
    counts = np.array([1, 1, 0])
    tally = Tally(people=2, counts=counts)
    counts[2] = 9
    assert tally.counts.tolist() == [1, 1, 0]
    with pytest.raises(ValueError, match="read-only"):
        tally.counts[0] = 7
