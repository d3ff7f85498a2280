"""The page for one's own table in a real browser: a training in its worker, a row that stays, a report that goes."""

from __future__ import annotations

import json
from typing import Any

import pytest

pytestmark = [pytest.mark.browser, pytest.mark.slow]


def bytes_of(frame: Any) -> bytes:
    return frame if isinstance(frame, bytes) else str(frame).encode()


def test_train_rehearse_send_and_stop(server: str, visit: Any) -> None:
    sent: list[bytes] = []

    def listen(page: Any) -> None:
        page.on("websocket", lambda socket: socket.on("framesent", lambda frame: sent.append(bytes_of(frame))))

    opened = visit(server, "/own?table=Breast%20cancer", width=1440, height=900, before=listen)
    page = opened.page
    page.click(".st-key-own_train button")
    page.wait_for_selector(".own-row-place .own-draws li")  # as soon as the mechanism is there
    page.locator(".own-form input").first.fill("12345.678")
    page.wait_for_function("document.querySelectorAll('.own-draws li').length === 8")
    page.click(".own-row-place button.send")
    page.wait_for_selector(".own-row-place .report-text")
    report = json.loads(page.inner_text(".own-row-place .report-text"))
    assert report["mechanism"] == "own data, joint bits" and report["epsilon"] == 4
    assert "1 report" in page.inner_text(".own-row-place .collector")
    assert not [url for url in opened.requests if "12345" in url]
    assert any(report["digest"].encode() in frame for frame in sent) and not any(b"12345" in frame for frame in sent)
    page.wait_for_selector(".st-key-own_curve svg")
    page.click(".st-key-own_stop button")
    page.wait_for_selector(".st-key-own_train button:not([disabled])")
    assert page.locator(".own-row-place .report-text").count() == 1  # what came before is kept
    own = [url for url in opened.requests if "/device/mechanisms/own-" in url]
    assert len(own) == 1
    stranger = visit(server, "/own", width=390, height=844)
    assert stranger.page.locator(".own-row-place").count() == 0
    assert stranger.page.evaluate("document.documentElement.scrollWidth") <= 390
