"""Two promises to two groups of people, where the chosen mechanism was trained under central DP."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from typing import Any

from rlm_core.training.accountant import shown
from ui.markup import number, times

THROUGH_A_DECODER = (
    " This holds for the decoder through which the encoder was trained. Here that decoder had seen the same people "
    "without noise, so for the two stages together there is <b>no formal guarantee</b>; there is one where the first "
    "stage uses data that need no protection."
)


def two_guarantees(central: Mapping[str, Any], epsilon: float) -> str:
    """Who is protected from whom by which ε, as HTML.

    Args:
        central: the card's ``central_dp``.
        epsilon: the local budget of a release; ``inf`` is no protection.
    """
    spent, delta = shown(central["epsilon"]), float(central["delta"])
    if math.isinf(epsilon):
        you = "at ε = ∞ by nothing: no noise is added to your record."
    else:
        you = (
            f"by <b>local</b> differential privacy with <strong>ε = {number(epsilon)}</strong>. The noise is added on "
            "your device; you need to trust nobody."
        )
    rest = "; ".join(html.escape(each) for each in central["not_covered"])
    given = THROUGH_A_DECODER if "decoder_from" in central else ""
    return (
        '<div class="rlm-promise"><b>Two promises, to two groups of people.</b> The encoder of this mechanism was '
        "itself trained privately."
        f"<br><b>You</b>, whose record is released, are protected from the collector and everybody else {you}"
        "<br><b>The people whose data trained the encoder</b> are protected from everybody who gets the encoder, you "
        f"included, by <b>central</b> differential privacy with <strong>ε = {spent}</strong>, δ = "
        f"{_power_of_ten(delta)}: an encoder is at most <strong>e<sup>{spent}</sup> = {times(math.exp(float(spent)))} "
        "times</strong> as likely to come out with one of them as without, apart from a probability of δ. "
        f"They had to trust the one who trained it.{given} Neither promise replaces the other."
        "<br>The second is about the encoder, which is all that a data owner is sent of the network. "
        f"<b>Not covered:</b> {rest}.</div>"
    )


def _power_of_ten(value: float) -> str:
    """1e-05 as 10 to the power −5.

    >>> _power_of_ten(1e-5)
    '10<sup>−5</sup>'
    """
    exponent = round(math.log10(value))
    if not math.isclose(value, 10.0**exponent):
        return f"{value:g}"
    return f"10<sup>{exponent}</sup>".replace("-", "−")
