"""The audit accuses the broken and not the honest.

Honest mechanisms are audited with 1 − 1e-7 confidence, so each of these tests fails by chance
with probability below 1e-6. What a broken one exceeds its ε by is many standard deviations.
"""

from __future__ import annotations

import math
import tracemalloc
from dataclasses import dataclass

import numpy as np
import pytest
from numpy.typing import ArrayLike

from rlm_core.audit import AuditResult, Progress, audit, audit_pairs
from rlm_core.audit.broken import BROKEN
from rlm_core.audit.registered import audit_registered, pairs_of
from rlm_core.mechanism import Mechanism
from rlm_core.registry import REGISTRY

SURE = 1 - 1e-7


@dataclass(frozen=True, kw_only=True)
class Coin:
    """A mechanism as small as can be: tells a bit truly with probability e^ε/(e^ε + 1). Records its calls."""

    epsilon: float
    calls: list[int]
    width: int = 1
    name: str = "coin"

    @property
    def input_dim(self) -> int:
        return self.width

    @property
    def output_dim(self) -> int:
        return self.width

    def represent(self, x: ArrayLike) -> np.ndarray:
        return np.asarray(x, dtype=np.float64)

    def privatise(self, x: ArrayLike) -> np.ndarray:
        x = self.represent(x)
        self.calls.append(len(x))
        truth = np.random.default_rng().random((len(x), 1)) < 1 / (1 + math.exp(-self.epsilon))
        return np.where(truth, x, 1.0 - x)

    def simulate(self, x: ArrayLike, *, generator: np.random.Generator) -> np.ndarray:
        raise NotImplementedError


# --- the honest ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
@pytest.mark.parametrize("name", REGISTRY)
def test_registered_mechanisms_are_not_accused(name: str, epsilon: float) -> None:
    result = audit_registered(REGISTRY[name], epsilon=epsilon, samples=20_000, confidence=SURE)
    assert result.ok and result.lower_bound <= epsilon
    assert (result.mechanism, result.epsilon, result.samples, result.confidence) == (name, epsilon, 20_000, SURE)


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0, 4.0])
def test_the_audit_has_power(epsilon: float) -> None:
    """0.8 ε from 40,000 outputs; nine tenths take 100,000 (``rlm audit``)."""
    result = audit_registered(REGISTRY["V-RLM"], epsilon=epsilon, samples=40_000)
    assert 0.8 * epsilon < result.lower_bound


def test_the_low_bits_gain_nothing_on_the_release_path() -> None:
    """Between 0 and l·e₁ lies half the sensitivity, so no event may show more than ε/2."""
    entry, broken = REGISTRY["V-RLM"], BROKEN["BROKEN float noise"]
    x = np.zeros(8)
    x_other = np.eye(8)[0] * 5.0
    honest = audit(entry.make(2.0, 8), x, x_other, samples=40_000, confidence=SURE)
    assert honest.lower_bound <= 1.0
    caught = audit(broken.make(2.0, 8), x, x_other, samples=40_000, confidence=SURE)
    assert caught.lower_bound > 4.0 and "low bits" in caught.event


def test_the_bound_is_wrong_no_more_often_than_stated() -> None:
    """With 90 % confidence, out of 120 audits at most 12 ± 18 may exceed the true ε (5.5 standard deviations)."""
    coin = Coin(epsilon=1.0, calls=[])
    bounds = np.array([audit(coin, [1.0], [0.0], samples=500, confidence=0.9).lower_bound for _ in range(120)])
    assert (bounds > 1.0).sum() <= 30
    assert np.median(bounds) > 0.5  # while being of some use


# --- the broken ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "epsilon", "at_least"),
    [
        ("BROKEN no clip", 1.0, 2.0),
        ("BROKEN no clip", 0.5, 1.0),
        ("BROKEN half the noise", 0.5, 0.7),
        ("BROKEN half the noise", 1.0, 1.5),
        ("BROKEN float noise", 0.5, 2.0),
        ("BROKEN float noise", 2.0, 4.0),
        ("BROKEN fixed seed", 1.0, 6.0),
        ("BROKEN fixed seed", 4.0, 6.0),
        ("BROKEN closed half-spaces", 0.5, 0.7),
        ("BROKEN closed half-spaces", 1.0, 1.1),
    ],
)
def test_broken_mechanisms_are_caught(name: str, epsilon: float, at_least: float) -> None:
    result = audit_registered(BROKEN[name], epsilon=epsilon, samples=40_000)
    assert not result.ok and result.lower_bound > at_least > epsilon


def test_closed_half_spaces_are_broken_as_much_as_theory_says() -> None:
    result = audit_registered(BROKEN["BROKEN closed half-spaces"], epsilon=0.5, samples=40_000, confidence=SURE)
    assert result.lower_bound <= math.log(math.exp(0.5) + 1)


