"""Shares and ε as people read them: what advice is written with."""

from __future__ import annotations

import math


def percent(share: float) -> str:
    """With one decimal.

    >>> percent(0.8)
    '80.0 %'
    """
    return f"{100 * share:.1f} %"


def points(difference: float) -> str:
    """A difference of two shares, in points of a hundred.

    >>> points(0.012), points(0.0769), points(0.01)
    ('1.2 points', '8 points', '1 point')
    """
    number = 100 * difference
    text = f"{number:.0f}" if number >= 3 else f"{number:.1f}".removesuffix(".0")
    return f"{text} point{'' if text == '1' else 's'}"


def meaning(epsilon: float) -> str:
    """ε as odds.

    >>> meaning(1.0)
    'epsilon = 1: a report multiplies the odds of any guess about its sender by 2.7 at most: from 50 % to 73 %.'
    """
    factor = math.exp(min(epsilon, 700.0))
    times = f"{factor:.1f}" if factor < 100 else f"{factor:,.0f}"
    sure = (
        f"{100 * factor / (1 + factor):.1f}".rstrip("0").rstrip(".")
        if factor > 50
        else f"{100 * factor / (1 + factor):.0f}"
    )
    return (
        f"epsilon = {epsilon:g}: a report multiplies the odds of any guess about its sender by {times} at most: "
        f"from 50 % to {sure} %."
    )
