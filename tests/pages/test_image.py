"""The image page without a browser: what Python gives to the two sides, and what it makes of reports that arrived."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from page_driver import Open, healthy, words
from streamlit.testing.v1 import AppTest

from rlm_core import RandomisedResponse, Report, release
from rlm_core.data.samples import mnist_samples
from rlm_core.device.owner_file import has_file
from ui.app import cache
from ui.record import observer
from ui.record.inbox import Inbox

NAME = "mnist-vrlm-l5-eps7"


def component(app: AppTest) -> dict[str, Any]:
    """What the page gave to the two sides."""
    (found,) = app.main.get("bidi_component")
    data: dict[str, Any] = json.loads(found.proto.json)
    return data


def report(epsilon: float = 4.0, lam: float = 0.75) -> str:
    x = mnist_samples().of_class(7)[3].reshape(-1) / 255.0
    labels = RandomisedResponse(epsilon=(1 - lam) * epsilon, classes=10)
    return release(x, 7, mechanism=cache.model(NAME).mechanism(lam * epsilon), labels=labels).to_json()


def arrived(app: AppTest, *texts: str) -> AppTest:
    """The page after these reports have come."""
    reports = [observer.read(text, cache.PICTURES) for text in texts]
    app.session_state["inbox_image"] = Inbox(reports=reports, ids={"a"}, last="a")
    return healthy(app.run())


def test_opens_with_nothing_received_and_everything_to_rehearse_with(open_page: Open) -> None:
    data = component(open_page("image"))
    assert data["received"]["bytes"] == 0 and "nothing" in data["received"]["html"]
    assert list(data["offer"]["datasets"]) == ["mnist", "cifar10"]
    assert data["offer"]["epsilons"][data["offer"]["defaults"]["eps"]]["value"] == 4.0
    assert data["offer"]["defaults"]["mech"] == "numbers"
    names = [each["name"] for each in data["offer"]["datasets"]["mnist"]["lanes"]["numbers"]]
    assert names == [cache.chosen_mechanism("mnist", each["value"] or math.inf) for each in data["offer"]["epsilons"]]


def test_a_report_is_shown_with_its_bytes_and_the_librarys_inference(open_page: Open) -> None:
    text = report()
    received = component(arrived(open_page("image"), text))["received"]
    each = observer.read(text, cache.PICTURES)
    found = observer.belief([each])
    guess = int(found.classes.argmax())
    assert received["bytes"] == len(text.encode()) and received["last"] == "a"
    assert f"Best guess: <b>{guess}</b>" in received["html"] and f"guess is {guess}" in received["spoken"]
    assert (
        "1 report" in received["html"] and "ε = 4 spent in all; another at this ε would make it 8" in received["html"]
    )
    assert received["html"].count("<img") == 2  # x̃ and the best picture


def test_several_reports_are_taken_together(open_page: Open) -> None:
    received = component(arrived(open_page("image"), report(), report(), report(2.0)))["received"]
    assert "All 3 together" in received["html"] and "ε = 10 spent in all" in received["html"]


def test_downloads_hold_the_report_and_what_follows_from_it(open_page: Open) -> None:
    text = report()
    app = arrived(open_page("image"), text)
    assert "as private as the report" in words(app)
    labels = [each.proto.label for each in app.main.get("download_button")]
    assert labels == ["Report (JSON)", "Decoded x̃ (PNG)", "One-page summary (HTML)"]
    assert Report.from_json(text).epsilon == pytest.approx(4.0)


BROKEN = [{"eps": "-3"}, {"lam": "7"}, {"data": "ImageNet"}, {"sample": "99"}, {"mech": "../x"}, {"source": "Fax"}]


@pytest.mark.parametrize("address", BROKEN)
def test_a_broken_link_still_opens(open_page: Open, address: dict[str, str]) -> None:
    assert component(open_page("image", **address))["received"]["bytes"] == 0


def test_a_failure_is_an_apology_not_a_traceback(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    app = arrived(open_page("image"), report())

    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr("ui.record.download.summary", broken)
    app.run()
    assert not app.exception
    assert "went wrong on our side" in app.error[0].value
    assert "secret detail" not in words(app) + app.error[0].value
    monkeypatch.undo()
    app.button(key="start_afresh_workbench").click().run()
    healthy(app.run())


def test_the_owners_side_can_be_taken_home_before_anything_is_sent(open_page: Open) -> None:
    links = [each.proto.url for each in open_page("image").main.get("link_button")]
    assert len(links) == 4 and all(each.startswith("/device/owner/") and each.endswith(".html") for each in links)
    assert all(has_file(each.removeprefix("/device/owner/").removesuffix(".html")) for each in links)
