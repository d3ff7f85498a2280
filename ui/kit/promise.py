"""The guarantee of ε-LDP in one sentence, the same on every page."""

from __future__ import annotations

import math

from ui.kit.formats import number, small, times


def promise(epsilon: float) -> str:
    """The guarantee in odds."""
    if math.isinf(epsilon):
        return "At <b>ε = ∞</b> there is no promise: the report may give everything away."
    return (
        "<b>The promise:</b> whatever the collector sees, it is at most "
        f"<strong>e<sup>ε</sup> = e<sup>{number(epsilon)}</sup> = {times(math.exp(epsilon))} times</strong> as likely "
        "under your record as under any other."
    )


def delta_note(delta: float) -> str:
    """What a mechanism with rounded numbers promises beside ε, in one sentence; nothing for an exact one."""
    if delta == 0.0:
        return ""
    if delta == 1.0:
        return "It computes with rounded numbers, and at this ε its δ is 1: **nothing is guaranteed**."
    return (
        f"It computes with rounded numbers, so its reports are (ε, δ)-LDP with **δ = {small(delta)}** each, from "
        "errors that were measured, not proved."
    )
