"""Both promises are spelt out with their own ε, for mechanisms whose card has a central one, and for no other."""

from __future__ import annotations

import math

import dp_accounting
import dp_accounting.rdp
import pytest

from rlm_core import zoo
from rlm_core.training.dp.accountant import format_epsilon_up
from ui.app.two_guarantees import two_guarantees

CENTRAL = {"epsilon": 0.9876, "delta": 1e-5, "not_covered": ["the decoder", "a <table>"]}


def test_each_group_gets_its_own_epsilon() -> None:
    found = two_guarantees(CENTRAL, 7.5)
    you, others = found.split("The people whose data trained the encoder")
    assert "local" in you and "ε = 7.5" in you and "0.99" not in you
    assert "central" in others and "ε = 0.99" in others and "10<sup>−5</sup>" in others and "7.5" not in others
    assert "2.7 times" in others  # e^0.9876
    assert "<li>the decoder</li><li>a &lt;table&gt;</li>" in others


def test_without_ldp_the_first_promise_is_none() -> None:
    assert "at ε = ∞ by nothing" in two_guarantees(CENTRAL, math.inf)


@pytest.mark.parametrize("name", zoo.names())
def test_cards_say_whether_training_was_private(name: str) -> None:
    about = zoo.card(name)
    assert (about.central_dp is not None) == ("-cdp" in name)
    if about.central_dp is not None:
        assert 0 < about.central_dp["epsilon"] <= about.central_dp["target_epsilon"]
        assert f"ε = {format_epsilon_up(about.central_dp['epsilon'])}" in about.limits
        assert "no formal guarantee" in two_guarantees(about.central_dp, 1.0)  # trained through a decoder


@pytest.mark.parametrize("name", [name for name in zoo.names() if "-cdp" in name])
def test_what_a_card_says_was_spent_is_what_an_independent_accountant_says(name: str) -> None:
    central = zoo.card(name).central_dp
    assert central is not None
    steps = dp_accounting.PoissonSampledDpEvent(
        central["sample_rate"], dp_accounting.GaussianDpEvent(central["noise_multiplier"])
    )
    accountant = dp_accounting.rdp.RdpAccountant().compose(steps, central["steps"])
    assert central["epsilon"] == pytest.approx(accountant.get_epsilon(central["delta"]), rel=0.02)
