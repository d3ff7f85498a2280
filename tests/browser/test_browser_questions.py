"""A visitor's ten questions, each answered in a sentence on a page two clicks from the start: the browser reads it.

1 what leaves my device?                     image        6 why is the paper's "Maximum" not the limit?   bound
2 what does halving ε do?                    concepts     7 which mechanism and ε for 80 % on MNIST?      advise,
3 why not send twice?                        concepts       and does collecting confirm it?               collect
4 what is λ for, and which is best?          concepts     8 what is a Q-RLM, and why is it better?        concepts
5 what does ε = 1 mean in words?             advise       9 what does the collector know after a report?  image
                                                         10 is the claim true, and how do we know?        audit
"""

from __future__ import annotations

import re
from typing import Any

import pytest

from benchmarks import gain
from ui.app.site import PAGES
from ui.kit.formats import epsilon_up

pytestmark = pytest.mark.browser  # slow, but for what conftest names


def two_clicks(server, visit, file: str) -> Any:
    """From the start page through the menu: a group, then the page."""
    spec = next(each for each in PAGES if each.file == file)
    opened = visit(server, "/", width=1440, height=900)
    opened.page.get_by_test_id("stTopNavSection").filter(has_text=spec.group).click()
    opened.page.get_by_role("link", name=spec.title).last.click()
    opened.page.wait_for_url(re.compile(f"/{file}"))
    opened.settled()
    return opened


def text_of(page: Any) -> str:
    return str(page.locator("[data-testid=stMain]").inner_text())


def test_what_leaves_my_device_and_what_does_the_collector_know(server, visit) -> None:
    page = two_clicks(server, visit, "image").page
    page.wait_for_function("() => Number(document.querySelector('.sides')?.dataset.updates ?? 0) > 0")
    assert "Nothing crosses until you send it" in text_of(page)
    assert "0 bytes" in page.locator(".sides .wall").inner_text()
    page.get_by_role("button", name="Send one report").click()
    page.get_by_text("1 report", exact=True).wait_for()
    sent = len(page.locator(".sides .report-text").text_content().encode())
    assert f"The report: {sent} bytes, all that crossed" in text_of(page)
    page.get_by_text(re.compile("allows at most")).wait_for()
    said = re.sub(r"\s+", " ", text_of(page))
    known = re.search(r"Best guess: \w+, with ([\d.]+) %.*?allows at most ([\d.]+) %", said)
    assert known and float(known[1]) <= float(known[2]), said


def test_what_the_chapters_answer(server, visit) -> None:
    opened = two_clicks(server, visit, "concepts")
    page = opened.page
    for chapter, answer, also in (
        ("Ask twice", "independent noise averages out", "n reports of ε cost n·ε"),
        ("Labels and λ", "λ·ε for the record, the rest for its label", "Best here is λ = ½"),
        ("Codes", "a random set of codes", "Numbers need noise in every direction; a code needs it once."),
        ("What ε means", "What does halving ε do? The factor becomes its square root", "× 1.6 at ε = 0.5"),
        ("Your device", "only the report leaves", "must be trusted with"),
    ):
        page.locator(".st-key-chapter").get_by_text(chapter, exact=True).click()
        page.get_by_role("heading", level=2).filter(has_text=re.compile(r"^\d+\. ")).first.wait_for()
        page.get_by_text(answer.split(".")[0][:30]).first.wait_for()
        opened.settled()
        shown = re.sub(r"\s+", " ", text_of(page))
        assert answer in shown and also in shown, chapter


def test_what_does_epsilon_one_mean_and_which_epsilon_for_eighty_per_cent(server, visit) -> None:
    need = gain.needs("mnist", 80.0)[0]
    opened = two_clicks(server, visit, "advise")
    answer = opened.page.get_by_role("status").filter(has_text="For 80 % on MNIST")
    answer.wait_for()
    assert f"{need.mechanism} needs" in answer.inner_text() and f"ε = {epsilon_up(need.epsilon)}" in answer.inner_text()
    assert "Strong protection" in text_of(opened.page) and "at most 23.2 % sure" in text_of(opened.page)
    chart = opened.page.locator(".st-key-gain_chart").bounding_box()
    assert chart["y"] + chart["height"] < 900  # the answer and gain against risk, on one screen
    assert re.search(r"right 97 % of the time\. It costs each sender .* 19 % of the time", answer.inner_text())
    opened.page.get_by_text("Twice the people").scroll_into_view_if_needed()
    wish = opened.page.locator(".st-key-advise_controls").bounding_box()
    assert 0 <= wish["y"] and wish["y"] + wish["height"] < 900  # still beside what it moves
    with opened.page.expect_download() as started:
        opened.page.get_by_role("button", name="One page to print").click()
    assert "<h1>Choose an ε</h1>" in started.value.path().read_text()


def test_does_collecting_confirm_it(server, visit) -> None:
    """At the ε that was named, everybody is asked: the answer is at least what was wished for."""
    need = gain.needs("mnist", 80.0)[0]
    assert need.mechanism == "Q-RLM" and need.epsilon is not None and need.epsilon <= 1.0
    opened = two_clicks(server, visit, "collect")
    page = opened.page
    page.get_by_text("An example to begin with").wait_for()
    assert "10 codes." in text_of(page) and "Nothing to divide." in text_of(page)
    page.get_by_role("button", name="Collect 13,500 reports and learn (spends ε = 1 for each person").click()
    page.locator(".rlm-runs tr").nth(1).wait_for()
    page.wait_for_function("() => !document.querySelector('.st-key-collect_stop')")
    page.get_by_text("13,500 of 13,500 reports have arrived").first.wait_for()  # twice while the page is drawn anew
    shown = page.locator(".rlm-figures strong").first.inner_text()
    assert float(shown.removesuffix(" %")) >= 80.0
    assert re.search(r"Measured before: codes \d\d\.\d %", text_of(page))


def test_why_is_the_papers_maximum_not_the_limit(server, visit) -> None:
    page = two_clicks(server, visit, "bound").page
    page.get_by_text("not of local differential privacy").wait_for()
    assert "the grey curve is above it" in text_of(page)


def test_is_the_claim_true_and_how_do_we_know(server, visit) -> None:
    page = two_clicks(server, visit, "audit").page
    page.get_by_text("Is the claim true, and how do we know?").wait_for()  # open: nothing to click
    page.get_by_text("Covered by neither.").wait_for()
    page.locator("details .katex-display").first.wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_choosing_on_a_phone(server, visit, scheme: str) -> None:
    opened = visit(server, "/advise", width=390, height=844, scheme=scheme)
    opened.page.get_by_text("Twice the people").wait_for()
    assert opened.overflow() <= 0
