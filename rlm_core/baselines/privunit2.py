"""PrivUnit₂: a unit vector, reported as a random one that leans towards it."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction
from functools import lru_cache

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.baselines.randomness_source import Source
from rlm_core.mechanism import rows
from rlm_core.owner.randomness import floor64
from rlm_core.types import BoolArray, FloatArray, positive

GRID = 2.0**-16
"""Reported unit vectors are rounded to multiples of this: far below the noise, far above rounding errors."""

_ROUND_DOWN = Context(prec=200, rounding=ROUND_FLOOR)
_ROUND_UP = Context(prec=200, rounding=ROUND_CEILING)
_MARGIN = 1e-10  # taken off ε: the incomplete beta function is good to about 1e-13
_SHORTEST = 2.0**-4  # a shorter random direction would be known to too few digits, which matters for d = 2 and 3

MEAN_ERROR = 2.0**-49
"""Bound on the mean error of a coordinate of V in float64, for every d and ε: measured with 34 digits, not proved."""


@dataclass(frozen=True, kw_only=True)
class Cap:
    """The calibrated mechanism: V lies in {⟨V, u⟩ ≥ γ} with probability p, elsewhere otherwise.

    ``square`` is 1 − γ², ``mass`` q the share of the sphere in the cap, ``probability`` p, a
    multiple of 2⁻⁶⁴, and ``shrink`` m, by which E[V] = m·u.
    """

    square: float
    mass: float
    probability: Fraction
    shrink: float

    @property
    def gamma(self) -> float:
        """γ: how far the cap's rim is towards u."""
        return math.sqrt(1.0 - self.square)

    @property
    def log_inside(self) -> float:
        """ln(p/q): the density in the cap, relative to the uniform one."""
        return math.log(self.probability / Fraction(self.mass))

    @property
    def log_outside(self) -> float:
        """ln((1 − p)/(1 − q)): the density outside the cap."""
        return math.log((1 - self.probability) / (1 - Fraction(self.mass)))


