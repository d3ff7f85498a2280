"""A visitor's questions, each answered on one page in a sentence: the browser reads the answer.

What leaves my device, and what the collector knows after one report, are asked on the pages of a record; whether the
collect page confirms the ε of 80 %, there.
"""

from __future__ import annotations

import re

import pytest

from benchmarks import gain
from ui.kit.formats import epsilon_up

pytestmark = pytest.mark.browser


def read(server, visit, path: str, *answers: str | re.Pattern[str], width: int = 1440, height: int = 900) -> str:
    """Open a page, wait for every answer, and give back all of its text."""
    opened = visit(server, path, width=width, height=height)
    for answer in answers:
        opened.page.get_by_text(answer).first.wait_for()
    opened.settled()
    return str(opened.page.locator("[data-testid=stMain]").inner_text())


def test_what_does_halving_epsilon_do(server, visit) -> None:
    text = read(server, visit, "/concepts?chapter=What+%CE%B5+means", re.compile("becomes its square root"))
    assert "What does halving ε do?" in text and "× 1.6 at 0.5" in text


def test_what_is_lambda_for_and_which_is_best(server, visit) -> None:
    text = read(server, visit, "/concepts?chapter=Labels+and+%CE%BB", re.compile("λ·ε for the record"))
    assert re.search(r"Best here is\s+λ = ½", text) and "one pair" in text


def test_what_is_a_qrlm_and_why_is_it_better(server, visit) -> None:
    text = read(server, visit, "/concepts?chapter=Codes", re.compile("a random set of codes"))
    assert "Numbers need noise in every direction; a code needs it once." in text


def test_what_does_epsilon_one_mean(server, visit) -> None:
    text = read(server, visit, "/advise?need=80", re.compile("protection"))
    assert "Strong protection" in text and "at most 23.2 % sure" in text


def test_which_mechanism_and_epsilon_for_eighty_per_cent(server, visit) -> None:
    need = gain.needs("mnist", 80.0)[0]
    opened = visit(server, "/advise", width=1440, height=900)
    answer = opened.page.get_by_role("status").filter(has_text="For 80 % on MNIST")
    answer.wait_for()
    assert f"{need.mechanism} needs" in answer.inner_text() and f"ε = {epsilon_up(need.epsilon)}" in answer.inner_text()
    last = opened.page.get_by_text("Twice the people").bounding_box()
    assert last["y"] + last["height"] < 900  # all answers beside the controls, on one screen
    with opened.page.expect_download() as started:
        opened.page.get_by_role("button", name="One page to print").click()
    assert "<h1>Choose an ε</h1>" in started.value.path().read_text()


def test_why_is_the_papers_maximum_not_the_limit(server, visit) -> None:
    read(server, visit, "/bound", re.compile("not of local differential privacy"))


def test_is_the_claim_true_and_how_do_we_know(server, visit) -> None:
    opened = visit(server, "/audit", width=1440, height=900)
    opened.page.get_by_text("Is the claim true, and how do we know?").click()
    opened.page.get_by_text("Covered by neither.").wait_for()
    opened.page.locator("details .katex-display").first.wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_choosing_on_a_phone(server, visit, scheme: str) -> None:
    opened = visit(server, "/advise", width=390, height=844, scheme=scheme)
    opened.page.get_by_text("Twice the people").wait_for()
    assert opened.overflow() <= 0
