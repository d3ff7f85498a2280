"""Where to look: scores of an output, and the rule that tells x from x′ best.

A score is one number per output, large where x is the likelier; a rule guesses where it is
beyond a threshold. Any rule gives a sound audit, a good one a tight audit. Four kinds of
score are tried:

* the log-likelihood ratio, where the mechanism has a density: the best there is;
* the projection on z − z′;
* whole outputs as atoms, with their frequencies learnt from samples: finds what a discrete
  mechanism does wrong on a single output, and a noise that repeats itself;
* the low bits of the coordinate that differs most: exponent, sign and trailing zeros of
  the float64, as it is and relative to z and z′. Floating-point noise betrays z there
  (Mironov 2012), since z + noise can only be a multiple of the spacing of its summands.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rlm_core.audit.bound import log_odds_low
from rlm_core.mechanism import HasDensity, Mechanism
from rlm_core.types import FloatArray, IntArray

Keys = NDArray[np.uint64]
_QUANTILES = np.unique(np.concatenate([np.linspace(0, 1, 101), 10.0 ** np.arange(-5.0, -2.0, 0.5)]))
_QUANTILES = np.unique(np.concatenate([_QUANTILES, 1.0 - _QUANTILES]))  # both tails alike


@dataclass(frozen=True, kw_only=True)
class Score:
    """One number per output (n, d) to (n,), with a name for the report."""

    name: str
    of: Callable[[FloatArray], FloatArray]


@dataclass(frozen=True, kw_only=True)
class Rule:
    """Guess x where score ≥ ``upper``, x′ where score ≤ ``lower``, abstain in between."""

    score: Score
    upper: float
    lower: float

    def guess(self, values: FloatArray) -> IntArray:
        """From values of the score (n,): 1 for "it was x", −1 for "it was x′", 0 for no guess."""
        return (values >= self.upper).astype(np.int64) - (values <= self.lower)

    def __str__(self) -> str:
        sides = [f">= {self.upper:.6g}"] * (self.upper < np.inf) + [f"<= {self.lower:.6g}"] * (self.lower > -np.inf)
        return f"{self.score.name} {' or '.join(sides)}"


def scores(
    mechanism: Mechanism, z: FloatArray, z_other: FloatArray, outputs: FloatArray, outputs_other: FloatArray
) -> list[Score]:
    """The scores for one pair, learnt (where they are learnt) from ``outputs`` of x and of x′."""
    found = []
    if isinstance(mechanism, HasDensity):
        pair = np.stack([z, z_other])  # (2, ·)
        density = mechanism.log_density_pairs

        def log_ratio(rows: FloatArray) -> FloatArray:
            log_p = density(rows, pair)  # (n, 2)
            with np.errstate(invalid="ignore"):  # −∞ − (−∞): impossible under both, says nothing
                return _finite(log_p[:, 0] - log_p[:, 1])

        found.append(Score(name="log-likelihood ratio", of=log_ratio))
    if z.shape[-1] == outputs.shape[1]:
        direction = z - z_other
        found.append(Score(name="projection on z - z_other", of=lambda rows: _finite(rows @ direction)))
        found += _low_bits(z, z_other, outputs, outputs_other)
    found.append(_learnt("learnt ratio of atoms", row_keys, outputs, outputs_other))
    return found


def promising_rules(
    candidates: Sequence[Score], outputs: FloatArray, outputs_other: FloatArray, *, confidence: float
) -> list[tuple[float, Rule]]:
    """For each score its best rule on these outputs, and the most reluctant one; with the bound each gives here.

    Use other outputs than the scores were learnt from and the final bound is computed on.
    """

    def promise(correct: ArrayLike, wrong: ArrayLike) -> FloatArray:
        return log_odds_low(correct, wrong, confidence=confidence)

    found = []
    for score in candidates:
        values, values_other = np.sort(score.of(outputs)), np.sort(score.of(outputs_other))
        pooled = np.quantile(np.concatenate([values, values_other]), _QUANTILES, method="nearest")
        slack = 1e-9 * (1.0 + np.abs(pooled))  # so that rounding does not split an atom of the score
        uppers, lowers = (pooled - slack)[::-1], pooled + slack
        above, above_other = (len(v) - np.searchsorted(v, uppers, side="left") for v in (values, values_other))
        below, below_other = (np.searchsorted(v, lowers, side="right") for v in (values, values_other))
        i, j = int(np.argmax(promise(above, above_other))), int(np.argmax(promise(below_other, below)))
        rules = [
            (promise(above[i], above_other[i]), uppers[i], -np.inf),
            (promise(below_other[j], below[j]), np.inf, lowers[j]),
            (promise(above[i] + below_other[j], above_other[i] + below[j]), uppers[i], lowers[j]),
        ]
        # Beyond the extreme values of the score. Where they are atoms, the likelihood ratio is largest there.
        extreme = (promise(above[0] + below_other[0], above_other[0] + below[0]), uppers[0], lowers[0])
        best = max((rule for rule in rules if rule[1] > rule[2]), key=lambda rule: float(rule[0]))
        for gain, upper, lower in {best[1:]: best, extreme[1:]: extreme}.values():
            if upper > lower:  # never both guesses at once
                found.append((float(gain), Rule(score=score, upper=float(upper), lower=float(lower))))
    return found


def row_keys(rows: FloatArray) -> Keys:
    """A 64-bit key per row: equal rows have equal keys, different ones almost surely different."""
    words = np.ascontiguousarray(rows + 0.0).view(np.uint64)  # + 0.0 turns -0.0 into 0.0
    odd = np.arange(1, 2 * words.shape[1], 2, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    mixed = (words ^ (words >> np.uint64(29))) * odd  # wraps around: arithmetic modulo 2**64
    keys: Keys = (mixed ^ (mixed >> np.uint64(32))).sum(axis=1, dtype=np.uint64)
    return keys


def bit_keys(values: FloatArray) -> Keys:
    """Sign, exponent and number of trailing zero bits of each float64, as one key.

    >>> bit_keys(np.array([1.0, 2.0, 3.0, 3.5])) & np.uint64(63)  # zeros behind the lowest set bit
    array([52, 52, 51, 50], dtype=uint64)
    """
    words = np.ascontiguousarray(values + 0.0).view(np.uint64)
    mantissa = (words & np.uint64(2**52 - 1)) | np.uint64(2**52)
    lowest = mantissa & (~mantissa + np.uint64(1))
    trailing = np.frexp(lowest.astype(np.float64))[1] - 1
    keys: Keys = ((words >> np.uint64(52)) << np.uint64(6)) | trailing.astype(np.uint64)
    return keys


def _low_bits(z: FloatArray, z_other: FloatArray, outputs: FloatArray, outputs_other: FloatArray) -> list[Score]:
    at = int(np.abs(z - z_other).argmax())

    def key(shift: float) -> Callable[[FloatArray], Keys]:
        return lambda rows: bit_keys(rows[:, at] - shift)

    shifts = {"output": 0.0, "output - z": float(z[at]), "output - z_other": float(z_other[at])}
    unique = {shift: name for name, shift in reversed(shifts.items())}  # a shift by 0 only once
    return [
        _learnt(f"learnt ratio of low bits of {name}", key(shift), outputs, outputs_other)
        for shift, name in unique.items()
    ]


def _learnt(name: str, key: Callable[[FloatArray], Keys], outputs: FloatArray, outputs_other: FloatArray) -> Score:
    """ln((nₖ + ½)/(n′ₖ + ½)) for the key k of an output; zero for a key never met."""
    keys, inverse = np.unique(np.concatenate([key(outputs), key(outputs_other)]), return_inverse=True)
    counts = (
        np.bincount(part, minlength=len(keys)) + 0.5 for part in (inverse[: len(outputs)], inverse[len(outputs) :])
    )
    ratio = np.log(next(counts)) - np.log(next(counts))

    def of(rows: FloatArray) -> FloatArray:
        wanted = key(rows)
        at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
        return np.where(keys[at] == wanted, ratio[at], 0.0)

    return Score(name=name, of=of)


def _finite(values: FloatArray) -> FloatArray:
    return np.nan_to_num(values, nan=0.0, posinf=1e300, neginf=-1e300)
