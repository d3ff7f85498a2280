"""The start page: the promise, one digit, a release at every position, and the way on."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from page_driver import Open, healthy, ledger, words
from streamlit.testing.v1 import AppTest
from ui.start.live import START_EPSILON

from ui.app import site
from ui.start import text as prose


def live_data(app: AppTest) -> dict[str, Any]:
    """What the page sent to the live digit."""
    (component,) = app.main.get("bidi_component")
    data: dict[str, Any] = json.loads(component.proto.json)
    return data


def ask(app: AppTest, epsilon: float, *, again: bool = False) -> AppTest:
    """Do what the browser's question does: the component's callback, then a rerun."""

    def callback(epsilon: float, again: bool) -> None:
        from ui.app.controls import EPSILONS
        from ui.start import live

        live._answer(EPSILONS.index(epsilon), again)
        live.live_section()

    asked = AppTest.from_function(callback, kwargs={"epsilon": epsilon, "again": again}, default_timeout=300)
    for key in ("releases", "eps"):
        if key in app.session_state:
            asked.session_state[key] = app.session_state[key]
    return healthy(asked.run())


def test_promise_and_digit_are_there(open_page: Open) -> None:
    app = open_page("start")
    data = live_data(app)
    assert f"= {math.exp(START_EPSILON):,.0f} times" in data["promise"]
    assert data["epsilons"][data["position"]] == f"{START_EPSILON:g}"
    assert data["x"].startswith("data:image/png") and data["x"] != data["x_decoded"]
    assert len(data["z"]) == len(data["z_private"]) == 8
    assert "1 report" in data["spent"]
    assert [(r.epsilon_x, r.epsilon_y) for r in ledger(app).releases] == [(START_EPSILON, 0.0)]


def test_a_rerun_draws_nothing(open_page: Open) -> None:
    app = open_page("start")
    before = live_data(app)
    healthy(app.run())
    after = live_data(app)
    assert after["z_private"] == before["z_private"] and after["answer"] != before["answer"]
    assert len(ledger(app).releases) == 1


def test_every_position_is_a_release_and_going_back_is_not(open_page: Open) -> None:
    app = open_page("start")
    first = live_data(app)["z_private"]
    low = ask(app, 0.5)
    assert live_data(low)["z_private"] != first
    assert [r.epsilon for r in ledger(low).releases] == [START_EPSILON, 0.5]
    back = ask(low, START_EPSILON)
    assert live_data(back)["z_private"] == first
    assert len(ledger(back).releases) == 2
    again = ask(back, START_EPSILON, again=True)
    assert live_data(again)["z_private"] != first
    assert "3 reports" in live_data(again)["spent"] and "16.5" in live_data(again)["spent"]


def test_no_noise_at_infinity(open_page: Open) -> None:
    data = live_data(ask(open_page("start"), math.inf))
    assert data["z"] == data["z_private"]
    assert "no promise" in data["promise"]


@pytest.mark.parametrize(("address", "shown"), [("2", "2"), ("∞", "∞"), ("0.5", "0.5"), ("99", "8"), ("<b>", "8")])
def test_address_sets_epsilon_and_nonsense_does_not(open_page: Open, address: str, shown: str) -> None:
    data = live_data(open_page("start", eps=address))
    assert data["epsilons"][data["position"]] == shown


def test_epsilon_goes_with_the_visitor(open_page: Open) -> None:
    asked = ask(open_page("start"), 3.5)
    app = open_page("start")
    app.session_state["eps"] = asked.session_state["eps"]
    app.switch_page("pages/image.py")
    assert healthy(app.run()).select_slider(key="eps").value == 3.5


def test_cards_for_existing_pages_only(open_page: Open) -> None:
    app = open_page("start")
    linked = [each.label for each in app.main.get("page_link")]
    assert linked == [spec.title for spec in site.pages() if spec.wish]
    assert "Privatise an image" in linked
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
    assert "nothing you enter leaves this server" in footer and "models run on" in footer
