"""What the fields of a report must be: whatever a stranger sends, a value or an error that says what was wrong."""

from __future__ import annotations

import math

import numpy as np

from rlm_core.types import quote

MOST_NUMBERS = 65_536
MOST_SYMBOLS = 2**20  # of a set; as many as subset selection takes


def check_set(of: int, members: object) -> None:
    """Raise unless members are ``of`` packed bits with at least one member and one symbol that is none."""
    if not isinstance(members, bytes):
        raise TypeError(f"Expected members as bytes, got {type(members).__name__}.")
    if len(members) != -(-of // 8):
        raise ValueError(f"Expected {-(-of // 8)} bytes for a set of {of} symbols, got {len(members)}.")
    bits = np.unpackbits(np.frombuffer(members, np.uint8))
    if bits[of:].any():
        raise ValueError(f"Expected zeros after the {of} bits of a set, got a member beyond.")
    if not 0 < int(bits.sum()) < of:
        raise ValueError(f"Expected a set of 1 to {of - 1} of {of} symbols, got {int(bits.sum())}.")


def finite_numbers(values: object) -> tuple[float, ...]:
    """1 to 65,536 numbers that a float64 holds."""
    if not isinstance(values, list | tuple):
        raise TypeError(f"Expected a list of numbers, got {type(values).__name__}.")
    if not 0 < len(values) <= MOST_NUMBERS:
        raise ValueError(f"Expected 1 to {MOST_NUMBERS} numbers, got {len(values)}.")
    if any(type(value) not in (int, float) for value in values):
        wrong = next(value for value in values if type(value) not in (int, float))
        raise TypeError(f"Expected finite numbers, got {quote(wrong)}.")
    try:
        numbers = tuple(map(float, values))
    except OverflowError:  # an integer beyond every float64
        numbers = (math.inf,)
    if not all(map(math.isfinite, numbers)):
        raise ValueError("Expected finite numbers, got NaN or one that no float64 holds.")
    return numbers


def spent(name: str, value: object) -> float:
    """An ε >= 0, or inf."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise TypeError(f"Expected a number for {name}, got {quote(value)}.")
    try:
        number = float(value)
    except OverflowError:
        raise ValueError(f"Expected {name} as a float64 or inf, got an integer above every float64.") from None
    if not number >= 0.0:
        raise ValueError(f"Expected {name} >= 0, got {name}={number:g}.")
    return number


def told_apart(left: float, right: float) -> tuple[str, str]:
    """Two numbers for an error message: in full where they differ and would look alike.

    >>> told_apart(2.0, 3.5), told_apart(2.0, 2.0000000000000004)
    (('2', '3.5'), ('2.0', '2.0000000000000004'))
    """
    short = f"{left:g}", f"{right:g}"
    return (repr(left), repr(right)) if left != right and short[0] == short[1] else short


def whole(name: str, value: object, *, below: int, least: int = 0) -> int:
    """An integer within its bounds."""
    if isinstance(value, bool) or not isinstance(value, int):
        raise TypeError(f"Expected an integer for {name}, got {quote(value)}.")
    if not least <= value < below:
        raise ValueError(f"Expected {least} <= {name} < {below}, got {quote(value)}.")
    return value
