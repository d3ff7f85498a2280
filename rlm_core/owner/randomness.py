"""Exact random draws from the operating system's source, for releases.

Everything here starts from ``os.urandom`` and ends in integers or booleans whose
probabilities are known exactly. No function takes a seed, and none keeps state.

How a draw can be exact and fast at once: each sampler compares a uniform real number
U, known so far only to 64 bits, with a bound computed in float64. Almost always the
error of the bound and the unknown further bits of U cannot change the outcome. When
they could (a few in 100,000), the outcome is settled with more bits and ``decimal``
arithmetic. The result has the distribution of the real-number algorithm, not of its
rounded copy.

What is *not* promised: constant time. The number of slow cases depends on the noise
alone, never on the record.
"""

from __future__ import annotations

import os
from decimal import Context, Decimal
from fractions import Fraction
from math import floor, prod

import numpy as np
from numpy.typing import NDArray

from rlm_core.types import BoolArray, IntArray

Words = NDArray[np.uint64]
LOG2_SCALE = 30
"""The discrete Laplace noise has scale 2**30 grid steps; the grid adapts to ε, not the noise."""

_SCALE = 2**LOG2_SCALE
_LOG_ERROR = 2.0**-46  # relative; numpy's log is within 4 units in the last place = 2**-50
_DOUBT = 2.0**-9  # at least the slack of every word from _COMMON on: only nearer to a whole number is it looked at
_COMMON = 2**42
_QUICK, _PRECISE = Context(prec=30), Context(prec=80)  # digits; the first nearly always decide
_BLOCK = 2**14  # values computed at a time: they stay in the cache


def random_words(count: int) -> Words:
    """``count`` uniform 64-bit words from the operating system."""
    return np.frombuffer(os.urandom(8 * count), dtype=np.uint64)


