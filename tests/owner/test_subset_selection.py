"""Subset selection: exact probabilities, ε-LDP, and the report's short form.

Chance failures: below 1e-6 for each test of drawn sets.
"""

from __future__ import annotations

import math
from collections import Counter
from fractions import Fraction
from itertools import combinations, product
from time import perf_counter

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.stats import binom

from rlm_core.owner import subset_selection
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.randomness import random_keys
from rlm_core.owner.subset_selection import OneHot, SubsetSelection

EPSILONS = (0.1, 0.5, 1.0, 2.0, 4.0, 10.0, 40.0)


def all_sets(channel: SubsetSelection) -> np.ndarray:
    sets = list(combinations(range(channel.symbols), channel.size))
    members = np.zeros((len(sets), channel.symbols), dtype=bool)
    for row, each in zip(members, sets, strict=True):
        row[list(each)] = True
    return members


@pytest.mark.parametrize("epsilon", EPSILONS)
@pytest.mark.parametrize("symbols", [2, 3, 8])
@pytest.mark.parametrize("subset", [None, 1, 2])
def test_probabilities_add_up_to_one_and_differ_by_epsilon(epsilon: float, symbols: int, subset: int | None) -> None:
    if subset is not None and subset >= symbols:
        return
    channel = SubsetSelection(epsilon=epsilon, symbols=symbols, subset=subset)
    log_p = channel.log_density_pairs(channel.vector(all_sets(channel)), np.eye(symbols))  # (sets, k)
    np.testing.assert_allclose(np.exp(log_p).sum(axis=0), 1.0, rtol=1e-12)
    np.testing.assert_allclose(log_p.max(axis=1) - log_p.min(axis=1), epsilon, rtol=1e-12)


@pytest.mark.parametrize("epsilon", [*EPSILONS, 1e-6, 700.0, 1e6])
@pytest.mark.parametrize("symbols", [2, 10, 2560])
def test_the_released_ratio_is_at_most_e_to_epsilon_in_exact_arithmetic(epsilon: float, symbols: int) -> None:
    """1 + κ/(1−κ)·k/ω ≤ e^ε with the rounded κ, as fractions; and not much less."""
    channel = SubsetSelection(epsilon=epsilon, symbols=symbols)
    kappa = channel.keep_probability
    assert 0 <= kappa < 1 or epsilon > 44
    if kappa == 1:  # beyond 64 bits
        return
    ratio = 1 + kappa / (1 - kappa) * Fraction(symbols, channel.size)
    if epsilon < 300:
        # Σ εⁿ/n! over fractions is below e^ε; 2,000 terms leave less than 1e-30 of it.
        bound, term = Fraction(0), Fraction(1)
        for n in range(1, 40 + int(8 * epsilon)):
            bound, term = bound + term, term * Fraction(epsilon) / n
        assert ratio <= bound + term * 2
    assert math.log(ratio) >= min(epsilon, 30.0) * (1 - 1e-5) or epsilon < 1e-5


