"""The exact draws. Tests on the operating system's source fail by chance with probability below 1e-6 each."""

from __future__ import annotations

import math
import os
import subprocess
import sys
from collections.abc import Iterator
from decimal import ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from inspect import isfunction, signature
from types import SimpleNamespace

import numpy as np
import opendp.prelude as dp
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import chi2, kstest

from rlm_core.owner import randomness
from rlm_core.owner.randomness import (
    LOG2_SCALE,
    bernoulli,
    discrete_laplace,
    floor64,
    geometric,
    random_words,
    standard_normal,
    standard_uniform,
    uniform_below,
)

CONTEXT = Context(prec=120)
SCALE = 2**LOG2_SCALE
TOP = 2**64
ALPHA = 1e-7


def script(monkeypatch: pytest.MonkeyPatch, *calls: list[int]) -> Iterator[list[int]]:
    """Replace the operating system's words by these, one list per call; returns what is left of them."""
    left = iter(calls)
    monkeypatch.setattr(randomness, "random_words", lambda count: np.array(next(left), dtype=np.uint64)[:count])
    return left


def naive(numerator: int, bits: int = 64) -> int:
    """⌊−2³⁰ ln(numerator/2^bits)⌋ in 120 digits."""
    log = CONTEXT.ln(CONTEXT.divide(Decimal(numerator), Decimal(1 << bits)))
    return int(CONTEXT.multiply(Decimal(-SCALE), log))


def boundary(g: int) -> Decimal:
    """The word, as a real number, at which G changes from g to g − 1: 2⁶⁴·e^{−g/2³⁰}."""
    return CONTEXT.multiply(Decimal(TOP), CONTEXT.exp(CONTEXT.divide(Decimal(-g), Decimal(SCALE))))


def chi_square_accepts(counts: np.ndarray, probabilities: np.ndarray) -> bool:
    expected = counts.sum() * probabilities
    statistic = float(((counts - expected) ** 2 / expected).sum())
    return bool(chi2.sf(statistic, len(counts) - 1) > ALPHA)


def test_no_draw_takes_a_seed() -> None:
    for name, function in vars(randomness).items():
        if isfunction(function) and function.__module__ == randomness.__name__:
            assert not {"seed", "generator", "rng"} & set(signature(function).parameters), name


