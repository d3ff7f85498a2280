"""The start page in a real browser: one screen, live lanes, the crowd; and nothing about the digit leaves."""

from __future__ import annotations

import re
from typing import Any

import pytest

pytestmark = pytest.mark.browser

LANES = ("pixels", "numbers", "codes")


def set_slider(page: Any, position: int) -> None:
    """Move the range input as a drag does: set it and fire its event."""
    page.locator("input[type=range]").fill(str(position))


def wait_for_lanes(page: Any, epsilon: str) -> None:
    """Wait until all three lanes show this ε."""
    for lane in LANES:
        page.locator(f".lane[data-lane={lane}][data-epsilon='{epsilon}']").wait_for()


def wait_for_crowd(page: Any, epsilon: str) -> None:
    """Wait until all people have reported at this ε."""
    page.locator(f".crowd[data-done='{epsilon}']").wait_for()


def guesses(page: Any, lane: str) -> list[str]:
    return [str(text) for text in page.locator(f".lane[data-lane={lane}] li span").all_inner_texts()]


def right(page: Any, lane: str) -> int:
    """Of the eight, as the lane says and as its pictures are marked."""
    said = int(page.locator(f".lane[data-lane={lane}] .right strong").inner_text().split()[0])
    assert said == page.locator(f".lane[data-lane={lane}] li.hit").count()
    return said


def share(page: Any, what: str) -> float:
    return float(page.locator(f".crowd .{what} strong").inner_text().split()[0])


@pytest.fixture
def start(server, visit):
    """The start page with its lanes drawn."""

    def opened(path: str = "/", epsilon: str = "4", **options):
        page = visit(server, path, **options)
        wait_for_lanes(page.page, epsilon)
        return page

    return opened


def test_everything_is_on_one_screen(start) -> None:
    page = start(width=1440, height=900).page
    wait_for_crowd(page, "4")
    for selector in ("h1", "input[type=range]", ".verdict", ".lane >> nth=2", ".crowd", ".again"):
        box = page.locator(selector).first.bounding_box()
        assert box and box["y"] >= 0 and box["y"] + box["height"] <= 900, selector
        assert box["x"] >= 0 and box["x"] + box["width"] <= 1440, selector
    assert "at most 86 %" in page.locator(".verdict").inner_text()
    assert page.locator(".strength").inner_text() == "weak"


def test_dragging_changes_guesses_with_the_same_chance(start) -> None:
    page = start().page
    first = {lane: guesses(page, lane) for lane in LANES}
    assert all(re.fullmatch(r"\d, \d+ %", each) for found in first.values() for each in found)
    set_slider(page, 0)  # ε = 0.5
    wait_for_lanes(page, "0.5")
    assert page.locator(".strength").inner_text() == "strong"
    for lane in LANES:
        assert guesses(page, lane) != first[lane]
    set_slider(page, 19)  # ε = 10: most codes are right (95 % of reports; 8 of 8 wrong has probability below 1e-10)
    wait_for_lanes(page, "10")
    assert right(page, "codes") >= 1
    assert "Hardly anything is protected" in page.locator(".verdict").inner_text()
    set_slider(page, 7)  # back: the very same eight
    wait_for_lanes(page, "4")
    assert {lane: guesses(page, lane) for lane in LANES} == first
    page.get_by_role("button", name="Eight others").click()
    for _ in range(100):
        if guesses(page, "numbers") != first["numbers"]:
            break
        page.wait_for_timeout(100)
    assert guesses(page, "numbers") != first["numbers"]
    page.locator(".said").get_by_text("Guessed right at epsilon 4").wait_for(state="attached")


def test_the_crowd_teaches_a_model_and_gives_nobody_away(start) -> None:
    page = start("/?eps=1", epsilon="1").page
    wait_for_crowd(page, "1")
    assert page.locator(".crowd .count").inner_text() == "13,500"
    assert share(page, "learnt") > 85  # 97 % in nearly every simulation
    cap = 100 * 2.71829 / (2.71829 + 9)
    assert 13 < share(page, "guessed") < cap + 1.5  # 18 %; 13,500 guesses deviate by 0.4 points
    assert page.locator(".crowd path.codes").get_attribute("d").count("L") > 8  # point after point
    assert page.locator(".crowd circle.paper").count() == 4
    assert "at ε = 1 allows more than 23 %" in page.locator(".note").inner_text()