@pytest.mark.parametrize("epsilon", [0.5, 1.0, 2.0])
@pytest.mark.parametrize("path", ["privatise", "simulate"])
def test_every_set_is_drawn_with_its_probability(epsilon: float, path: str) -> None:
    channel = SubsetSelection(epsilon=epsilon, symbols=6, subset=3)
    count = 200_000
    rows = np.tile(np.eye(6)[4], (count, 1))
    generator = np.random.default_rng(11)
    drawn = channel.privatise(rows) if path == "privatise" else channel.simulate(rows, generator=generator)
    powers = 2 ** np.arange(6)
    frequency = np.bincount(channel.members(drawn) @ powers, minlength=64)[all_sets(channel) @ powers]
    expected = np.exp(channel.log_density_pairs(channel.vector(all_sets(channel)), np.eye(6)[4:5]))[:, 0]
    assert frequency.sum() == count  # no set of another size
    rate = 1e-6 / 40  # 20 sets, two sides
    assert (binom.sf(frequency - 1, count, expected) > rate).all()
    assert (binom.cdf(frequency, count, expected) > rate).all()
    held = int(channel.members(drawn)[:, 4].sum())  # all sets with the symbol at once: has the power to see 10 % of ε
    for factor, wanted in ((1.0, True), (0.9, False), (1.1, False)):
        p = SubsetSelection(epsilon=factor * epsilon, symbols=6, subset=3).inside
        tail = min(binom.sf(held - 1, count, p), binom.cdf(held, count, p))
        assert bool(tail > rate) is wanted


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 5.0])
def test_the_vector_is_right_on_average_and_has_the_stated_energy(epsilon: float) -> None:
    channel = SubsetSelection(epsilon=epsilon, symbols=12)
    count = 100_000
    z = np.eye(12)[3]
    drawn = channel.simulate(np.tile(z, (count, 1)), generator=np.random.default_rng(2))
    np.testing.assert_allclose(drawn.sum(axis=1), 1.0, atol=1e-9)
    deviation = 6.0 * math.sqrt(channel.energy / count)
    np.testing.assert_allclose(drawn.mean(axis=0), z, atol=deviation)
    np.testing.assert_allclose(((drawn - z) ** 2).sum(axis=1).mean(), channel.energy, rtol=0.05)
    np.testing.assert_allclose(2 * 12 * channel.scale**2, channel.energy)


@pytest.mark.parametrize("epsilon", EPSILONS)
def test_one_symbol_is_randomised_response(epsilon: float) -> None:
    channel = SubsetSelection(epsilon=epsilon, symbols=7, subset=1)
    response = RandomisedResponse(epsilon=epsilon, classes=7)
    matrix = np.exp(channel.log_density_pairs(channel.vector(np.eye(7, dtype=bool)), np.eye(7)))  # (reported, true)
    np.testing.assert_allclose(matrix.T, response.transition_matrix, rtol=1e-9)
    assert abs(channel.keep_probability - response.keep_probability) <= Fraction(1, 2**63)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 2.0, 3.0])
@pytest.mark.parametrize("symbols", [5, 16, 160])
def test_the_default_size_has_the_least_energy_of_all(epsilon: float, symbols: int) -> None:
    sizes = range(1, symbols)
    energies = [SubsetSelection(epsilon=epsilon, symbols=symbols, subset=size).energy for size in sizes]
    assert SubsetSelection(epsilon=epsilon, symbols=symbols).size == 1 + int(np.argmin(energies))


def test_infinite_epsilon_sends_the_symbol() -> None:
    channel = SubsetSelection(epsilon=math.inf, symbols=4)
    scores = np.array([[0.1, 0.2, 0.9, 0.3], [1.0, 1.0, 0.0, 0.0]])
    np.testing.assert_array_equal(channel.privatise(scores), np.eye(4)[[2, 0]])  # of equal scores the first
    np.testing.assert_array_equal(channel.log_density_pairs(np.eye(4)[:1], np.eye(4)[:2]), [[0.0, -np.inf]])
    assert channel.scale == 0.0


@pytest.mark.parametrize("epsilon", [0.5, 4.0, math.inf])
def test_a_report_packs_into_bits_and_back(epsilon: float) -> None:
    channel = SubsetSelection(epsilon=epsilon, symbols=19)
    z_private = channel.privatise(np.eye(19))
    packed = channel.pack(z_private)
    assert packed.shape == (19, 3) and packed.dtype == np.uint8
    np.testing.assert_array_equal(channel.unpack(packed), z_private)
    with pytest.raises(ValueError, match="Expected sets of"):
        channel.unpack(np.zeros((1, 3), dtype=np.uint8))


def test_log_density_of_rows_is_the_diagonal_of_pairs() -> None:
    channel = SubsetSelection(epsilon=1.0, symbols=9)
    z_private, z = channel.privatise(np.eye(9)), np.eye(9)[::-1]
    np.testing.assert_array_equal(
        channel.log_density(z_private, z), np.diagonal(channel.log_density_pairs(z_private, z))
    )


