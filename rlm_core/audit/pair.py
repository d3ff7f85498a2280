"""Two records, their two output distributions, and the likelihood ratio between them, from samples.

The picture behind the audit. Outputs are sorted into bins; in each bin the numbers n and n′ of
outputs of x and x′ give ln(p/p′) with an exact interval, since of n + n′ outputs in a bin the
number that came from x is binomial (see ``bound.py``). ε-LDP wants every bin within ±ε.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.audit.bound import log_odds_low
from rlm_core.audit.rules import bit_keys
from rlm_core.mechanism import RLM, Mechanism, rows
from rlm_core.types import FloatArray, IntArray

BINS = 32
FEW = 32
"""At most this many different outputs are shown one by one instead of in bins."""

BINARY_DIGITS = 12
"""How many places of the last binary digit are told apart."""


@dataclass(frozen=True, kw_only=True, eq=False)
class OutputView:
    """Where each bin lies and how often it was hit: all (bins,).

    ``left`` and ``right`` bound a bin of numbers; single outputs have ``labels`` instead, and lie
    at 0, 1, 2, ….
    """

    left: FloatArray
    right: FloatArray
    counts: IntArray
    counts_other: IntArray
    samples: int
    confidence: float
    quantity: str
    labels: tuple[str, ...] = ()

    @property
    def log_ratio(self) -> FloatArray:
        """ln(n/n′), ±∞ where only one of them was met, NaN where none was."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(self.counts) - np.log(self.counts_other)

    @property
    def interval(self) -> tuple[FloatArray, FloatArray]:
        """Limits for ln(p/p′) of each bin; all of them hold together with ``confidence``."""
        each = 1.0 - (1.0 - self.confidence) / (2 * len(self.counts))
        return (
            log_odds_low(self.counts, self.counts_other, confidence=each),
            -log_odds_low(self.counts_other, self.counts, confidence=each),
        )

    @property
    def lower_bound(self) -> float:
        """The ε that the bins prove, at ``confidence``: the farthest of their intervals from 0."""
        low, high = self.interval
        return float(max(0.0, low.max(), (-high).max()))


@dataclass(frozen=True, kw_only=True, eq=False)
class Comparison:
    """The same outputs looked at in two ways.

    ``values``: along the line between the two representations, or one by one where they are few.
    ``low_bits``: by the place of the last binary digit of the coordinate that differs most. Float
    noise gives itself away there: z + noise cannot be finer than the digits of z allow.
    """

    values: OutputView
    low_bits: OutputView


def compare_outputs(
    mechanism: Mechanism, x: ArrayLike, x_other: ArrayLike, *, samples: int, confidence: float = 0.99
) -> Comparison:
    """Release x and x′ ``samples`` times each, through the release path, and count."""
    if not samples >= 100:
        raise ValueError(f"Expected samples >= 100, got samples={samples!r}.")
    pair = [rows("x", np.atleast_2d(np.asarray(each)), mechanism.input_dim)[:1] for each in (x, x_other)]
    z, z_other = (mechanism.represent(each)[0] for each in pair)
    released = [mechanism.privatise(np.repeat(each, samples, axis=0)) for each in pair]
    return Comparison(
        values=_by_value(released, z, z_other, confidence), low_bits=_by_last_digit(released, z, z_other, confidence)
    )


def _by_value(released: list[FloatArray], z: FloatArray, z_other: FloatArray, confidence: float) -> OutputView:
    samples = len(released[0])
    outputs, inverse = np.unique(np.concatenate(released), axis=0, return_inverse=True)
    if len(outputs) <= FEW:
        halves = inverse.reshape(2, samples)
        return _categories([_name(each) for each in outputs], list(halves), samples, confidence, "the output")
    values = [_along(each, z, z_other) for each in released]
    pooled = np.concatenate(values)
    # Both tails go into the outer bins: few samples there, and no event is left out.
    low, high = np.quantile(pooled, [0.004, 0.996])
    edges = np.linspace(low, high, BINS + 1)
    counts = [np.histogram(np.clip(each, low, high), edges)[0].astype(np.int64) for each in values]
    return OutputView(
        left=edges[:-1],
        right=edges[1:],
        counts=counts[0],
        counts_other=counts[1],
        samples=samples,
        confidence=confidence,
        quantity="the output, along the line between the two records",
    )


def _by_last_digit(released: list[FloatArray], z: FloatArray, z_other: FloatArray, confidence: float) -> OutputView:
    at = int(np.abs(z - z_other).argmax()) if z.size == released[0].shape[1] else 0
    places = [last_digits(each[:, at]) for each in released]
    coarsest = int(np.quantile(np.concatenate(places), 0.98))
    finest = coarsest - BINARY_DIGITS + 1
    codes = [np.clip(each, finest, coarsest) - finest for each in places]
    labels = [f"2^{place}" for place in range(finest, coarsest + 1)]
    return _categories(labels, codes, len(released[0]), confidence, "the last binary digit of the output")


def claimed_densities(
    mechanism: Mechanism, x: ArrayLike, x_other: ArrayLike, at: ArrayLike
) -> tuple[FloatArray, FloatArray] | None:
    """The densities of both outputs at points (n,) along the line between them, as the mechanism claims them.

    Known where an RLM's two representations differ in one coordinate: each is then a Laplace density
    around its record. None elsewhere. A broken mechanism need not draw from what it claims.
    """
    if not isinstance(mechanism, RLM):
        return None
    z, z_other = (mechanism.represent(rows("x", np.atleast_2d(each), mechanism.input_dim))[0] for each in (x, x_other))
    if np.count_nonzero(z - z_other) != 1:
        return None
    points = np.asarray(at, dtype=np.float64)[:, None]  # (n, 1)
    centres = (_along(each[None], z, z_other) for each in (z, z_other))  # (1,) each
    first, second = (np.exp(mechanism.noise.log_density(points, centre)) for centre in centres)
    return first, second


def _categories(labels: list[str], codes: list[IntArray], samples: int, confidence: float, quantity: str) -> OutputView:
    counts = [np.bincount(each, minlength=len(labels)).astype(np.int64) for each in codes]
    at = np.arange(len(labels), dtype=np.float64)
    return OutputView(
        left=at - 0.4,
        right=at + 0.4,
        counts=counts[0],
        counts_other=counts[1],
        samples=samples,
        confidence=confidence,
        quantity=quantity,
        labels=tuple(labels),
    )


def _along(outputs: FloatArray, z: FloatArray, z_other: FloatArray) -> FloatArray:
    """Outputs (n, d) to their coordinate along z − z′ (n,); the first one where the shapes differ or z = z′."""
    direction = z - z_other
    length = float(np.linalg.norm(direction))
    if direction.size != outputs.shape[1] or length == 0.0:
        return outputs[:, 0]
    return outputs @ (direction / length)


def last_digits(values: FloatArray) -> IntArray:
    """k such that 2^k is the last binary digit of each float64 (its lowest set bit).

    >>> last_digits(np.array([1.0, 3.0, 0.75, 6.0]))
    array([ 0,  0, -2,  1])
    """
    trailing = (bit_keys(values) & np.uint64(63)).astype(np.int64)
    digits: IntArray = np.frexp(values)[1].astype(np.int64) - 53 + trailing
    return digits


def _name(output: FloatArray) -> str:
    """A label for one output: its number, or the signs of its coordinates where these are all that vary."""
    if output.size == 1:
        return f"{output[0]:g}"
    return "".join("+" if value > 0 else "−" for value in output)
