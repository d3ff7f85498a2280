"""Labels of codes from counts alone: the same pairing as from the sets, and close to maximum likelihood."""

from __future__ import annotations

import numpy as np
import pytest

from rlm_core.collector.code_labels import every_label_owns_a_code, labels_from_tally, labels_of_codes
from rlm_core.collector.codes import PairSets
from rlm_core.collector.tally import Tally
from rlm_core.owner.subset_selection import SubsetSelection


def collected(codes: int, classes: int, people: int, epsilon: float) -> tuple[PairSets, Tally, SubsetSelection]:
    """Sets of people whose label is their code modulo K, and their counts."""
    generator = np.random.default_rng(0)
    code = generator.integers(codes, size=people)
    channel = SubsetSelection(epsilon=epsilon, symbols=codes * classes)
    sets = channel.simulate_symbols(code * classes + code % classes, generator=generator)
    pairs = PairSets(members=sets, epsilon=epsilon, codes=codes, classes=classes)
    return pairs, Tally.empty(channel.symbols).add_sets(sets), channel


def test_one_to_one_it_is_the_same_pairing() -> None:
    pairs, tally, channel = collected(4, 4, 400, 1.0)
    learnt = labels_from_tally(tally, channel, [1, 1, 1, 1])
    assert learnt.table.tolist() == every_label_owns_a_code(pairs).table.tolist()


def test_otherwise_it_is_close_to_the_whole_likelihood() -> None:
    pairs, tally, channel = collected(9, 3, 20_000, 2.0)
    short, whole = labels_from_tally(tally, channel, [1] * 9), labels_of_codes(pairs, [1] * 9)
    assert np.abs(short.table - whole.table).max() < 0.1
    assert short.predict(np.arange(9)).tolist() == [code % 3 for code in range(9)]


@pytest.mark.parametrize("codes", [5, 8])
def test_counts_of_other_pairs_are_refused(codes: int) -> None:
    _, tally, channel = collected(4, 2, 10, 1.0)
    with pytest.raises(ValueError, match=f"counts of pairs with {codes} codes"):
        labels_from_tally(tally, channel, [1] * codes)
