"""The join page in a real Chromium: phones take part, once; the traffic holds nothing but reports."""

from __future__ import annotations

import gzip
import json
import re
import statistics
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from room import Client, campaign, serving
from test_rows import asked, table

from collection import join
from collection.own_mechanism import OwnMechanism
from collection.questions import Digit
from collection.store import Created, Store
from rlm_core import LocalPrivatiser
from rlm_core.report import Report
from server import device_routes

pytestmark = pytest.mark.browser
PHONE = {"width": 375, "height": 667}
MOST_BYTES = {"yes or no": 20_000, "one of ten": 20_000, "number": 20_000, "digit": 60_000}
"""Besides weights. A drawing also needs the Worker with the mechanism's scripts."""
LEVEL = 5
"""How hard the server compresses."""
READY_SECONDS = 1.0


@pytest.fixture
def store(tmp_path: Path) -> Store:
    return Store(f"sqlite:///{tmp_path / 'campaigns.db'}")


@pytest.fixture
def client(store: Store) -> Iterator[Client]:
    with serving(store, routes=[*join.ROUTES, *device_routes.ROUTES]) as made:
        yield made


class Phone:
    """A browser of one's own, with its errors and its traffic."""

    def __init__(self, chromium: Any, client: Client, **options: Any) -> None:
        self.address = f"http://127.0.0.1:{client.port}"
        self.context = chromium.new_context(viewport=PHONE, has_touch=True, is_mobile=True, **options)
        self.page = self.context.new_page()
        self.page.set_default_timeout(60_000)
        self.errors: list[str] = []
        self.requests: list[Any] = []
        self.page.on("console", lambda message: self.errors.append(message.text) if message.type == "error" else None)
        self.page.on("pageerror", lambda error: self.errors.append(str(error)))
        self.page.on("request", lambda request: self.requests.append(request))

    def open(self, made: Created) -> Any:
        self.page.goto(f"{self.address}/join/{made.id}")
        self.page.wait_for_selector("body[data-ready]")
        return self.page

    def posts(self) -> list[Any]:
        return [request for request in self.requests if request.method == "POST"]

    def shown(self) -> str:
        """The bytes on the page."""
        return str(self.page.locator("#bytes").text_content())

    def send(self) -> str:
        """The report in the envelope that the page shows."""
        self.page.get_by_role("button", name="Send one report").click()
        self.page.wait_for_selector("body[data-state=sent]")
        newest = json.loads(self.shown().splitlines()[-1])
        return json.dumps(newest["report"], separators=(",", ":"), ensure_ascii=False)


def test_three_phones_send_one_report_each(chromium: Any, client: Client, store: Store) -> None:
    made = store.create(campaign())
    for answer in ("no", "yes", "yes"):
        phone = Phone(chromium, client)
        page = phone.open(made)
        assert page.get_by_role("button", name="Send one report").is_disabled()
        page.get_by_label(answer, exact=True).check()
        page.locator("#draws li").nth(7).wait_for()
        assert phone.posts() == []  # rehearsals stay
        assert Report.from_json(phone.send()).of == 2
        (post,) = phone.posts()
        assert post.post_data == phone.shown()  # the exact bytes: the nonce is among them
        assert set(json.loads(post.post_data)) == {"nonce", "report"}
        assert {request.url.split("/")[2] for request in phone.requests} == {f"127.0.0.1:{client.port}"}
        assert phone.context.cookies() == [] and phone.errors == []
        phone.context.close()
    assert store.count(made.id) == 3


def test_a_phone_sends_once_and_knows_it(chromium: Any, client: Client, store: Store) -> None:
    """A reload, a second tab: no second report; the ledger adds up over campaigns."""
    made, other = store.create(campaign()), store.create(campaign("one of ten", epsilon=0.5))
    phone = Phone(chromium, client)
    page = phone.open(made)
    assert "spent 0 for you" in str(page.locator("#cost").text_content())
    page.get_by_label("yes", exact=True).check()
    phone.send()
    shown = phone.shown()
    page = phone.open(made)
    assert "already" in str(page.locator("#status").text_content())
    assert phone.shown() == shown and page.locator("#form").is_hidden()
    page = phone.open(other)
    assert "spent 1 for you" in str(page.locator("#cost").text_content())
    page.get_by_label("c", exact=True).check()
    phone.send()
    assert "ε = 1.5" in str(page.locator("#ledger").text_content())
    assert store.count(made.id) == 1 == store.count(other.id)
    assert phone.errors == []
    phone.context.close()


