"""Numbers, pieces of HTML and the promise."""

from __future__ import annotations

import math

import pytest

from rlm_core import Budget
from ui.kit import formats, html
from ui.kit.promise import promise


@pytest.mark.parametrize("value", [1e-9, 0.00099, 0.9991, 1 - 1e-12])
def test_percent_never_claims_certainty(value: float) -> None:
    assert formats.percent(value) in ("< 0.1 %", "> 99.9 %")


def test_split_bar_follows_lambda() -> None:
    bar = html.split_bar(Budget(epsilon=8.0, lam=0.75))
    assert "flex:0.7500" in bar and "= 6 for the picture" in bar and "= 2 for the label" in bar
    assert "label" not in html.split_bar(Budget(epsilon=8.0, lam=1.0))
    assert "∞" in html.split_bar(Budget(epsilon=math.inf, lam=0.5))


def test_promise_in_odds() -> None:
    assert "e<sup>0.5</sup> = 1.6 times" in promise(0.5)
    assert "no promise" in promise(math.inf)
