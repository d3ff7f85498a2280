"""A code and a label as one symbol: subset selection among pairs, with the whole of ε and no λ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.owner.payload import Encoding, Payload
from rlm_core.owner.subset_selection import OneHot, SubsetSelection
from rlm_core.types import BoolArray, FloatArray, IntArray


@dataclass(frozen=True, kw_only=True)
class PairSelection:
    """The pair (c, y) of one of k codes and one of K labels is symbol c·K + y of k·K, and a set of pairs is sent.

    Guarantee: ε-LDP of the pair, as :class:`SubsetSelection` has it for any symbol: *together* record
    and label cost ε, not ε each, and there is nothing to divide.

    >>> pairs = PairSelection(epsilon=float("inf"), codes=3, classes=2)
    >>> np.flatnonzero(pairs.privatise([2], [1])[0])  # without privacy the pair itself: 2·2 + 1
    array([5])
    """

    epsilon: float
    codes: int
    classes: int

    def __post_init__(self) -> None:
        if not self.codes >= 1 or not self.classes >= 2:
            raise ValueError(f"Expected codes >= 1 and classes >= 2, got {self.codes} and {self.classes}.")
        object.__setattr__(self, "epsilon", self.channel.epsilon)  # checked there

    @property
    def channel(self) -> SubsetSelection:
        """The channel of the pairs' numbers."""
        return SubsetSelection(epsilon=self.epsilon, symbols=self.codes * self.classes)

    def symbols(self, codes: ArrayLike, labels: ArrayLike) -> IntArray:
        """The number of each pair: (n,) and (n,) to (n,)."""
        c, y = np.atleast_1d(np.asarray(codes)), np.atleast_1d(np.asarray(labels))
        for name, values, count in (("codes", c, self.codes), ("labels", y, self.classes)):
            if values.ndim != 1 or not np.issubdtype(values.dtype, np.integer):
                raise TypeError(f"Expected a list of integers for {name}, got {values.dtype} of shape {values.shape}.")
            if len(values) and not (values.min() >= 0 and values.max() < count):
                raise ValueError(f"Expected {name} from 0 to {count - 1}, got {values.min()} to {values.max()}.")
        if len(c) != len(y):
            raise ValueError(f"Expected as many labels as codes, got {len(y)} and {len(c)}.")
        numbers: IntArray = (c * self.classes + y).astype(np.int64)
        return numbers

    def check(self, mechanism: Encoding, y: ArrayLike) -> IntArray:
        """Labels as (n,), checked, for a mechanism that must be one of these codes."""
        noise = mechanism.noise
        if not isinstance(noise, SubsetSelection) or noise.symbols != self.codes:
            found_kind = f"{noise.symbols} codes" if isinstance(noise, SubsetSelection) else "another kind"
            raise ValueError(f"Expected a mechanism of {self.codes} codes for pairs, got one of {found_kind}.")
        labels = np.atleast_1d(np.asarray(y))
        self.symbols(np.zeros(labels.shape, dtype=np.int64), labels)
        return labels.astype(np.int64)

    def send(self, h: FloatArray, y: IntArray) -> Payload:
        """A set of pairs for each row of scores (n, k) and its label."""
        return Payload(members=self.privatise(OneHot(symbols=self.codes).codes(h), y), channel=self.channel)

    def digest(self, mechanism: str) -> str:
        """The mechanism's: codes and classes are in it, and the size of the set says that they are pairs."""
        return mechanism

    def privatise(self, codes: ArrayLike, labels: ArrayLike) -> BoolArray:
        """Release each pair as a set of pairs: (n, k·K). Randomness: the operating system's; no seed."""
        return self.channel.privatise_symbols(self.symbols(codes, labels))

    def simulate(self, codes: ArrayLike, labels: ArrayLike, *, generator: np.random.Generator) -> BoolArray:
        """Reproducible sets for experiments. NOT private: never release them."""
        return self.channel.simulate_symbols(self.symbols(codes, labels), generator=generator)
