"""Sending in a real browser: before the network has come, over a lost connection, and with a full storage."""

from __future__ import annotations

import json
from typing import Any

import pytest
from test_browser_image import ready

pytestmark = pytest.mark.browser

LEDGER = """() => Object.entries(localStorage).filter(([key]) => key.startsWith("rlm-ledger/"))
    .map(([, text]) => JSON.parse(text))"""


class Line:
    """The page's web socket. While it is ``down``, reports that the page posts are lost."""

    def __init__(self) -> None:
        self.down = True
        self.lost: list[bytes] = []
        self.passed: list[bytes] = []

    def lay(self, page: Any) -> None:
        """Before the page is opened."""
        page.route_web_socket("**/_stcore/stream*", self._connect)

    def _connect(self, socket: Any) -> None:
        server = socket.connect_to_server()

        def forward(message: Any) -> None:
            piece = message if isinstance(message, bytes) else message.encode()
            if b"rlm-report/2" not in piece:
                return server.send(message)
            (self.lost if self.down else self.passed).append(piece)
            return None if self.down else server.send(message)

        socket.on_message(forward)


def reports(pieces: list[bytes]) -> set[bytes]:
    """The reports in some frames: everything from the format's name to the end of the JSON text."""
    found = set()
    for piece in pieces:
        start = piece.index(b"rlm-report/2")
        found.add(piece[start : piece.index(b"}", start)])
    return found


def test_a_report_that_is_lost_goes_again_as_it_is(server, visit) -> None:
    line = Line()
    page = ready(visit(server, "/image?eps=4", before=line.lay))
    page.locator(".sides .send").click()
    page.get_by_text("The same report goes again").wait_for()
    assert page.locator(".sides .send").is_disabled() and page.locator(".sides .send").inner_text() == "Sending …"
    (entry,) = page.evaluate(LEDGER)
    assert entry["report"] and entry["unsent"]["dataset"] == "mnist"
    line.down = False
    page.get_by_text("1 report", exact=True).wait_for()
    assert page.locator(".sides .report-text").text_content() == entry["report"]
    assert reports(line.lost) == reports(line.passed) and len(reports(line.lost)) == 1
    page.get_by_role("button", name="Send one report").wait_for()
    (after,) = page.evaluate(LEDGER)
    assert after == {name: value for name, value in entry.items() if name != "unsent"}


def test_a_report_that_was_lost_goes_after_a_reload_and_is_not_drawn_anew(server, visit) -> None:
    line = Line()
    page = ready(visit(server, "/image?eps=4", before=line.lay))
    page.locator(".sides .send").click()
    page.wait_for_function(f"() => ({LEDGER})().some((each) => each.report)")
    page.wait_for_function("() => document.querySelector('.sides .send').textContent === 'Sending …'")
    line.down = False
    page.reload()
    page.get_by_text("1 report", exact=True).wait_for()
    (entry,) = page.evaluate(LEDGER)
    assert page.locator(".sides .report-text").text_content() == entry["report"] and "unsent" not in entry
    page.get_by_text("1 sent, ε = 4 in total").wait_for()
    page.reload()
    ready(visit_of(page))
    page.wait_for_timeout(1500)
    assert page.get_by_text("1 report", exact=True).count() == 0  # once it came it is not sent again


def visit_of(page: Any) -> Any:
    """A page that was opened before, for ``ready``."""
    return type("Opened", (), {"page": page})


def test_sending_before_the_network_has_come_waits_for_it(server, visit) -> None:
    """The page opens with numbers; the codes' weights are held back while their report is asked for."""
    held: list[Any] = []

    def hold(page: Any) -> None:
        page.route("**/device/mechanisms/mnist-qrlm*", lambda route: held.append(route))

    page = ready(visit(server, "/image?eps=4", before=hold))
    page.get_by_role("radio", name="Codes: one symbol").click()
    page.locator(".sides .send:enabled").click()
    page.wait_for_function("() => document.querySelector('.sides .send').textContent.startsWith('Loading the network')")
    assert page.locator(".sides .send").is_disabled() and page.evaluate(LEDGER) == []
    for route in held:
        route.continue_()
    held.clear()
    page.unroute("**/device/mechanisms/mnist-qrlm*")
    page.get_by_text("1 report", exact=True).wait_for()
    assert "mnist-qrlm" in json.loads(page.locator(".sides .report-text").text_content())["mechanism"]
    assert page.locator(".sides .message").inner_text() == ""


FILL = """(left) => {
    for (let size = 1 << 20; size >= 1; size >>= 1) {
        try { for (let i = 0; ; i++) localStorage.setItem(`fill/${size}/${i}`, "x".repeat(size)); } catch { /* full */ }
    }
    for (let i = 0, freed = 0; freed < left; i++) { localStorage.removeItem(`fill/1024/${i}`); freed += 1024; }
}"""


@pytest.mark.parametrize("left", [0, 1024], ids=["full", "with room for a charge and not for the report"])
def test_with_a_full_storage_nothing_is_charged_and_nothing_sent(server, visit, left: int) -> None:
    line = Line()
    line.down = False
    page = ready(visit(server, "/image?eps=4&mech=pixels", before=line.lay))
    page.evaluate("() => { for (let i = 0; i < 4; i++) localStorage.setItem(`fill/1024/${i}`, 'x'.repeat(1024)); }")
    page.evaluate(FILL, left)
    page.locator(".sides .send").click()
    page.get_by_text("storage is full").wait_for()
    assert page.evaluate(LEDGER) == [] and line.passed == []
    page.evaluate(
        "() => Object.keys(localStorage).forEach((key) => key.startsWith('fill/') && delete localStorage[key])"
    )
    page.locator(".sides .send:enabled").click()
    page.get_by_text("1 report", exact=True).wait_for()
