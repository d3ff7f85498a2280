"""The image page end to end in a real browser: sample, ε, drawing, upload, send, link, phone, dark."""

from __future__ import annotations

import io
import json
import re

import pytest
from PIL import Image, ImageDraw

pytestmark = pytest.mark.browser

DRAWN = "() => Number(document.querySelector('.sides')?.dataset.updates ?? 0)"


def seven() -> bytes:
    image = Image.new("RGB", (300, 400), (244, 240, 228))
    ImageDraw.Draw(image).line([(90, 90), (220, 90), (130, 320)], fill=(20, 30, 90), width=26)
    buffer = io.BytesIO()
    image.save(buffer, "JPEG")
    return buffer.getvalue()


def updated(page, act) -> None:
    """Act, and wait until other rehearsals are shown."""
    before = page.evaluate(DRAWN)
    act()
    page.wait_for_function(f"(before) => ({DRAWN})() > before", arg=before)
    page.wait_for_timeout(300)


def ready(opened):
    opened.page.wait_for_function(f"() => ({DRAWN})() > 0")
    return opened.page


def pixels(page, selector: str) -> str:
    return str(page.evaluate(f"() => document.querySelector({json.dumps(selector)}).toDataURL()"))


FIRST_DECODED = ".sides .tiles figure canvas"


def test_sample_then_epsilon_then_send_twice(server, visit) -> None:
    page = ready(visit(server, "/image"))
    own, decoded = pixels(page, ".sides .shown canvas"), pixels(page, FIRST_DECODED)
    updated(page, lambda: page.get_by_role("radio", name="a handwritten seven, second of three").click())
    assert pixels(page, ".sides .shown canvas") != own and pixels(page, FIRST_DECODED) != decoded
    assert page.get_by_role("radio", name="seven", exact=True).get_attribute("aria-checked") == "true"
    own, decoded = pixels(page, ".sides .shown canvas"), pixels(page, FIRST_DECODED)
    slider = page.locator(".sides .eps input")
    slider.focus()
    updated(page, lambda: slider.press("ArrowLeft"))
    page.wait_for_url(re.compile(r"eps=3\.5"))
    assert pixels(page, FIRST_DECODED) != decoded and pixels(page, ".sides .shown canvas") == own
    assert "0 bytes" in page.locator(".sides .wall").inner_text()
    page.get_by_role("button", name="Send one report · spends ε = 3.5").click()
    page.get_by_text("1 report", exact=True).wait_for()
    page.get_by_text("1 sent, ε = 3.5 in total").wait_for()
    size = len(page.locator(".sides .report-text").text_content().encode())
    assert f"{size} bytes" in page.locator(".sides .wall").inner_text()
    page.get_by_role("button", name="Send one report").click()
    page.get_by_text("All 2 together").wait_for()
    page.get_by_text("2 sent, ε = 7 in total").wait_for()


def test_the_same_chance_at_another_epsilon_and_again_another(server, visit) -> None:
    page = ready(visit(server, "/image"))
    first = pixels(page, FIRST_DECODED)
    slider = page.locator(".sides .eps input")
    slider.focus()
    updated(page, lambda: slider.press("ArrowLeft"))
    updated(page, lambda: slider.press("ArrowRight"))
    assert pixels(page, FIRST_DECODED) == first
    updated(page, lambda: page.get_by_role("button", name="Again").click())
    assert pixels(page, FIRST_DECODED) != first


def test_lanes_and_lambda(server, visit) -> None:
    page = ready(visit(server, "/image"))
    assert page.locator(".sides .lam input").is_enabled()
    updated(page, lambda: page.get_by_role("radio", name="Codes: one symbol").click())
    assert page.locator(".sides .lam input").is_disabled()
    assert "one symbol of" in page.locator(".sides .lam .words").inner_text()
    updated(page, lambda: page.get_by_role("radio", name="Noise on every pixel").click())
    assert page.locator(".sides .lam input").is_enabled() and "mech=pixels" in page.url
    page.get_by_role("button", name="Send one report").click()
    page.get_by_text("1 report", exact=True).wait_for()
    updated(page, lambda: page.get_by_role("radio", name="Codes: one symbol").click())
    page.get_by_role("button", name="Send one report").click()
    page.get_by_text("All 2 together").wait_for()