FORKS = """
import os, threading
from rlm_core.owner.randomness import discrete_laplace, geometric
geometric(100)  # whatever a process might keep for later is there now, and its children have a copy of it
draw = lambda: os.write(1, (str(discrete_laplace(4).tolist()) + "\\n").encode())
for _ in range(3):
    child = os.fork()
    if not child:
        draw()
        os._exit(0)
    os.waitpid(child, 0)
threads = [threading.Thread(target=draw) for _ in range(3)]
for each in threads: each.start()
for each in threads: each.join()
draw()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_forked_processes_and_threads_never_repeat_a_draw() -> None:
    found = subprocess.run([sys.executable, "-c", FORKS], capture_output=True, text=True, check=True).stdout.split("\n")
    assert len(found) == 8 and len(set(found)) == 8  # seven draws and the empty end; equal by chance: below 1e-30


def test_words_are_fresh_and_uniform_in_every_bit() -> None:
    words = random_words(40_000)
    assert words.dtype == np.uint64 and np.unique(words).size == words.size  # collision: 5e-11
    ones = np.unpackbits(words.view(np.uint8).reshape(-1, 8), axis=1).sum(axis=0, dtype=np.int64)
    assert (np.abs(ones - 20_000) < 6.5 * 100).all()  # 64 bits, 6.5 standard deviations of 100: 6e-9
    assert random_words(0).size == 0


# --- uniform_below ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("bound", [2, 3, 7, 8, 10, 129])
def test_uniform_below_is_uniform(bound: int) -> None:
    values = uniform_below(bound, (500, 200))
    assert values.shape == (500, 200) and values.dtype == np.int64
    assert chi_square_accepts(np.bincount(values.ravel(), minlength=bound), np.full(bound, 1 / bound))


def test_the_uniformity_test_has_power() -> None:
    biased = np.random.default_rng(0).integers(0, 16, 100_000) % 10  # what a modulo would do
    assert not chi_square_accepts(np.bincount(biased), np.full(10, 0.1))


def test_uniform_below_draws_too_large_words_again(monkeypatch: pytest.MonkeyPatch) -> None:
    # bound 5 looks at three bits: 7, 5 and 6 are rejected; 12 = 0b1100 counts as 4, 11 = 0b1011 as 3.
    left = script(monkeypatch, [7, 12, 5], [6, 2], [11])
    assert uniform_below(5, 3).tolist() == [3, 4, 2]
    assert list(left) == []


@pytest.mark.parametrize("bound", [1, 2**31, 2**62 - 1, 2**62])
def test_uniform_below_stays_below_large_bounds(bound: int) -> None:
    values = uniform_below(bound, 1_000)
    assert 0 <= values.min() and int(values.max()) < bound
    if bound > 1:
        assert values.max() > 0.9 * bound  # all 1,000 below: 0.9**1000 < 1e-45


@pytest.mark.parametrize("bound", [0, -1, 2**62 + 1])
def test_uniform_below_refuses_other_bounds(bound: int) -> None:
    with pytest.raises(ValueError, match=f"got bound={bound}"):
        uniform_below(bound, 1)


# --- bernoulli -------------------------------------------------------------------------------------------------


def test_bernoulli_of_zero_and_one_are_certain() -> None:
    assert not bernoulli(Fraction(0), 10_000).any()
    assert bernoulli(Fraction(1), (10, 20)).all() and bernoulli(Fraction(1), (10, 20)).shape == (10, 20)


@settings(deadline=None, derandomize=True)
@given(threshold=st.integers(1, TOP - 1))
def test_bernoulli_is_true_for_exactly_the_words_below_the_threshold(threshold: int) -> None:
    with pytest.MonkeyPatch.context() as monkeypatch:
        script(monkeypatch, [0, threshold - 1, threshold, TOP - 1])
        assert bernoulli(Fraction(threshold, TOP), 4).tolist() == [True, True, False, False]


@pytest.mark.parametrize("probability", [Fraction(1, 3), Fraction(-1, 2), Fraction(3, 2), Fraction(1, 2**65)])
def test_bernoulli_refuses_what_it_cannot_do_exactly(probability: Fraction) -> None:
    with pytest.raises(ValueError, match=r"multiple of 2\*\*-64"):
        bernoulli(probability, 1)


def test_bernoulli_hits_its_probability() -> None:
    draws = bernoulli(Fraction(1, 4), 100_000)
    assert abs(draws.mean() - 0.25) < 5.5 * math.sqrt(0.25 * 0.75 / 100_000)  # 4e-8


@settings(deadline=None, derandomize=True)
@given(st.decimals(0, 1, allow_nan=False))
def test_floor64_rounds_down_by_less_than_one_unit(value: Decimal) -> None:
    rounded = floor64(value)
    assert (rounded * TOP).denominator == 1
    assert rounded <= Fraction(value) < rounded + Fraction(1, TOP)


def test_floor64_never_rounds_up_to_one() -> None:
    almost = Context(prec=200, rounding=ROUND_FLOOR).subtract(Decimal(1), Decimal("1e-150"))
    assert floor64(almost) == 1 - Fraction(1, TOP)


# --- geometric -------------------------------------------------------------------------------------------------


def test_geometric_equals_the_naive_copy_on_many_words(monkeypatch: pytest.MonkeyPatch) -> None:
    generator = np.random.default_rng(1)
    uniform = generator.integers(0, TOP, 1_500, dtype=np.uint64)
    small = uniform[:500] >> generator.integers(0, 64, 500, dtype=np.uint64)  # far in the tail
    near_one = ~(uniform[:500] >> generator.integers(0, 64, 500, dtype=np.uint64))  # G near 0
    words = [int(word) for word in np.concatenate([uniform, small, near_one])]
    # Keep the words that decide G alone, whatever bits would follow.
    decided = [w for w in words if w > 0 and naive(w) == (naive(w + 1) if w + 1 < TOP else 0)]
    assert len(decided) > 2_000
    script(monkeypatch, decided)
    assert geometric(len(decided)).tolist() == [naive(word) for word in decided]


@pytest.mark.parametrize("g", [1, 2, 3, 1_000, 2**20, 2**30, 3 * 2**30 + 17, 20 * 2**30 + 1])
def test_geometric_is_exact_next_to_a_jump(g: int, monkeypatch: pytest.MonkeyPatch) -> None:
    at = int(boundary(g))
    script(monkeypatch, [at - 1, at + 1])
    assert geometric(2).tolist() == [g, g - 1]
    # The word on the jump itself: further bits decide.
    for further, expected in (([0], g), ([TOP - 1], g - 1)):
        left = script(monkeypatch, [at], further)
        assert geometric(1).tolist() == [expected]
        assert list(left) == []


@settings(deadline=None, derandomize=True)
@given(g=st.integers(1, 30 * 2**30), bits=st.integers(0, TOP - 1))
def test_settle_follows_the_further_bits(g: int, bits: int) -> None:
    at = int(boundary(g))
    word = (at << 64) | bits
    if naive(word, 128) != naive(word + 1, 128):
        return  # one word in 2**64 needs a third; that is tested below
    with pytest.MonkeyPatch.context() as monkeypatch:
        script(monkeypatch, [bits])
        assert randomness._settle(at) == naive(word, 128)


def test_settle_asks_for_as_many_words_as_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    exact = int(CONTEXT.multiply(boundary(5), Decimal(2**64)))  # 128 bits of the jump
    for third, expected in (([0], 5), ([TOP - 1], 4)):
        left = script(monkeypatch, [exact % TOP], third)
        assert randomness._settle(exact >> 64) == expected
        assert list(left) == []


def test_geometric_survives_the_extreme_words(monkeypatch: pytest.MonkeyPatch) -> None:
    script(monkeypatch, [TOP - 1])
    assert geometric(1).tolist() == [0]
    # U below 2**-64: the next word continues it.
    script(monkeypatch, [0], [TOP // 2])
    assert geometric(1).tolist() == [naive(TOP // 2, 128)]
    script(monkeypatch, [0], [0], [12345], [678])
    assert geometric(1).tolist() == [naive((12345 << 64) | 678, 256)]


@pytest.mark.parametrize(("numerator", "bits"), [(1, 64), (2**63, 64), (TOP - 1, 64), (12345, 70), (2**100 + 1, 128)])
def test_floor_log_equals_the_naive_copy(numerator: int, bits: int) -> None:
    assert randomness._floor_log(numerator, bits) == naive(numerator, bits)


@settings(deadline=None, derandomize=True)
@given(g=st.integers(0, 2**36), bits=st.sampled_from([64, 128, 192]), off=st.integers(-(2**70), 2**70))
def test_few_digits_decide_rightly_or_not_at_all(g: int, bits: int, off: int) -> None:
    """Near a jump, where 30 digits may not do: they say so, and are never wrong."""
    at = int(CONTEXT.multiply(boundary(g), Decimal(2 ** (bits - 64)))) if g else 2**bits
    numerator = min(max(at + (off >> (192 - bits) // 2), 1), 2**bits)
    assert randomness._floor_log(numerator, bits, randomness._QUICK) in (None, naive(numerator, bits))


def test_most_words_need_no_look() -> None:
    """The slack of words from _COMMON on is below _DOUBT: it falls as the word grows."""
    words = np.array([randomness._COMMON], dtype=np.uint64)
    assert randomness._slack(words, randomness._log_of(words))[0] < randomness._DOUBT
    sizes = np.array([2**power for power in range(42, 64)], dtype=np.uint64)
    assert (np.diff(randomness._slack(sizes, randomness._log_of(sizes))) < 0).all()


def test_many_draws_use_the_bytes_in_the_same_order_as_few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks are for speed only: all words of a draw, then what settling asks for, as on a device."""
    words = np.random.default_rng(5).integers(TOP, size=70, dtype=np.uint64).tolist()
    words[3] = int(boundary(1_000))  # a further word decides it
    expected = None
    for block in (70, 16, 1):
        monkeypatch.setattr(randomness, "_BLOCK", block)
        left = script(monkeypatch, *(words[start : start + block] for start in range(0, 70, block)), [0])
        found = geometric(70).tolist()
        assert expected in (None, found) and found[3] == 1_000 and list(left) == []
        expected = found


