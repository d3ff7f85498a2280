"""The bound page in a real browser: drag a class, search, turn the octahedron; link, phone, dark."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from rlm_core.theory import l1_voronoi, vertex_accuracy
from ui.bound.points import parse
from ui.bound.theory import simulate
from ui.kit.formats import percent

pytestmark = pytest.mark.browser

_BOARD = (Path(__file__).resolve().parents[2] / "ui" / "components" / "board" / "board.js").read_text(encoding="utf-8")
NEAREST = _BOARD[_BOARD.index("const nearest =") : _BOARD.index("\n};") + 3]
DISC = ".board .place"


def typed(page) -> np.ndarray:
    """The places in the coordinates' field."""
    page.wait_for_function("() => document.querySelector('.st-key-at input')?.value")
    return parse(page.locator(".st-key-at input").input_value())[0]


def test_drag_then_search_then_turn(server, visit) -> None:
    opened = visit(server, "/bound?eps=4")
    page = opened.page
    page.locator(".board[data-ready]").wait_for()
    opened.settled()
    page.locator(".rlm-chart svg").first.wait_for()  # what is above the board moves it no more
    page.locator(DISC).first.scroll_into_view_if_needed()
    page.wait_for_timeout(1_000)
    first, third = (page.locator(DISC).nth(index).bounding_box() for index in (0, 2))
    centre = [(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2) for box in (first, third)]
    middle = (centre[1][0], centre[0][1])  # of the ball: below class 3, left of class 1
    page.mouse.move(*centre[0])
    page.mouse.down()
    marks, before = page.locator(".board .cloud").inner_html(), page.locator(".board .told").inner_text()
    page.mouse.move((centre[0][0] + middle[0]) / 2, middle[1], steps=4)
    page.locator(".board .told.live").wait_for()  # while it is held: accuracy and dots follow
    assert page.locator(".board .cloud").inner_html() != marks
    for _ in range(50):  # the last steps may be drawn a little later
        live = page.locator(".board .told").inner_text()
        if float(live.split()[0]) < float(before.split()[0]) - 3:
            break
        page.wait_for_timeout(100)
    assert float(live.split()[0]) < float(before.split()[0]) - 3
    page.mouse.up()
    page.wait_for_url(re.compile(r"place=my"))
    page.wait_for_url(re.compile(r"at="))
    opened.settled()
    places = typed(page)
    assert places[0] == pytest.approx([0.5, 0.0], abs=0.06) and places[1:].tolist() == [[-1, 0], [0, 1], [0, -1]]
    exact = simulate(places, 4.0, seed=0).accuracy
    page.get_by_text(percent(exact), exact=True).first.wait_for()
    page.get_by_text(f"{100 * exact:.1f} % right").wait_for()
    assert (
        abs(float(live.split()[0]) - 100 * exact) < 4
    )  # 8,000 simulated reports: a deviation of 0.6 points, and the last step

    page.get_by_role("button", name="Search for the best places for 4 classes").click()
    page.get_by_text("The corners win").first.wait_for()
    page.locator(".board[data-ready='search 1']").wait_for()  # played to its end
    opened.settled()
    assert sorted(map(tuple, np.round(typed(page), 2).tolist())) == [(-1, 0), (0, -1), (0, 1), (1, 0)]
    page.get_by_text(percent(vertex_accuracy(4.0, 4)), exact=True).first.wait_for()

    solid = page.locator(".space canvas")
    solid.scroll_into_view_if_needed()
    before = solid.get_attribute("data-yaw")
    box = solid.bounding_box()
    page.mouse.move(box["x"] + 100, box["y"] + 100)
    page.mouse.down()
    page.mouse.move(box["x"] + 180, box["y"] + 110, steps=3)
    page.mouse.up()
    page.wait_for_function("([solid, before]) => solid.dataset.yaw !== before", arg=[solid.element_handle(), before])


def test_keys_move_a_class_and_the_browsers_cells_are_the_librarys(server, visit) -> None:
    opened = visit(server, "/bound?eps=2&place=my+own&at=0.5,0;-0.5,0;0,0.5", width=390, height=844, scheme="dark")
    page = opened.page
    page.locator(".board[data-ready]").wait_for()
    assert opened.overflow() <= 0
    disc = page.locator(DISC).first
    disc.focus()
    disc.press("ArrowUp")
    page.wait_for_url(re.compile(r"at=0\.5(,|%2C)0\.1"))
    opened.settled()
    assert typed(page)[0].tolist() == [0.5, 0.1]

    generator = np.random.default_rng(0)
    points, places = generator.uniform(-3, 3, size=(400, 2)).round(2), np.array([[1.0, 0], [0, 1], [-1, 0], [0.2, 0.3]])
    script = f"([points, places]) => {{ {NEAREST} const f = nearest; return points.map(([x, y]) => f(x, y, places)); }}"
    assert page.evaluate(script, [points.tolist(), places.tolist()]) == l1_voronoi(points, places).nearest.tolist()


def test_a_link_opens_the_papers_figure(server, visit) -> None:
    opened = visit(server, "/bound?place=the+paper%E2%80%99s+figure&k=6&eps=3")
    page = opened.page
    page.locator(".board[data-ready]").wait_for()
    opened.wait_for_count(DISC, 2)
    page.get_by_text("as far from one class as from another").wait_for()
    page.get_by_text(percent(vertex_accuracy(3.0, 6)), exact=True).first.wait_for()
    page.locator(".rlm-chart .entry").first.wait_for()
