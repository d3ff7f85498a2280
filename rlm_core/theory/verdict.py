"""What an ε is worth, in words: one verdict for all pages. Its twin in the browser is static/device/verdict.js.

ε-LDP bounds what any report does to anybody's belief: odds grow by at most e^ε (Bayes' rule). Somebody who was held
to be in a group with probability p is held to be in it with at most p·e^ε/(p·e^ε + 1 − p) afterwards. Where the words
change is a convention of this project, not a theorem.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal

Strength = Literal["strong", "moderate", "weak", "hardly any", "none"]

STRONG_UP_TO, MODERATE_UP_TO, WARNING_FROM = 1.0, 2.0, 8.0
SUSPICION = 0.1
"""The suspicion that a verdict takes as its example."""


def suspicion_after(epsilon: float, before: float = SUSPICION) -> float:
    """The most that a suspicion of ``before`` can become by one report: p·e^ε/(p·e^ε + 1 − p).

    >>> [round(100 * suspicion_after(epsilon)) for epsilon in (1.0, 2.0, 4.0)]
    [23, 45, 86]
    """
    if not epsilon > 0:
        raise ValueError(f"Expected epsilon > 0, got epsilon={epsilon!r}.")
    if not 0 <= before <= 1:
        raise ValueError(f"Expected 0 <= before <= 1, got before={before!r}.")
    if before == 0:  # what is held to be impossible stays so
        return 0.0
    return before / (before + (1 - before) * math.exp(-epsilon))


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """How strongly an ε protects, and the sentence that says so."""

    strength: Strength
    sentence: str
    warning: bool


def verdict(epsilon: float) -> Verdict:
    """The verdict on one report with ε.

    >>> verdict(1.0).strength, verdict(1.0).sentence
    ('strong', 'A suspicion of 10 % can become at most 23 %.')
    """
    after = suspicion_after(epsilon)
    if math.isinf(epsilon):
        return Verdict(strength="none", sentence="Without noise a report may give everything away.", warning=True)
    sentence = f"A suspicion of {_percent(SUSPICION)} can become at most {_percent(after)}."
    if epsilon >= WARNING_FROM:
        return Verdict(strength="hardly any", sentence=f"{sentence} Hardly anything is protected.", warning=True)
    strength: Strength = "strong" if epsilon <= STRONG_UP_TO else "moderate" if epsilon <= MODERATE_UP_TO else "weak"
    return Verdict(strength=strength, sentence=sentence, warning=False)


def _percent(share: float) -> str:
    """A share below 1 as percent: to the nearest whole one, from 99 on upwards and never to 100.

    >>> _percent(0.2319), _percent(0.99699), _percent(0.99959)
    ('23 %', '99.7 %', '99.96 %')
    """
    percent, decimals = 100 * share, 1
    if percent < 99:
        return f"{math.floor(percent + 0.5)} %"
    while math.ceil(percent * 10**decimals) >= 10 ** (decimals + 2) and decimals < 6:
        decimals += 1
    return f"{math.ceil(percent * 10**decimals) / 10**decimals:.{decimals}f} %"
