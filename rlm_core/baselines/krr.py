"""k-RR behind the protocol of the vector mechanisms, so that audits and pages treat it alike."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.mechanism import rows
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.types import FloatArray, IntArray


@dataclass(frozen=True, kw_only=True)
class LabelMechanism:
    """Labels as rows of one number, (n, 1), privatised by :class:`RandomisedResponse`.

    >>> LabelMechanism(epsilon=float("inf"), classes=3).privatise([[2.0], [0.0]])
    array([[2.],
           [0.]])
    """

    epsilon: float
    classes: int
    name: str = "k-RR"

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", self.response.epsilon)  # checked there, as is the number of classes

    @cached_property
    def response(self) -> RandomisedResponse:
        """The randomised response itself."""
        return RandomisedResponse(epsilon=self.epsilon, classes=self.classes)

    @property
    def input_dim(self) -> int:
        """One label."""
        return 1

    @property
    def output_dim(self) -> int:
        """One label."""
        return 1

    def represent(self, x: ArrayLike) -> FloatArray:
        """The label itself. NOT private."""
        return self._codes("x", x)[:, None].astype(np.float64)

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Release each label. Randomness: the operating system's; no seed."""
        return self.response.privatise(self._codes("x", x))[:, None].astype(np.float64)

    def simulate(self, x: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """Reproducible labels for experiments. NOT private."""
        return self.response.simulate(self._codes("x", x), generator=generator)[:, None].astype(np.float64)

    def log_density_pairs(self, z_private: ArrayLike, z: ArrayLike) -> FloatArray:
        """log p(ỹₙ | yₘ): (n, 1) and (m, 1) to (n, m)."""
        return self.response.log_density_pairs(self._codes("z_private", z_private), self._codes("z", z))

    def _codes(self, name: str, values: ArrayLike) -> IntArray:
        codes = rows(name, values, 1)[:, 0]
        wrong = codes[codes != np.trunc(codes)]
        if wrong.size:
            raise ValueError(f"Expected whole numbers in {name}, got {wrong[0]:g}.")
        if codes.size and not np.abs(codes).max() < 2**53:  # beyond that, a float64 is no longer a label
            raise ValueError(f"Expected labels from 0 to {self.classes - 1} in {name}, got {codes.max():g}.")
        return self.response.check(codes.astype(np.int64))
