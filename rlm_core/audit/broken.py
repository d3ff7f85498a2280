"""Deliberately BROKEN mechanisms, each with one mistake that has been made in earnest.

They show that the audit catches what it should, in the tests and on the audit page. None of
them is ε-LDP for the ε it claims. They are kept out of the registry: never release with them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.mechanism import RLM, Mechanism, rows
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.owner.randomness import discrete_laplace, standard_uniform
from rlm_core.registry import RADIUS, Entry, Pair, identity
from rlm_core.types import FloatArray, positive


class NoClip(RLM):
    """BROKEN: scales the noise for the ball of radius l, but lets z lie anywhere. True ε: unbounded."""

    def represent(self, x: ArrayLike) -> FloatArray:
        """h as it is."""
        return self.encode(x)

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Exact noise on an unclipped z."""
        assert isinstance(self.noise, LaplaceNoise)
        step = self.noise.clip.radius / self.noise.grid_radius
        h = self.encode(x)
        return np.trunc(h / step) * step + discrete_laplace(h.shape) * step


class HalfTheNoise(RLM):
    """BROKEN: scale l/ε, as if the ball had diameter l. True ε: twice the claim."""

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Forgets the factor 2 of the sensitivity."""
        return replace(self.noise, epsilon=2.0 * self.noise.epsilon).privatise(self.encode(x))


class FloatNoise(RLM):
    """BROKEN: z + float64 Laplace noise, well seeded. The low bits tell z = 0 from z = l (Mironov 2012)."""

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Releases what is only a simulation."""
        return self.simulate(x, generator=np.random.default_rng())


class FixedSeed(RLM):
    """BROKEN: the same noise in every call. Whoever knows one record's noise knows everybody's."""

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Seeds its generator anew in every call."""
        return self.simulate(x, generator=np.random.default_rng(0))


@dataclass(frozen=True, kw_only=True)
class ClosedHalfSpaces:
    """BROKEN for even d: Duchi's mechanism as printed in Wang et al. 2019, Algorithm 3.

    Both T⁺ = {t·v ≥ 0} and T⁻ = {t·v ≤ 0} contain the ties t·v = 0, which are then reached
    from both sides: true ε = ln(e^ε + 1). For odd d there are no ties and nothing is wrong.
    """

    epsilon: float
    dimension: int
    name: str = "BROKEN closed half-spaces"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon))

    @property
    def input_dim(self) -> int:
        """d."""
        return self.dimension

    @property
    def output_dim(self) -> int:
        """d."""
        return self.dimension

    @property
    def corner(self) -> float:
        """B: outputs lie in {−B, B}ᵈ, and their mean is x."""
        d = self.dimension
        ties = 0 if d % 2 else math.comb(d, d // 2)
        size = (1 << d) / 2 + ties / 2  # of either closed half-space
        return size / math.comb(d - 1, d // 2) / math.tanh(self.epsilon / 2)

    def represent(self, x: ArrayLike) -> FloatArray:
        """x in the cube [−1, 1]ᵈ."""
        return rows("x", x, self.dimension).clip(-1.0, 1.0)

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Algorithm 3, to the letter."""
        return self._draw(self.represent(x), standard_uniform)

    def simulate(self, x: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """The same, reproducible."""
        return self._draw(self.represent(x), lambda shape: 1.0 - generator.random(shape))

    def _draw(self, x: FloatArray, uniform: Callable[[tuple[int, ...]], FloatArray]) -> FloatArray:
        v = np.where(uniform(x.shape) <= (1.0 + x) / 2.0, 1.0, -1.0)  # (n, d)
        side = np.where(uniform((len(x),)) <= 1.0 / (1.0 + math.exp(-self.epsilon)), 1.0, -1.0)
        t = np.zeros_like(v)
        wrong = np.arange(len(x))
        while wrong.size:  # at least half of all corners lie in a closed half-space
            t[wrong] = np.where(uniform((wrong.size, self.dimension)) <= 0.5, 1.0, -1.0)
            wrong = wrong[side[wrong] * (t[wrong] * v[wrong]).sum(axis=1) < 0.0]
        return t * self.corner


def _rlm(kind: type[RLM], title: str) -> Callable[[float, int], Mechanism]:
    def make(epsilon: float, dimension: int) -> Mechanism:
        noise = LaplaceNoise(epsilon=epsilon, clip=L1Clip(radius=RADIUS))
        return kind(name=f"BROKEN {title}", encoder=identity, noise=noise, input_dim=dimension, output_dim=dimension)

    return make


def _opposite(length: float) -> Callable[[Mechanism], Pair]:
    def worst_pair(mechanism: Mechanism) -> Pair:
        x = np.zeros(mechanism.input_dim)
        x[0] = length
        return x, -x

    return worst_pair


def _one_flip(mechanism: Mechanism) -> Pair:
    """Two corners of the cube that differ in one coordinate: a tie of one is no tie of the other."""
    x = np.ones(mechanism.input_dim)
    return x, np.concatenate([[-1.0], x[1:]])


def _entry(
    title: str,
    kind: type,
    make: Callable[[float, int], Mechanism],
    worst_pair: Callable[[Mechanism], Pair],
    dimension: int,
) -> Entry:
    summary = (kind.__doc__ or "").splitlines()[0]
    return Entry(
        name=f"BROKEN {title}",
        title=title,
        summary=summary,
        source="deliberately wrong",
        dimension=dimension,
        make=make,
        worst_pair=worst_pair,
    )


BROKEN: dict[str, Entry] = {
    entry.name: entry
    for entry in (
        _entry("no clip", NoClip, _rlm(NoClip, "no clip"), _opposite(3.0 * RADIUS), 8),
        _entry("half the noise", HalfTheNoise, _rlm(HalfTheNoise, "half the noise"), _opposite(RADIUS), 8),
        _entry("float noise", FloatNoise, _rlm(FloatNoise, "float noise"), _opposite(RADIUS), 8),
        _entry("fixed seed", FixedSeed, _rlm(FixedSeed, "fixed seed"), _opposite(RADIUS), 8),
        _entry(
            "closed half-spaces",
            ClosedHalfSpaces,
            lambda epsilon, dimension: ClosedHalfSpaces(epsilon=epsilon, dimension=dimension),
            _one_flip,
            4,
        ),
    )
}
"""Never registered. Same shape as the registry, so that audit, tests and pages treat both alike."""
