"""A mechanism trained under central DP can be chosen, and both promises are spelt out; for others there is one."""

from __future__ import annotations

from page_driver import Open, healthy, words

from rlm_core import zoo
from rlm_core.training.dp.accountant import format_epsilon_up
from ui.app.network_title import network_title
from ui.collect.text import NUMBERS_NAME

TITLE = "Two promises, to two groups of people."


def test_the_collectors_page_spells_them_out_too(open_page: Open) -> None:
    name = "mnist-vrlm-l10-eps33-cdp5"
    assert TITLE in words(open_page("collect", send=NUMBERS_NAME, network=network_title(zoo.card(name))))


def test_both_promises_are_spelt_out_for_a_file(open_page: Open) -> None:
    name = "lending-vrlm-l5-eps15-cdp1"
    app = open_page("row", rows="A CSV file")
    assert TITLE not in words(app)
    healthy(app.selectbox(key="mech").set_value(name).run())
    central = zoo.card(name).central_dp
    assert central is not None
    assert TITLE in words(app) and f"<strong>ε = {format_epsilon_up(central['epsilon'])}</strong>" in words(app)
    for eps in (8.0, 2.0):
        healthy(app.select_slider(key="eps").set_value(eps).run())
        assert f"<strong>ε = {eps:g}</strong>. The noise is added on" in words(app)
