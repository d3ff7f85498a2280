"""From randomised levels back to a population's mean."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy.special import stdtrit

from rlm_core.collector.frequencies import Moments
from rlm_core.collector.tally import Tally
from rlm_core.types import FloatArray

_AT_EACH_END = 0.5  # people


class LevelChannel(Protocol):
    """What is public about a number that leaves as one of k + 1 levels (:class:`ScalarDP`)."""

    @property
    def k(self) -> int:
        """Levels above zero."""

    @property
    def radius(self) -> float:
        """Numbers lie in [0, r]."""

    @property
    def estimates(self) -> FloatArray:
        """What each reported level stands for, right on average: (k + 1,)."""

    @property
    def second_moments(self) -> FloatArray:
        """E[estimate² | level] for each true level: (k + 1,)."""


@dataclass(frozen=True, kw_only=True)
class Mean:
    """An estimate of a mean with its interval. Unbiased, so it can leave the range by chance; it is kept raw."""

    estimate: float
    low: float
    high: float
    confidence: float
    people: int


def estimate_mean(tally: Tally, channel: LevelChannel, *, confidence: float = 0.95) -> Mean:
    """The mean of the numbers behind a tally of levels, in [0, r].

    Two levels: the variance is known for every mean, hence the score interval of ``frequencies.py``.

    More levels: the variance depends on the people too. The interval joins Student's, by the variance of the
    reports, and all means s that would not surprise if the noise were all there is, Var = E[estimate² | s] − s²:
    in a small room reports may agree by chance, which is no certainty. For the interval (not for the estimate) half
    a person is added at each end of the range, as Jeffreys does for a share: a few people at an end, whom a small
    room need not hold, can move a mean.
    """
    if tally.symbols != channel.k + 1:
        raise ValueError(f"Expected a tally of {channel.k + 1} levels, got one of {tally.symbols}.")
    if not tally.people >= 1:
        raise ValueError("Expected at least one report, got an empty tally.")
    n, radius, values, squares = tally.people, channel.radius, channel.estimates, channel.second_moments
    estimate = float(tally.counts @ values) / n
    if channel.k == 1:
        ends = _two_levels(channel).interval(tally.counts[1] / n, n, confidence=confidence, step=1.0)
        low, high = (radius * float(end) for end in ends)
        return Mean(estimate=estimate, low=low, high=high, confidence=confidence, people=n)
    weight = n + 2.0 * _AT_EACH_END
    mean = (n * estimate + _AT_EACH_END * radius) / weight
    square = (float(tally.counts @ values**2) + _AT_EACH_END * float(squares[0] + squares[-1])) / weight
    v = float(stdtrit(max(1, n - 1), 0.5 + confidence / 2)) ** 2 / weight
    reach = math.sqrt(v * max(0.0, square - mean**2) * weight / (weight - 1.0))
    low, high = _where_noise_suffices(channel, mean, v)
    return Mean(
        estimate=estimate,
        low=min(mean - reach, low, estimate),
        high=max(mean + reach, high, estimate),
        confidence=confidence,
        people=n,
    )


def _where_noise_suffices(channel: LevelChannel, mean: float, v: float) -> tuple[float, float]:
    """The ends of {s: (mean − s)² ≤ v·(E[estimate² | s] − s²)}, where E[estimate² | s] is a parabola in the level s."""
    levels = channel.radius * np.arange(channel.k + 1) / channel.k
    bend, slope, height = (float(c) for c in np.polyfit(levels, channel.second_moments, 2))
    a, b, c = 1.0 + v * (1.0 - bend), -2.0 * mean - v * slope, mean**2 - v * height
    inner = b**2 - 4.0 * a * c
    if inner < 0.0:
        return mean, mean
    return (-b - math.sqrt(inner)) / (2.0 * a), (-b + math.sqrt(inner)) / (2.0 * a)


def worst_deviation(channel: LevelChannel) -> float:
    """The largest standard deviation of one report's estimate, over all populations of numbers in [0, r].

    E[estimate²] is convex in the number, so for a given mean it is largest where everybody stands at an end:
    on the chord from s = 0 to s = r, as for a share.
    """
    moments = Moments(
        mean_0=0.0,
        mean_1=channel.radius,
        square_0=float(channel.second_moments[0]),
        square_1=float(channel.second_moments[-1]),
    )
    return channel.radius * moments.worst_deviation


def _two_levels(channel: LevelChannel) -> Moments:
    """Of the bit that is sent: P(Ĵ = 1) at both ends of the range, from estimates that are right on average."""
    low, high = channel.estimates
    at_0, at_1 = -low / (high - low), (channel.radius - low) / (high - low)
    return Moments(mean_0=at_0, mean_1=at_1, square_0=at_0, square_1=at_1)