def test_infinity_can_be_rehearsed_not_sent(server, visit) -> None:
    page = ready(visit(server, "/image?eps=inf"))
    assert page.locator(".sides .send").is_disabled()
    assert "3, 100 %" in page.locator(".sides .tiles").inner_text() or "> 99 %" in page.locator(".tiles").inner_text()


def test_drawing_needs_a_label_or_none_before_it_is_sent(server, visit) -> None:
    page = ready(visit(server, "/image"))
    page.get_by_role("radio", name="Draw").click()
    canvas = page.locator(".sides canvas.pad")
    box = canvas.bounding_box()
    page.mouse.move(box["x"] + 0.3 * box["width"], box["y"] + 0.25 * box["height"])
    page.mouse.down()
    for x, y in [(0.7, 0.25), (0.45, 0.8)]:
        page.mouse.move(box["x"] + x * box["width"], box["y"] + y * box["height"], steps=8)
    updated(page, page.mouse.up)
    assert page.locator(".sides .send").is_disabled()
    updated(page, lambda: page.get_by_role("radio", name=re.compile("no label")).click())
    assert page.locator(".sides .lam input").is_disabled()
    page.locator(".sides .send").click()
    page.get_by_text("No label came.").wait_for()


def test_upload_bad_then_good(server, visit) -> None:
    page = ready(visit(server, "/image"))
    page.get_by_role("radio", name="Upload").click()
    chooser = page.locator(".sides input[type=file]")
    chooser.set_input_files({"name": "seven.jpg", "mimeType": "image/jpeg", "buffer": b"this is not a picture"})
    page.get_by_text("This picture cannot be used").wait_for()
    assert page.locator(".sides .send").is_disabled()
    good = {"name": "seven.jpg", "mimeType": "image/jpeg", "buffer": seven()}
    updated(page, lambda: chooser.set_input_files(good))
    updated(page, lambda: page.get_by_role("radio", name="seven", exact=True).click())
    assert page.locator(".sides .send").is_enabled()


def test_photos_load_with_their_network_and_can_be_sent(server, visit) -> None:
    page = ready(visit(server, "/image?data=CIFAR-10&mech=codes&eps=6"))
    assert page.get_by_role("radio", name="of CIFAR-10").get_attribute("aria-checked") == "true"
    near = page.locator(".sides .tiles .mosaic")
    assert near.count() == 8 and "nearest public photos" in near.first.get_attribute("aria-label")
    page.locator(".sides .send").click()
    page.get_by_text("1 report", exact=True).wait_for()
    page.get_by_text("public photos nearest to the report").wait_for()


def test_deep_link_opens_the_same_view_and_names_no_picture(server, visit) -> None:
    page = ready(visit(server, "/image?eps=2&lam=0.5&mech=pixels&sample=3-2"))
    assert "ε = 2" in page.locator(".sides .eps .words").inner_text()
    assert "λ = 0.50" in page.locator(".sides .lam .words").inner_text()
    updated(page, lambda: page.locator(".sides .gallery button").nth(4).click())
    updated(page, lambda: page.locator(".sides .eps input").press("ArrowRight"))
    page.wait_for_url(re.compile(r"eps=2\.5"))
    assert "sample" not in page.url and page.url.endswith("#example=4-1")  # the fragment is not sent


def test_a_link_opens_its_example_and_a_drawing_has_none(server, visit) -> None:
    page = ready(visit(server, "/image#example=7-2"))
    chosen = page.locator(".sides .gallery [aria-checked=true]")
    assert chosen.get_attribute("aria-label") == "a handwritten seven, second of three"
    page.get_by_role("radio", name="Draw").click()
    assert "#" not in page.url


def test_before_anything_was_sent_the_other_side_shows_what_epsilon_allows(server, visit) -> None:
    page = ready(visit(server, "/image?eps=4"))
    before = page.locator(".sides .could em").all_inner_texts()
    # p·e⁴/(p·e⁴ + 1 − p), for the shares p of digits among 4,000 public ones: 8 to 12.5 %
    assert len(before) == 10 and all(82 <= int(re.sub(r"\D", "", words)) <= 89 for words in before)
    updated(page, lambda: page.locator(".sides .eps input").press("Home"))
    after = page.locator(".sides .could em").all_inner_texts()
    assert all(int(re.sub(r"\D", "", words)) < 25 for words in after)