def test_of_two_open_tabs_one_sends(chromium: Any, client: Client, store: Store) -> None:
    """Both were opened before anything was sent: the second finds the place taken, and neither charges nor draws."""
    made, phone = store.create(campaign()), Phone(chromium, client)
    first, second = phone.open(made), phone.context.new_page()
    second.goto(f"{phone.address}/join/{made.id}")
    second.wait_for_selector("body[data-ready]")
    for page in (first, second):
        page.get_by_label("yes", exact=True).check()
        page.locator("#draws li").nth(7).wait_for()
    phone.send()
    second.get_by_role("button", name="Send one report").click()
    second.get_by_text("has sent its reports already").wait_for()
    entries = "Object.keys(localStorage).filter((key) => key.startsWith('rlm-ledger/')).length"
    assert second.evaluate(entries) == 1 and store.count(made.id) == 1
    phone.context.close()


CLAIM = """([id, since]) => localStorage.setItem(`rlm-campaign/1/${id}/${"0".repeat(32)}`,
  JSON.stringify({ nonce: "0".repeat(32), report: "", acknowledged: false, since: Date.now() - 1000 * since }))"""


def test_a_tab_that_died_while_drawing_keeps_its_place_for_two_minutes_only(
    chromium: Any, client: Client, store: Store
) -> None:
    made, phone = store.create(campaign()), Phone(chromium, client)
    page = phone.open(made)
    page.evaluate(CLAIM, [made.id, 5])
    page.get_by_label("yes", exact=True).check()
    page.get_by_role("button", name="Send one report").click()
    page.get_by_text("in another tab").wait_for()
    assert store.count(made.id) == 0
    page.evaluate(CLAIM, [made.id, 300])
    page.get_by_label("no", exact=True).check()
    phone.send()
    assert store.count(made.id) == 1 and phone.errors == []
    phone.context.close()


FULL = """(which) => {
  const keep = Storage.prototype.setItem;
  Storage.prototype.setItem = function (key, value) {
    const refused = which === "report" ? "rlm-report" : '"acknowledged":true';
    if (key.startsWith("rlm-campaign") && value.includes(refused)) {
      throw new DOMException("full", "QuotaExceededError");
    }
    return keep.call(this, key, value);
  };
}"""


def test_a_full_storage_is_said_and_what_was_taken_is_not_called_lost(
    chromium: Any, client: Client, store: Store
) -> None:
    """What cannot be kept is not sent; what was sent and cannot be ticked off goes again, and counts once."""
    made = store.create(campaign(reports_per_device=1))
    phone = Phone(chromium, client)
    page = phone.open(made)
    page.evaluate(FULL, "report")
    page.get_by_label("yes", exact=True).check()
    page.get_by_role("button", name="Send one report").click()
    page.get_by_text("no space left").wait_for()
    assert phone.posts() == [] and "spent 1 for you" in str(page.locator("#cost").text_content())
    page = phone.open(made)
    page.evaluate(FULL, "receipt")
    page.get_by_label("yes", exact=True).check()
    phone.send()
    assert page.get_by_text("Sent. Thank you.").is_visible()
    phone.open(made)
    page.wait_for_selector("body[data-state=sent]")
    assert len({post.post_data for post in phone.posts()}) == 1 and len(phone.posts()) == 2
    assert store.count(made.id) == 1 and phone.errors == []
    phone.context.close()