def test_epsilon_is_all_that_leaves(server, chromium) -> None:
    """Every request and frame while the page works: no pixels, label or guess of the digit, in no encoding."""
    context = chromium.new_context(viewport={"width": 1440, "height": 900})
    context.set_default_timeout(180_000)
    page = context.new_page()
    sent: list[bytes] = []
    requests: list[str] = []

    def keep(payload: bytes | str) -> None:
        sent.append(payload if isinstance(payload, bytes) else payload.encode())

    page.on("websocket", lambda socket: socket.on("framesent", keep))
    context.on("request", lambda request: requests.append(f"{request.method} {request.url} {request.post_data or ''}"))
    page.goto(server)
    wait_for_lanes(page, "4")
    before = len(requests)
    frames = len(sent)
    for position in (12, 3, 9):  # while dragging nothing is asked for
        set_slider(page, position)
    wait_for_lanes(page, "5")
    page.get_by_role("button", name="Eight others").click()
    page.wait_for_url(re.compile(r"eps=5$"))
    wait_for_crowd(page, "5")
    assert [each for each in requests[before:] if "/device/" in each] == []
    assert all(each.startswith("GET ") for each in requests if "/device/" in each)
    assert len(sent) - frames <= 3 and all(len(each) < 3000 for each in sent[frames:])
    row = page.locator(".lane .digit").first.evaluate(
        "canvas => [...canvas.getContext('2d').getImageData(0, 14, 28, 1).data].filter((_, i) => i % 4 === 0)"
    )
    ink = [value for value in row if value]
    assert len(ink) > 3
    everything = b"\n".join([*sent, *(each.encode() for each in requests)])
    written = (bytes(ink).hex(), *(mark.join(map(str, ink)) for mark in (",", ", ", " ")))
    for needle in (bytes(ink), *(each.encode() for each in written)):
        assert needle not in everything
    context.close()


def test_the_menu_has_four_groups(start) -> None:
    page = start().page
    menu = page.get_by_test_id("stTopNav")
    assert menu.get_by_test_id("stTopNavSection").all_inner_texts() == ["Try it", "Understand", "Decide", "Collect"]
    menu.get_by_text("Understand").click()
    page.get_by_test_id("stTopNavDropdownLink").get_by_text("What is LDP?").click()
    page.wait_for_url(re.compile(r"/concepts"))
    menu.get_by_text("Private by design").click()
    wait_for_lanes(page, "4")


@pytest.mark.parametrize("path", ["/own?table=Wine", "/collect?data=CIFAR-10&eps=6"])
def test_a_page_is_as_it_was_left_when_one_comes_back(server, visit, path: str) -> None:
    """Streamlit puts an address without settings before the next page's; Back led there, and to the defaults."""
    opened = visit(server, path)
    page, settings = opened.page, set(path.partition("?")[2].split("&"))

    def has_them(url: str) -> bool:
        return settings <= set(url.partition("?")[2].split("&"))

    page.wait_for_url(has_them)
    page.get_by_test_id("stTopNavSection").filter(has_text="Understand").click()
    page.get_by_test_id("stTopNavDropdownLink").get_by_text("Glossary").click()
    page.wait_for_url(re.compile("/glossary"))
    opened.settled()
    page.go_back()
    page.wait_for_url(has_them)
    opened.settled()
    assert has_them(page.url)


def test_without_the_device_the_page_says_so(cold_server, visit) -> None:
    """``streamlit run app.py`` serves no /device: a sentence, not a blank page."""
    opened = visit(cold_server, "/")
    opened.page.locator(".problem").get_by_text("rlm run").wait_for()
    opened.errors.clear()  # the browser's own lines about the missing files


def test_answers_carry_strict_headers(server, chromium) -> None:
    context = chromium.new_context()
    policy = context.request.get(server).headers["content-security-policy"]
    context.close()
    assert "default-src 'self'" in policy and "http" not in policy


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_start_on_a_phone(start, scheme: str) -> None:
    opened = start(width=390, height=844, scheme=scheme)
    assert opened.overflow() <= 0
    said = "([selector]) => getComputedStyle(document.querySelector(selector), '::after').content"
    assert opened.page.evaluate(said, ["[data-testid=stExpandSidebarButton]"]) == '"Menu"'
    assert opened.page.evaluate(said, [".stAppHeader"]) == '"Private by design"'
    wall = opened.page.locator(".wall").first.bounding_box()
    assert wall and wall["width"] > 5 * wall["height"]  # the boundary lies across
    colour = opened.page.evaluate("() => getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", colour)[:3])) / 3
    assert (brightness < 60) if scheme == "dark" else (brightness > 200)
