"""From sets of symbols back to the shares of a population, each with an interval that keeps its word.

A report is a random set S of symbols (one symbol for k-RR). Count how many members M of a *group* of g
symbols are in it: one answer is a group of one; a digit is the group of its pairs (code, digit). The
channel is public, so the mean and the second moment of M are known lines in the share s of people
whose own symbol is in the group:

    E[M] = m₀ + (m₁ − m₀)·s,        E[M²] = a₀ + (a₁ − a₀)·s.

The first line gives ŝ = (M̄ − m₀)/(m₁ − m₀), without bias. Both give the variance of M for every s, hence
the *score interval*: all s under which M̄ would not surprise, |M̄ − E M| ≤ z·√(Var M/n) + 1/2n. For a group
of one and without 1/2n it is Wilson's interval; 1/2n corrects for counts being whole numbers (Yates; method 4
of Newcombe 1998), which keeps it from falling below its confidence in a small room.

Whose share: people are taken as a sample of those they stand for. For the share among these very people the
interval is a little wide, never too narrow.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.collector.survey import Shares
from rlm_core.collector.tally import Tally
from rlm_core.types import FloatArray, finite


class SetChannel(Protocol):
    """What is public about subset selection (or k-RR: sets of one)."""

    @property
    def symbols(self) -> int:
        """k."""

    @property
    def size(self) -> int:
        """ω: members of a set."""

    @property
    def inside(self) -> float:
        """p: how often a set holds the true symbol."""

    @property
    def outside(self) -> float:
        """q: how often it holds any other one."""


@dataclass(frozen=True, kw_only=True)
class Moments:
    """E[M] and E[M²] at s = 0 and at s = 1; straight lines in between."""

    mean_0: float
    mean_1: float
    square_0: float
    square_1: float

    def deviation(self, share: float) -> float:
        """The standard deviation of one person's contribution to ŝ: √Var(M)/(m₁ − m₀)."""
        mean = self.mean_0 + (self.mean_1 - self.mean_0) * share
        square = self.square_0 + (self.square_1 - self.square_0) * share
        return math.sqrt(max(0.0, square - mean**2)) / (self.mean_1 - self.mean_0)

    @property
    def worst_deviation(self) -> float:
        """The largest of them over all shares: Var M is a concave parabola in s."""
        slope = self.mean_1 - self.mean_0
        peak = ((self.square_1 - self.square_0) / (2.0 * slope) - self.mean_0) / slope
        return self.deviation(min(1.0, max(0.0, peak)))

    def share(self, mean: ArrayLike) -> FloatArray:
        """ŝ for an observed M̄."""
        return (np.asarray(mean, dtype=np.float64) - self.mean_0) / (self.mean_1 - self.mean_0)

    def interval(
        self, mean: ArrayLike, people: int, *, confidence: float, step: float
    ) -> tuple[FloatArray, FloatArray]:
        """The score interval of s for an observed M̄ of ``people``, whose values are ``step`` apart."""
        observed = np.asarray(mean, dtype=np.float64)
        low = self._root(np.maximum(observed - step / (2 * people), 0.0), people, confidence, -1.0)
        high = self._root(observed + step / (2 * people), people, confidence, 1.0)
        estimate = self.share(observed)
        return np.minimum(low, estimate), np.maximum(high, estimate)

    def _root(self, mean: FloatArray, people: int, confidence: float, sign: float) -> FloatArray:
        """The end of {s: (M̄ − E M)² ≤ v·Var M}, v = z²/n: a root of a quadratic in s."""
        v = quantile(confidence) ** 2 / people
        slope, rise, off = self.mean_1 - self.mean_0, self.square_1 - self.square_0, mean - self.mean_0
        a = slope**2 * (1.0 + v)
        b = -2.0 * slope * off - v * (rise - 2.0 * self.mean_0 * slope)
        c = off**2 - v * (self.square_0 - self.mean_0**2)
        root: FloatArray = (-b + sign * np.sqrt(np.maximum(b**2 - 4.0 * a * c, 0.0))) / (2.0 * a)
        return root


def group_moments(channel: SetChannel, group: int = 1) -> Moments:
    """The moments of M, the members of S among ``group`` symbols.

    By symmetry they need only three probabilities besides p and q: of the true symbol and another one in S,
    r = p(ω−1)/(k−1); and of two others, u = (p(ω−1)(ω−2) + (1−p)ω(ω−1))/((k−1)(k−2)).
    """
    k, size, p, q, g = channel.symbols, channel.size, channel.inside, channel.outside, group
    if not 1 <= g < k:
        raise ValueError(f"Expected 1 <= group < {k}, got group={group}.")
    both = p * (size - 1) / (k - 1)
    others = (p * (size - 1) * (size - 2) + (1 - p) * size * (size - 1)) / ((k - 1) * (k - 2)) if k > 2 else 0.0
    own, other = p + (g - 1) * q, g * q
    return Moments(
        mean_0=other,
        mean_1=own,
        square_0=other + g * (g - 1) * others,
        square_1=own + 2 * (g - 1) * both + (g - 1) * (g - 2) * others,
    )


def estimate_frequencies(
    tally: Tally, channel: SetChannel, *, groups: int | None = None, confidence: float = 0.95
) -> Shares:
    """Shares of ``groups`` groups of symbols with intervals; by default every symbol is a group of its own.

    Symbol c·K + y belongs to group y of K, as in a pair (code, label): :mod:`rlm_core.owner.pairs`.
    """
    if tally.symbols != channel.symbols:
        raise ValueError(f"Expected a tally of {channel.symbols} symbols, got one of {tally.symbols}.")
    if not tally.people >= 1:
        raise ValueError("Expected at least one report, got an empty tally.")
    count = tally.symbols if groups is None else groups
    if count < 2 or tally.symbols % count:
        raise ValueError(f"Expected groups that divide {tally.symbols} symbols evenly, got groups={groups}.")
    moments = group_moments(channel, tally.symbols // count)
    mean = finite("counts", tally.counts).reshape(-1, count).sum(axis=0) / tally.people  # (K,)
    low, high = moments.interval(mean, tally.people, confidence=confidence, step=1.0)
    return Shares(estimate=moments.share(mean), low=low, high=high, confidence=confidence, people=tally.people)


def half_width(deviation: float, people: int, *, confidence: float = 0.95) -> float:
    """How far an estimate of so many people may be off: z·σ/√n."""
    if not people >= 1:
        raise ValueError(f"Expected people >= 1, got people={people!r}.")
    return quantile(confidence) * deviation / math.sqrt(people)


def people_needed(deviation: float, *, within: float, confidence: float = 0.95) -> int:
    """The least n with z·σ/√n ≤ ``within``.

    >>> people_needed(0.5, within=0.05)  # everybody tells the truth, half of them yes
    385
    """
    if not within > 0:
        raise ValueError(f"Expected within > 0, got within={within!r}.")
    return max(1, math.ceil((quantile(confidence) * deviation / within) ** 2))


def quantile(confidence: float) -> float:
    """z of the normal distribution: 1.96 for 95 %."""
    if not 0.0 < confidence < 1.0:
        raise ValueError(f"Expected 0 < confidence < 1, got confidence={confidence!r}.")
    return NormalDist().inv_cdf(0.5 + confidence / 2)
