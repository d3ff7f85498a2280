"""Subset selection: how one of k symbols leaves the device as a random set of symbols."""

from __future__ import annotations

import math
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rlm_core.owner.randomness import bernoulli, floor64, random_keys, uniform_below
from rlm_core.types import BoolArray, FloatArray, IntArray, finite, positive

_ROUND_DOWN = Context(prec=80, rounding=ROUND_FLOOR)
_ROUND_UP = Context(prec=80, rounding=ROUND_CEILING)
_BLOCK = 2**20  # keys held at a time: they stay in the cache
_SHORT = 2048  # up to so many symbols keys of 16 bits are seldom equal (about k in 65,536 rows are drawn again)


@dataclass(frozen=True, kw_only=True)
class OneHot:
    """ν(h) = e_c with c = argmax h, row by row: a score for every symbol to the symbol itself.

    Stands where the Laplace mechanism has its clip: the result lies on the ℓ1 sphere of
    radius 1, whatever h is. Of equal scores the first counts.

    >>> OneHot(symbols=3)([[0.2, 5.0, 1.0]])
    array([[0., 1., 0.]])
    """

    symbols: int

    @property
    def radius(self) -> float:
        """‖ν(h)‖₁ = 1."""
        return 1.0

    @property
    def l1_sensitivity(self) -> float:
        """max ‖ν(h) − ν(h′)‖₁ = 2."""
        return 2.0

    def __call__(self, h: ArrayLike) -> FloatArray:
        """(n, k) to (n, k)."""
        return np.eye(self.symbols)[self.codes(h)]

    def codes(self, h: ArrayLike) -> IntArray:
        """c for each row: (n, k) to (n,)."""
        h = finite("h", h)
        if h.ndim != 2 or h.shape[1] != self.symbols:
            raise ValueError(f"Expected h of shape (n, {self.symbols}), got shape {h.shape}.")
        codes: IntArray = h.argmax(axis=1).astype(np.int64)
        return codes