@dataclass(frozen=True, kw_only=True)
class PrivUnit2:
    """Unit u to V/m with V uniform in the cap {⟨V, u⟩ ≥ γ} with probability p, in the rest otherwise.

    The density of V relative to the uniform one is p/q in the cap and (1 − p)/(1 − q)
    outside, with q the cap's share of the sphere. Their quotient is e^ε for

        p = e^ε q / (e^ε q + 1 − q),     q = ½ I_{1−γ²}((d−1)/2, ½),

    and so V is ε-LDP: two vectors u, u′ give every V densities within a factor e^ε. V/m is
    unbiased with m = E⟨V, u⟩ = c·(p/q − (1 − p)/(1 − q)), c = (1 − γ²)^α/(2α·B(½, α)) and
    α = (d − 1)/2. The one free number, γ, is the one with the least E‖V/m‖² = 1/m².

    Differs from Bhowmick et al. 2019: they bound q and split ε over sufficient conditions;
    here q is exact (the incomplete beta function) and no part of ε is lost.

    **What a release guarantees.** ε-LDP in real arithmetic, with p rounded down to a multiple
    of 2⁻⁶⁴ and 10⁻¹⁰ taken off ε for the error of q. The sphere is continuous and the
    computer is not: a release computes V in float64 and rounds it to a public grid of step
    2⁻¹⁶, so that low bits say nothing. Rounding the real V the same way would be
    post-processing. The two differ only where a coordinate lies so near the middle between
    two grid points that its error decides, with probability 2·error/2⁻¹⁶. The mean error is
    below 2⁻⁴⁹ in every dimension: draws have 53 bits, and a random direction that is short
    after its projection, so known to fewer digits, is drawn again. So a release is within
    total variation τ = d·2⁻³² of an ε-LDP mechanism, and hence (ε, δ)-LDP with
    δ = (1 + e^ε)·τ (:attr:`delta`). That grows with ε: at d = 8 it is 10⁻⁷ for ε = 4 and
    4·10⁻⁵ for ε = 10, and from ε = 20 on nothing is guaranteed. The error is measured (a test
    compares draws with 34 digits), not proved; no more is claimed. d = 1 is exact.

    Edge cases: d = 1 is randomised response on {−1, 1}. ε = ∞ returns u (in :class:`PrivUnit`).
    Source: Bhowmick et al. 2019. Asi, Feldman and Talwar 2022 show that with the best p and γ no
    unbiased ε-LDP mechanism for unit vectors has a smaller worst-case error.

    >>> round(PrivUnit2(epsilon=4.0, dimension=784).second_moment, 1)
    341.6
    """

    epsilon: float
    dimension: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))
        if not 1e-6 <= self.epsilon <= 500.0:
            raise ValueError(f"Expected 1e-6 <= epsilon <= 500, got epsilon={self.epsilon:g}.")
        if isinstance(self.dimension, bool) or not isinstance(self.dimension, int | np.integer):
            raise TypeError(f"Expected an integer for dimension, got dimension={self.dimension!r}.")
        if not 1 <= self.dimension <= 10**6:
            raise ValueError(f"Expected 1 <= dimension <= 1000000, got dimension={self.dimension}.")
        object.__setattr__(self, "dimension", int(self.dimension))

    @property
    def cap(self) -> Cap:
        """γ, q, p and m."""
        return calibrate(self.epsilon, self.dimension)

    @property
    def delta(self) -> float:
        """δ of a release: (1 + e^ε)·d·2·MEAN_ERROR/GRID; 0 for d = 1, and at 1 nothing is guaranteed.

        >>> [f"{PrivUnit2(epsilon=e, dimension=8).delta:.0e}" for e in (1.0, 4.0, 10.0, 20.0, 30.0)]
        ['7e-09', '1e-07', '4e-05', '9e-01', '1e+00']
        """
        if self.dimension == 1:
            return 0.0
        return min(1.0, (1.0 + math.exp(self.epsilon)) * self.dimension * 2.0 * MEAN_ERROR / GRID)

    @property
    def second_moment(self) -> float:
        """E‖V/m‖² = 1/m²."""
        return self.cap.shrink**-2

    def draw(self, u: FloatArray, source: Source) -> FloatArray:
        """V for each unit row of ``u``, on the grid; divide by ``cap.shrink`` for the unbiased estimate."""
        v = self._draw(u, source)
        v *= 1.0 / GRID
        np.rint(v, out=v)
        v *= GRID
        return v

    def log_density_pairs(self, v: ArrayLike, u: ArrayLike) -> FloatArray:
        """ln of the density of vₙ given uₘ, relative to the uniform one: unit rows, (n, d) and (m, d) to (n, m)."""
        v, u = rows("v", v, self.dimension), rows("u", u, self.dimension)
        return np.where(v @ u.T >= self.cap.gamma, self.cap.log_inside, self.cap.log_outside)

    def _draw(self, u: FloatArray, source: Source) -> FloatArray:
        """V = w·u + s·(a uniform unit vector orthogonal to u), s = √(1 − w²)."""
        cap, count = self.cap, len(u)
        inside = source.bernoulli(cap.probability, count)
        uniform = source.uniform(count)
        if self.dimension == 1:
            return np.where(inside[:, None], u, -u)
        w, s = self._heights(inside, uniform)
        v = source.normal(u.shape)
        v -= np.vecdot(v, u)[:, None] * u
        length = np.sqrt(np.vecdot(v, v))
        # Length and direction of a normal vector are independent: starting such rows again changes no law.
        again = np.flatnonzero(length < _SHORTEST)
        v *= (s / np.maximum(length, _SHORTEST))[:, None]
        v += w[:, None] * u
        if again.size:
            v[again] = self._draw(u[again], source)
        return v

    def _heights(self, inside: BoolArray, uniform: FloatArray) -> tuple[FloatArray, FloatArray]:
        """w = ⟨V, u⟩ and √(1 − w²), by inverting the distribution of w within the cap or outside it."""
        from scipy.special import betaincinv  # here: half of the library's import time, and nobody else needs it

        alpha, q = (self.dimension - 1) / 2.0, self.cap.mass
        # W lies this far in the upper tail (inside: q·U), or in the lower one (outside: (1 − q)·U).
        upper = np.where(inside, q * uniform, (1.0 - uniform) + q * uniform)
        lower = np.where(inside, 1.0 - q * uniform, (1.0 - q) * uniform)
        tail = np.minimum(upper, lower)
        far = tail < 0.25  # there 1 − w² is found without cancellation, elsewhere w²
        square = betaincinv(alpha, 0.5, 2.0 * tail)  # 1 − w²
        height = betaincinv(0.5, alpha, 1.0 - 2.0 * tail)  # w²
        w = np.sqrt(np.where(far, 1.0 - square, height))
        return np.where(upper <= lower, w, -w), np.sqrt(np.where(far, square, 1.0 - height))


@lru_cache(maxsize=1024)
def calibrate(epsilon: float, dimension: int) -> Cap:
    """The cap with the largest m, so the least E‖V/m‖². Its mass q lies between e^{−ε}/2 and ½."""
    if dimension == 1:  # the sphere is {−1, 1}, the cap is u alone
        return _cap(epsilon, square=1.0, mass=0.5, mean=0.5)
    from scipy.optimize import minimize_scalar
    from scipy.special import betainc, betaincinv, betaln

    alpha = (dimension - 1) / 2.0

    def cap(log_mass: float) -> Cap:
        square = float(betaincinv(alpha, 0.5, 2.0 * math.exp(log_mass)))
        mass = 0.5 * float(betainc(alpha, 0.5, square))  # of the cap as it is after rounding
        mean = math.exp(alpha * math.log(square) - math.log(2.0 * alpha) - float(betaln(0.5, alpha)))
        return _cap(epsilon, square=square, mass=mass, mean=mean)

    half = math.log(0.5)
    best = minimize_scalar(lambda log_mass: -cap(log_mass).shrink, bounds=(half - epsilon, half), method="bounded")
    return cap(float(best.x))


def _cap(epsilon: float, *, square: float, mass: float, mean: float) -> Cap:
    """The cap's p and m; ``mean`` is c = E[⟨V, u⟩; V in the cap] for a uniform V."""
    odds = Decimal(math.exp(_MARGIN - epsilon) * (1.0 - mass) / mass)
    p = floor64(_ROUND_DOWN.divide(Decimal(1), _ROUND_UP.add(Decimal(1), odds)))
    shrink = mean * (float(p) / mass - float(1 - p) / (1.0 - mass))
    return Cap(square=square, mass=mass, probability=p, shrink=shrink)
