"""The chapters in a real browser: a control moves its picture, a quiz answers, a page turns; no other host."""

from __future__ import annotations

import re

import pytest

pytestmark = pytest.mark.browser

PICTURE = "svg.wide"


def alt(page) -> str:
    return str(page.locator(PICTURE).first.get_attribute("aria-label"))


def press(page, key: str, name: str) -> None:
    thumb = page.locator(f".st-key-{key} [role=slider], .st-key-{key} input[type=range]").first
    thumb.focus()
    thumb.press(name)


def test_play_answer_and_turn_the_page(server, visit) -> None:
    opened = visit(server, "/concepts?chapter=Laplace+noise&laplace_a=1&laplace_b=-1&laplace_eps=2")
    page = opened.page
    page.locator(PICTURE).wait_for()
    assert "their log ratio reaches 2.00 of ±2" in alt(page)  # opposite ends: exactly ε
    press(page, "laplace_eps", "ArrowRight")
    page.locator(f"{PICTURE}[aria-label*='3.00 of ±3']").wait_for()
    page.wait_for_url(re.compile("laplace_eps=3"))
    page.get_by_text("Only if the network was itself trained privately.").click()
    page.get_by_text("Not quite.").wait_for()
    page.get_by_text("Yes: after the clip no two people").click()
    page.get_by_text("What comes before the clip does not matter").wait_for()
    link = page.get_by_role("link", name=re.compile("Definitions and Notation"))
    assert link.get_attribute("href").startswith("https://arxiv.org/") and "noreferrer" in link.get_attribute("rel")
    page.get_by_role("button", name=re.compile("Next: Ask twice")).click()
    page.get_by_role("heading", name=re.compile("^4. Ask twice")).wait_for()
    page.wait_for_url(re.compile(r"chapter=Ask(\+|%20)twice"))
    page.wait_for_function("() => document.querySelector('[data-testid=stMain]').scrollTop === 0")


def test_throwing_again_and_only_then(server, visit) -> None:
    opened = visit(server, "/concepts?coin_people=1%2C000")
    page = opened.page
    page.locator(PICTURE).wait_for()
    frame = page.locator(".drawing").first.element_handle()  # inside a shadow root, which only locators see
    before = frame.inner_html()
    page.get_by_text("Nothing at all.").click()
    page.get_by_text("Not quite.").wait_for()
    assert frame.inner_html() == before
    page.get_by_role("button", name="Ask everybody again").click()
    page.wait_for_function("([frame, before]) => frame.innerHTML !== before", arg=[frame, before])


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_concepts_on_a_phone(server, visit, scheme: str) -> None:
    opened = visit(server, "/concepts?chapter=Local+or+central", width=390, height=844, scheme=scheme)
    page = opened.page
    page.locator(PICTURE).first.wait_for()
    assert opened.overflow() <= 0
    box = page.locator(PICTURE).first.bounding_box()
    assert box and box["x"] >= 0 and box["x"] + box["width"] <= 390
    ink = page.locator(f"{PICTURE} text").first.evaluate("(text) => getComputedStyle(text).fill")
    brightness = sum(map(int, re.findall(r"\d+", ink)[:3])) / 3
    assert (brightness > 180) if scheme == "dark" else (brightness < 80)  # the drawing follows the theme
