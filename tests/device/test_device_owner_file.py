"""The saved file: from disk, without a network, it makes a valid report and can connect to nothing."""

from __future__ import annotations

import base64
import io
import re
import socket
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from rlm_core import LocalPrivatiser, zoo
from rlm_core.data.samples import adult_sample, mnist_samples
from rlm_core.device.description import description, offered
from rlm_core.device.owner_file import bundle, has_file, owner_file
from rlm_core.privatiser import UtilityWarning
from rlm_core.privatiser.plan import CODES, KINDS, VRLM
from rlm_core.privatiser.received import receive
from rlm_core.privatiser.vrlm import training
from rlm_core.privatiser.vrlm.reports import split_reports
from rlm_core.report import Report

DIGITS, NUMBERS, LOANS, PIXELS = "mnist-qrlm-k96", "mnist-vrlm-l7.5-eps13", "lending-qrlm-k16", "mnist-pixels"


def png() -> bytes:
    file = io.BytesIO()
    Image.fromarray(mnist_samples().images[200]).save(file, "PNG")
    return file.getvalue()


@pytest.mark.browser
@pytest.mark.parametrize(("name", "epsilon"), [(DIGITS, "2.5"), (NUMBERS, "4"), (LOANS, "1"), (PIXELS, "784")])
def test_from_disk_and_offline_it_makes_a_valid_report(chromium: Any, tmp_path: Path, name: str, epsilon: str) -> None:
    file = tmp_path / "owner.html"
    file.write_text(owner_file(name).html, encoding="utf-8")
    from playwright.sync_api import expect

    context = chromium.new_context(offline=True)
    page = context.new_page()
    page.set_default_timeout(120_000)
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.on("console", lambda message: problems.append(message.text) if message.type == "error" else None)
    page.goto(file.as_uri())
    page.wait_for_selector("body[data-ready=yes]")
    if name != LOANS:
        page.set_input_files("input[type=file]", [{"name": "7.png", "mimeType": "image/png", "buffer": png()}])
        page.wait_for_selector("canvas[data-picture='7.png']")  # read, fitted and drawn
    page.select_option("#label", "1")
    page.fill("#epsilon", epsilon)
    page.click("#release")
    expect(page.locator("#report"), page.inner_text("main")).not_to_have_value("", timeout=120_000)
    text = page.input_value("#report")
    assert problems == [], page.inner_text("main")
    report = Report.from_json(text)
    assert report.to_json() == text
    assert report.mechanism == description(name)["name"] and report.digest == description(name)["digest"]
    assert report.epsilon == pytest.approx(float(epsilon), rel=1e-12)
    assert "1 released" in page.inner_text("#spent")
    context.close()


def heard(listener: socket.socket) -> bytes:
    """All that anybody has said. A browser may connect ahead of a request that is then refused: that one is mute."""
    said = b""
    listener.settimeout(0.2)
    while True:
        try:
            connection, _ = listener.accept()
        except TimeoutError:
            return said
        with connection:
            connection.settimeout(1.0)
            try:
                said += connection.recv(4096)
            except TimeoutError:
                pass


@pytest.mark.slow
@pytest.mark.browser
@pytest.mark.parametrize("kind", KINDS)
def test_the_page_of_an_own_table_makes_reports_that_can_be_learnt_from(
    chromium: Any, tmp_path: Path, kind: str
) -> None:
    public = adult_sample()[:1_000].drop(columns=["fnlwgt", "native-country"])
    privatiser = LocalPrivatiser(epsilon=2.0, reports=2_000, kind=kind).fit(public, "income-per-year")
    context = chromium.new_context(offline=True)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(privatiser.export(tmp_path / "owner.html").as_uri())
    page.wait_for_selector("body[data-ready=yes]")
    assert page.input_value("#epsilon") == "2" and page.locator("#lam").count() == 0
    page.locator("input[name=age]").fill("")  # nothing is said
    page.locator("select[name=workclass]").select_option("Private")
    texts = []
    for label in ("0", "1"):
        page.select_option("#label", label)
        page.click("#release")
        texts.append(page.input_value("#report"))
    page.select_option("#label", "none")
    assert "cannot learn from a report without its class" in page.inner_text("#notes")
    page.click("#release")
    alone = Report.from_json(page.input_value("#report"))
    context.close()
    assert problems == [] and all(Report.from_json(text).to_json() == text for text in texts)
    assert receive(texts, privatiser.method_, 2).epsilon == 2.0
    assert alone.digest == privatiser.method_.digest
    assert privatiser.method_.mechanism(2.0).vector(alone).shape == (privatiser.plan_.size,)


@pytest.mark.browser
def test_a_report_is_copied_or_saved_as_a_line_and_the_next_one_is_neither(chromium: Any, tmp_path: Path) -> None:
    """ "Copied." beside a report that was not: its owner would send the first one twice."""
    privatiser = LocalPrivatiser(epsilon=2.0, reports=2_000).fit(adult_sample()[:600], "income-per-year")
    context = chromium.new_context(offline=True, accept_downloads=True)
    page = context.new_page()
    page.goto(privatiser.export(tmp_path / "owner.html").as_uri())
    page.wait_for_selector("body[data-ready=yes]")
    assert not page.is_visible("#after")
    page.select_option("#label", "0")
    page.click("#release")
    first = page.input_value("#report")
    page.click("#copy")
    page.locator("#copied", has_text="Copied.").wait_for()
    with page.expect_download() as download:
        page.click("#save")
    assert "Saved on this device" in page.inner_text("#copied")
    saved = tmp_path / download.value.suggested_filename
    download.value.save_as(saved)
    page.click("#release")
    assert "2 released" in page.inner_text("#spent") and page.inner_text("#copied") == ""
    second = page.input_value("#report")
    context.close()
    assert saved.name == "report.jsonl" and saved.read_text(encoding="utf-8") == f"{first}\n"
    saved.write_text(f"{first}\n{second}\n", encoding="utf-8")
    with pytest.warns(UtilityWarning):
        assert privatiser.learn(saved).reports_ == 2