def random_keys(shape: tuple[int, ...], *, bits: int) -> NDArray[np.unsignedinteger]:
    """Uniform whole numbers of 16 or 64 bits, to order things by; little-endian, and free to be written to."""
    if bits not in (16, 64):
        raise ValueError(f"Expected bits 16 or 64, got bits={bits}.")
    keys = np.frombuffer(bytearray(os.urandom(bits // 8 * prod(shape))), dtype=f"<u{bits // 8}")
    return keys.reshape(shape)


def uniform_below(bound: int, shape: int | tuple[int, ...]) -> IntArray:
    """Uniform integers in {0, …, bound−1}: words masked to the needed bits, too large ones drawn again.

    >>> int(uniform_below(1, 3).sum())
    0
    """
    if not 1 <= bound <= 2**62:
        raise ValueError(f"Expected 1 <= bound <= 2**62, got bound={bound}.")
    mask = np.uint64((1 << (bound - 1).bit_length()) - 1)
    values = random_words(_count(shape)) & mask
    again = np.flatnonzero(values >= bound)
    while again.size:
        values[again] = random_words(again.size) & mask
        again = again[values[again] >= bound]
    return values.astype(np.int64).reshape(shape)


def bernoulli(probability: Fraction, shape: int | tuple[int, ...]) -> BoolArray:
    """True with exactly ``probability``, which must be a multiple of 2**-64 (see :func:`floor64`)."""
    threshold = probability * 2**64
    if threshold.denominator != 1 or not 0 <= threshold <= 2**64:
        raise ValueError(f"Expected a multiple of 2**-64 in [0, 1], got probability={probability}.")
    if threshold == 2**64:
        return np.ones(shape, dtype=np.bool_)
    return (random_words(_count(shape)) < np.uint64(int(threshold))).reshape(shape)


def floor64(value: Decimal) -> Fraction:
    """Round a probability down to a multiple of 2**-64."""
    return Fraction(floor(Fraction(value) * 2**64), 2**64)  # fractions do not round


def geometric(count: int) -> IntArray:
    """Draws of P(G ≥ g) = e^{−g/2³⁰}, g = 0, 1, …, as G = ⌊−2³⁰ ln U⌋ for a uniform U.

    U lies in [w, w+1)/2⁶⁴. Where the float64 value of −2³⁰ ln U may be on the other side of a whole number
    (:func:`_slack`), :func:`_settle` decides exactly.

    The words are drawn and used in blocks that stay in the cache: an array of all of them would be faulted in
    page by page, which costs as much as the arithmetic. Further bits are drawn after the last block.
    """
    result: IntArray = np.empty(count, dtype=np.int64)
    doubtful: list[tuple[int, int]] = []
    for start in range(0, count, _BLOCK):
        words = random_words(min(_BLOCK, count - start))
        value = _log_of(words)
        low = np.floor(value)
        result[start : start + len(words)] = low
        near = np.abs(value - low - 0.5) > 0.5 - _DOUBT
        unclear = np.flatnonzero(near if words.min() >= _COMMON else near | (words < _COMMON))
        slack = _slack(words[unclear], value[unclear])
        unclear = unclear[np.floor(value[unclear] - slack) != np.floor(value[unclear] + slack)]
        doubtful += zip((start + unclear).tolist(), words[unclear].tolist(), strict=True)
    for index, word in doubtful:
        result[index] = _settle(word)
    return result


def _log_of(words: Words) -> NDArray[np.float64]:
    """−2³⁰ ln((w + 1)/2⁶⁴) in float64; w + 1 keeps it finite."""
    value = words.astype(np.float64)
    value += 1.0
    value *= 2.0**-64  # exact: a power of two
    np.log(value, out=value)
    value *= -_SCALE
    return value


def _slack(words: Words, value: NDArray[np.float64]) -> NDArray[np.float64]:
    """How far ``value`` can be from −2³⁰ ln U: the rounding of w and of log, and U's interval (relative width 1/w).

    Below 2⁻⁹ for w ≥ 2⁴² (2⁻²⁰ + 2³⁰·15.3·2⁻⁴⁶ + 2³²/w), so that most words need not be asked.
    """
    width: NDArray[np.float64] = 4.0 * _SCALE / (words.astype(np.float64) + 1.0)
    rounding: NDArray[np.float64] = np.abs(value) * _LOG_ERROR + _SCALE * 2.0**-50
    return width + rounding


def discrete_laplace(shape: int | tuple[int, ...]) -> IntArray:
    """Integers with P(k) ∝ e^{−|k|/2³⁰}: a geometric magnitude with a random sign.

    Zero would be counted twice (+0 and −0), so −0 is drawn again.
    """
    count = _count(shape)
    result = geometric(count)
    signs = np.frombuffer(os.urandom(-(-count // 8)), dtype=np.uint8)
    negative: BoolArray = np.unpackbits(signs, count=count).view(np.bool_)
    again: IntArray = np.flatnonzero(negative & (result == 0))
    for start in range(0, count, _BLOCK):
        block = result[start : start + _BLOCK]
        minus = -negative[start : start + _BLOCK].astype(np.int64)  # −1 where the sign is minus
        block ^= minus
        block -= minus  # two's complement: −k = (k ^ −1) + 1
    if again.size:
        result[again] = discrete_laplace(again.size)
    return np.reshape(result, shape)


def standard_uniform(shape: int | tuple[int, ...]) -> NDArray[np.float64]:
    """Uniform multiples of 2**-53 in (0, 1], for mechanisms with a continuous output."""
    words = random_words(_count(shape)) >> np.uint64(11)
    return ((words.astype(np.float64) + 1.0) * 2.0**-53).reshape(shape)


def standard_normal(shape: int | tuple[int, ...]) -> NDArray[np.float64]:
    """Standard normal draws by Box and Muller's transform, for mechanisms with a continuous output."""
    count = _count(shape)
    half = -(-count // 2)
    radius = np.sqrt(-2.0 * np.log(standard_uniform(half)))
    angle = 2.0 * np.pi * standard_uniform(half)
    return np.concatenate([radius * np.cos(angle), radius * np.sin(angle)])[:count].reshape(shape)


def _settle(word: int) -> int:
    """⌊−2³⁰ ln U⌋ for a U that starts with the 64 bits of ``word``: draw further bits until it is certain."""
    bits = 64
    while True:
        for context in (_QUICK, _PRECISE):
            low, high = (_floor_log(word + end, bits, context) for end in (1, 0))
            if low is not None and low == high:
                return low
        word = (word << 64) | int(random_words(1)[0])
        bits += 64


def _floor_log(numerator: int, bits: int, context: Context = _PRECISE) -> int | None:
    """⌊−2³⁰ ln(numerator / 2**bits)⌋, or None where the context's digits do not decide it (or at U = 0)."""
    if numerator == 0:
        return None
    if numerator == 1 << bits:
        return 0
    # The quotient has an error of 10^−prec and so has its logarithm: relative to one of at least 2⁻³⁰, where the first
    # jump is, that is below 10^(10−prec).
    log = context.ln(context.divide(Decimal(numerator), Decimal(1 << bits)))
    value = context.multiply(Decimal(-_SCALE), log)
    # Through the context: the operators of Decimal would round to the caller's precision, 28 digits by default.
    slack = context.multiply(context.abs(value), Decimal(f"1e-{context.prec - 10}"))
    low, high = int(context.subtract(value, slack)), int(context.add(value, slack))
    return low if low == high else None


def _count(shape: int | tuple[int, ...]) -> int:
    return shape if isinstance(shape, int) else prod(shape)
