"""What leaves the browser: before "send" nothing of the record, whatever it is; after it, one report more.

Two checks. The record and the rehearsals' numbers are searched for in every request and frame, in many encodings.
And, stronger: the same actions with two different records give the same list of requests and client frames, so that
nothing at all depends on the record, not even which file is fetched.
"""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageDraw
from traffic import SPY, Traffic, found

pytestmark = pytest.mark.browser

DRAWN = "() => Number(document.querySelector('.sides')?.dataset.updates ?? 0)"


@dataclass
class Record:
    """One of two records that the same actions are done with."""

    sample: int
    label: str
    stroke: list[tuple[float, float]]
    ink: list[tuple[int, int]]
    example: str
    amount: str


ONE = Record(2, "seven", [(0.3, 0.25), (0.7, 0.25), (0.45, 0.8)], [(90, 90), (220, 90), (130, 320)], "Nurse", "13750")
OTHER = Record(25, "one", [(0.5, 0.2), (0.5, 0.5), (0.5, 0.85)], [(150, 80), (150, 330)], "Young cook", "31450")


def file(ink: list[tuple[int, int]]) -> bytes:
    image = Image.new("RGB", (300, 400), (244, 240, 228))
    ImageDraw.Draw(image).line(ink, fill=(20, 30, 90), width=26)
    buffer = io.BytesIO()
    image.save(buffer, "PNG")
    return buffer.getvalue()


def settle(page: Any, act: Callable[[], Any]) -> None:
    """Act, wait for new rehearsals, and until they stop coming."""
    before = page.evaluate(DRAWN)
    act()
    page.wait_for_function(f"(before) => ({DRAWN})() > before", arg=before)
    rest(page)


def rest(page: Any) -> None:
    """Until everything asked for has come, and nothing changes any more."""
    last = -1
    while last != (last := page.evaluate(DRAWN)):
        page.wait_for_function("() => (document.querySelector('.sides')?.dataset.loading ?? '0') === '0'")
        page.wait_for_timeout(400)


def drag(page: Any, name: str) -> None:
    """Both ways along a slider with the keyboard: every position is an input event, as in dragging."""
    thumb = page.locator(f".sides .{name} input")
    thumb.focus()
    for press in ["ArrowRight"] * 3 + ["ArrowLeft"] * 5:
        thumb.press(press)


def picture_actions(page: Any, record: Record) -> None:
    """Choose, drag, change the mechanism, draw, upload; all but send."""
    settle(page, lambda: page.locator(".sides .gallery button").nth(record.sample).click())
    settle(page, lambda: page.get_by_role("radio", name=record.label, exact=True).click())
    settle(page, lambda: drag(page, "eps"))
    settle(page, lambda: drag(page, "lam"))
    for lane in ("Noise on every pixel", "Codes: one symbol", "Numbers with noise"):
        settle(page, lambda lane=lane: page.get_by_role("radio", name=lane).click())
    settle(page, lambda: page.get_by_role("button", name="Again").click())
    page.get_by_role("radio", name="Draw").click()
    box = page.locator(".sides canvas.pad").bounding_box()
    (x, y), *rest_of = [(box["x"] + a * box["width"], box["y"] + b * box["height"]) for a, b in record.stroke]
    page.mouse.move(x, y)
    page.mouse.down()
    for x, y in rest_of:
        page.mouse.move(x, y, steps=5)
    settle(page, page.mouse.up)
    page.get_by_role("radio", name="Upload").click()
    chosen = {"name": "picture.png", "mimeType": "image/png", "buffer": file(record.ink)}
    settle(page, lambda: page.locator(".sides input[type=file]").set_input_files(chosen))
    settle(page, lambda: page.get_by_role("radio", name=record.label, exact=True).click())


