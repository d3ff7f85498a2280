"""The start page in a real browser: one screen, a live digit, no other host."""

from __future__ import annotations

import re

import pytest

pytestmark = pytest.mark.browser

DECODED = "img.xd"


def set_slider(page, position: int) -> None:
    """Move the range input as a drag does: set it and fire its event."""
    page.locator("input[type=range]").fill(str(position))


@pytest.fixture
def start(server, visit):
    """The start page with its digit drawn."""

    def opened(**options):
        page = visit(server, "/", **options)
        page.page.locator(".live[data-ready]").wait_for()
        return page

    return opened


def test_promise_and_digit_fit_one_laptop_screen(start) -> None:
    page = start().page
    for selector in ("h1", "input[type=range]", ".live .promise", ".live .spent", DECODED):
        box = page.locator(selector).first.bounding_box()
        assert box and box["y"] >= 0 and box["y"] + box["height"] <= 800, selector
    assert "as likely under your record as under any other" in page.locator(".live .promise").inner_text()


def test_dragging_draws_and_spends(start) -> None:
    opened = start()
    page = opened.page
    first = opened.source(DECODED)
    assert "1 report, ε = 8 in total" in page.locator(".live .spent").inner_text()
    set_slider(page, 1)  # ε = 1
    page.get_by_text("2 reports, ε = 9 in total").wait_for()
    second = opened.source(DECODED)
    assert second != first and page.locator("output").inner_text() == "1"
    assert "e1 = 2.7 times" in page.locator(".live .promise").inner_text().replace("\n", "")
    page.wait_for_url(re.compile(r"eps=1$"))
    set_slider(page, 15)  # back to 8: the report that was sent, and no new one
    assert opened.wait_for_other(DECODED, second) == first
    assert "2 reports, ε = 9 in total" in page.locator(".live .spent").inner_text()
    page.get_by_role("button", name="Draw again").click()
    page.get_by_text("3 reports, ε = 17 in total").wait_for()
    assert opened.source(DECODED) != first


def test_a_real_drag_ends_where_the_hand_lets_go(start) -> None:
    opened = start()
    page = opened.page
    box = page.locator("input[type=range]").bounding_box()
    y = box["y"] + box["height"] / 2
    page.mouse.move(box["x"] + box["width"] * 15 / 20, y)
    page.mouse.down()
    for step in range(15, 5, -1):
        page.mouse.move(box["x"] + 10 + (box["width"] - 20) * step / 20, y)
    page.mouse.up()
    page.wait_for_url(re.compile(r"eps=3\.5$"))
    page.get_by_text("e3.5 = 33 times").wait_for()
    assert page.locator("output").inner_text() == "3.5"


def test_epsilon_goes_along_to_the_image_page(start) -> None:
    page = start().page
    set_slider(page, 4)  # ε = 2.5
    page.get_by_text("ε = 10.5 in total").wait_for()
    page.get_by_test_id("stMain").get_by_role("link", name="Privatise an image").click()
    page.get_by_text("e2.5 = 12 times").wait_for()
    page.wait_for_url(re.compile(r"/image\?eps=2\.5"))
    page.get_by_test_id("stSidebar").get_by_role("link", name="Start").click()
    page.locator("output").get_by_text("2.5", exact=True).wait_for()  # and back


def test_answers_carry_strict_headers(server, chromium) -> None:
    context = chromium.new_context()
    policy = context.request.get(server).headers["content-security-policy"]
    context.close()
    assert "default-src 'self'" in policy and "http" not in policy


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_start_on_a_phone(start, scheme: str) -> None:
    opened = start(width=390, height=844, scheme=scheme)
    assert opened.overflow() <= 0
    wall = opened.page.locator(".wall").bounding_box()
    assert wall and wall["width"] > 5 * wall["height"]  # the boundary lies across
    colour = opened.page.evaluate("() => getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", colour)[:3])) / 3
    assert (brightness < 60) if scheme == "dark" else (brightness > 200)
