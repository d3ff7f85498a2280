"""The join page in a real Chromium: phones take part, once; the traffic holds nothing but reports."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from room import Client, campaign, serving

import device_routes
from collection import join
from collection.store import Created, Store
from rlm_core.report import Report

pytestmark = pytest.mark.browser
PHONE = {"width": 375, "height": 667}
MOST_BYTES = 20_000


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

    def send(self) -> str:
        self.page.get_by_role("button", name="Send one report").click()
        self.page.wait_for_selector("body[data-state=sent]")
        return str(self.page.locator("#bytes").text_content())


def test_three_phones_send_one_report_each(chromium: Any, client: Client, store: Store) -> None:
    made = store.create(campaign())
    for answer in ("no", "yes", "yes"):
        phone = Phone(chromium, client)
        page = phone.open(made)
        assert page.get_by_role("button", name="Send one report").is_disabled()
        page.get_by_label(answer, exact=True).check()
        page.locator("#draws li").nth(7).wait_for()
        assert phone.posts() == []  # rehearsals stay
        shown = phone.send()
        (post,) = phone.posts()
        body = json.loads(post.post_data)
        assert set(body) == {"nonce", "report"} and json.dumps(body["report"], separators=(",", ":")) == shown
        assert Report.from_json(shown).of == 2
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
    shown = phone.send()
    page = phone.open(made)
    assert "already" in str(page.locator("#status").text_content())
    assert page.locator("#bytes").text_content() == shown and page.locator("#form").is_hidden()
    page = phone.open(other)
    assert "spent 1 for you" in str(page.locator("#cost").text_content())
    page.get_by_label("c", exact=True).check()
    phone.send()
    assert "ε = 1.5" in str(page.locator("#ledger").text_content())
    assert store.count(made.id) == 1 == store.count(other.id)
    assert phone.errors == []
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


@pytest.mark.slow
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_one_hand_small_and_ready(chromium: Any, client: Client, store: Store, scheme: str) -> None:
    """Nothing to scroll sideways, targets of a finger's size, 20 kB, and nothing but what the page needs."""
    made = store.create(campaign("one of ten"))
    phone = Phone(chromium, client, color_scheme=scheme)
    answers: list[Any] = []
    phone.page.on("response", lambda answer: answers.append(answer))
    page = phone.open(made)
    assert sum(len(gzip.compress(answer.body())) for answer in answers) <= MOST_BYTES  # as the server compresses them
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    small = "[...document.querySelectorAll('label.choice, button')].filter((e) => e.offsetHeight < 44).length"
    assert page.evaluate(small) == 0
    back, text = page.evaluate(
        "[getComputedStyle(document.body).backgroundColor, getComputedStyle(document.body).color]"
    )
    assert (back == "rgb(255, 255, 255)") == (scheme == "light") and back != text
    assert page.get_by_role("group", name="Which?").is_visible() and page.get_by_role("radio").count() == 10
    assert phone.errors == []
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