def test_the_camera_takes_a_picture_that_stays(server, visit) -> None:
    """Chromium's make-believe camera shows a green field, which is no digit, and is said to be none."""
    opened = visit(server, "/image", before=lambda page: page.context.grant_permissions(["camera"]))
    page = ready(opened)
    page.get_by_role("radio", name="Camera").click()
    page.get_by_text("What the camera sees stays in this browser").wait_for()
    page.get_by_role("button", name="Take the picture").click()
    page.locator(".sides .says .note", has_text=re.compile("hardly looks|cannot be used|not sent")).wait_for()


def test_deep_link_as_the_very_first_visit(fresh_server, visit) -> None:
    page = ready(visit(fresh_server, "/image?eps=4"))
    assert "not found" not in page.locator("body").inner_text().lower()
    assert "ε = 4" in page.locator(".sides .eps .words").inner_text()


def test_by_keyboard_alone_and_a_live_region_says_the_guess(server, visit) -> None:
    page = ready(visit(server, "/image"))
    page.locator(".sides .gallery button[aria-checked=true]").focus()
    updated(page, lambda: page.keyboard.press("ArrowRight"))
    assert "four" in page.evaluate("() => document.activeElement.getAttribute('aria-label')")
    page.wait_for_function("() => /would guess/.test(document.querySelector('.sides [aria-live]').textContent)")
    page.locator(".sides .send").focus()
    page.keyboard.press("Enter")
    page.wait_for_function("() => /One report arrived/.test(document.querySelector('.sides [aria-live]').textContent)")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_image_on_a_phone(server, visit, scheme: str) -> None:
    opened = visit(server, "/image", width=390, height=844, scheme=scheme)
    ready(opened)
    assert opened.overflow() <= 0
    owner, wall, collector = opened.page.evaluate(
        "() => [...document.querySelector('.sides').children].map((part) => part.getBoundingClientRect().toJSON())"
    )
    assert wall["width"] > 5 * wall["height"]
    assert owner["bottom"] <= wall["top"] + 1 and wall["bottom"] <= collector["top"] + 1


def test_both_sides_fit_one_screen_and_dark_is_dark(server, visit) -> None:
    opened = visit(server, "/image", width=1440, height=900, scheme="dark")
    page = ready(opened)
    wall = page.locator(".sides .wall").bounding_box()
    assert wall and wall["height"] > 5 * wall["width"]
    slider, tiles, send = (page.locator(f".sides {each}").first.bounding_box() for each in (".eps", ".tiles", ".send"))
    assert slider["y"] > 0 and tiles["y"] + tiles["height"] <= 900 and send["y"] + send["height"] <= 900
    style = "getComputedStyle(document.querySelector('.stApp'))"
    colours = page.evaluate(f"() => [{style}.backgroundColor, {style}.color]")
    ground, ink = (sum(map(int, re.findall(r"\d+", colour)[:3])) / 3 for colour in colours)
    assert ground < 60 and ink > 180


def test_the_report_can_be_taken_along(server, visit) -> None:
    page = ready(visit(server, "/image"))
    page.locator(".sides .send").click()
    page.get_by_text("Take it with you").click()
    with page.expect_download() as started:
        page.get_by_role("button", name="Report (JSON)").click()
    report = json.loads(started.value.path().read_text())
    assert set(report) == {"format", "mechanism", "digest", "epsilon_x", "epsilon_y", "label", "numbers"}
    assert report["epsilon_x"] + report["epsilon_y"] == pytest.approx(4.0)


def test_the_servers_way_says_so_and_is_the_same_view(server, visit) -> None:
    page = ready(visit(server, "/image"))
    page.get_by_text("your picture then travels there, also to rehearse").wait_for()  # before it is chosen
    updated(page, lambda: page.get_by_label("Compute on the server instead").check())
    page.get_by_text("Your picture itself will travel to this server").wait_for()
    page.get_by_text("has travelled: the library on the server").wait_for()
    first = pixels(page, FIRST_DECODED)
    updated(page, lambda: page.locator(".sides .eps input").press("ArrowLeft"))
    assert pixels(page, FIRST_DECODED) != first
    page.locator(".sides .send").click()
    page.get_by_text("1 report", exact=True).wait_for()
    assert json.loads(page.locator(".sides .report-text").text_content())["format"] == "rlm-report/2"
    updated(page, lambda: page.get_by_label("Compute on the server instead").uncheck())
    page.get_by_text("z: your picture in 8 numbers").wait_for()
