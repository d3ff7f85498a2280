"""Maximum likelihood from sets of codes: against naive formulas, and against the truth."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rlm_core.collector.codes import PairSets, SeparateReports, code_posterior, expectation_maximisation
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.subset_selection import SubsetSelection

CODES, CLASSES = 5, 3


def records(count: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Codes, labels, and the truth they were drawn from."""
    generator = np.random.default_rng(seed)
    frequencies = generator.dirichlet(np.full(CODES, 5.0))
    table = generator.dirichlet(np.full(CLASSES, 0.5), size=CODES)
    codes = generator.choice(CODES, count, p=frequencies)
    labels = np.array([generator.choice(CLASSES, p=table[code]) for code in codes])
    return codes, labels, frequencies, table


def pair_reports(epsilon: float, codes: np.ndarray, labels: np.ndarray) -> PairSets:
    channel = SubsetSelection(epsilon=epsilon, symbols=CODES * CLASSES)
    members = channel.simulate_symbols(codes * CLASSES + labels, generator=np.random.default_rng(1))
    return PairSets(members=members, epsilon=epsilon, codes=CODES, classes=CLASSES)


def separate_reports(epsilon: float, codes: np.ndarray, labels: np.ndarray) -> SeparateReports:
    generator = np.random.default_rng(1)
    channel = SubsetSelection(epsilon=epsilon / 2, symbols=CODES)
    response = RandomisedResponse(epsilon=epsilon / 2, classes=CLASSES)
    z_private = channel.simulate(np.eye(CODES)[codes], generator=generator)
    return SeparateReports(
        log_likelihood=channel.log_density_pairs(z_private, np.eye(CODES)),
        y_private=response.simulate(labels, generator=generator),
        transition=response.transition_matrix,
    )


@pytest.mark.parametrize("make", [pair_reports, separate_reports])
def test_the_two_maps_are_transposes_and_match_a_naive_sum(make) -> None:  # type: ignore[no-untyped-def]
    codes, labels, _, _ = records(30, seed=0)
    reports = make(2.0, codes, labels)
    generator = np.random.default_rng(3)
    joint, weights = generator.dirichlet(np.ones(CODES * CLASSES)).reshape(CODES, CLASSES), generator.random(30)
    np.testing.assert_allclose(
        weights @ reports.evidence(joint), (joint * reports.gather(weights)).sum(), rtol=1e-5
    )  # float32 inside
    if isinstance(reports, PairSets):
        naive = [
            sum(
                joint[c, y] * (1.0 if row[c * CLASSES + y] else math.exp(-2.0))
                for c in range(CODES)
                for y in range(CLASSES)
            )
            for row in reports.members
        ]
    else:
        best = reports.log_likelihood.max(axis=1)
        naive = [
            sum(
                joint[c, y] * math.exp(reports.log_likelihood[n, c] - best[n]) * reports.transition[y, told]
                for c in range(CODES)
                for y in range(CLASSES)
            )
            for n, told in enumerate(reports.y_private)
        ]
    np.testing.assert_allclose(reports.evidence(joint), naive, rtol=1e-5)


@pytest.mark.slow
@pytest.mark.parametrize("make", [pair_reports, separate_reports])
@pytest.mark.parametrize("epsilon", [3.0, 8.0])
def test_the_truth_is_found_from_many_reports(make, epsilon: float) -> None:  # type: ignore[no-untyped-def]
    codes, labels, frequencies, table = records(60_000, seed=4)
    fitted = expectation_maximisation(make(epsilon, codes, labels), frequencies)
    error = np.abs(fitted.table - table)[frequencies > 0.05].max()
    assert error < (0.03 if epsilon == 8.0 else 0.15)
    assert fitted.score(codes, labels) > 0.98 * (table.max(axis=1) @ frequencies)


def test_no_other_table_is_likelier() -> None:
    codes, labels, frequencies, _ = records(3_000, seed=5)
    reports = pair_reports(2.0, codes, labels)
    fitted = expectation_maximisation(reports, frequencies, tolerance=1e-12, steps=5000)

    def value(table: np.ndarray) -> float:
        return float(np.log(reports.evidence(frequencies[:, None] * table)).mean())

    assert value(fitted.table) == pytest.approx(fitted.log_likelihood[-1], abs=1e-6)
    generator = np.random.default_rng(6)
    for _ in range(200):
        other = 0.9 * fitted.table + 0.1 * generator.dirichlet(np.ones(CLASSES), size=CODES)
        assert value(other) <= value(fitted.table) + 1e-7
    assert (np.diff(fitted.log_likelihood) >= -1e-8).all()  # float32 sums


def test_without_noise_it_counts() -> None:
    codes, labels, _, _ = records(2_000, seed=7)
    counts = np.zeros((CODES, CLASSES))
    np.add.at(counts, (codes, labels), 1)
    fitted = expectation_maximisation(pair_reports(math.inf, codes, labels), counts.sum(axis=1))
    np.testing.assert_allclose(fitted.table, counts / counts.sum(axis=1, keepdims=True), atol=1e-4)


def test_a_pseudo_count_pulls_rare_codes_to_uniform() -> None:
    sets = np.eye(6, dtype=bool)[[0, 0, 0, 0, 3]]  # code 0 four times with label 0, code 1 once with label 0
    reports = PairSets(members=sets, epsilon=math.inf, codes=2, classes=3)
    fitted = expectation_maximisation(reports, [0.8, 0.2], pseudo_count=3.0)
    np.testing.assert_allclose(fitted.table, [[5 / 7, 1 / 7, 1 / 7], [0.5, 0.25, 0.25]], atol=1e-3)


def test_the_posterior_over_codes_is_bayes_rule() -> None:
    channel = SubsetSelection(epsilon=1.0, symbols=4, subset=2)
    log_likelihood = channel.log_density_pairs(channel.vector(np.array([[True, True, False, False]])), np.eye(4))
    prior = np.array([0.4, 0.1, 0.3, 0.2])
    expected = prior * np.array([math.e, math.e, 1.0, 1.0])
    np.testing.assert_allclose(code_posterior(log_likelihood, prior)[0], expected / expected.sum())
    with pytest.raises(ValueError, match="possible"):
        code_posterior(np.full((1, 2), -np.inf), [0.5, 0.5])


def test_bad_arguments_raise() -> None:
    reports = PairSets(members=np.ones((2, 6), dtype=bool), epsilon=1.0, codes=2, classes=3)
    with pytest.raises(ValueError, match="frequencies"):
        expectation_maximisation(reports, [1.0])
    with pytest.raises(ValueError, match="frequencies"):
        expectation_maximisation(reports, [0.0, 0.0])
    with pytest.raises(ValueError, match="Expected sets of 8 pairs"):
        PairSets(members=np.ones((2, 6), dtype=bool), epsilon=1.0, codes=4, classes=2)
    with pytest.raises(ValueError, match="log_likelihood"):
        SeparateReports(log_likelihood=np.zeros((2, 3)), y_private=np.zeros(3, dtype=int), transition=np.eye(2))
