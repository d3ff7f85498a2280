"""The verdict on an ε as a line of HTML, for under the control that chooses it: the same words on every page."""

from __future__ import annotations

from rlm_core.theory.verdict import verdict


def verdict_line(epsilon: float) -> str:
    """How strongly one report with ε protects, with the odds.

    >>> verdict_line(1.0)
    '<p class="rlm-note rlm-verdict"><b>Protection: strong.</b> A suspicion of 10 % can become at most 23 %.</p>'
    """
    found = verdict(epsilon)
    words = f"<b>Protection: {found.strength}.</b> {found.sentence}"
    return f'<p class="rlm-note rlm-verdict">{words}</p>'
