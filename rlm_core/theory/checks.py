"""Argument checks shared by the theory modules: every message gives name, value and bound."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.types import FloatArray, finite, positive


def checked_count(name: str, value: int, minimum: int) -> int:
    """An integer (a numpy one too, not a bool) of at least ``minimum``.

    >>> checked_count("classes", 1, 2)
    Traceback (most recent call last):
    ...
    ValueError: Expected classes >= 2, got classes=1.
    """
    if isinstance(value, bool) or not isinstance(value, int | np.integer):
        raise TypeError(f"Expected an integer for {name}, got {name}={value!r}.")
    if value < minimum:
        raise ValueError(f"Expected {name} >= {minimum}, got {name}={value}.")
    return int(value)


def checked_epsilon(epsilon: ArrayLike) -> FloatArray:
    """Privacy budgets in [0, inf] as a float64 array of the same shape; NaN is refused."""
    array = np.asarray(epsilon)
    if array.dtype.kind not in "fiu":
        raise TypeError(f"Expected numbers in epsilon, got dtype {array.dtype}.")
    array = array.astype(np.float64, copy=False)
    bad = array[~(array >= 0)]  # written so that NaN is bad too
    if bad.size:
        raise ValueError(f"Expected epsilon >= 0, got epsilon={bad[0]:g}.")
    return array


def laplace_scale(epsilon: float, radius: float) -> float:
    """Scale b = 2l/epsilon of the noise on the l1 ball of radius l; 0 for epsilon = inf.

    The same number as ``LaplaceNoise.scale`` (a test holds them together); written again because the
    theory needs neither torch nor the owner's side.
    """
    return 2.0 * positive("radius", radius) / positive("epsilon", epsilon, allow_infinite=True)


def checked_points(name: str, points: ArrayLike) -> FloatArray:
    """A finite float64 array of shape (n, d) with n, d >= 1."""
    array = finite(name, points)
    if array.ndim != 2 or array.size == 0:
        raise ValueError(f"Expected {name} of shape (n, d) with n, d >= 1, got shape {array.shape}.")
    return array


def checked_generators(generators: ArrayLike, radius: float) -> FloatArray:
    """Generators (K, d), K >= 2, inside the l1 ball.

    A relative excess of 1e-12 passes: a row that a float projection put on the sphere may
    sum to one rounding more than the radius.
    """
    array = checked_points("generators", generators)
    if len(array) < 2:
        raise ValueError(f"Expected at least 2 generators, got {len(array)}.")
    norms = np.abs(array).sum(axis=1)  # (K,)
    if not np.all(norms <= radius * (1 + 1e-12)):
        worst = int(np.argmax(norms))
        raise ValueError(f"Expected generators with l1 norm <= {radius:g}, got {norms[worst]:g} in row {worst}.")
    return array
