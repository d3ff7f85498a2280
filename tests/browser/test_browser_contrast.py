"""Every text stands out from its ground by at least 4.5:1, in light and in dark: words, charts and drawings."""

from __future__ import annotations

from typing import Any

import pytest

from ui.app.site import pages
from ui.lessons.book import CHAPTERS

pytestmark = pytest.mark.browser

ENOUGH = 4.5

CONTRASTS = """() => {
    const pen = Object.assign(document.createElement("canvas"), { width: 1, height: 1 })
        .getContext("2d", { willReadFrequently: true });
    const fill = (colour, alpha = 1) => {  // any CSS colour, over what is there
        pen.globalAlpha = alpha;
        pen.fillStyle = colour;
        pen.fillRect(0, 0, 1, 1);
    };
    const luminance = () => {
        const [r, g, b] = [...pen.getImageData(0, 0, 1, 1).data].map((byte) => {
            const share = byte / 255;
            return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
        });
        return 0.2126 * r + 0.7152 * g + 0.0722 * b;
    };
    const parent = (node) => node.parentElement ?? node.getRootNode().host ?? null;
    const chain = (node) => (node ? [...chain(parent(node)), node] : []);
    const found = [];
    const look = (element, words) => {
        const style = getComputedStyle(element);
        const box = element.getBoundingClientRect();
        if (element.closest(".stSlider")?.querySelector("input:disabled")) return;
        const visible = element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
        if (!visible || box.width < 2 || box.height < 2) return;
        if (element.closest('[data-testid="stSliderTickBar"]')) return;  // shown while a pointer is over the slider
        if (element.closest(":disabled, [aria-hidden=true], option") || /inset\\(50%/.test(style.clipPath)) return;
        fill("#fff");
        let alpha = 1;
        // The value of a slider stands above its thumb, not on it.
        const above = element.closest('[data-testid="stSliderThumbValue"]');
        for (const each of chain(above ? above.closest(".stSlider") : element)) {
            const { backgroundColor, opacity } = getComputedStyle(each);
            alpha *= Number(opacity);
            fill(backgroundColor);
        }
        if (element.dataset.ground) fill(element.dataset.ground);  // words on a shape of a picture
        const ground = luminance();
        const drawn = element instanceof SVGElement;
        fill(drawn ? style.fill : style.color, drawn ? alpha * Number(style.fillOpacity) : alpha);
        const ink = luminance();
        const ratio = (Math.max(ink, ground) + 0.05) / (Math.min(ink, ground) + 0.05);
        found.push([ratio, words, `${element.tagName}.${element.getAttribute("class") ?? ""}`]);
    };
    const walk = (root) => {
        for (const element of root.querySelectorAll("*")) {
            if (element.shadowRoot) walk(element.shadowRoot);
            if (["SCRIPT", "STYLE"].includes(element.tagName)) continue;
            const texts = [...element.childNodes].filter((node) => node.nodeType === 3);
            const typed = element.type === "number" ? element.value : "";
            const words = texts.map((node) => node.data).join("").trim() || typed;
            if (words) look(element, words);
        }
    };
    walk(document);
    return found;
}"""

RING = """(element) => {
    const { outlineStyle, outlineWidth } = getComputedStyle(element);
    return outlineStyle === "none" ? 0 : parseFloat(outlineWidth);
}"""


def faint(page: Any) -> list[Any]:
    """Texts that do not stand out, after a check that the page's texts were looked at.

    While the server answers, Streamlit fades what will be replaced: only what stays faint counts.
    """
    page.wait_for_function(f"() => ({CONTRASTS})().length > 40")  # a part of a page may come late
    for _ in range(10):
        found = [each for each in page.evaluate(CONTRASTS) if not each[0] >= ENOUGH]
        if not found:
            break
        page.wait_for_timeout(500)
    return sorted(found)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_all_text_stands_out_from_its_ground(server, visit, scheme: str) -> None:
    page = visit(server, "/", scheme=scheme, width=1440, height=900).page
    page.locator(".crowd[data-done='4']").wait_for()
    assert faint(page) == []
    for path in ("/image?mech=numbers", "/row?mech=codes"):
        page = visit(server, path, scheme=scheme, width=1440, height=900).page
        page.locator(".sides[data-updates]").wait_for()
        assert faint(page) == []
        page.get_by_label("Compute on the server instead").check()  # its warning
        page.locator(".sides .send").click()
        page.get_by_text("1 report", exact=True).wait_for()
        assert faint(page) == []
    page.evaluate("() => { document.querySelector('.sides .rehearsing .note').style.color = '#777'; }")
    assert len(faint(page)) == 1  # the measurement sees grey on a light ground, or on a dark one


OPEN_ALL = """() => document.querySelectorAll('[data-testid=stMain] details:not([open]) > summary').forEach(
  each => each.click())"""
CHARTS = "() => [...document.querySelectorAll('.rlm-chart')].every(each => each.querySelector('svg'))"


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize(
    "path",
    [
        "/advise",
        "/advise?data=Lending Club&people=4&need=60",
        "/benchmarks",
        "/benchmarks?exp=Private inference&data=CIFAR-10",
        "/bound",
        "/bound?k=7&eps=2&place=the paper’s figure",
        "/collect",
        "/collect?send=Numbers with noise (V-RLM, C-RLM)",
        "/audit?break=Half the noise",
        *(f"/concepts?chapter={each.short}" for each in CHAPTERS),
    ],
)
def test_the_pages_that_answer_stand_out_too(server, visit, scheme: str, path: str) -> None:
    opened = visit(server, path, scheme=scheme, width=1440, height=900)
    opened.settled()
    opened.page.evaluate(OPEN_ALL)
    opened.settled()
    opened.page.wait_for_function(CHARTS)
    assert faint(opened.page) == []


@pytest.mark.parametrize("file", [page.file for page in pages() if page.file != "start"])
def test_a_page_opened_by_its_address_asks_for_nothing_that_is_not_there(server, visit, file: str) -> None:
    missing = []
    opened = visit(server, f"/{file}", before=lambda page: page.on("response", lambda each: missing.append(each)))
    opened.settled()
    assert [each.url for each in missing if each.status >= 400] == []


def test_focus_is_a_ring_and_what_is_chosen_is_a_ground(server, visit) -> None:
    page = visit(server, "/image", width=1440, height=900).page
    page.locator(".sides[data-updates]").wait_for()
    chosen = page.locator(".sides .lanes-place [aria-checked=true]")
    other = page.locator(".sides .lanes-place [aria-checked=false]").first
    ground = "(element) => getComputedStyle(element).backgroundColor"
    assert chosen.evaluate(ground) != other.evaluate(ground) and chosen.evaluate(RING) == 0
    page.locator(".sides .eps input").focus()
    page.keyboard.press("Shift+Tab")  # back to the chosen mechanism
    assert chosen.evaluate("(element) => element === document.activeElement") and chosen.evaluate(RING) >= 2
    unnamed = page.evaluate(
        """() => [...document.querySelectorAll(".sides button, .sides input, .sides select, .sides canvas[role=img]")]
            .filter((each) => !(each.getAttribute("aria-label") || each.textContent || each.labels?.length))
            .map((each) => each.outerHTML.slice(0, 120))"""
    )
    assert [each for each in unnamed if "aria-hidden" not in each] == []
