"""Vectors of the samplers: random bytes to integers, and the thresholds that decide."""

from __future__ import annotations

import hashlib
from decimal import Context, Decimal
from typing import Any

import numpy as np

from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.randomness import discrete_laplace, uniform_below
from rlm_core.owner.subset_selection import SubsetSelection

from .tape import forged, rounded

DRAWS = 100_000
BOUNDARIES = 1_000
SCALE = 2**30
LOG_TWO, LOG_THREE = 0.6931471805599453, 1.0986122886681098
EPSILONS = (1e-6, 1e-3, 0.1, 0.5, 1.0, LOG_TWO, LOG_THREE, 2.0, 2.8, 4.2, 5.6, 7.0, 10.0, 30.0, 44.3, 700.0, 1e6)
EXTREME_EPSILONS = (5e-324, 1e-300, 1e-19, 2.0**-60, 1e5, 1e300)
SIZES = (2, 3, 4, 10, 12, 16, 42, 48, 96, 120, 960)


def vectors() -> dict[str, Any]:
    """Everything about randomness.js, and the thresholds of labels.js and subset_selection.js."""
    return {
        "laplace": [_laplace("draws", DRAWS), *(_laplace(f"few {count}", count) for count in (1, 7, 8, 9, 17))],
        "laplace_at_boundaries": boundaries(),
        "laplace_at_zero": zeros(),
        "uniform": [_uniform(bound) for bound in (1, 2, 3, 10, 12, 96, 255, 256, 257, 1000, 2**31, 2**53 - 1)],
        "thresholds": thresholds(),
    }


def _laplace(label: str, count: int) -> dict[str, Any]:
    with forged(label):
        return {"label": label, "count": count, "sha256": digest(discrete_laplace(count))}


def _uniform(bound: int) -> dict[str, Any]:
    label = f"uniform {bound}"
    with forged(label):
        return {"label": label, "bound": bound, "count": 500, "sha256": digest(uniform_below(bound, 500))}


def boundaries() -> dict[str, Any]:
    """Words next to e^{−g/2³⁰}·2⁶⁴: where a logarithm that is off by one part in 2⁶⁰ gives another integer."""
    context, words = Context(prec=60), []
    generator = np.random.default_rng(0)
    for g in np.concatenate([generator.integers(1, 40 * SCALE, BOUNDARIES - 3), [1, 2, 44 * SCALE]]).tolist():
        at = int(context.multiply(context.exp(context.divide(Decimal(-g), Decimal(SCALE))), Decimal(2**64)))
        words += [max(0, at - 1), at, at + 1]
    head = b"".join(word.to_bytes(8, "little") for word in words)
    with forged("boundaries", head):
        return {"label": "boundaries", "head": head.hex(), "values": discrete_laplace(len(words)).tolist()}


def zeros() -> dict[str, Any]:
    """U next to 1 gives 0, with either sign (−0 is drawn again), and U = 0 needs further bits."""
    words = [2**64 - 1, 2**64 - 1, 2**64 - 2**33, 0, 0, 1, 2**63, 2**63 - 1]
    head = b"".join(word.to_bytes(8, "little") for word in words)
    further = (0).to_bytes(8, "little") + (2**60).to_bytes(8, "little") * 9  # for the words that do not decide
    cases = []
    for signs in (0b00000000, 0b11111111, 0b10000000):
        start = head + further + bytes([signs]) * 64
        with forged("zeros", start):
            cases.append({"label": "zeros", "head": start.hex(), "values": discrete_laplace(len(words)).tolist()})
    # All draws are −0: everything is drawn again.
    start = (2**64 - 1).to_bytes(8, "little") * 4 + b"\xff"
    with forged("all again", start):
        cases.append({"label": "all again", "head": start.hex(), "values": discrete_laplace(4).tolist()})
    return {"cases": cases}


def thresholds() -> dict[str, Any]:
    """κ·2⁶⁴ of k-RR and of subset selection, and ω."""
    generator = np.random.default_rng(1)
    epsilons = [*EPSILONS, *rounded(10.0 ** generator.uniform(-6.0, 1.78, 60))]
    responses = [(epsilon, classes) for epsilon in (0.0, *EXTREME_EPSILONS, *epsilons) for classes in (2, 3, 10, 1000)]
    selections = [(epsilon, k) for epsilon in epsilons for k in SIZES]
    return {
        "labels": [
            [epsilon, classes, str(numerator(RandomisedResponse(epsilon=epsilon, classes=classes)))]
            for epsilon, classes in responses
        ],
        "sets": [
            [epsilon, k, channel.size, str(numerator(channel))]
            for epsilon, k in selections
            for channel in [SubsetSelection(epsilon=epsilon, symbols=k)]
        ],
    }


def numerator(channel: RandomisedResponse | SubsetSelection) -> int:
    """κ·2⁶⁴."""
    return int(channel.keep_probability * 2**64)


def digest(values: Any) -> str:
    """SHA-256 of integers as 64-bit little-endian words."""
    return hashlib.sha256(np.asarray(values, dtype="<i8").tobytes()).hexdigest()