def row_actions(page: Any, record: Record) -> None:
    """Choose an example, type, drag, change the mechanism; all but send."""
    examples = page.get_by_label("Example")
    option = next(words for words in examples.locator("option").all_inner_texts() if record.example in words)
    settle(page, lambda: page.get_by_role("button", name="Again").click())
    if examples.locator("option:checked").inner_text() != option:
        settle(page, lambda: examples.select_option(label=option))
    settle(page, lambda: page.get_by_label("Loan amount").fill(record.amount))
    page.locator(".sides details.all-fields > summary").click()
    settle(page, lambda: page.get_by_label("Debt-to-income").fill(record.amount[:2]))
    settle(page, lambda: drag(page, "eps"))
    for lane in ("Codes: one symbol", "Numbers with noise"):
        settle(page, lambda lane=lane: page.get_by_role("radio", name=lane).click())


OTHER_DIGIT = """
  const Spied = window.Worker;
  window.Worker = class extends Spied {
    postMessage(message, ...rest) {
      if (message.stage) Object.assign(message.stage, { x: message.stage.x.toReversed(), label: 8 });
      super.postMessage(message, ...rest);
    }
  };
"""
"""The start page's digit is public and fixed: here the browser takes another, upside down and called an eight."""


def start_actions(page: Any) -> None:
    """Drag, let go, look at the crowd, draw eight others."""
    for position, epsilon in ((12, "6.5"), (3, "2"), (9, "5")):
        page.locator("input[type=range]").fill(str(position))
        page.wait_for_url(re.compile(rf"eps={re.escape(epsilon)}$"))  # told once the slider rests
        page.locator(f".crowd[data-done='{epsilon}']").wait_for()
    drawn = page.locator(".stage").get_attribute("data-updates")
    page.get_by_role("button", name="Eight others").click()
    page.locator(f".stage:not([data-updates='{drawn}'])").wait_for()
    page.wait_for_timeout(500)


@pytest.mark.parametrize("leak", [False, True], ids=["as it is", "with a leak"])
def test_the_start_page_sends_the_same_whatever_the_digit_is(server, visit, leak: bool) -> None:
    """The second case is the positive control: a label that is fetched by its number is seen."""
    lists = []
    for script in (SPY, SPY + OTHER_DIGIT):
        traffic = Traffic()
        opened = visit(server, "/", before=lambda page, t=traffic, s=script: (t.watch(page), page.add_init_script(s)))
        page = opened.page
        page.locator(".crowd[data-done='4']").wait_for()
        mark = len(traffic.sent)
        start_actions(page)
        told = page.evaluate("() => window.toWorker.filter((m) => m.stage).map((m) => [m.stage.x, m.stage.label])")
        assert len(told) == 2 and not found(traffic.sent, {"digit": np.array(told[0][0])})
        if leak:
            page.evaluate(f"() => fetch('/device/samples/mnist.json?label={told[0][1]}')")
            page.wait_for_timeout(300)
        lists.append(traffic.comparable(mark))
    assert (lists[0] == lists[1]) != leak, difference(*lists)


PAGES = {"/image?eps=4": picture_actions, "/row?eps=4": row_actions}


def watched(server: str, visit: Any, path: str) -> tuple[Any, Traffic]:
    """A page that is watched from its first request on, with its first rehearsals on the screen."""
    traffic = Traffic()
    opened = visit(server, path, before=lambda page: (traffic.watch(page), page.add_init_script(SPY)))
    opened.page.wait_for_function(f"() => ({DRAWN})() > 0")
    rest(opened.page)
    return opened.page, traffic


def secrets(page: Any) -> dict[str, np.ndarray]:
    """Every record that the Worker was told, and every rehearsal that came back."""
    told = page.evaluate(
        """() => ({
          x: window.toWorker.filter((m) => m.options?.x).map((m) => Array.from(m.options.x)),
          drawn: window.fromWorker.flatMap((m) => m.result?.draws ?? [])
            .filter((d) => d.numbers).slice(-24).map((d) => Array.from(d.numbers)),
        })"""
    )
    assert told["x"] and told["drawn"]
    unique = {json.dumps(x): x for x in told["x"]}
    named = {f"record {i}": np.array(x) for i, x in enumerate(unique.values())}
    return named | {f"rehearsal {i}": np.array(z) for i, z in enumerate(told["drawn"])}


