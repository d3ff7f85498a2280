"""The page for one's own table in a real browser: a training in its worker, a row that stays, a report that goes."""

from __future__ import annotations

import json
import time
import urllib.error
import urllib.request
from typing import Any

import numpy as np
import pytest
from browser_driver import PATIENCE
from counting_server import MARKER
from test_browser_sending import LEDGER, Line, reports
from traffic import SPY, Traffic, found

from ui.own.presence import GRACE
from ui.own.visit import TICK

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


def trained(opened: Any) -> Any:
    """The page, with rehearsals of its first row, once the training has been stopped and nothing runs any more."""
    page = opened.page
    page.click(".st-key-own_train button")
    page.wait_for_selector(".own-row-place .own-draws li")
    page.click(".st-key-own_stop button")
    page.wait_for_selector(".st-key-own_train button:not([disabled])")
    opened.settled()
    page.wait_for_timeout(1500)
    return page


def rehearse(page: Any, example: int, typed: str) -> list[Any]:
    """Choose a row, say its label, type, drag ε both ways, rehearse again. Every row and label that the Worker got."""
    page.get_by_label("Example row").select_option(index=example)
    page.locator(".own-row-place [role=radio]").nth(example % 2).click()
    page.locator(".own-form input").first.fill(typed)
    for press in ["ArrowRight"] * 2 + ["ArrowLeft"] * 2:
        page.locator(".own-row-place .eps input").press(press)
    page.get_by_role("button", name="Again").click()
    page.wait_for_timeout(1500)
    told = page.evaluate("() => window.toWorker.filter((m) => m.method === 'rehearse').map((m) => m.options)")
    return [(list(each["x"]), each["label"]) for each in told]


def test_two_rows_give_the_same_traffic_and_send_gives_one_report(server: str, visit: Any) -> None:
    """In one visit, since a visit's mechanism has its own address. The last piece is the positive control."""
    traffic = Traffic()
    watch = {"before": lambda page: (traffic.watch(page), page.add_init_script(SPY))}
    page = trained(visit(server, "/own?table=Breast%20cancer", width=1440, height=900, **watch))
    lists, told = [], list[Any]()
    for example, typed in ((1, "12345.678"), (2, "87.654321")):
        mark = len(traffic.sent)
        told = rehearse(page, example, typed)
        lists.append(traffic.since(mark))
    rows = {json.dumps(x) for x, _ in told}
    secrets = {f"row {i}": np.array(json.loads(x)) for i, x in enumerate(rows)} | {
        "typed": "12345.678",
        "too": "87.654321",
    }
    assert len(rows) >= 4 and {label for _, label in told} >= {0, 1}
    assert lists[0] == lists[1] and not found(traffic.sent, secrets)
    mark = len(traffic.sent)
    page.click(".own-row-place button.send")
    page.wait_for_selector(".own-row-place .report-text")
    page.wait_for_timeout(500)
    assert len(reports([each for each in traffic.since(mark) if b"rlm-report/2" in each])) == 1
    assert not found(traffic.sent, secrets)
    page.route("**/leak*", lambda route: route.fulfill(status=200))
    page.evaluate(
        "() => fetch('/leak', { method: 'POST', body: window.toWorker.findLast((m) => m.options?.x).options.x })"
    )
    page.wait_for_timeout(300)
    assert found(traffic.sent, secrets)


def test_a_report_that_is_lost_goes_again_as_it_is(server: str, visit: Any) -> None:
    line = Line()
    page = trained(visit(server, "/own?table=Breast%20cancer", width=1440, height=900, before=line.lay))
    page.click(".own-row-place button.send")
    page.get_by_text("The same report goes again").wait_for()
    assert page.locator(".own-row-place button.send").is_disabled()
    line.down = False
    page.wait_for_selector(".own-row-place .report-text")
    (entry,) = page.evaluate(LEDGER)
    assert page.inner_text(".own-row-place .report-text") == entry["report"]
    assert reports(line.lost) == reports(line.passed) and len(reports(line.lost)) == 1
    page.wait_for_selector(".own-row-place button.send:not([disabled])")
    assert page.inner_text(".own-row-place .message") == "" and "1 report" in page.inner_text(
        ".own-row-place .collector"
    )


