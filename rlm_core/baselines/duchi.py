"""Duchi et al.'s mechanism for the cube: report a random corner that leans towards the record."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import cached_property, lru_cache

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.baselines.randomness_source import SYSTEM, Bytes, Simulated, Source, batches
from rlm_core.mechanism import rows
from rlm_core.owner.randomness import floor64
from rlm_core.types import BoolArray, FloatArray, positive

_ROUND_DOWN = Context(prec=80, rounding=ROUND_FLOOR)
_ROUND_UP = Context(prec=80, rounding=ROUND_CEILING)


@dataclass(frozen=True, kw_only=True)
class Duchi:
    """x in [−1, 1]ᵈ to a corner of {−B, B}ᵈ, unbiased: E[x̃] = x.

    1. Draw a corner v of {−1, 1}ᵈ with P(vⱼ = 1) = (1 + xⱼ)/2, independently.
    2. Toss u with P(u = 1) = p.
    3. Report B·t, t uniform in T⁺ = {t·v ≥ 0} if u = 1, in T⁻ = {t·v < 0} otherwise.

    Differs from Algorithm 3 of Wang et al. 2019 in step 3: there both half-spaces are
    closed, and for even d the corners with t·v = 0 are in both; the true ε is then
    ln(e^ε + 1). Here they are in T⁺ alone, and p = e^ε|T⁺|/(e^ε|T⁺| + |T⁻|) makes up for
    |T⁺| ≥ |T⁻|: |T⁺| = 2^{d−1} + ½C(d, d/2) for even d, 2^{d−1} for odd d.

    **What a release guarantees.** Exactly ε-LDP. Proof. Given v, a corner t has probability
    p/|T⁺| or (1 − p)/|T⁻|. Their quotient would be e^ε; p is rounded *down* to a multiple of
    2⁻⁶⁴ (and is still above |T⁺|/2ᵈ), so it is at most e^ε and at least 1. Hence any two v
    give t probabilities within a factor e^ε, and so do mixtures over v, whatever the law of
    v: the coins of step 1 need not be exact. Steps 2 and 3 are (t uniform by rejection,
    t·v in integers; a corner is accepted equally often for every v). ∎

    Unbiased: Σ_{T⁺} t·v = d·C(d−1, ⌊d/2⌋) =: d·c, and over T⁻ it is −d·c, as all corners
    sum to zero. By symmetry E[tⱼ | v] = vⱼ·m with m = c·(p/|T⁺| − (1 − p)/|T⁻|), so B = 1/m,
    computed for the p in use; and E[vⱼ] = xⱼ, to 2⁻³².

    Edge cases: x is clipped to the cube (see :class:`Bounds` and :class:`Rescaled` for other
    bounds). ε = ∞ returns the clipped x: no LDP, by convention, not a limit of the above.
    There is no ``log_density_pairs``: p(x̃|x) sums over all v, d² steps for every pair.

    >>> Duchi(epsilon=math.log(5.0), dimension=1).magnitude  # (e^ε + 1)/(e^ε − 1)
    1.5
    """

    epsilon: float
    dimension: int
    name: str = "Duchi"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon, allow_infinite=True))
        if not (1e-6 <= self.epsilon <= 500.0 or math.isinf(self.epsilon)):
            raise ValueError(f"Expected 1e-6 <= epsilon <= 500 or inf, got epsilon={self.epsilon:g}.")
        if isinstance(self.dimension, bool) or not isinstance(self.dimension, int | np.integer):
            raise TypeError(f"Expected an integer for dimension, got dimension={self.dimension!r}.")
        if not 1 <= self.dimension <= 10**5:
            raise ValueError(f"Expected 1 <= dimension <= 100000, got dimension={self.dimension}.")
        object.__setattr__(self, "dimension", int(self.dimension))

    @property
    def input_dim(self) -> int:
        """d."""
        return self.dimension

    @property
    def output_dim(self) -> int:
        """d."""
        return self.dimension

    @cached_property
    def probability(self) -> Fraction:
        """p, as the release path uses it: rounded down to a multiple of 2⁻⁶⁴."""
        return _probability(self.epsilon, self.dimension)

    @cached_property
    def magnitude(self) -> float:
        """B: a report has ±B everywhere."""
        d, p = self.dimension, self.probability
        plus, minus = half_spaces(d)
        return float(1 / (math.comb(d - 1, d // 2) * (p / plus - (1 - p) / minus)))

    def represent(self, x: ArrayLike) -> FloatArray:
        """x, clipped to the cube. NOT private."""
        return np.clip(rows("x", x, self.dimension), -1.0, 1.0)

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Release each row of x. Randomness: the operating system's; no seed."""
        return self._draw(self.represent(x), SYSTEM)

    def simulate(self, x: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """Reproducible draws for experiments. NOT private."""
        return self._draw(self.represent(x), Simulated(generator))

    def _draw(self, x: FloatArray, source: Source) -> FloatArray:
        if math.isinf(self.epsilon):
            return x
        result = np.empty_like(x)
        for batch in batches(*x.shape):
            part = x[batch]
            coins = source.bytes(4 * part.size).view(np.uint32).reshape(part.shape)
            v = np.packbits(coins < (part + 1.0) * 2.0**31, axis=1)  # (n, ⌈d/8⌉), bit 1 for +1
            t = self._corners(v, source.bernoulli(self.probability, len(part)), source)
            np.multiply(np.unpackbits(t, axis=1, count=self.dimension), 2.0 * self.magnitude, out=result[batch])
            result[batch] -= self.magnitude
        return result

    def _corners(self, v: Bytes, in_plus: BoolArray, source: Source) -> Bytes:
        """For each row a uniform corner of T⁺ (or T⁻), as bits: draw corners until one lies there."""
        used = np.packbits(np.ones(self.dimension, dtype=np.bool_))
        t = np.empty_like(v)
        wanted = np.arange(len(v))
        while wanted.size:
            t[wanted] = source.bytes(wanted.size * v.shape[1]).reshape(-1, v.shape[1])
            differ = np.bitwise_count((t[wanted] ^ v[wanted]) & used).sum(axis=1, dtype=np.int64)
            wanted = wanted[(2 * differ <= self.dimension) != in_plus[wanted]]  # t·v = d − 2·differ
        return t


def half_spaces(dimension: int) -> tuple[int, int]:
    """|T⁺| and |T⁻|: how many corners of the cube have t·v ≥ 0 and t·v < 0.

    >>> half_spaces(3), half_spaces(4)
    ((4, 4), (11, 5))
    """
    ties = 0 if dimension % 2 else math.comb(dimension, dimension // 2)
    return (2**dimension + ties) // 2, (2**dimension - ties) // 2


@lru_cache(maxsize=256)
def _probability(epsilon: float, dimension: int) -> Fraction:
    plus, minus = half_spaces(dimension)
    # Rounded up, p only falls. exp rounds to nearest at 80 digits; the next number above is never too small.
    # The context's own methods: Decimal's operators would round to 28 digits, and p to 1 for a large ε.
    inverse = _ROUND_UP.next_plus(_ROUND_UP.exp(Decimal(-epsilon)))
    odds = _ROUND_UP.multiply(_ROUND_UP.divide(Decimal(minus), Decimal(plus)), inverse)
    return floor64(_ROUND_DOWN.divide(Decimal(1), _ROUND_UP.add(Decimal(1), odds)))