def test_closed_half_spaces_are_fine_for_odd_dimensions() -> None:
    entry = BROKEN["BROKEN closed half-spaces"]
    mechanism = entry.make(0.5, 5)
    assert audit(mechanism, *entry.worst_pair(mechanism), samples=20_000, confidence=SURE).ok


def test_the_broken_duchi_is_unbiased_all_the_same() -> None:
    """So it looks right to anybody who only checks the mean."""
    mechanism = BROKEN["BROKEN closed half-spaces"].make(1.0, 4)
    x = np.array([0.5, -0.25, 0.0, 1.0])
    draws = mechanism.simulate(np.tile(x, (100_000, 1)), generator=np.random.default_rng(0))
    assert (np.abs(draws.mean(axis=0) - x) < 5 * draws.std(axis=0) / math.sqrt(len(draws))).all()


def test_broken_mechanisms_are_named_so_and_not_registered() -> None:
    assert len(BROKEN) == 5
    for name, entry in BROKEN.items():
        mechanism = entry.make(1.0, entry.dimension)
        assert isinstance(mechanism, Mechanism)
        assert name == entry.name == mechanism.name and name.startswith("BROKEN") and "BROKEN" in entry.summary
        assert name not in REGISTRY and not any(
            type(mechanism) is type(e.make(1.0, e.dimension)) for e in REGISTRY.values()
        )


# --- how it is done --------------------------------------------------------------------------------------------


def test_pairs_are_the_worst_one_and_the_way_to_its_middle() -> None:
    entry = REGISTRY["V-RLM"]
    (x, x_other), (half_way, again) = pairs_of(entry, entry.make(1.0, 3))
    assert x.tolist() == again.tolist() == [5.0, 0.0, 0.0] and x_other.tolist() == [-5.0, 0.0, 0.0]
    assert half_way.tolist() == [0.0, 0.0, 0.0]
    labels = REGISTRY["k-RR"]
    assert len(pairs_of(labels, labels.make(1.0, 3))) == 1  # no label lies between two labels


def test_several_pairs_are_searched_and_the_best_is_confirmed() -> None:
    mechanism = REGISTRY["V-RLM"].make(2.0, 2)
    useless, good = ([1.0, 0.0], [1.0, 0.0]), ([5.0, 0.0], [-5.0, 0.0])
    for pairs in ([useless, good], [good, useless]):
        assert audit_pairs(mechanism, pairs, samples=10_000).lower_bound > 1.5
    assert audit_pairs(mechanism, [useless], samples=10_000, confidence=SURE).lower_bound == 0.0


def test_progress_counts_every_output_and_ends_with_the_result() -> None:
    seen: list[Progress] = []
    coin = Coin(epsilon=1.0, calls=[])
    result = audit(coin, [1.0], [0.0], samples=1_234, progress=seen.append)
    drawn = [each.drawn for each in seen]
    assert drawn == sorted(drawn) and drawn[-1] == seen[-1].total == sum(coin.calls) == 2 * 1_234
    assert seen[0].lower_bound is None and seen[-1].lower_bound == result.lower_bound
    silent = audit(coin, [1.0], [0.0], samples=1_234)
    assert silent.lower_bound > 0.0  # the bound does not need a callback


def test_memory_is_bounded_by_batches() -> None:
    coin = Coin(epsilon=1.0, calls=[], width=4096)
    tracemalloc.start()
    result = audit(coin, np.ones(4096), np.zeros(4096), samples=12_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert max(coin.calls) * 4096 <= 2 * 2**20  # the coins for x and x′ may fall unevenly
    assert sum(coin.calls) == 2 * 12_000 and result.lower_bound > 0.8
    assert peak < 300e6  # all at once would be 790 MB


def test_infinite_epsilon_is_never_exceeded() -> None:
    result = audit(REGISTRY["V-RLM"].make(math.inf, 2), [5.0, 0.0], [-5.0, 0.0], samples=1_000)
    assert (
        isinstance(result, AuditResult) and result.ok and math.isfinite(result.lower_bound) and result.lower_bound > 3
    )


@pytest.mark.parametrize("samples", [0, 99, -5, math.nan])
def test_too_few_samples_are_refused(samples: float) -> None:
    with pytest.raises(ValueError, match="Expected samples >= 100"):
        audit(Coin(epsilon=1.0, calls=[]), [1.0], [0.0], samples=samples)  # type: ignore[arg-type]


def test_bad_inputs_are_refused() -> None:
    coin = Coin(epsilon=1.0, calls=[])
    with pytest.raises(ValueError, match="at least one pair"):
        audit_pairs(coin, [])
    with pytest.raises(ValueError, match=r"shape \(n, 1\)"):
        audit(coin, [1.0, 2.0], [0.0], samples=100)
    with pytest.raises(ValueError, match="confidence"):
        audit(coin, [1.0], [0.0], samples=100, confidence=1.0)