@pytest.mark.browser
def test_a_form_begins_empty_and_what_is_not_said_is_missing(chromium: Any, tmp_path: Path) -> None:
    """Nothing is sent as if a stranger's values were true, and no report is made before a class is chosen."""
    public = adult_sample()[:400].drop(columns=["fnlwgt", "native-country"])
    with pytest.warns(UtilityWarning):
        privatiser = LocalPrivatiser(epsilon=2.0, reports=100, kind=CODES).fit(public, "income-per-year")
    context = chromium.new_context(offline=True)
    page = context.new_page()
    page.goto(privatiser.export(tmp_path / "owner.html").as_uri())
    page.wait_for_selector("body[data-ready=yes]")
    values = page.eval_on_selector_all(
        "fieldset input[name], fieldset select[name]", "all => all.map((one) => one.value)"
    )
    assert values == [""] * 12 and page.is_disabled("#release")
    assert "12 of 12 fields are not said" in page.inner_text("#notes") and "ε = 2" in page.inner_text("#asked")
    page.fill("input[name=age]", "61")
    assert "11 of 12" in page.inner_text("#notes")
    page.select_option("#label", "1")
    assert page.is_enabled("#release") and not page.is_visible("#epsilon")
    page.click("summary")
    page.fill("#epsilon", "1000")  # the code itself
    assert "will not use" in page.inner_text("#notes") and "costs ε = 1000" in page.inner_text("#release")
    page.click("#release")
    (symbol,) = np.flatnonzero(Report.from_json(page.input_value("#report")).in_set())
    context.close()
    row = {name: None for name in public.columns if name != "income-per-year"} | {"age": 61}
    code = privatiser.method_.codes(privatiser.method_.encoder(privatiser.encode_table(row)))[0]
    assert symbol == 2 * code + 1


@pytest.mark.browser
def test_the_page_of_an_own_v_rlm_divides_epsilon(
    chromium: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(training, "MOST_EPOCHS", 4)
    public = adult_sample()[:300].drop(columns=["fnlwgt", "native-country"])
    with pytest.warns(UtilityWarning):
        privatiser = LocalPrivatiser(epsilon=2.0, reports=100, kind=VRLM, lam=0.6).fit(public, "income-per-year")
    context = chromium.new_context(offline=True)
    page = context.new_page()
    problems: list[str] = []
    page.on("pageerror", lambda error: problems.append(str(error)))
    page.goto(privatiser.export(tmp_path / "owner.html").as_uri())
    page.wait_for_selector("body[data-ready=yes]")
    assert page.input_value("#epsilon") == "2" and page.input_value("#lam") == "0.6"
    texts = []
    for label in ("0", "1", "none"):
        page.select_option("#label", label)
        page.click("#release")
        texts.append(page.input_value("#report"))
    context.close()
    assert problems == []
    *labelled, alone = map(Report.from_json, texts)
    sent = split_reports(labelled, digest=privatiser.method_.digest, size=8, classes=2)
    assert (sent.epsilon_x, sent.epsilon_y) == (1.2, 0.8)
    assert alone.digest == privatiser.method_.digest and alone.epsilon == 2.0 and alone.label is None


@pytest.mark.browser
def test_it_can_connect_to_nothing_and_runs_no_other_script(chromium: Any, tmp_path: Path) -> None:
    file = tmp_path / "owner.html"
    file.write_text(owner_file(DIGITS).html, encoding="utf-8")
    page = chromium.new_context().new_page()  # with a network
    page.set_default_timeout(120_000)
    page.goto(file.as_uri())
    page.wait_for_selector("body[data-ready=yes]")
    tries = """async (address) => {
        const image = new Promise((settle) => {
            const [onerror, onload] = ["blocked", "sent"].map((outcome) => () => settle(outcome));
            Object.assign(new Image(), { onerror, onload, src: address });
        });
        const script = document.createElement("script");
        script.textContent = "window.injected = true";
        document.body.append(script);
        navigator.sendBeacon(address, "x");
        const asked = fetch(address).then(() => "sent", () => "blocked");
        return [await asked, await image, window.injected ?? false];
    }"""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
        assert page.evaluate(tries, address) == ["blocked", "blocked", False]
        page.wait_for_timeout(500)
        assert heard(listener) == b""
    page.context.close()


@pytest.mark.parametrize("name", [name for name in offered() if has_file(name)])
def test_every_mechanism_without_a_trunk_has_a_file_with_its_own_weights(name: str) -> None:
    page = owner_file(name)
    assert page.policy.startswith("default-src 'none'; script-src 'sha256-") and "connect-src" not in page.policy
    assert page.policy in page.html and "http://" not in page.html and "https://" not in page.html
    content = re.search(r'id="encoder">([^<]*)<', page.html)
    assert content is not None
    if description(name)["files"]:
        folder = zoo.cards.encoder_card(zoo.card(name)).folder
        assert base64.b64decode(content[1]) == (folder / "encoder.safetensors").read_bytes()


def test_one_script_holds_every_module_once() -> None:
    program = bundle("owner_page.js")
    assert program.count("const module_randomness = (() => {") == 1
    assert not re.search(r"^(import|export) ", program, re.MULTILINE)
