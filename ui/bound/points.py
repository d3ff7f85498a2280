"""Where the visitor puts the classes: text that is typed, dragged into, and carried by the address."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from rlm_core.types import FloatArray

MOST_CLASSES = 6
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)")


class PlaceError(ValueError):
    """What is wrong with the typed coordinates, in words for the visitor."""


def into_ball(points: FloatArray) -> FloatArray:
    """Points outside the ℓ1 ball of radius 1, pulled straight towards the centre to its edge.

    >>> into_ball(np.array([[1.0, 1.0], [0.2, 0.3]]))
    array([[0.5, 0.5],
           [0.2, 0.3]])
    """
    norm = np.abs(points).sum(axis=1, keepdims=True)  # (n, 1)
    return np.where(norm > 1, points / np.maximum(norm, 1e-300), points) + 0.0


def parse(text: str) -> tuple[FloatArray, bool]:
    """ "1, 0; -0.5 0.25" to (K, 2) inside the ball, and whether a point had to be moved there.

    >>> parse("1,0; -1,0")[0].tolist()
    [[1.0, 0.0], [-1.0, 0.0]]
    """
    parts = [part for part in text.replace("−", "-").split(";") if part.strip()]
    if not 2 <= len(parts) <= MOST_CLASSES:
        raise PlaceError(f"Give 2 to {MOST_CLASSES} points, separated by semicolons; these are {len(parts)}.")
    rows = []
    for number, part in enumerate(parts, start=1):
        values = [each for each in re.split(r"[,\s]+", part.strip().strip("()")) if each]
        if len(values) != 2 or not all(_NUMBER.fullmatch(each) for each in values):
            raise PlaceError(f"Point {number} is not two numbers: “{part.strip()[:30]}”. For example: 0.5, −0.25")
        rows.append([float(each) for each in values])
    points = np.array(rows)
    if not np.all(np.abs(points) <= 1e6):
        raise PlaceError("A number is too large; the ball reaches from −1 to 1.")
    inside = into_ball(points)
    # A rounding in the third digit, as written by ``as_text``, is not worth a remark.
    return inside, bool(np.any(np.abs(points).sum(axis=1) > 1.002))


def as_text(points: Sequence[Sequence[float]] | FloatArray) -> str:
    """(K, 2) as text that ``parse`` reads.

    >>> as_text([[1, 0], [-0.33333, 0.5]])
    '1,0;-0.333,0.5'
    """
    return ";".join(",".join(f"{round(float(value), 3) + 0.0:g}" for value in row) for row in points)


def from_browser(value: object) -> FloatArray | None:
    """What the board sent, checked: anything may come from a browser.

    >>> from_browser([[1, 0], [0, 2]]).tolist(), from_browser("x"), from_browser([[1, 0]]), from_browser([[1], [2]])
    ([[1.0, 0.0], [0.0, 1.0]], None, None, None)
    """
    if not isinstance(value, list | tuple) or not 2 <= len(value) <= MOST_CLASSES:
        return None
    rows = []
    for row in value:
        if not isinstance(row, list | tuple) or len(row) != 2:
            return None
        if not all(isinstance(each, int | float) and not isinstance(each, bool) and abs(each) <= 1e6 for each in row):
            return None
        rows.append([float(each) for each in row])
    return into_ball(np.array(rows))
