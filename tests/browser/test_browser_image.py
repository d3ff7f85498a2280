"""The image page end to end in a real browser: sample, ε, drawing, upload, link, phone, dark."""

from __future__ import annotations

import io
import json
import re

import pytest
from PIL import Image, ImageDraw

pytestmark = pytest.mark.browser

ORIGINAL = ".rlm-pipeline img.rlm-owner"
DECODED = ".rlm-pipeline img.rlm-collector"


def seven() -> bytes:
    image = Image.new("RGB", (300, 400), (244, 240, 228))
    ImageDraw.Draw(image).line([(90, 90), (220, 90), (130, 320)], fill=(20, 30, 90), width=26)
    buffer = io.BytesIO()
    image.save(buffer, "JPEG")
    return buffer.getvalue()


def press_on_slider(page, key: str, press: str) -> None:
    """Move a slider with the keyboard, as a visitor without a mouse does."""
    thumb = page.locator(f".st-key-{key} [role=slider], .st-key-{key} input[type=range]").first
    thumb.focus()
    thumb.press(press)


def say_what_it_shows(page, label: str) -> None:
    """Choose the true label of the visitor's own picture."""
    page.get_by_role("combobox", name="What does it show?").click()
    page.get_by_role("option", name=label, exact=True).click()


def test_sample_then_epsilon_then_draw_again(server, visit) -> None:
    opened = visit(server, "/image")
    page = opened.page
    original = opened.source(ORIGINAL)
    page.locator(".st-key-sample button").nth(13).click()  # 3-2
    page.wait_for_url(re.compile("sample=3-2"))
    page.get_by_text("Chosen: 3-2").wait_for()
    opened.settled()
    assert opened.source(ORIGINAL) != original and opened.spent() == 10.0
    original, decoded = opened.source(ORIGINAL), opened.source(DECODED)
    press_on_slider(page, "eps", "ArrowLeft")
    page.wait_for_url(re.compile(r"eps=9\.5"))
    opened.wait_for_spent(19.5)
    assert opened.source(DECODED) != decoded and opened.source(ORIGINAL) == original
    decoded = opened.source(DECODED)
    page.get_by_role("button", name=re.compile("Draw again")).click()
    opened.wait_for_spent(29)
    assert opened.source(DECODED) != decoded
    page.get_by_text("average of 3 reports").or_(page.get_by_text("average of 2 reports")).first.wait_for()


def test_an_unrelated_control_draws_nothing(server, visit) -> None:
    opened = visit(server, "/image")
    page = opened.page
    decoded = opened.source(DECODED)
    before = page.locator("svg[role=img][aria-label^='z and']").get_attribute("aria-label")
    number = next(each for each in "1234" if not re.search(rf"\b{each}\b", before))  # neither axis has it
    opened.choose("Across", number)
    page.locator(f"svg[aria-label^='z and z̃ in the dimensions {number} and']").wait_for()
    opened.settled()
    assert opened.source(DECODED) == decoded and opened.spent() == 10.0


def test_drawing(server, visit) -> None:
    opened = visit(server, "/image?source=Draw")
    page = opened.page
    use = page.get_by_role("button", name="Use this drawing")
    assert use.is_disabled()
    canvas = page.locator("canvas[data-ready]")
    canvas.wait_for()
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.25 * box["height"])
    page.mouse.down()
    for x, y in [(0.7, 0.25), (0.45, 0.8)]:
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=8)
    page.mouse.up()
    use.click()
    page.get_by_text("As the mechanism sees it").wait_for()
    say_what_it_shows(page, "7")
    page.locator(".rlm-pipeline").wait_for()
    opened.wait_for_spent(10)


def test_upload_bad_then_good(server, visit) -> None:
    opened = visit(server, "/image?source=Upload")
    page = opened.page
    page.get_by_text("Bring a picture above").wait_for()
    chooser = page.locator("input[type=file]")
    chooser.set_input_files({"name": "seven.jpg", "mimeType": "image/jpeg", "buffer": b"this is not a picture"})
    page.get_by_text("This picture cannot be used").wait_for()
    assert page.locator(".rlm-pipeline").count() == 0
    chooser.set_input_files({"name": "seven.jpg", "mimeType": "image/jpeg", "buffer": seven()})
    say_what_it_shows(page, "7")
    page.locator(".rlm-pipeline").wait_for()
    opened.wait_for_spent(10)
    assert "Traceback" not in page.locator("body").inner_text()


def test_deep_link_opens_the_same_view(server, visit) -> None:
    opened = visit(server, "/image?eps=2&lam=0.5&data=CIFAR-10&sample=frog-2")
    page = opened.page
    assert opened.spent() == 2.0
    assert page.get_by_role("radio", name="frog-2").get_attribute("aria-checked") == "true"
    for part in ("eps=2", "lam=0.5", "data=CIFAR-10", "sample=frog-2"):
        assert part in page.url
    assert "εx = 1 for the picture" in page.locator(".rlm-split").inner_text().replace("\n", "")


def test_deep_link_as_the_very_first_visit(cold_server, visit) -> None:
    opened = visit(cold_server, "/image?eps=4")
    text = opened.page.locator("body").inner_text()
    assert "not found" not in text.lower() and opened.spent() == 4.0
    opened.page.get_by_test_id("stSidebar").get_by_text("Privatise an image").wait_for()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_image_on_a_phone(server, visit, scheme: str) -> None:
    opened = visit(server, "/image", width=390, height=844, scheme=scheme)
    assert opened.overflow() <= 0
    # All at one moment: the page above may still grow while it is being measured.
    owner, wall, collector = opened.page.evaluate(
        "() => [...document.querySelector('.rlm-pipeline').children]"
        ".map((part) => part.getBoundingClientRect().toJSON())"
    )
    assert wall["width"] > 5 * wall["height"]
    assert owner["bottom"] <= wall["top"] + 1 and wall["bottom"] <= collector["top"] + 1


def test_boundary_is_upright_on_a_desktop_and_dark_is_dark(server, visit) -> None:
    opened = visit(server, "/image", scheme="dark")
    wall = opened.page.locator(".rlm-boundary").bounding_box()
    assert wall and wall["height"] > 5 * wall["width"]
    style = "getComputedStyle(document.querySelector('.stApp'))"
    colours = opened.page.evaluate(f"() => [{style}.backgroundColor, {style}.color]")
    ground, ink = (sum(map(int, re.findall(r"\d+", colour)[:3])) / 3 for colour in colours)
    assert ground < 60 and ink > 180


def test_the_report_can_be_taken_along(server, visit) -> None:
    page = visit(server, "/image").page
    with page.expect_download() as started:
        page.get_by_role("button", name="Report (JSON)").click()
    report = json.loads(started.value.path().read_text())
    assert set(report) == {"format", "mechanism", "digest", "epsilon_x", "epsilon_y", "label", "numbers"}
    assert report["epsilon_x"] + report["epsilon_y"] == pytest.approx(10.0)
