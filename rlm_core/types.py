"""Array types shared by the library, the two checks every entry point makes, how errors quote, and ℓ1 distances."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

FloatArray = NDArray[np.float64]
IntArray = NDArray[np.int64]
BoolArray = NDArray[np.bool_]


def finite(name: str, values: ArrayLike) -> FloatArray:
    """Return ``values`` as float64; raise if any of them is NaN or infinite.

    >>> finite("x", [1, 2])
    array([1., 2.])
    """
    array = np.asarray(values)
    if array.dtype.kind not in "fiub":
        raise TypeError(f"Expected numbers in {name}, got dtype {array.dtype}.")
    array = array.astype(np.float64, copy=False)
    bad = array.size - int(np.isfinite(array).sum())
    if bad:
        raise ValueError(f"Expected finite numbers in {name}, got {bad} NaN or infinite of {array.size}.")
    return array


def positive(name: str, value: Any, *, allow_infinite: bool = False) -> float:
    """Return ``value`` as a float > 0; raise with its name and value otherwise (NaN included)."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating):
        raise TypeError(f"Expected a number for {name}, got {name}={value!r}.")
    try:
        number = float(value)
    except OverflowError:  # an integer above every float64
        raise ValueError(f"Expected a finite {name}, got {name}={quote(value)}.") from None
    if not number > 0:
        raise ValueError(f"Expected {name} > 0, got {name}={number:g}.")
    if math.isinf(number) and not allow_infinite:
        raise ValueError(f"Expected a finite {name}, got {name}=inf.")
    return number


def quote(value: object) -> str:
    """A value for an error message, in 80 characters at most: it may come from a stranger."""
    try:
        text = repr(value[:80] if isinstance(value, str | bytes | list | tuple) else value)
    except ValueError:  # an integer of more digits than Python writes
        text = "a number of too many digits"
    return text if len(text) <= 80 else text[:77] + "..."


def printable(text: str) -> str:
    """With an escape for every character that cannot be seen: a terminal obeys some, and a stranger's text has them.

    >>> print(printable("mine\x1b[2J, äßε"))
    mine\\x1b[2J, äßε
    """
    return "".join(each if each.isprintable() else repr(each)[1:-1] for each in text)


def l1_distances(left: FloatArray, right: FloatArray) -> FloatArray:
    """‖leftₙ − rightₘ‖₁ for every pair of rows: (n, d) and (m, d) to (n, m).

    >>> l1_distances(np.zeros((1, 2)), np.array([[1.0, -2.0]]))
    array([[3.]])
    """
    from scipy.spatial.distance import cdist  # here: a release needs no distance, and the import costs 30 MB

    distances: FloatArray = cdist(left, right, metric="cityblock")
    return distances