def test_after_a_lost_connection_the_same_report_goes_again(chromium: Any, client: Client, store: Store) -> None:
    """Once the answer is lost on its way back, once the page is closed while there is no network."""
    made = store.create(campaign())
    phone = Phone(chromium, client)
    page = phone.open(made)
    page.get_by_label("yes", exact=True).check()
    lost = []

    def lose(route: Any) -> None:
        if not lost:
            lost.append(route.fetch().status)  # it arrives, its answer does not
        route.abort()

    page.route(re.compile("/reports$"), lose)
    page.get_by_role("button", name="Send one report").click()
    page.get_by_text("The same report goes again").wait_for()
    assert page.locator("#sent").is_hidden()  # nothing to look at before it is there
    page.unroute(re.compile("/reports$"))
    page.reload()
    page.wait_for_selector("body[data-state=sent]")
    bodies = {request.post_data for request in phone.posts()}
    assert lost == [201] and len(bodies) == 1 and len(phone.posts()) >= 2
    assert store.count(made.id) == 1
    assert "ε = 1." in str(page.locator("#ledger").text_content())  # charged once
    phone.context.close()


def test_a_number(chromium: Any, client: Client, store: Store) -> None:
    made = store.create(campaign("number", epsilon=2.0))
    phone = Phone(chromium, client)
    page = phone.open(made)
    page.get_by_role("spinbutton").fill("99")
    assert page.get_by_role("button", name="Send one report").is_disabled()
    page.get_by_role("spinbutton").fill("7.5")
    page.locator("#draws li").nth(7).wait_for()
    sent = Report.from_json(phone.send())
    state = store.state(made.id)
    assert state is not None and state.tally.people == 1 and sent.of == state.campaign.mechanism.symbols
    assert phone.errors == []
    phone.context.close()


def test_a_drawn_digit_stays_on_the_phone(chromium: Any, client: Client, store: Store) -> None:
    made = store.create(campaign("digit", epsilon=4.0))
    phone = Phone(chromium, client)
    page = phone.open(made)
    box = page.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 2, box["y"] + box["height"] - 30, steps=12)
    page.mouse.up()
    page.get_by_label("1", exact=True).check()
    page.locator("#draws li").nth(7).wait_for()
    before = len(phone.requests)
    sent = Report.from_json(phone.send())
    assert [request.method for request in phone.requests[before:]] == ["POST"]
    assert sent.mechanism == "mnist-qrlm-k12" and sent.of == 120 and sent.members is not None
    assert phone.errors == [] and store.count(made.id) == 1
    phone.context.close()


def test_a_digit_without_its_label_is_rehearsed_as_codes(chromium: Any, client: Client, store: Store) -> None:
    question = Digit(text="Draw a digit.", card="mnist-qrlm-k12", label=False)
    made = store.create(campaign(epsilon=4.0, question=question))
    phone = Phone(chromium, client)
    page = phone.open(made)
    assert page.get_by_role("radio").count() == 0
    box = page.locator("canvas").bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + 30)
    page.mouse.down()
    page.mouse.move(box["x"] + box["width"] / 2 + 2, box["y"] + box["height"] - 30, steps=12)
    page.mouse.up()
    page.locator("#draws li").nth(7).wait_for()
    draws = page.locator("#draws li").all_text_contents()
    codes = [[int(code) for code in draw.removeprefix("codes ").split()] for draw in draws]
    assert all(draw.startswith("codes ") for draw in draws)
    size = question.channel(4.0).size
    assert all(len(each) == size and max(each) < 12 for each in codes)
    assert Report.from_json(phone.send()).of == 12 and phone.errors == []
    phone.context.close()


