"""The row page end to end in a real browser: example, form, ε, draw, CSV, link, phone, dark."""

from __future__ import annotations

import csv
import io
import re

import pytest
from browser_driver import PATIENCE

from rlm_core.data.samples import loan_examples
from rlm_core.data.schema import FEATURES

pytestmark = pytest.mark.browser

DECODED = ".rlm-pipeline .rlm-mini.rlm-collector"
ORIGINAL = ".rlm-pipeline .rlm-mini.rlm-owner"


def loans(rows: int = 24, **replaced: str) -> dict[str, object]:
    """The sample loans as an upload; ``replaced`` puts a value into the second row."""
    examples = loan_examples()
    buffer = io.StringIO()
    writer = csv.writer(buffer)
    writer.writerow([*FEATURES, "outcome"])
    for row in range(rows):
        values = dict(examples.frame.iloc[row]) | (replaced if row == 1 else {})
        writer.writerow([*values.values(), ("repaid", "charged off")[examples.target[row]]])
    return {"name": "loans.csv", "mimeType": "text/csv", "buffer": buffer.getvalue().encode()}


def press_on_slider(page, key: str, press: str) -> None:
    """Move a slider with the keyboard, as a visitor without a mouse does."""
    thumb = page.locator(f".st-key-{key} [role=slider], .st-key-{key} input[type=range]").first
    thumb.focus()
    thumb.press(press)


def test_example_then_epsilon_then_draw_again(server, visit) -> None:
    opened = visit(server, "/row")
    page = opened.page
    page.get_by_role("button", name="Solar panels").or_(page.get_by_role("radio", name="Solar panels")).click()
    page.wait_for_url(re.compile("loan=Solar"))
    page.locator(ORIGINAL).get_by_text("$24,000").wait_for()
    opened.wait_for_spent(10)
    decoded = page.locator(DECODED).inner_text()
    press_on_slider(page, "eps", "ArrowLeft")
    page.wait_for_url(re.compile(r"eps=9\.5"))
    opened.wait_for_spent(19.5)
    assert page.locator(DECODED).inner_text() != decoded and "$24,000" in page.locator(ORIGINAL).inner_text()
    decoded = page.locator(DECODED).inner_text()
    page.get_by_role("button", name=re.compile("Draw again")).click()
    opened.wait_for_spent(29)
    assert page.locator(DECODED).inner_text() != decoded
    assert page.locator(".rlm-compare-row").count() >= 14


def test_own_values_are_released_when_submitted_and_stay_out_of_the_address(server, visit) -> None:
    from playwright.sync_api import expect

    opened = visit(server, "/row?eps=4")
    page = opened.page
    income = page.get_by_role("spinbutton", name="Yearly income ($)", exact=True)
    expect(income).to_have_value("58000", timeout=PATIENCE)  # the browser fills the fields one after another
    income.fill("61500")
    income.press("Tab")
    opened.settled()
    assert opened.spent() == 4.0 and "$58,000" in page.locator(ORIGINAL).inner_text()
    page.get_by_role("button", name="Use these values").click()
    page.locator(ORIGINAL).get_by_text("$61,500").wait_for()
    opened.settled()
    assert opened.spent() == 4.0 and "61500" not in page.url and "loan=" not in page.url


def test_csv_bad_then_good_then_another_column(server, visit) -> None:
    opened = visit(server, "/row?rows=A+CSV+file&eps=6")
    page = opened.page
    chooser = page.locator("input[type=file]")
    chooser.set_input_files(loans(grade="Z"))
    page.locator(".rlm-problems").get_by_text("‘Z’").wait_for()
    assert page.get_by_role("button", name=re.compile(r"Privatise \d")).count() == 0
    chooser.set_input_files(loans())
    page.get_by_role("button", name="Privatise 24 rows (spends ε = 6 for each person)").click()
    page.get_by_role("button", name=re.compile("Draw again")).wait_for()
    page.locator(".js-plotly-plot").wait_for()
    with page.expect_download() as started:
        page.get_by_role("button", name="Privatised table (CSV)").click()
    rows = list(csv.reader(io.StringIO(started.value.path().read_text())))
    assert len(rows) == 25 and rows[0][0] == "z_private_1" and "y_private" in rows[0]
    before = page.locator(".js-plotly-plot .xaxislayer-above").text_content()
    page.get_by_label("Column", exact=True).click()
    page.get_by_role("option", name="Grade", exact=True).click()
    page.wait_for_function(
        "(before) => document.querySelector('.js-plotly-plot .xaxislayer-above').textContent !== before", arg=before
    )
    page.wait_for_url(re.compile("column=Grade"))
    assert page.get_by_text("over 1 release of this table").count() == 1  # looking at a column drew nothing
    assert "Traceback" not in page.locator("body").inner_text()


def test_a_file_above_the_limit_is_refused_in_words_before_it_is_sent(server, visit) -> None:
    opened = visit(server, "/row?rows=A+CSV+file")
    page = opened.page
    page.get_by_text("up to 50,000 rows and 10 MB").wait_for()
    large = {"name": "large.csv", "mimeType": "text/csv", "buffer": b"loan_amnt\n" + b"1000\n" * (21 * 2**20 // 10)}
    page.locator("input[type=file]").set_input_files(large)
    page.get_by_text(re.compile("10.*MB or smaller")).wait_for()
    assert "Axios" not in page.locator("body").inner_text() and not any(
        "upload_file" in sent for sent in opened.requests
    )


def test_deep_link_opens_the_same_view(server, visit) -> None:
    opened = visit(server, "/row?eps=2&lam=0.5&loan=Solar+panels")
    assert opened.spent() == 2.0 and "$24,000" in opened.page.locator(ORIGINAL).inner_text()
    assert "εx = 1 for the loan" in opened.page.locator(".rlm-split").inner_text().replace("\n", "")


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_row_on_a_phone(server, visit, scheme: str) -> None:
    opened = visit(server, "/row", width=390, height=844, scheme=scheme)
    page = opened.page
    assert opened.overflow() <= 0
    wall = page.locator(".rlm-boundary").bounding_box()
    assert wall and wall["width"] > 5 * wall["height"]
    amount, term = (page.get_by_label(name).first.bounding_box() for name in ("Loan amount ($)", "Term"))
    assert amount and term and abs(amount["y"] - term["y"]) < 30  # two fields in a row, not one below the other
    colour = page.evaluate("() => getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", colour)[:3])) / 3
    assert (brightness < 60) if scheme == "dark" else (brightness > 200)