@pytest.mark.parametrize("path", ["/image?eps=4", pytest.param("/row?eps=4", marks=pytest.mark.slow)])
def test_before_send_two_records_give_the_same_traffic_and_after_it_one_report_crosses(server, visit, path) -> None:
    lists = []
    for record in (ONE, OTHER):
        page, traffic = watched(server, visit, path)
        opened = len(traffic.sent)
        PAGES[path](page, record)
        assert not found(traffic.sent, secrets(page))
        lists.append(traffic.comparable(opened))
        before = len(traffic.sent)
        page.locator(".sides .send").click()
        page.get_by_text("1 report", exact=True).wait_for()
        page.wait_for_timeout(500)
        frames = [each for each in traffic.since(before) if b"rlm-report/2" in each]
        assert len(frames) == 1 and not found(traffic.sent, secrets(page))
        others = [each for each in traffic.since(before) if each not in frames]
        assert all(each.startswith(b"GET ") or len(each) < 2000 for each in others)
    assert lists[0] == lists[1], difference(*lists)


def difference(one: list[bytes], other: list[bytes]) -> str:
    """What one visit sent and the other did not; ``bytes_before_send`` is its length."""
    return repr([each[:300] for each in one if each not in other] + [each[:300] for each in other if each not in one])


def test_what_is_sent_is_drawn_afresh_and_once(server, visit) -> None:
    page, traffic = watched(server, visit, "/image?eps=4")
    rehearsed = [values.tolist() for name, values in secrets(page).items() if name.startswith("rehearsal")]
    page.locator(".sides .send").dblclick()
    page.get_by_text("1 report", exact=True).wait_for()
    page.wait_for_timeout(1500)
    assert page.evaluate("() => window.toWorker.filter((m) => m.method === 'release').length") == 1
    text = page.locator(".sides .report-text").text_content()
    assert json.loads(text)["numbers"] not in rehearsed
    kept = page.evaluate(
        "() => Object.values(localStorage).map((e) => { try { return JSON.parse(e).report } catch {} })"
    )
    assert kept.count(text) == 1
    page.reload()
    page.get_by_text("1 sent, ε = 4 in total").wait_for()  # the device remembers


def test_the_search_finds_a_record_sent_by_http_by_web_socket_and_by_the_number_of_a_picture(server, visit) -> None:
    """Positive controls: each way of leaking is seen."""
    page, traffic = watched(server, visit, "/image?eps=4")
    page.route("**/leak*", lambda route: route.fulfill(status=200))
    leak = "window.toWorker.find((m) => m.options?.x).options.x"
    for body in (f"{leak}", f"Float64Array.from({leak})", f"Array.from({leak}).join(',')"):
        mark = len(traffic.sent)
        page.evaluate(f"() => fetch('/leak', {{ method: 'POST', body: {body} }})")
        page.wait_for_timeout(300)
        assert found(traffic.since(mark), secrets(page)), body
    mark = len(traffic.sent)
    page.evaluate(f"() => fetch('/leak?x=' + btoa(String.fromCharCode(...new Uint8Array({leak}.buffer))))")
    page.wait_for_timeout(300)
    assert found(traffic.since(mark), secrets(page))

    mark = len(traffic.sent)  # the switch sends the record, and says so
    page.get_by_label("Compute on the server instead").check()
    page.get_by_text("Your picture itself will travel").wait_for()
    page.locator(".sides .send").click()
    page.get_by_text("1 report", exact=True).wait_for()
    assert found(traffic.since(mark), secrets(page))

    lists = []
    for number in (2, 25):  # no byte of the record, but which one it is
        page, traffic = watched(server, visit, "/image?eps=4")
        opened = len(traffic.sent)
        page.evaluate(f"() => fetch('/device/samples/mnist.json?picture={number}')")
        page.wait_for_timeout(300)
        lists.append(traffic.comparable(opened))
    assert lists[0] != lists[1]
    first, second = ([piece for piece in each if b"?picture=" not in piece] for each in lists)
    assert first == second  # nothing else differs
