"""The start page: the promise, what its stage is given, and the way on. The browser computes the rest."""

from __future__ import annotations

import json
from typing import Any

import pytest
from page_driver import Open, healthy, words
from streamlit.testing.v1 import AppTest

from benchmarks import crowd
from rlm_core import zoo
from ui.app import site
from ui.start import stage
from ui.start import text as prose


def given(app: AppTest) -> dict[str, Any]:
    """What the page sent to its stage."""
    (component,) = app.main.get("bidi_component")
    data: dict[str, Any] = json.loads(component.proto.json)
    return data


def shown(app: AppTest) -> str:
    """The ε at which the slider stands."""
    data = given(app)
    return str(data["positions"][data["position"]])


def let_go(app: AppTest, epsilon: float) -> AppTest:
    """Do what the browser's message does: the component's callback, then a rerun."""

    def callback(epsilon: float) -> None:
        from ui.start import stage

        stage.remember(stage.POSITIONS.index(epsilon))
        stage.show_stage()

    return healthy(AppTest.from_function(callback, kwargs={"epsilon": epsilon}, default_timeout=300).run())


def test_the_stage_gets_public_things_only(open_page: Open) -> None:
    app = open_page("start")
    data = given(app)
    assert shown(app) == f"{stage.START_EPSILON:g}"
    assert len(data["x"]) == 784 and data["label"] == 3
    assert data["people"] == 13_500 and len(data["order"]) == 95
    assert data["mechanisms"]["numbers"] == zoo.choose("mnist", stage.START_EPSILON)
    assert set(data["mechanisms"]) == {"pixels", "numbers", "codes"}
    assert data["paper"]["4"] == [list(point) for point in crowd.curves()[4.0]]
    assert "None of them is sent" in words(app)


def test_nothing_is_released(open_page: Open) -> None:
    app = open_page("start")
    assert "releases" not in app.session_state or not app.session_state["releases"].ledger.releases


@pytest.mark.parametrize(("address", "found"), [("2", "2"), ("∞", "10"), ("0.5", "0.5"), ("99", "4"), ("<b>", "4")])
def test_address_sets_epsilon_and_nonsense_does_not(open_page: Open, address: str, found: str) -> None:
    assert shown(open_page("start", eps=address)) == found


def test_epsilon_goes_with_the_visitor(open_page: Open) -> None:
    moved = let_go(open_page("start"), 3.5)
    assert moved.session_state["eps"] == 3.5 and moved.query_params["eps"] == "3.5"
    assert shown(moved) == "3.5"


def test_cards_for_existing_pages_only(open_page: Open) -> None:
    app = open_page("start")
    linked = [each.label for each in app.main.get("page_link")]
    *cards, last = linked
    assert cards == [spec.title for spec in site.cards()] and "words mean" in last  # the footer's glossary
    assert cards[:2] == ["Privatise a picture", "Choose an ε"]
    for spec in site.PAGES:
        assert (spec in site.pages()) == spec.path.is_file()
        assert not spec.wish or (f"**{spec.wish}**" in words(app)) == spec.path.is_file()


def test_the_code_on_the_page_runs(open_page: Open, capsys: pytest.CaptureFixture[str]) -> None:
    assert open_page("start").code[0].value.strip() == prose.LIBRARY.strip()
    names: dict[str, Any] = {}
    exec(prose.LIBRARY, names)
    report = json.loads(capsys.readouterr().out)
    assert report["epsilon_x"] + report["epsilon_y"] == pytest.approx(8.0)
    assert names["decoded"].shape == (1, 784)


def test_footer(open_page: Open) -> None:
    footer = words(open_page("start"))
    assert "raw data leave your device only by a control that says so" in footer and "models run on" in footer
