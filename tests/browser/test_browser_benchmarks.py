"""The benchmarks page in a real browser: experiment, answer, CSV, the chart as SVG and PNG; phone, dark."""

from __future__ import annotations

import csv
import io
import re

import pytest

from benchmarks import summary
from ui.evidence.data import COLUMNS

pytestmark = pytest.mark.browser

LEGEND = ".rlm-chart .entry"


def test_choose_ask_and_take_away(server, visit) -> None:
    opened = visit(server, "/benchmarks?need=50")
    page = opened.page
    page.locator(LEGEND).filter(has_text="V-RLM, paper").wait_for()
    with page.expect_download() as started:
        page.get_by_role("button", name="This table (CSV)").click()
    rows = list(csv.DictReader(io.StringIO(started.value.path().read_text())))
    for mechanism in summary.paper_mechanisms("data_collection", "mnist"):
        found = {float(row["epsilon"]): float(row["paper_mean"]) for row in rows if row["mechanism"] == mechanism}
        curve = summary.paper_curve("data_collection", "mnist", mechanism)
        assert found == {epsilon: mean for epsilon, (mean, _) in curve.items()}
    assert list(rows[0]) == COLUMNS
    for kind, start in (("SVG", b"<svg"), ("PNG", b"\x89PNG")):
        with page.expect_download() as started:
            page.get_by_role("button", name=f"Save as {kind}").click()
        assert started.value.suggested_filename == f"data_collection-mnist.{kind.lower()}"
        assert started.value.path().read_bytes().startswith(start)
    lines = page.locator(".rlm-chart").filter(has_text="V-RLM, paper").locator(".line")
    before = lines.count()
    page.locator(LEGEND).filter(has_text="V-RLM, paper").first.click()  # hides its line
    opened.wait_for_count(".rlm-chart .entry[aria-pressed=false]", 1)
    assert lines.count() == before - 1
    page.locator(".rlm-chart path[fill='#7B4FB5']").nth(1).hover()  # a star of the Q-RLM
    assert "code and label as one pair, k = " in page.locator(".rlm-chart .near:visible").inner_text()
    assert gap_to_words(page, page.locator(".rlm-chart path[fill='#7B4FB5']").nth(1)) < 40
    opened.choose("Experiment", "Data join")
    page.wait_for_url(re.compile("exp=Data"))
    page.get_by_text("I need this accuracy on Lending Club (%)").wait_for()
    opened.settled()
    assert page.locator(".rlm-cells tr").count() > len(summary.paper_mechanisms("data_join", "lending_club"))


def gap_to_words(page, mark) -> float:
    """Pixels between a mark and what is said of it, up or down; 0 where they overlap."""
    words, at = page.locator(".rlm-chart .near:visible").bounding_box(), mark.bounding_box()
    return max(0.0, words["y"] - at["y"] - at["height"], at["y"] - words["y"] - words["height"])


def test_a_tap_on_a_mark_says_what_it_is_and_names_do_not_overlap(server, visit) -> None:
    opened = visit(server, "/benchmarks?data=Lending+Club", width=390, height=844)
    page = opened.page
    chart = page.locator(".rlm-chart:has(.keep)")
    mark = chart.locator(".trace circle").first
    mark.scroll_into_view_if_needed()
    mark.dispatch_event("pointerdown", middle_of(mark) | {"pointerType": "touch", "bubbles": True})
    mark.dispatch_event("pointerleave", {"pointerType": "touch", "bubbles": True})  # the finger is lifted
    assert "people sent a report" in page.locator(".rlm-chart .near:visible").inner_text()
    assert gap_to_words(page, mark) < 40
    for drawn in page.locator(".rlm-chart").all():
        boxes = [note.bounding_box() for note in drawn.locator(".note").all()]
        assert len(boxes) > 4
        for index, a in enumerate(boxes):
            assert a["x"] >= 0 and a["x"] + a["width"] <= 391
            for b in boxes[:index]:
                wide = min(a["x"] + a["width"], b["x"] + b["width"]) - max(a["x"], b["x"])
                high = min(a["y"] + a["height"], b["y"] + b["height"]) - max(a["y"], b["y"])
                assert wide <= 5 or high <= 8, (a, b)  # a box has a halo around its words, and room above and below


def middle_of(mark) -> dict[str, float]:
    """Where a pointer is that points at it."""
    box = mark.bounding_box()
    return {"clientX": box["x"] + box["width"] / 2, "clientY": box["y"] + box["height"] / 2}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_benchmarks_on_a_phone(server, visit, scheme: str) -> None:
    opened = visit(server, "/benchmarks?exp=Private+inference&data=CIFAR-10", width=390, height=844, scheme=scheme)
    page = opened.page
    page.locator(LEGEND).filter(has_text="C-RLM, paper").wait_for()
    assert opened.overflow() <= 0
    colour = page.evaluate("() => getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", colour)[:3])) / 3
    assert (brightness < 60) if scheme == "dark" else (brightness > 200)
