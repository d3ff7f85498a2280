"""What leaves the browser: before "send" nothing of the record, whatever it is; after it, one report more.

Two checks. First, a search in every request (address and body) and every frame of a web socket, in the encodings that
``traffic.needles`` lists, for: every record x that the Worker was told; of the newest rehearsals (one of each eight)
their numbers, their sets of codes, and what a collector would decode, believe and show beside them; the PNG of the
record and of every rehearsal on the screen; the name of every example chosen.

Second, and stronger: the same actions with two records that differ in everything, in picture or row, label and example,
give the same requests and client frames. So nothing at all depends on the record: also what is too short to search for,
such as a label, the index of an example or which file is fetched.
"""

from __future__ import annotations

import base64
import json
import re
from collections import Counter
from typing import Any

import numpy as np
import pytest
from test_browser_sending import reports
from traffic import SPY, Secret, Traffic, found, needles
from traffic_actions import DRAWN, ONE, OTHER, photo_actions, picture_actions, rest, row_actions

pytestmark = pytest.mark.browser

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


PAGES = {"/image?eps=4": picture_actions, "/image?eps=4&data=CIFAR-10": photo_actions, "/row?eps=4": row_actions}


def watched(server: str, visit: Any, path: str) -> tuple[Any, Traffic]:
    """A page that is watched from its first request on, with its first rehearsals on the screen."""
    traffic = Traffic()
    opened = visit(server, path, before=lambda page: (traffic.watch(page), page.add_init_script(SPY)))
    opened.page.wait_for_function(f"() => ({DRAWN})() > 0")
    rest(opened.page)
    return opened.page, traffic


TOLD = """() => {
  const list = (values) => values && Array.from(values);
  const draws = window.fromWorker.flatMap((m) => m.result?.draws?.slice(-1) ?? []);
  const newest = (name) => draws.map((draw) => list(draw[name])).filter(Boolean).slice(-16);
  return {
    x: window.toWorker.filter((m) => m.options?.x).map((m) => list(m.options.x)),
    labels: window.toWorker.filter((m) => m.method === "rehearse").map((m) => m.options.label),
    numbers: newest("numbers"), members: newest("members"), nearest: newest("nearest"),
    decoded: newest("decoded"), best: newest("best"), classes: newest("classes"),
    examples: [...(window.examples ?? [])], pictures: [...(window.pictures ?? [])],
  };
}"""
"""What the Worker was told and what came back; what the screen showed."""


def secrets(page: Any) -> dict[str, Secret]:
    """All that the first check searches for, by name."""
    told = page.evaluate(TOLD)
    assert told["x"] and told["numbers"]
    named: dict[str, Secret] = {}
    for kind in ("x", "numbers", "decoded", "best", "classes"):
        unique = {json.dumps(each): each for each in told[kind]}
        named |= {f"{kind} {i}": np.array(each) for i, each in enumerate(unique.values())}
    named |= {f"members {i}": np.array(each, dtype=bool) for i, each in enumerate(told["members"])}
    named |= {f"nearest {i}": ",".join(map(str, each)) for i, each in enumerate(told["nearest"])}
    named |= {f"picture {i}": base64.b64decode(each.partition(",")[2]) for i, each in enumerate(told["pictures"])}
    return named | {each: each for each in told["examples"] if each}