def test_an_edited_schema_reaches_the_form_and_the_page_for_the_people(server: str, visit: Any) -> None:
    """On a phone: a bound, a title and a level are edited, a column is left out; the form and owner.html follow."""
    from playwright.sync_api import expect

    opened = visit(server, "/own?table=Adult", width=390, height=844)
    page = opened.page
    columns = page.get_by_test_id("stExpander").filter(has_text="Columns: ")
    columns.get_by_text("Columns: look and change").click()
    opened.settled()  # it has unfolded

    def typed(label: str) -> Any:
        return columns.get_by_role("textbox", name=label, exact=True)

    def look_at(name: str) -> None:
        opened.choose("Column to change", name)
        expect(typed("Title")).to_have_value(name, timeout=PATIENCE)  # the form is that column's
        opened.settled()

    def apply() -> None:
        columns.get_by_role("button", name="Apply").click()
        opened.settled()

    typed("Lower bound").fill("young")
    apply()
    columns.get_by_text("Expected a number for the lower bound of age").wait_for()
    assert typed("Lower bound").input_value() == "young"
    for label, text in (("Lower bound", "25"), ("Title", "Age today"), ("Unit", "years")):
        typed(label).fill(text)
    apply()
    columns.get_by_text("Applied to age").wait_for()
    look_at("workclass")
    typed("Levels, one a line").fill("Private\nAstronaut")
    apply()
    columns.get_by_text("In no public row, so counted as rare: Astronaut").wait_for()
    look_at("fnlwgt")
    opened.choose("Kind", "left out")
    columns.get_by_text("13 used, 1 left out").wait_for()
    columns.get_by_text("Left out: left out by hand").wait_for()  # it is still unfolded
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.set_viewport_size({"width": 1440, "height": 900})
    trained(opened)
    form = page.locator(".own-form")
    age = form.locator("label", has_text="Age today (years)").locator("input")
    assert (age.get_attribute("min"), age.get_attribute("max")) == ("25", "90")
    options = form.locator("label", has_text="workclass").locator("option").all_inner_texts()
    assert options == ["not said", "Private", "Astronaut", "other (not listed)"]
    assert form.locator("label", has_text="fnlwgt").count() == 0
    with page.expect_download() as download:
        page.click(".st-key-own_owner button")
    saved = download.value.path().read_text(encoding="utf-8")
    assert '"title":"Age today"' in saved and '"bounds":{"age":[25.0,90.0]}' in saved and "fnlwgt" not in saved


def test_a_minute_after_the_page_is_closed_nothing_of_the_visit_answers(server: str, visit: Any) -> None:
    """The page's promise; who loses the connection for a moment keeps everything."""
    page = trained(visit(server, "/own?table=Breast%20cancer", width=1440, height=900))
    fetched = page.evaluate("() => performance.getEntriesByType('resource').map((entry) => entry.name)")
    (address,) = [url for url in fetched if "/mechanisms/own-" in url]

    def answers() -> int:
        try:
            with urllib.request.urlopen(address, timeout=30) as answer:
                return int(answer.status)
        except urllib.error.HTTPError as error:
            return int(error.code)

    assert answers() == 200
    page.context.set_offline(True)
    time.sleep(5)
    page.context.set_offline(False)
    time.sleep(GRACE + 2 * TICK)  # it has come back, so it is not forgotten
    assert answers() == 200 and page.locator(".own-row-place").count() == 1
    page.close()
    time.sleep(GRACE / 2)
    assert answers() == 200
    time.sleep(GRACE / 2 + 2 * TICK)
    assert answers() == 404


def test_a_minute_after_the_page_is_closed_the_server_holds_nothing_of_the_file(
    counting_server: tuple[str, Any], visit: Any
) -> None:
    """Not in a session, a fragment or a queue; nobody else has to come for that."""
    address, tables = counting_server
    rows = "".join(f"{20 + at % 60},{('cook', 'nurse')[at % 2]},{('no', 'yes')[at % 60 > 30]}\n" for at in range(3000))
    opened = visit(address, "/own?table=Your%20file", width=1440, height=900)
    assert tables() == 0
    page = opened.page
    data = f"{MARKER},job,ill\n{rows}".encode()
    page.set_input_files(
        ".st-key-own_upload input[type=file]", {"name": "mine.csv", "mimeType": "text/csv", "buffer": data}
    )
    page.get_by_text("3,000 rows, 3 columns").wait_for()
    trained(opened)
    assert tables() > 0
    page.close()
    time.sleep(GRACE + 4 * TICK)
    assert tables() == 0
