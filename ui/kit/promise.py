"""The guarantee of ε-LDP in one sentence, the same on every page."""

from __future__ import annotations

import math

from ui.kit.formats import number, times


def promise(epsilon: float) -> str:
    """The guarantee in odds."""
    if math.isinf(epsilon):
        return "At <b>ε = ∞</b> there is no promise: the report may give everything away."
    return (
        "<b>The promise:</b> whatever the collector sees, it is at most "
        f"<strong>e<sup>ε</sup> = e<sup>{number(epsilon)}</sup> = {times(math.exp(epsilon))} times</strong> as likely "
        "under your record as under any other."
    )