@pytest.mark.parametrize(
    "path",
    [
        "/image?eps=4",
        pytest.param("/image?eps=4&data=CIFAR-10", marks=pytest.mark.slow),
        pytest.param("/row?eps=4", marks=pytest.mark.slow),
    ],
)
def test_before_send_two_records_give_the_same_traffic_and_after_it_one_report_crosses(server, visit, path) -> None:
    lists, told = [], []
    for record in (ONE, OTHER):
        page, traffic = watched(server, visit, path)
        opened = len(traffic.sent)
        PAGES[path](page, record)
        before, searched = len(traffic.sent), secrets(page)
        assert not found(traffic.sent, searched)
        sets = [each for name, each in searched.items() if name.startswith("members") and any(needles(each))]
        assert sets or path.startswith("/row")  # those of a row may be too small
        lists.append(traffic.comparable(opened))
        told.append(page.evaluate(TOLD))
        page.locator(".sides .send").click()
        page.get_by_text("1 report", exact=True).wait_for()
        page.wait_for_timeout(500)
        frames = [each for each in traffic.since(before) if b"rlm-report/2" in each]
        assert len(reports(frames)) == 1  # on a slow machine the same one may go again
        assert not found(traffic.since(before), searched)
        others = [each for each in traffic.since(before) if each not in frames]
        assert all(each.startswith(b"GET ") or len(each) < 2000 for each in others)
    one, other = told
    assert one["x"][-1] != other["x"][-1] and one["labels"][-1] != other["labels"][-1]
    assert set(one["examples"]) != set(other["examples"])
    assert lists[0] == lists[1], difference(*lists)


def difference(one: list[bytes], other: list[bytes]) -> str:
    """What one visit sent and the other did not; ``bytes_before_send`` is its length."""
    more, less = Counter(one) - Counter(other), Counter(other) - Counter(one)
    return repr([each[:300] for each in (more + less).elements()]) if more + less else "in another order"


def test_what_is_sent_is_drawn_afresh_and_once(server, visit) -> None:
    page, traffic = watched(server, visit, "/image?eps=4")
    rehearsed = [values.tolist() for name, values in secrets(page).items() if name.startswith("numbers")]
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

    shown = "document.querySelector('.sides .tiles canvas').toDataURL()"
    for address in (f"'/leak?' + encodeURIComponent({shown})", "'/leak?' + location.hash.slice(1)"):
        mark = len(traffic.sent)
        page.evaluate(f"() => fetch({address})")
        page.wait_for_timeout(300)
        assert found(traffic.since(mark), secrets(page)), address

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


def test_the_search_finds_a_set_of_codes_however_it_is_written_and_no_other_set() -> None:
    generator = np.random.default_rng(0)
    for size in (5, 17, 300):
        one, other = (np.isin(np.arange(960), generator.choice(960, size, replace=False)) for _ in range(2))
        packed, listed = np.packbits(one), np.flatnonzero(one)
        texts = [
            packed.tobytes(),
            np.packbits(one, bitorder="little").tobytes(),
            packed.tobytes().hex().encode(),
            one.astype(np.uint8).tobytes(),
            json.dumps(one.astype(int).tolist()).encode(),
            json.dumps(one.astype(int).tolist(), separators=(",", ":")).encode(),
            "".join(map(str, one.astype(int))).encode(),
            json.dumps({str(i): int(bit) for i, bit in enumerate(one)}, separators=(",", ":")).encode(),
            json.dumps(listed.tolist()).encode(),
            listed.astype("<u2").tobytes(),
        ]
        texts += [b'{"members":"' + base64.b64encode(b"abc"[:shift] + packed.tobytes()) for shift in range(3)]
        for text in texts:
            assert found([b"POST /leak " + text], {"one": one, "other": other}) == ["one"], (size, text[:60])


def test_the_search_finds_numbers_as_javascript_writes_them_and_the_pixels_of_a_canvas() -> None:
    values = np.float32(np.random.default_rng(1).random(784)).astype(np.float64)
    values[::3] = 0.0
    words = ["0" if value == 0.0 else repr(float(value)) for value in values]
    typed = ",".join(f'"{i}":{word}' for i, word in enumerate(words))
    grey = np.floor(values * 255).astype(np.uint8)
    canvas = np.stack([grey, grey, grey, np.full(784, 255, np.uint8)], axis=1).tobytes()
    for text in (",".join(words).encode(), typed.encode(), canvas, base64.b64encode(canvas)):
        assert found([text], {"x": values}), text[:60]
        assert not found([text], {"x": values[::-1]}), text[:60]