@pytest.mark.parametrize("kind", MOST_BYTES)
def test_small_and_ready_within_a_second(chromium: Any, client: Client, store: Store, kind: str) -> None:
    """All that the page loads until it is ready, but weights; the median of three phones, each with nothing stored."""
    made = store.create(campaign(kind, epsilon=4.0 if kind == "digit" else 0.5 if kind == "one of ten" else 1.0))
    seconds, sizes = [], []
    for _ in range(3):
        phone = Phone(chromium, client)
        answers: list[Any] = []
        phone.context.on("response", lambda answer, answers=answers: answers.append(answer))
        page = phone.open(made)
        seconds.append(int(page.evaluate("document.body.dataset.ready")) / 1000)
        page.wait_for_load_state("networkidle")
        bodies = [answer.body() for answer in answers if "/weights/" not in answer.url]
        sizes.append(sum(len(gzip.compress(body, LEVEL)) for body in bodies))
        assert any(answer.url.endswith("explain.js") for answer in answers)
        phone.context.close()
    print(f"{kind}: {max(sizes):,} bytes, ready after {statistics.median(seconds)} s")
    assert max(sizes) <= MOST_BYTES[kind], f"{kind}: {sizes} bytes"
    if kind != "digit":  # whose weights take as long as the network takes
        assert statistics.median(seconds) <= READY_SECONDS, f"{kind}: ready after {seconds} s"


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_one_hand_in_light_and_dark(chromium: Any, client: Client, store: Store, scheme: str) -> None:
    """Nothing to scroll sideways, and targets of a finger's size."""
    made = store.create(campaign("one of ten"))
    phone = Phone(chromium, client, color_scheme=scheme)
    page = phone.open(made)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    small = (
        "[...document.querySelectorAll('label.choice, button:not([hidden])')].filter((e) => e.offsetHeight < 44).length"
    )
    assert page.evaluate(small) == 0
    back, text = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    assert (back == "rgb(255, 255, 255)") == (scheme == "light") and back != text
    assert page.get_by_role("group", name="Which?").is_visible() and page.get_by_role("radio").count() == 10
    assert phone.errors == []
    phone.context.close()


@pytest.mark.parametrize("classes", [("no", "yes"), ("a", "b", "c")], ids=["joint bits", "codes"])
def test_a_row_of_an_own_table(chromium: Any, client: Client, store: Store, classes: tuple[str, ...]) -> None:
    """The form is made from the mechanism's schema; row and label leave as one symbol, and stay otherwise."""
    fitted = LocalPrivatiser(epsilon=4.0, reports=600).fit(table(classes, 600, 0), "y")
    made = store.create(asked(fitted), OwnMechanism.of(fitted))
    phone = Phone(chromium, client)
    page = phone.open(made)
    send = page.get_by_role("button", name="Send one report")
    page.get_by_label(classes[1], exact=True).check()
    assert send.is_disabled() and page.get_by_label("age").input_value() == ""  # nobody's row is filled in for them
    page.get_by_label("age").fill("44")
    page.get_by_label("job").select_option("nurse")
    page.locator("#draws li").nth(7).wait_for()
    before = len(phone.requests)
    sent = Report.from_json(phone.send())
    (post,) = phone.requests[before:]
    assert post.method == "POST" and "nurse" not in post.post_data
    if len(classes) == 2:
        assert sent.coordinate is not None and sent.symbol is not None and sent.label is None
    else:
        assert sent.members is not None and sent.of == 3 * fitted.plan_.size
    assert sent.mechanism == f"own data, {fitted.plan_.kind}" and store.count(made.id) == 1
    assert phone.errors == []
    phone.context.close()


def test_the_report_is_said_in_words(chromium: Any, client: Client, store: Store) -> None:
    """From its bytes alone, with both chances; also after a reload, when no answer is known any more."""
    made = store.create(campaign())
    phone = Phone(chromium, client)
    page = phone.open(made)
    page.get_by_label("yes", exact=True).check()
    sent = Report.from_json(phone.send())
    named = ("no", "yes")[int(sent.symbol or 0)]
    said = f"It says “{named}”. That is what 73 of 100 people say whose answer it is, and 27"
    assert said in str(page.locator("#words").text_content())
    phone.open(made)
    assert said in str(page.locator("#words").text_content())
    assert page.get_by_text("only HTTPS protects it on its way").is_visible()
    assert page.get_by_text("This one came without HTTPS").is_visible()
    phone.context.close()


def test_several_reports_without_a_reload(chromium: Any, client: Client, store: Store) -> None:
    made = store.create(campaign(reports_per_device=3))
    phone = Phone(chromium, client)
    page = phone.open(made)
    for left in (2, 1, 0):
        page.get_by_label("yes", exact=True).check()
        phone.send()
        again = page.get_by_role("button", name=f"{left} left")
        if left:
            again.click()
    assert again.count() == 0 and store.count(made.id) == 3
    assert "ε = 3." in str(page.locator("#ledger").text_content()) and phone.errors == []
    phone.context.close()


