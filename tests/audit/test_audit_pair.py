"""Two records side by side: the picture of the audit, on the release path. Each test fails by chance below 1e-6."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rlm_core.audit.audit_mechanism import most_provable
from rlm_core.audit.broken import BROKEN
from rlm_core.audit.pair import OutputView, claimed_densities, compare_outputs
from rlm_core.audit.registered import audit_registered, pairs_of, records_between
from rlm_core.registry import REGISTRY

SURE = 1 - 1e-7


def view(
    entry_name: str, *, epsilon: float = 1.0, samples: int = 20_000, pair: int = 0, low_bits: bool = False
) -> OutputView:
    entry = (REGISTRY | BROKEN)[entry_name]
    mechanism = entry.make(epsilon, entry.dimension)
    x, x_other = pairs_of(entry, mechanism)[pair]
    both = compare_outputs(mechanism, x, x_other, samples=samples, confidence=SURE)
    return both.low_bits if low_bits else both.values


@pytest.mark.parametrize("name", REGISTRY)
def test_no_output_is_lost_and_the_honest_stay_in_the_band(name: str) -> None:
    found = view(name)
    assert found.counts.sum() == found.counts_other.sum() == found.samples == 20_000
    assert found.lower_bound <= 1.0
    low, high = found.interval
    met = (found.counts > 0) & (found.counts_other > 0)
    assert (low[met] <= found.log_ratio[met]).all() and (found.log_ratio[met] <= high[met]).all()


@pytest.mark.parametrize("name", ["BROKEN no clip", "BROKEN half the noise", "BROKEN closed half-spaces"])
def test_broken_distributions_leave_the_band(name: str) -> None:
    assert view(name, samples=40_000).lower_bound > 1.0


def test_float_noise_looks_right_until_its_low_bits_are_counted() -> None:
    assert view("BROKEN float noise", pair=1).lower_bound <= 1.0
    bits = view("BROKEN float noise", pair=1, low_bits=True)
    assert bits.lower_bound > 1.0 and len(bits.labels) == 12 and all(each.startswith("2^-") for each in bits.labels)
    assert view("V-RLM", pair=1, low_bits=True).lower_bound <= 1.0


def test_few_outputs_are_shown_one_by_one() -> None:
    labels = view("k-RR").labels
    assert labels == tuple("0123456789")
    corners = view("BROKEN closed half-spaces", samples=5_000).labels
    assert len(corners) == 16 and "++++" in corners
    assert view("V-RLM").labels == ()


def test_the_histogram_follows_the_claimed_density() -> None:
    """40,000 outputs: 6 standard deviations of a bin's share are at most 0.015; half the noise must not fit."""
    for name, fits in (("V-RLM", True), ("BROKEN half the noise", False)):
        entry = (REGISTRY | BROKEN)[name]
        mechanism = entry.make(2.0, entry.dimension)
        x, x_other = pairs_of(entry, mechanism)[0]
        found = compare_outputs(mechanism, x, x_other, samples=40_000).values
        at = (found.left + found.right) / 2
        densities = claimed_densities(mechanism, x, x_other, at)
        assert densities is not None
        share = (found.counts / found.samples)[1:-1]
        expected = (densities[0] * (found.right - found.left))[1:-1]
        assert bool(np.abs(share - expected).max() < 0.015) is fits
        ratio = np.log(densities[0]) - np.log(densities[1])
        assert np.abs(ratio).max() <= 2.0 + 1e-9


def test_densities_are_given_only_where_they_are_known() -> None:
    entry = REGISTRY["Duchi"]
    mechanism = entry.make(1.0, 4)
    assert claimed_densities(mechanism, *entry.worst_pair(mechanism), [0.0]) is None
    rlm = REGISTRY["V-RLM"].make(1.0, 2)
    assert claimed_densities(rlm, [1.0, 0.0], [0.0, 1.0], [0.0]) is None  # two coordinates differ
    assert claimed_densities(rlm, [1.0, 0.0], [1.0, 0.0], [0.0]) is None  # none does


def test_nothing_is_proved_beyond_the_ceiling() -> None:
    found = audit_registered(BROKEN["BROKEN fixed seed"], epsilon=1.0, samples=5_000)
    assert 6.0 < found.lower_bound <= most_provable(5_000)
    assert most_provable(20_000) > most_provable(5_000)
    assert most_provable(1_000, confidence=0.9) > most_provable(1_000, confidence=0.999)


def test_too_few_samples_are_refused() -> None:
    with pytest.raises(ValueError, match="samples >= 100"):
        view("V-RLM", samples=99)
    assert math.isfinite(view("V-RLM", samples=100).lower_bound)


def test_records_lie_between_the_two_hardest() -> None:
    entry = REGISTRY["V-RLM"]
    records = records_between(entry, entry.make(1.0, 3), count=5)
    assert [record[0] for record in records] == [-5.0, -2.5, 0.0, 2.5, 5.0] and not np.any(np.array(records)[:, 1:])
    for name in ("k-RR", "Laplace table"):  # nothing lies between two labels
        entry = REGISTRY[name]
        mechanism = entry.make(1.0, entry.dimension)
        x, x_other = entry.worst_pair(mechanism)
        ends = records_between(entry, mechanism, count=5)
        assert len(ends) == 2 and np.array_equal(ends[0], x_other) and np.array_equal(ends[1], x)
