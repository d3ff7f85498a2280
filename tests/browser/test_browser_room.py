"""A room of phones: the creator's page shows the code, three phones draw and send, and the wall follows."""

from __future__ import annotations

import json
import re
import statistics
import time
import urllib.request
from collections.abc import Iterator
from typing import Any

import pytest

from conftest import running
from rlm_core.report import Report

pytestmark = [pytest.mark.browser, pytest.mark.slow]
WITHIN = 2.0
"""Seconds from a phone's receipt to the wall, of every phone; the page asks every second."""
BUSY = 20
"""On a busy machine also so many times what the server takes for its smallest answer, measured beside each phone."""


@pytest.fixture
def room(chromium: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The app with a database of its own."""
    monkeypatch.setenv("RLM_DATABASE", f"sqlite:///{tmp_path / 'campaigns.db'}")
    with running("serve.py") as address:
        yield address


def phone_sends(chromium: Any, link: str, digit: int) -> list[Any]:
    """One phone: opens the link, draws a stroke, says what it is, sends. What it sent that was no plain GET."""
    context = chromium.new_context(viewport={"width": 375, "height": 667}, has_touch=True, is_mobile=True)
    page = context.new_page()
    page.set_default_timeout(120_000)
    requests: list[Any] = []
    page.on("request", lambda request: requests.append(request))
    page.goto(link)
    page.wait_for_selector("body[data-ready]")
    box = page.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2 + 10 * digit, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] - 30, steps=8)
    page.mouse.up()
    page.get_by_label(str(digit), exact=True).check()
    page.get_by_role("button", name="Send one report").click()
    page.wait_for_selector("body[data-state=sent]")
    sent = [(request.method, request.url, request.post_data) for request in requests]
    context.close()
    return [each for each in sent if each[0] != "GET"]


def smallest_answer(address: str) -> float:
    """Seconds, the median of five."""
    seconds = []
    for _ in range(5):
        start = time.monotonic()
        with urllib.request.urlopen(f"{address}/_stcore/health", timeout=30) as answer:
            answer.read()
        seconds.append(time.monotonic() - start)
    return statistics.median(seconds)


def test_three_phones_and_the_wall(chromium: Any, room: str, visit: Any) -> None:
    opened = visit(room, "/room")
    page = opened.page
    page.get_by_role("radio", name="draw a digit").or_(page.get_by_role("button", name="draw a digit")).first.click()
    page.get_by_label("What to draw").wait_for()
    page.get_by_role("button", name="Start").click()
    link = str(page.locator(".rlm-invitation a").get_attribute("href"))
    token = re.search(r"token=([\w-]+)", page.url)
    assert token and token[1] not in link
    page.get_by_text("Nobody has reported yet.").wait_for()
    late = []
    for number, digit in enumerate((1, 7, 1), start=1):
        ((method, url, body),) = phone_sends(chromium, link, digit)
        sent = time.monotonic()
        page.get_by_text(re.compile(rf"^{number}$")).first.wait_for()
        took = time.monotonic() - sent
        late.append(took - WITHIN - BUSY * smallest_answer(room))
        envelope = json.loads(body)
        assert method == "POST" and url.endswith("/reports") and set(envelope) == {"nonce", "report"}
        report = Report.from_json(json.dumps(envelope["report"]))
        assert report.members is not None and report.label is None
    assert max(late) <= 0, f"the wall is late by {late} s"
    page.locator(".rlm-wall img").nth(2).wait_for()
    other = visit(room, re.sub(r"token=[\w-]+", "token=guessed", page.url.removeprefix(room))).page
    assert other.get_by_text(re.compile("link|campaign")).first.is_visible() and other.locator(".rlm-wall").count() == 0
