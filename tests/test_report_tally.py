"""What is learnt from a tally: the same as from the reports where averages are all, nearly so where they are not."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

from rlm_core.collector.codes import PairCounts, PairSets, expectation_maximisation
from rlm_core.owner.pairs import PairSelection
from rlm_core.privatiser import KINDS, LocalPrivatiser, UtilityWarning
from rlm_core.report_tally import ReportTally

GENERATOR = np.random.default_rng(0)
N = 6_000
LABELS = GENERATOR.integers(2, size=N)
PEOPLE = pd.DataFrame(
    {"age": 40 + 15 * LABELS + GENERATOR.normal(size=N) * 8, "hours": GENERATOR.normal(size=N) * 10 + 40}
).assign(job=np.where(GENERATOR.random(N) < 0.2 + 0.6 * LABELS, "cook", "nurse"))
CLASSES = np.where(LABELS == 1, "yes", "no")


def fitted(kind: str, epsilon: float = 4.0) -> LocalPrivatiser:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UtilityWarning)
        return LocalPrivatiser(epsilon=epsilon, reports=N, classes=["no", "yes"], kind=kind).fit(PEOPLE[:1_000])


@pytest.mark.parametrize("kind", KINDS)
def test_a_tally_teaches_what_the_reports_do(kind: str) -> None:
    privatiser = fitted(kind)
    halves = [privatiser.privatise(PEOPLE[part], CLASSES[part]) for part in (slice(0, 3_000), slice(3_000, N))]
    tally = ReportTally.of(halves[0]).add(halves[1])
    assert tally.people == N and ReportTally.from_bytes(tally.to_bytes()) == tally and len(tally.to_bytes()) < 20_000
    of_tally = privatiser.learn(tally).predict_proba(PEOPLE)
    texts = [report.to_json() for half in halves for report in half]
    of_reports = privatiser.learn(texts).predict_proba(PEOPLE)
    if kind != "codes":  # codes at ε = 4 are sets of one, but the sums of their likelihoods are rounded otherwise
        assert np.allclose(of_tally, of_reports, atol=1e-6)
    assert (of_tally.argmax(axis=1) == of_reports.argmax(axis=1)).mean() > 0.97
    assert (of_tally.argmax(axis=1) == LABELS).mean() > 0.75


def test_counts_of_single_symbols_are_the_likelihood() -> None:
    """ω = 1: which members came together is nothing, so the maximum is the same."""
    generator = np.random.default_rng(1)
    pairs = PairSelection(epsilon=3.0, codes=4, classes=2)
    assert pairs.channel.size == 1
    codes = generator.integers(4, size=5_000)
    members = pairs.simulate(codes, (codes + (generator.random(5_000) < 0.2)) % 2, generator=generator)
    full = expectation_maximisation(
        PairSets(members=members, epsilon=3.0, codes=4, classes=2), np.ones(4), tolerance=1e-12
    )
    counts = PairCounts(outside=pairs.channel.outside / pairs.channel.inside, codes=4, classes=2)
    tallied = expectation_maximisation(counts, np.ones(4), weights=members.sum(axis=0), tolerance=1e-12)
    assert np.allclose(full.table, tallied.table, atol=1e-3)


def test_counts_of_sets_are_right_on_average() -> None:
    """ω > 1: consistent. With 400,000 people every p(y | code) is within 0.06 of 0.9 or 0.1 (7 deviations)."""
    generator = np.random.default_rng(2)
    pairs = PairSelection(epsilon=1.0, codes=3, classes=2)
    assert pairs.channel.size == 2
    codes = generator.integers(3, size=400_000)
    labels = np.where(generator.random(len(codes)) < 0.9, codes % 2, 1 - codes % 2)
    members = pairs.simulate(codes, labels, generator=generator)
    counts = PairCounts(outside=pairs.channel.outside / pairs.channel.inside, codes=3, classes=2)
    table = expectation_maximisation(counts, np.ones(3), weights=members.sum(axis=0) / 2).table
    assert np.allclose(table[np.arange(3), np.arange(3) % 2], 0.9, atol=0.06)


def test_what_does_not_belong_together_is_refused() -> None:
    one, other = fitted("codes"), fitted("joint bits")
    tally, foreign = (ReportTally.of(each.privatise(PEOPLE[:50], CLASSES[:50])) for each in (one, other))
    with pytest.raises(ValueError, match="one mechanism at one epsilon"):
        tally + foreign
    with pytest.raises(ValueError, match="by this mechanism"):
        one.learn(foreign)
    for data in (b"", b"\x05\0\0\0{}", tally.to_bytes()[:-1]):
        with pytest.raises(ValueError, match="Expected a tally"):
            ReportTally.from_bytes(data)