def test_a_report_takes_less_than_a_millisecond() -> None:
    channel = SubsetSelection(epsilon=1.0, symbols=160)
    scores = np.eye(160)[:1]
    seconds = []
    for _ in range(50):
        start = perf_counter()
        channel.privatise(scores)
        seconds.append(perf_counter() - start)
    assert min(seconds) < 1e-3


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        ({"epsilon": 0.0, "symbols": 4}, ValueError, "epsilon > 0"),
        ({"epsilon": math.nan, "symbols": 4}, ValueError, "epsilon > 0"),
        ({"epsilon": 1.0, "symbols": 1}, ValueError, "symbols"),
        ({"epsilon": 1.0, "symbols": 2.5}, TypeError, "symbols"),
        ({"epsilon": 1.0, "symbols": 4, "subset": 4}, ValueError, "subset"),
        ({"epsilon": math.inf, "symbols": 4, "subset": 2}, ValueError, "subset = 1"),
    ],
)
def test_bad_parameters_raise(arguments: dict[str, float], error: type[Exception], message: str) -> None:
    with pytest.raises(error, match=message):
        SubsetSelection(**arguments)  # type: ignore[arg-type]


def test_bad_records_raise() -> None:
    channel = SubsetSelection(epsilon=1.0, symbols=4)
    for wrong in (np.zeros((1, 3)), np.full((1, 4), np.nan), np.zeros(4)):
        with pytest.raises(ValueError, match="Expected"):
            channel.privatise(wrong)
    with pytest.raises(ValueError, match="got the symbol 4"):
        channel.privatise_symbols([0, 4])
    with pytest.raises(TypeError, match="integer symbols"):
        channel.privatise_symbols([0.5])
    assert OneHot(symbols=4).l1_sensitivity == 2.0


@pytest.mark.parametrize("kept", [False, True])
def test_short_keys_give_every_set_the_same_probability(kept: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """All 256 rows of four keys of two bits, each once: of those that are not drawn again, every set has as many."""
    channel, symbol = SubsetSelection(epsilon=1.0, symbols=4, subset=2), 1
    every = np.array(list(product(range(4), repeat=4)), dtype=np.uint16)
    drawn: list[int] = []

    def keys(shape: tuple[int, int], *, bits: int) -> NDArray[np.uint16]:
        drawn.append(shape[0])
        return every.copy() if len(drawn) == 1 else np.tile(np.array([3, 0, 1, 2], np.uint16), (shape[0], 1))

    monkeypatch.setattr(subset_selection, "random_keys", keys)
    monkeypatch.setattr(subset_selection, "bernoulli", lambda probability, shape: np.full(shape, kept))
    members = channel.privatise_symbols(np.full(len(every), symbol))
    used = every.copy()
    if kept:
        used[:, symbol] = 0
    ordered = np.sort(used, axis=1)
    stays = ordered[:, 1] != ordered[:, 2]  # naive: the two smallest are told from the rest
    assert drawn == [256, int((~stays).sum())]
    counts = Counter(map(tuple, np.argwhere(members[stays])[:, 1].reshape(-1, 2).tolist()))
    sets = [each for each in combinations(range(4), 2) if symbol in each or not kept]
    assert set(counts) == set(sets) and len(set(counts.values())) == 1


def test_many_symbols_have_long_keys(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def keys(shape: tuple[int, ...], *, bits: int) -> NDArray[np.unsignedinteger]:
        asked.append(bits)
        return random_keys(shape, bits=bits)

    monkeypatch.setattr(subset_selection, "random_keys", keys)
    for symbols in (96, 2048, 2049, 70_000):
        channel = SubsetSelection(epsilon=1.0, symbols=symbols)
        assert channel.privatise_symbols(np.array([symbols - 1, 0])).sum() == 2 * channel.size
    assert set(asked[:2]) == {16} and set(asked[-2:]) == {64}
