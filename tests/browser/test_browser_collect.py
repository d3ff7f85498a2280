"""The collector's page in a real browser: collect, watch a curve grow, stop, compare, refresh, phone, dark."""

from __future__ import annotations

import re
from urllib.parse import quote_plus

import pytest

from ui.collect.text import NUMBERS_NAME

pytestmark = pytest.mark.browser

NUMBERS = f"send={quote_plus(NUMBERS_NAME)}&eps=10"
SMALL = f"{NUMBERS}&people=500&objective=Naive"
LINES = ".rlm-chart .line"
OVER = "() => !document.querySelector('.st-key-collect_stop')"


def learn(opened) -> None:
    """Press the button and wait until the run is over."""
    page = opened.page
    lines = max(1, page.locator(".rlm-runs tr").count())  # the head, and a line for each run
    page.locator(".st-key-collect_learn button").click()
    page.locator(".rlm-runs tr").nth(lines).wait_for()
    page.wait_for_function(OVER)
    opened.settled()


def test_collect_learn_compare_and_refresh(server, visit) -> None:
    opened = visit(server, f"/collect?{SMALL}")
    page = opened.page
    page.get_by_role("button", name="Collect 500 reports").wait_for()
    assert page.locator(".rlm-runs").count() == 0
    learn(opened)
    page.wait_for_url(re.compile("visit="))
    opened.wait_for_count(LINES, 2)  # clean and privatised
    shown = page.locator(".rlm-figures strong").first.inner_text()
    assert re.fullmatch(r"\d+\.\d %", shown) and shown in page.locator(".rlm-runs tr").nth(1).inner_text()
    page.get_by_role("radio", name="Label noise only").or_(page.get_by_role("button", name="Label noise only")).click()
    page.get_by_role(
        "button", name="Learn from the reports you have (spends ε = 50 for each validation member)"
    ).wait_for()
    opened.settled()
    learn(opened)
    page.get_by_text("same reports").wait_for()
    opened.wait_for_count(LINES, 4)
    assert page.locator(".rlm-runs tr").count() == 3
    assert "one report: ε = 10 in total" in page.locator("body").inner_text()
    page.reload()
    opened.settled()
    opened.wait_for_count(LINES, 4)
    assert page.locator(".rlm-runs tr").count() == 3  # nothing is lost
    with page.expect_download() as started:
        page.get_by_role("button", name="Runs (CSV)").click()
    assert len(started.value.path().read_text().splitlines()) == 3
    assert "Traceback" not in page.locator("body").inner_text()


def test_a_long_run_can_be_watched_and_stopped_while_others_move_their_sliders(server, visit) -> None:
    opened = visit(server, f"/collect?{NUMBERS}")
    page = opened.page
    page.get_by_role("button", name="Collect 13,500 reports").click()
    progress = page.get_by_test_id("stProgress")
    progress.get_by_text(re.compile(r"epoch \d+ of 20")).wait_for()  # by itself: nobody touches the page
    page.locator(LINES).first.wait_for(state="attached")
    other = visit(server, "/advise")
    other.settled()
    before = other.page.locator("[data-testid=stMain]").inner_text()
    thumb = other.page.locator("[role=slider], input[type=range]").last
    thumb.focus()
    thumb.press("ArrowRight")
    changed = "before => document.querySelector('[data-testid=stMain]').innerText !== before"
    other.page.wait_for_function(changed, arg=before)
    page.locator(".st-key-collect_stop button").first.click()
    page.wait_for_function(OVER)
    opened.settled()
    row = page.locator(".rlm-runs tr").nth(1).inner_text()
    assert "%" in row and ("stopped" in row or "of 20" in row)
    if "stopped" in row:
        page.get_by_role("button", name="Go on with #1").click()
        page.locator(".st-key-collect_stop").first.wait_for()


def test_deep_link_to_the_collector(server, visit) -> None:
    opened = visit(server, "/collect?exp=Novel+class&eps=4&people=1%2C000&objective=Naive")
    page = opened.page
    page.get_by_role(
        "button",
        name="Collect 1,000 reports and learn (spends ε = 4 for each person, ε = 20 for each validation member)",
    ).wait_for()
    for part in ("exp=Novel", "eps=4", "people=1", "objective=Naive"):
        assert part in page.url
    assert page.locator(".st-key-lam").count() == 0


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_collect_on_a_phone(server, visit, scheme: str) -> None:
    opened = visit(server, f"/collect?{SMALL}", width=390, height=844, scheme=scheme)
    learn(opened)
    assert opened.overflow() <= 0
    colour = opened.page.evaluate("() => getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", colour)[:3])) / 3
    assert (brightness < 60) if scheme == "dark" else (brightness > 200)