def test_a_browser_that_keeps_nothing_sends_nothing(chromium: Any, client: Client, store: Store) -> None:
    made = store.create(campaign())
    phone = Phone(chromium, client)
    phone.page.add_init_script(
        "Object.defineProperty(window, 'localStorage', {get() { throw new DOMException('denied', 'SecurityError'); }})"
    )
    page = phone.open(made)
    assert "could not remember that you have answered" in str(page.locator("#status").text_content())
    assert page.locator("#form").is_hidden() and phone.errors == []
    phone.context.close()


def test_retry_after_is_obeyed_and_not_by_all_at_once(chromium: Any, client: Client, store: Store) -> None:
    made = store.create(campaign())
    phone = Phone(chromium, client)
    page = phone.open(made)
    times: list[float] = []

    def refuse_once(route: Any) -> None:
        times.append(time.monotonic())
        if len(times) > 1:
            return route.continue_()
        busy = {"retry-after": "3", "content-type": "application/json"}
        return route.fulfill(status=429, headers=busy, body='{"error": "Too many reports at once."}')

    page.route(re.compile("/reports$"), refuse_once)
    page.get_by_label("yes", exact=True).check()
    phone.send()
    assert len(times) == 2 and times[1] - times[0] >= 3.0
    assert len({request.post_data for request in phone.posts()}) == 1 == store.count(made.id)
    waits = page.evaluate(
        """async () => {
          const { secondsToWait } = await import("/join/files/patience.js");
          const busy = new Response("", { status: 429, headers: { "retry-after": "3" } });
          const fixed = [[busy, 0, 0], [busy, 5, 1], [null, 0, 0], [null, 2, 0], [null, 99, 0]];
          return [fixed.map(([answer, tries, chance]) => secondsToWait(answer, tries, () => chance)),
                  Array.from({ length: 50 }, () => secondsToWait(busy, 0))];
        }"""
    )
    assert waits[0] == [3, 6, 2, 8, 60]  # never earlier than asked for; without an answer twice as long each time
    assert min(waits[1]) >= 3 and max(waits[1]) - min(waits[1]) > 1  # spread; fails by chance in 1 of 10^10
    phone.context.close()


def test_the_first_request_is_tried_again(chromium: Any, client: Client, store: Store) -> None:
    made = store.create(campaign())
    phone = Phone(chromium, client)
    failures = ["abort", "busy"]

    def fail_twice(route: Any) -> None:
        if not failures:
            return route.continue_()
        if failures.pop(0) == "abort":
            return route.abort()
        return route.fulfill(status=503, headers={"retry-after": "1"})

    phone.page.route(re.compile(f"/api/campaigns/{made.id}$"), fail_twice)
    phone.page.goto(f"{phone.address}/join/{made.id}")
    phone.page.get_by_text("Trying again in").wait_for()
    phone.page.wait_for_selector("body[data-ready]")
    assert phone.page.get_by_label("yes", exact=True).is_visible() and failures == []
    phone.context.close()


def test_campaigns_that_are_closed_or_not_there(chromium: Any, client: Client, store: Store) -> None:
    made = store.create(campaign())
    store.close(made.id)
    phone = Phone(chromium, client)
    page = phone.open(made)
    assert "closed" in str(page.locator("#status").text_content()) and page.locator("#form").is_hidden()
    page.goto(f"{phone.address}/join/nothere")
    page.get_by_text("no such campaign").wait_for()
    phone.context.close()


def test_files_and_headers(client: Client) -> None:
    status, html, headers = client.ask("GET", "/join/any")
    assert status == 200 and b"Take part" in html
    assert "default-src 'none'" in headers["content-security-policy"] and headers["referrer-policy"] == "no-referrer"
    for path, expected in (("join.js", 200), ("join.css", 200), ("index.html", 404), ("..%2f..%2fserve.py", 404)):
        assert client.ask("GET", f"/join/files/{path}")[0] == expected