def test_floor_log_at_its_ends() -> None:
    assert randomness._floor_log(0, 64) is None
    assert randomness._floor_log(TOP, 64) == 0


def test_the_fast_path_hardly_ever_hands_over(monkeypatch: pytest.MonkeyPatch) -> None:
    settled = []
    original = randomness._settle
    monkeypatch.setattr(randomness, "_settle", lambda word: settled.append(word) or original(word))
    geometric(100_000)
    assert len(settled) < 40  # about 4 expected; Poisson tail below 1e-20


# --- discrete Laplace ------------------------------------------------------------------------------------------


def test_discrete_laplace_with_a_small_scale_has_the_right_probabilities(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(randomness, "_SCALE", 1)  # P(k) ∝ e^{−|k|}: zero is no longer rare
    draws = discrete_laplace(100_000)
    values = np.arange(-6, 7)
    weights = np.exp(-np.abs(values)) * math.tanh(0.5)  # (e − 1)/(e + 1) = P(0)
    weights[[0, -1]] /= 1 - math.exp(-1)  # the ends stand for the tails
    assert math.isclose(weights.sum(), 1.0)
    counts = np.bincount(draws.clip(-6, 6) + 6, minlength=13)
    assert chi_square_accepts(counts, weights)
    twice = weights * np.where(values == 0, 2.0, 1.0)  # zero counted as +0 and −0
    assert not chi_square_accepts(counts, twice / twice.sum())


def test_discrete_laplace_draws_minus_zero_again(monkeypatch: pytest.MonkeyPatch) -> None:
    magnitudes = iter([[0, 0, 5, 5], [0], [7]])
    signs = iter([b"\x50", b"\x80", b"\x00"])  # 0101…: the second and fourth are negative; then −0 again; then +7
    monkeypatch.setattr(randomness, "geometric", lambda count: np.array(next(magnitudes)))
    monkeypatch.setattr(randomness, "os", SimpleNamespace(urandom=lambda count: next(signs)))
    assert discrete_laplace(4).tolist() == [0, 7, 5, -5]


def test_discrete_laplace_is_symmetric() -> None:
    draws = discrete_laplace((1_000, 100))
    assert draws.shape == (1_000, 100) and draws.dtype == np.int64
    assert abs((draws > 0).mean() - 0.5) < 5.5 * 0.5 / math.sqrt(draws.size)  # 4e-8


def test_discrete_laplace_agrees_with_opendp() -> None:
    dp.enable_features("contrib")
    domain = dp.vector_domain(dp.atom_domain(T=dp.i64))
    oracle = dp.m.make_laplace(domain, dp.l1_distance(T=dp.i64), scale=float(SCALE))
    assert oracle.map(SCALE) == 1.0
    theirs = np.array(oracle([0] * 20_000)) / SCALE
    ours = discrete_laplace(200_000) / SCALE

    def alike(left: np.ndarray, right: np.ndarray) -> bool:
        """Means of |k| (standard deviation 1 each) and of sign, within 5.5 standard deviations: 8e-8."""
        spread = 5.5 * math.sqrt(1 / left.size + 1 / right.size)
        sizes, signs = (abs(f(left).mean() - f(right).mean()) for f in (np.abs, np.sign))
        return bool(max(sizes, signs) < spread)

    assert alike(ours, theirs)
    assert not alike(0.9 * ours, theirs) and not alike(1.1 * ours, theirs)
    below = np.searchsorted(np.sort(ours), np.sort(theirs)) / ours.size  # the two distribution functions
    distance = np.abs(below - (np.arange(theirs.size) + 0.5) / theirs.size).max()
    # Dvoretzky, Kiefer, Wolfowitz, Massart for both samples, 1e-7 each.
    assert distance < sum(math.sqrt(math.log(2 / ALPHA) / (2 * n)) for n in (ours.size, theirs.size))


# --- continuous draws ------------------------------------------------------------------------------------------


def test_standard_uniform_lies_in_the_half_open_interval(monkeypatch: pytest.MonkeyPatch) -> None:
    assert kstest(standard_uniform(50_000), "uniform").pvalue > ALPHA
    script(monkeypatch, [0, TOP - 1])
    assert standard_uniform(2).tolist() == [2.0**-53, 1.0]


def test_standard_normal_is_normal_and_a_wrong_scale_is_not() -> None:
    draws = standard_normal((201, 201)).ravel()  # odd: half a pair is left over
    assert kstest(draws, "norm").pvalue > ALPHA
    assert kstest(0.9 * draws, "norm").pvalue < ALPHA and kstest(1.1 * draws, "norm").pvalue < ALPHA
