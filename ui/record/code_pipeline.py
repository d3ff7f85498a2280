"""The pipeline where the representation is a code: one of k, then a set of codes with a known bias towards it."""

from __future__ import annotations

import html
import math
from collections.abc import Sequence

import numpy as np

from rlm_core.owner.subset_selection import SubsetSelection
from ui.kit.colours import COLLECTOR, NEUTRAL, OWNER
from ui.kit.formats import number, percent
from ui.kit.html import meter
from ui.record.release import Drawn

Cell = tuple[str, str, str]
"""Title, body and caption of a stage."""


def channel_of(drawn: Drawn) -> SubsetSelection:
    """The channel that the report went through."""
    return SubsetSelection(epsilon=drawn.report.epsilon_x, symbols=drawn.z.size)


def code_of(drawn: Drawn) -> int:
    """The record's own code, counted from 0. NOT private."""
    return int(drawn.z.argmax())


def members(drawn: Drawn) -> list[int]:
    """The codes in the report's set."""
    return np.flatnonzero(drawn.z_private > 0).tolist()


def code_cell(drawn: Drawn) -> Cell:
    """On the owner's side: the one code."""
    code, k = code_of(drawn), drawn.z.size
    body = code_grid(k, [code], colour=OWNER, alt=f"code {code + 1} of {k}")
    return (
        f"code {code + 1} of {k}",
        body,
        f"A public network puts the record into one of {k} groups, learnt without labels. The number of the group is "
        "its code, and all that is left of the record from here on.",
    )


def channel_cell(drawn: Drawn) -> Cell:
    """What the channel does."""
    channel, k = channel_of(drawn), drawn.z.size
    if math.isinf(drawn.report.epsilon_x):
        caption = "ε = ∞: the code is sent as it is, and nothing is private."
        return "no noise", code_grid(k, [code_of(drawn)], colour=NEUTRAL, alt="the code as it is"), caption
    p, q = channel.inside, channel.outside
    body = meter(p, side="owner", label=f"your code is in the set with {percent(p)}") + meter(
        q, side="neutral", label=f"any other code with {percent(q)}"
    )
    caption = (
        f"A random set of {channel.size} of the {k} codes. Each set with your code is e<sup>ε<sub>x</sub></sup> = "
        f"e<sup>{number(drawn.report.epsilon_x)}</sup> times as likely as each set without it. Drawn once from the "
        "operating system’s randomness."
    )
    return "a random set", body, caption


def set_cell(drawn: Drawn) -> Cell:
    """On the collector's side: the set, and nothing else."""
    sent, k = members(drawn), drawn.z.size
    words = "one code" if len(sent) == 1 else f"{len(sent)} codes"
    if math.isinf(drawn.report.epsilon_x):
        caption = "The code itself: at ε = ∞ nothing is hidden."
    else:
        caption = (
            f"A set of {words}, which {k} bits can hold. The true code is in such a set with a probability of "
            f"{percent(channel_of(drawn).inside)}; whether it is in this one, nobody but you knows."
        )
    body = code_grid(k, sent, colour=COLLECTOR, alt="codes that were sent: " + ", ".join(str(c + 1) for c in sent))
    return "what arrives", body, caption


def code_grid(k: int, marked: Sequence[int], *, colour: str, alt: str) -> str:
    """All codes as small squares, the marked ones filled."""
    side = 22 if k <= 32 else 15
    filled = set(marked)
    squares = "".join(
        f'<span title="code {code + 1}" style="width:{side}px;height:{side}px;border-radius:4px;font-size:10px;'
        f"line-height:{side}px;text-align:center;box-sizing:border-box;"
        + (
            f'background:{colour};color:#fff">{code + 1 if side > 20 else ""}</span>'
            if code in filled
            else f'border:1px solid {NEUTRAL};opacity:.55"></span>'
        )
        for code in range(k)
    )
    style = f"display:flex;flex-wrap:wrap;gap:4px;max-width:{8 * (side + 4)}px;margin:.4rem auto"
    return f'<div role="img" aria-label="{html.escape(alt)}" style="{style}">{squares}</div>'
