"""The row page without a browser: what Python gives to the two sides, what it makes of reports, and the CSV's words."""

from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pytest
from page_driver import Open, healthy, words
from streamlit.testing.v1 import AppTest
from test_image import component

from rlm_core import RandomisedResponse, release
from rlm_core.data.samples import loan_examples
from rlm_core.device.owner_file import has_file
from rlm_core.owner.pairs import PairSelection
from ui.app import cache
from ui.record import observer
from ui.record.download import summary
from ui.record.inbox import Inbox
from ui.record.loan import EXAMPLES
from ui.table.export import decoded_csv, decoded_values

DATASET = "lending_club"
CSV_FILE = "A CSV file"
NUMBERS, CODES = "lending-vrlm-l5-eps15", "lending-qrlm-k4"


def report(name: str = NUMBERS, epsilon: float = 4.0) -> str:
    model = cache.model(name)
    loan = {column: loan_examples().frame[column].iloc[EXAMPLES[0]] for column in model.preprocessor.columns}
    x = model.preprocessor.transform(loan)[0]
    if name == CODES:
        pairs = PairSelection(epsilon=epsilon, codes=4, classes=2)
        return release(x, 0, mechanism=model.mechanism(epsilon), pairs=pairs).to_json()
    labels = RandomisedResponse(epsilon=epsilon / 2, classes=2)
    return release(x, 0, mechanism=model.mechanism(epsilon / 2), labels=labels).to_json()


def arrived(app: AppTest, *texts: str) -> AppTest:
    reports = [observer.read(text, (DATASET,)) for text in texts]
    app.session_state["inbox_row"] = Inbox(reports=reports, ids={"a"}, last="a")
    return healthy(app.run())


def test_opens_with_nothing_received_and_two_lanes(open_page: Open) -> None:
    data = component(open_page("row"))
    assert data["received"]["bytes"] == 0 and "no loan" in data["received"]["html"]
    assert list(data["offer"]["datasets"][DATASET]["lanes"]) == ["numbers", "codes"]


@pytest.mark.parametrize("name", [NUMBERS, CODES])
def test_a_report_is_shown_with_the_librarys_inference(open_page: Open, name: str) -> None:
    text = report(name)
    received = component(arrived(open_page("row"), text))["received"]
    found = observer.belief([observer.read(text, (DATASET,))])
    guess = ("repaid", "charged off")[int(found.classes.argmax())]
    assert f"Best guess: <b>{guess}</b>" in received["html"] and received["bytes"] == len(text.encode())
    assert received["html"].count("rlm-mini") == (2 if name == NUMBERS else 1)  # x̃ and the best row
    for value in found.classes:
        assert f"width:{100 * value:.2f}%" in received["html"]


def test_downloads_hold_the_report_and_what_follows_from_it(open_page: Open) -> None:
    text = report()
    app = arrived(open_page("row"), text)
    labels = [each.proto.label for each in app.main.get("download_button")]
    assert labels == ["Report (JSON)", "Decoded x̃ (CSV)", "One-page summary (HTML)"]
    each, model = observer.read(text, (DATASET,)), cache.model(NUMBERS)
    decoded = model.preprocessor.inverse(np.asarray(observer.decoded(each))[None])
    table = pd.read_csv(io.StringIO(decoded_csv(decoded)), keep_default_na=False)
    assert len(table) == model.preprocessor.output_dim
    assert table[table.feature == "grade"].value.sum() == pytest.approx(1.0, abs=1e-4)
    page = summary(each, decoded_values=decoded_values(decoded))
    assert "Loan amount" in page and "$12,000" not in page and "58,000" not in page  # nothing of x


@pytest.mark.parametrize(
    "address", [{"eps": "-3"}, {"lam": "7"}, {"loan": "Nobody"}, {"mech": "../x"}, {"rows": "Fax"}, {"column": "?"}]
)
def test_a_broken_link_still_opens(open_page: Open, address: dict[str, str]) -> None:
    assert component(open_page("row", **address))["received"]["bytes"] == 0


def test_a_file_is_said_to_travel_before_one_can_be_chosen(open_page: Open) -> None:
    app = open_page("row")
    assert "travels" not in words(app) and not app.main.get("file_uploader")
    healthy(app.segmented_control(key="rows").set_value(CSV_FILE).run())
    assert "A file travels to this server" in words(app) and len(app.main.get("file_uploader")) == 1


def test_what_was_received_survives_a_look_at_the_other_tab(open_page: Open) -> None:
    app = arrived(open_page("row"), report())
    healthy(app.segmented_control(key="rows").set_value(CSV_FILE).run())
    healthy(app.segmented_control(key="rows").set_value("One loan").run())
    assert "1 report" in component(app)["received"]["html"]


def test_the_owners_side_can_be_taken_home_before_anything_is_sent(open_page: Open) -> None:
    links = [each.proto.url for each in open_page("row").main.get("link_button")]
    assert len(links) == 2 and all(each.startswith("/device/owner/") and each.endswith(".html") for each in links)
    assert all(has_file(each.removeprefix("/device/owner/").removesuffix(".html")) for each in links)
