"""Two promises to two groups of people, where the chosen mechanism was trained under central DP."""

from __future__ import annotations

import html
import math
from collections.abc import Mapping
from typing import Any

from rlm_core.training.dp.accountant import format_epsilon_up
from ui.kit.formats import number, times

THROUGH_A_DECODER = (
    " This holds given the decoder through which the encoder was trained. Here that decoder had seen the same people "
    "without noise: for the two stages together there is <b>no formal guarantee</b>."
)


def two_guarantees(central: Mapping[str, Any], epsilon: float) -> str:
    """Who is protected from whom by which ε, as HTML.

    Args:
        central: the card's ``central_dp``.
        epsilon: the local budget of a release; ``inf`` is no protection.
    """
    spent, delta = format_epsilon_up(central["epsilon"]), float(central["delta"])
    if math.isinf(epsilon):
        you = "at ε = ∞ by nothing: no noise is added to your record."
    else:
        you = (
            f"by <b>local</b> differential privacy with <strong>ε = {number(epsilon)}</strong>. The noise is added on "
            "your device; you need to trust nobody."
        )
    rest = "".join(f"<li>{html.escape(each)}</li>" for each in central["not_covered"])
    given = THROUGH_A_DECODER if "decoder_from" in central else ""
    others = (
        f"by <b>central</b> differential privacy with <strong>ε = {spent}</strong>, δ = {_power_of_ten(delta)}: an "
        f"encoder is at most <strong>e<sup>{spent}</sup> = {times(math.exp(float(spent)))} times</strong> as likely to "
        f"come out with one of them as without, apart from a probability of δ. They had to trust whoever trained "
        f"it.{given}"
    )
    return (
        '<div class="rlm-promise"><b>Two promises, to two groups of people.</b> Neither replaces the other.'
        '<div style="display:flex;flex-wrap:wrap;gap:.5rem 2rem;margin:.6rem 0">'
        + _group("You", "whose record is released", "from the collector and everybody else", you)
        + _group(
            "The people whose data trained the encoder",
            "",
            "from everybody who gets the encoder, you included,",
            others,
        )
        + f"</div><details><summary>What the second promise does not cover</summary><ul>{rest}</ul></details></div>"
    )


def _group(group: str, details: str, against: str, guarantee: str) -> str:
    named = f"<b>{group}</b>, {details}," if details else f"<b>{group}</b>"
    return f'<div style="flex:1 1 18rem">{named} are protected {against} {guarantee}</div>'


def _power_of_ten(value: float) -> str:
    """1e-05 as 10 to the power −5.

    >>> _power_of_ten(1e-5)
    '10<sup>−5</sup>'
    """
    exponent = round(math.log10(value))
    if not math.isclose(value, 10.0**exponent):
        return f"{value:g}"
    return f"10<sup>{exponent}</sup>".replace("-", "−")
