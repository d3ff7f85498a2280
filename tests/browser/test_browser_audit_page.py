"""The audit in a real browser: the dial measures, a switch breaks the mechanism, the records can be moved."""

from __future__ import annotations

import re

import pytest
from browser_driver import PATIENCE

pytestmark = pytest.mark.browser

DIAL = ".rlm-dial"


def reading(opened) -> float:
    """What the dial says once it has measured."""
    opened.page.locator(DIAL).get_by_text("measured ε, at least").wait_for()
    opened.settled()
    return float(opened.page.locator(f"{DIAL} strong").inner_text())


def test_a_switch_breaks_it_and_the_needle_passes_the_claim(server, visit) -> None:
    opened = visit(server, "/audit?claim=1")
    page = opened.page
    assert 0.5 < reading(opened) < 1.1 and page.locator(f"{DIAL}.rlm-under").count() == 1
    page.get_by_text("A low reading is no proof of privacy.").wait_for()
    page.get_by_role("button", name="Fixed seed").or_(page.get_by_role("radio", name="Fixed seed")).first.click()
    page.locator(f"{DIAL}.rlm-over").wait_for()
    page.wait_for_url(re.compile(r"break=Fixed(\+|%20)seed"))
    assert reading(opened) > 6.0
    page.get_by_text("The claim is refuted.").wait_for()
    page.get_by_text("Measured in this visit").wait_for()


def test_moving_a_record_measures_no_new_bound(server, visit) -> None:
    opened = visit(server, "/audit?claim=2")
    page = opened.page
    before = reading(opened)
    page.locator("svg.wide").wait_for()
    frame = page.locator(".drawing").element_handle()  # inside a shadow root, which only locators see
    picture = frame.inner_html()
    thumb = page.locator(".st-key-second [role=slider], .st-key-second input[type=range]").first
    thumb.focus()
    thumb.press("ArrowRight")
    page.wait_for_url(re.compile(r"second=-0\.75"))
    page.wait_for_function("([frame, before]) => frame.innerHTML !== before", arg=[frame, picture])
    page.get_by_text("(−3.75, 0, 0, 0, 0, 0, …)").wait_for()
    assert reading(opened) == before


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_audit_on_a_phone(server, visit, scheme: str) -> None:
    opened = visit(server, "/audit", width=390, height=844, scheme=scheme)
    reading(opened)
    assert opened.overflow() <= 0
    for selector in (f"{DIAL} .rlm-face", f"{DIAL} .rlm-claim b", "svg.wide"):
        box = opened.page.locator(selector).bounding_box()
        assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390, selector


def test_on_a_phone_the_result_is_where_the_control_is(server, visit) -> None:
    from playwright.sync_api import expect

    opened = visit(server, "/audit?claim=1", width=390, height=844)
    page, bar = opened.page, opened.page.locator(".rlm-glance button")
    expect(bar).to_have_text(re.compile(f"^ε ≥ {reading(opened):.2f}"), timeout=PATIENCE)
    page.get_by_role("button", name="Half the noise").or_(
        page.get_by_role("radio", name="Half the noise")
    ).first.click()
    page.locator(f"{DIAL}.rlm-over").wait_for()
    expect(bar).to_contain_text(f"ε ≥ {reading(opened):.2f}", timeout=PATIENCE)
    expect(bar).to_contain_text("refutes the claim, 1", timeout=PATIENCE)
    slider, shown = page.get_by_role("slider").first.bounding_box(), bar.bounding_box()
    assert slider["y"] < shown["y"] and shown["y"] + shown["height"] <= 845
    bar.click()
    page.wait_for_function("() => !document.querySelector('.rlm-glance.ahead')")
    assert page.locator(DIAL).bounding_box()["y"] < 600 and not bar.is_visible()


def test_on_a_wide_screen_there_is_no_bar(server, visit) -> None:
    opened = visit(server, "/audit?claim=1")
    reading(opened)
    assert not opened.page.locator(".rlm-glance button").is_visible()
