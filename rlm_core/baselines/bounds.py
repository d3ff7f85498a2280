"""Public bounds of every feature, and the map between them and the cube [−1, 1]ᵈ."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.mechanism import Mechanism, rows
from rlm_core.types import FloatArray, finite


@dataclass(frozen=True, kw_only=True)
class Bounds:
    """low ≤ x ≤ high, feature by feature; any sequences of numbers are kept as tuples.

    The bounds must be public: taken from a schema or from auxiliary data, never from the
    records being released. A feature with low = high is a constant.

    >>> Bounds(low=[0.0, 0.0], high=[1.0, 10.0]).to_cube([[0.75, -3.0]])
    array([[ 0.5, -1. ]])
    """

    low: tuple[float, ...]
    high: tuple[float, ...]

    def __post_init__(self) -> None:
        for name in ("low", "high"):
            values = finite(name, getattr(self, name))
            if values.ndim != 1:
                raise ValueError(f"Expected {name} with one number a feature, got shape {values.shape}.")
            if values.size and not np.abs(values).max() <= 1e100:
                raise ValueError(f"Expected |{name}| <= 1e100, got {np.abs(values).max():g}.")
            object.__setattr__(self, name, tuple(values.tolist()))
        if len(self.low) != len(self.high):
            raise ValueError(f"Expected as many low as high, got {len(self.low)} and {len(self.high)}.")
        for feature, (low, high) in enumerate(zip(self.low, self.high, strict=True)):
            if not low <= high:
                raise ValueError(f"Expected low <= high, got low={low:g}, high={high:g} for feature {feature}.")

    @property
    def dimension(self) -> int:
        """The number of features."""
        return len(self.low)

    @property
    def width(self) -> FloatArray:
        """high − low: (d,)."""
        return np.subtract(self.high, self.low)

    def clip(self, x: ArrayLike) -> FloatArray:
        """The nearest point within the bounds."""
        inside: FloatArray = np.clip(rows("x", x, self.dimension), self.low, self.high)
        return inside

    def fraction(self, x: ArrayLike) -> FloatArray:
        """Where x, clipped, lies between low (0) and high (1); 0 for a constant feature."""
        width = np.where(self.width > 0.0, self.width, 1.0)
        fraction: FloatArray = (self.clip(x) - np.array(self.low)) / width
        return fraction

    def to_cube(self, x: ArrayLike) -> FloatArray:
        """x, clipped, in [−1, 1]ᵈ; a constant feature gives 0."""
        return np.where(self.width > 0.0, 2.0 * self.fraction(x) - 1.0, 0.0)

    def from_cube(self, t: ArrayLike) -> FloatArray:
        """The inverse of :meth:`to_cube`, linear everywhere: an unbiased estimate stays unbiased."""
        middle = 0.5 * np.asarray(self.low) + 0.5 * np.asarray(self.high)
        return middle + rows("t", t, self.dimension) * (0.5 * self.width)


@dataclass(frozen=True, kw_only=True)
class Rescaled:
    """A mechanism for the cube, used on features with public bounds and reporting in their units.

    The ε is the mechanism's: any function of the one record may come before it, and what
    comes after it is post-processing.
    """

    mechanism: Mechanism
    bounds: Bounds

    def __post_init__(self) -> None:
        if self.mechanism.input_dim != self.bounds.dimension:
            raise ValueError(f"Expected bounds for {self.mechanism.input_dim} features, got {self.bounds.dimension}.")

    @property
    def name(self) -> str:
        return self.mechanism.name

    @property
    def epsilon(self) -> float:
        return self.mechanism.epsilon

    @property
    def input_dim(self) -> int:
        return self.mechanism.input_dim

    @property
    def output_dim(self) -> int:
        return self.mechanism.output_dim

    def represent(self, x: ArrayLike) -> FloatArray:
        """x, clipped to the bounds. NOT private."""
        return self.bounds.clip(x)

    def privatise(self, x: ArrayLike) -> FloatArray:
        """Release each row of x, in its own units."""
        return self.bounds.from_cube(self.mechanism.privatise(self.bounds.to_cube(x)))

    def simulate(self, x: ArrayLike, *, generator: np.random.Generator) -> FloatArray:
        """Reproducible draws for experiments. NOT private."""
        return self.bounds.from_cube(self.mechanism.simulate(self.bounds.to_cube(x), generator=generator))