@dataclass(frozen=True, kw_only=True)
class SubsetSelection:
    """One of k symbols c to a set S of ω symbols that holds c more often than any other.

        P(S | c) = e^ε·g if c ∈ S, g otherwise,   1/g = C(k, ω)·(ω·e^ε + k − ω)/k.

    **What a release guarantees.** :meth:`privatise` is exactly ε-LDP. It draws S uniformly
    among the sets of ω symbols that hold c with probability κ = (e^ε − 1)ω/(k + (e^ε − 1)ω),
    rounded *down* to a multiple of 2⁻⁶⁴, and among all sets of ω symbols otherwise. So a set
    without c has probability (1 − κ)/C(k, ω), one with c has κ/C(k−1, ω−1) more, and their ratio
    1 + (κ/(1−κ))·(k/ω) lies between 1 and e^ε, whatever was rounded. ∎

    A set is written as the vector z̃ = (1_S − q)/(p − q), with p = P(c ∈ S) and q the probability
    of any other symbol in S: then E[z̃] = z, the one-hot vector of c, and the entries add up to 1.
    That is a public, invertible way to write S; :meth:`pack` is the short one, k bits.

    ω = 1 is k-ary randomised response. By default ω is the one of the two integers around
    k/(e^ε + 1) that gives z̃ the smaller variance.

    Edge cases: ε = ∞ sends {c} (no privacy, said so by ``epsilon``). Non-finite input raises.
    Source: Ye and Barg 2018; Wang et al. 2016.

    >>> [SubsetSelection(epsilon=e, symbols=16).size for e in (0.5, 1.0, 2.0, 4.0)]
    [6, 4, 2, 1]
    """

    epsilon: float
    symbols: int
    subset: int | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon, allow_infinite=True))
        if not (1e-6 <= self.epsilon <= 1e6 or math.isinf(self.epsilon)):
            raise ValueError(f"Expected 1e-6 <= epsilon <= 1e6 or inf, got epsilon={self.epsilon:g}.")
        if isinstance(self.symbols, bool) or not isinstance(self.symbols, int | np.integer):
            raise TypeError(f"Expected an integer for symbols, got symbols={self.symbols!r}.")
        if not 2 <= self.symbols <= 2**20:
            raise ValueError(f"Expected 2 <= symbols <= 2**20, got symbols={self.symbols}.")
        object.__setattr__(self, "symbols", int(self.symbols))
        if self.subset is not None and not 1 <= self.subset < self.symbols:
            raise ValueError(f"Expected 1 <= subset < {self.symbols}, got subset={self.subset!r}.")
        if math.isinf(self.epsilon) and self.size != 1:
            raise ValueError(f"Expected subset = 1 at epsilon = inf, got subset={self.subset!r}.")

    @property
    def clip(self) -> OneHot:
        """From scores to a symbol."""
        return OneHot(symbols=self.symbols)

    @property
    def size(self) -> int:
        """ω: how many symbols are sent."""
        if self.subset is not None:
            return self.subset
        if math.isinf(self.epsilon):
            return 1
        best = self.symbols * math.exp(-self.epsilon) / (1.0 + math.exp(-self.epsilon))
        around = {min(max(1, size), self.symbols - 1) for size in (math.floor(best), math.ceil(best))}
        return min(sorted(around), key=self._energy)

    @property
    def keep_probability(self) -> Fraction:
        """κ as the release path uses it: rounded down to a multiple of 2⁻⁶⁴."""
        if math.isinf(self.epsilon):
            return Fraction(1)
        # κ falls as e^{−ε} rises. exp rounds to nearest at 80 digits; the next number above is never too small.
        inverse = _ROUND_UP.next_plus(_ROUND_UP.exp(Decimal(-self.epsilon)))
        rest = max(Decimal(0), _ROUND_DOWN.subtract(Decimal(1), inverse))
        above = _ROUND_DOWN.multiply(Decimal(self.size), rest)
        below = _ROUND_UP.add(_ROUND_UP.multiply(Decimal(self.symbols), inverse), above)
        return floor64(_ROUND_DOWN.divide(above, below))

    @property
    def inside(self) -> float:
        """p = P(c ∈ S) = ω·e^ε/(ω·e^ε + k − ω)."""
        return self._inside(self.size)

    @property
    def outside(self) -> float:
        """q = P(c′ ∈ S) of any other symbol: p + (k − 1)q = ω."""
        return (self.size - self.inside) / (self.symbols - 1)

    @property
    def energy(self) -> float:
        """E‖z̃ − z‖² = (p(1−p) + (k−1)q(1−q))/(p − q)², the same for every symbol. Zero for ε = ∞."""
        return self._energy(self.size)

    @property
    def scale(self) -> float:
        """The b of a Laplace noise of the same energy: E‖z̃ − z‖² = 2kb²."""
        return math.sqrt(self.energy / (2 * self.symbols))

    def privatise(self, h: ArrayLike) -> FloatArray:
        """Release the symbol of each row of scores. Randomness: the operating system's; no seed."""
        return self.vector(self.privatise_symbols(self.clip.codes(h)))

    def privatise_symbols(self, symbols: ArrayLike) -> BoolArray:
        """Release each symbol: (n,) to sets (n, k), true for members."""
        c = self.check(symbols)
        if self.size == 1:  # randomised response: no set has to be drawn
            keep = bernoulli(self.keep_probability, c.shape)
            return self._singletons(np.where(keep, c, uniform_below(self.symbols, c.shape)))
        block = max(1, _BLOCK // self.symbols)
        parts = [self._draw(c[start : start + block]) for start in range(0, len(c), block)]
        return np.concatenate(parts) if parts else np.zeros((0, self.symbols), dtype=np.bool_)

    def simulate(self, h: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """Reproducible sets for experiments. NOT private: never release them."""
        return self.vector(self.simulate_symbols(self.clip.codes(h), generator=generator))

    def simulate_symbols(self, symbols: ArrayLike, *, generator: np.random.Generator) -> BoolArray:
        """The same as sets (n, k). NOT private."""
        c = self.check(symbols)
        keep = generator.random(c.shape) < float(self.keep_probability)
        if self.size == 1:
            return self._singletons(np.where(keep, c, generator.integers(self.symbols, size=c.shape)))
        keys = generator.random((len(c), self.symbols), dtype=np.float32)
        keys[keep, c[keep]] = -1.0
        return self._smallest(keys)

    def vector(self, members: ArrayLike) -> FloatArray:
        """z̃ = (1_S − q)/(p − q): sets (n, k) to vectors that are right on average."""
        members = np.asarray(members, dtype=np.bool_)
        p, q = self.inside, self.outside
        return np.where(members, (1.0 - q) / (p - q), -q / (p - q))

    def pack(self, z_private: ArrayLike) -> NDArray[np.uint8]:
        """The short form: k bits for each report, (n, k) to (n, ⌈k/8⌉)."""
        return np.packbits(self.members(z_private), axis=1)

    def unpack(self, packed: NDArray[np.uint8]) -> FloatArray:
        """Back from :meth:`pack`; raises if a set has another size than ω."""
        members = np.unpackbits(packed, axis=1, count=self.symbols).astype(np.bool_)
        return self.vector(self.of_right_size(members))

    def members(self, z_private: ArrayLike) -> BoolArray:
        """S from z̃: members have positive entries, (n, k). Raises if a set has another size than ω."""
        z_private = finite("z_private", z_private)
        if z_private.ndim != 2 or z_private.shape[1] != self.symbols:
            raise ValueError(f"Expected z_private of shape (n, {self.symbols}), got shape {z_private.shape}.")
        return self.of_right_size(z_private > 0.0)

    def of_right_size(self, members: BoolArray) -> BoolArray:
        """The sets (n, k) themselves, if all of them have ω members."""
        sizes = members.sum(axis=1)
        wrong = sizes[sizes != self.size]
        if wrong.size:
            raise ValueError(f"Expected sets of {self.size} symbols, got one of {wrong[0]}.")
        return members

    def log_density_pairs(self, z_private: ArrayLike, z: ArrayLike) -> FloatArray:
        """log P(Sₙ | cₘ) for every pair: (n, k) and clean (m, k) to (n, m)."""
        return np.take(self._log_probability(self.members(z_private)), self.clip.codes(z), axis=1)

    def log_density(self, z_private: ArrayLike, z: ArrayLike) -> FloatArray:
        """log P(Sₙ | cₙ) row by row: (n, k) and (n, k) to (n,)."""
        codes = self.clip.codes(z)
        return np.take_along_axis(self._log_probability(self.members(z_private)), codes[:, None], axis=1)[:, 0]

    def check(self, symbols: ArrayLike) -> IntArray:
        """Symbols as an int64 array with one axis; raise on anything that is not a known symbol."""
        c = np.asarray(symbols)
        if c.dtype.kind not in "iu":
            raise TypeError(f"Expected integer symbols, got dtype {c.dtype}.")
        if c.ndim != 1:
            raise ValueError(f"Expected symbols with one axis, got shape {c.shape}.")
        if c.size and not (0 <= c.min() and c.max() < self.symbols):
            wrong = c[(c < 0) | (c >= self.symbols)][0]
            raise ValueError(f"Expected symbols from 0 to {self.symbols - 1}, got the symbol {wrong}.")
        return c.astype(np.int64)

    def _log_probability(self, members: BoolArray) -> FloatArray:
        """log P(Sₙ | c) for every symbol c: (n, k)."""
        if math.isinf(self.epsilon):
            return np.where(members, 0.0, -np.inf)
        k, size = self.symbols, self.size
        log_sets = math.lgamma(k + 1) - math.lgamma(size + 1) - math.lgamma(k - size + 1)
        inside = math.log(k) - log_sets - math.log(size + (k - size) * math.exp(-self.epsilon))
        return np.where(members, inside, inside - self.epsilon)

    def _inside(self, size: int) -> float:
        return size / (size + (self.symbols - size) * math.exp(-self.epsilon))

    def _energy(self, size: int) -> float:
        p = self._inside(size)
        q = (size - p) / (self.symbols - 1)
        return (p * (1 - p) + (self.symbols - 1) * q * (1 - q)) / (p - q) ** 2

    def _draw(self, c: IntArray) -> BoolArray:
        """The ω smallest of k random keys; where c must be in, its key is the smallest possible.

        A row in which the ω-th and the next key are equal has no such set and is drawn again. That event, like
        the draw, treats all free symbols alike, so among the rows that stay all sets are equally likely.
        """
        keep = bernoulli(self.keep_probability, c.shape)
        members = np.empty((len(c), self.symbols), dtype=np.bool_)
        todo = np.arange(len(c))
        while todo.size:
            keys = random_keys((todo.size, self.symbols), bits=16 if self.symbols <= _SHORT else 64)
            forced = np.flatnonzero(keep[todo])
            keys[forced, c[todo[forced]]] = 0
            last, following = np.partition(keys, (self.size - 1, self.size), axis=1)[:, self.size - 1 : self.size + 1].T
            members[todo] = keys <= last[:, None]
            todo = todo[last == following]
        return members

    def _smallest(self, keys: NDArray[np.float32]) -> BoolArray:
        members = np.zeros(keys.shape, dtype=np.bool_)
        chosen = np.argpartition(keys, self.size - 1, axis=1)[:, : self.size]  # (n, ω)
        np.put_along_axis(members, chosen, True, axis=1)
        return members

    def _singletons(self, c: IntArray) -> BoolArray:
        members = np.zeros((len(c), self.symbols), dtype=np.bool_)
        members[np.arange(len(c)), c] = True
        return members
