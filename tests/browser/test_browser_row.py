"""The row page end to end in a real browser: example, form, ε, draw, CSV, link, phone, dark."""

from __future__ import annotations

import csv
import io
import re

import pytest
from test_browser_image import ready, updated

from rlm_core.data.samples import loan_examples
from rlm_core.data.schema import FEATURES

pytestmark = pytest.mark.browser


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


def test_example_then_epsilon_then_send_twice(server, visit) -> None:
    page = ready(visit(server, "/row"))
    updated(page, lambda: page.get_by_label("Example").select_option(label="Solar panels"))
    page.locator(".sides .rows .mine").get_by_text("$24,000").wait_for()
    slider = page.locator(".sides .eps input")
    slider.focus()
    updated(page, lambda: slider.press("ArrowLeft"))
    page.wait_for_url(re.compile(r"eps=3\.5"))
    assert "Solar" not in page.url and "loan=" not in page.url
    page.get_by_role("button", name="Send one report · spends ε = 3.5").click()
    page.get_by_text("1 sent, ε = 3.5 in total").wait_for()
    page.get_by_role("button", name="Send one report").click()
    page.get_by_text("All 2 together").wait_for()


def test_own_values_stay_out_of_the_address_and_the_table_shows_them(server, visit) -> None:
    page = ready(visit(server, "/row?eps=4"))
    updated(page, lambda: page.get_by_label("Yearly income").fill("61500"))
    page.locator(".sides .rows .mine").get_by_text("$61,500").wait_for()
    assert "61500" not in page.url
    page.get_by_label("Yearly income").fill("-5")
    page.locator(".sides .problem").get_by_text("From 0 to").wait_for()
    assert page.locator(".sides .send").is_disabled()
    updated(page, lambda: page.get_by_label("Yearly income").fill("61500"))
    assert page.locator(".sides .send").is_enabled()


def test_all_fields_are_behind_one_line_and_each_is_part_of_the_record(server, visit) -> None:
    page = ready(visit(server, "/row"))
    assert page.locator(".sides .field:visible").count() == 6
    page.locator(".sides details.all-fields > summary").click()
    assert page.locator(".sides .field:visible").count() == 21
    updated(page, lambda: page.get_by_label("State").select_option("TX"))
    updated(page, lambda: page.get_by_role("radio", name="charged off").click())


def test_codes_send_a_pair(server, visit) -> None:
    page = ready(visit(server, "/row?mech=codes&eps=2"))
    assert page.locator(".sides .lam input").is_disabled()
    page.get_by_text(re.compile("Your loan has code")).wait_for()
    page.locator(".sides .send").click()
    page.get_by_text("1 report", exact=True).wait_for()


def test_csv_bad_then_good_then_another_column(server, visit) -> None:
    opened = visit(server, "/row?rows=A+CSV+file&eps=6")
    page = opened.page
    chooser = page.locator("input[type=file]")
    chooser.set_input_files(loans(grade="Z"))
    page.locator(".rlm-problems").get_by_text("‘Z’").wait_for()
    assert page.get_by_role("button", name=re.compile(r"Privatise \d")).count() == 0
    chooser.set_input_files(loans())
    page.get_by_role("button", name="Privatise 24 rows (spends ε = 6 for each person)").click()
    page.get_by_role("button", name=re.compile("rows again")).wait_for()
    page.locator(".rlm-chart svg").wait_for()
    with page.expect_download() as started:
        page.get_by_role("button", name="Privatised table (CSV)").click()
    rows = list(csv.reader(io.StringIO(started.value.path().read_text())))
    assert len(rows) == 25 and rows[0][0] == "z_private_1" and "y_private" in rows[0]
    before = page.locator(".rlm-chart .axes").text_content()
    page.get_by_label("Column", exact=True).click()
    page.get_by_role("option", name="Grade", exact=True).click()
    page.wait_for_function(
        "(before) => ![undefined, before].includes("
        "document.querySelector('.rlm-chart .axes')?.textContent)",  # gone while it is drawn anew
        arg=before,
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
    page = ready(visit(server, "/row?eps=2&lam=0.5&loan=Solar+panels"))
    assert "ε = 2" in page.locator(".sides .eps .words").inner_text()
    assert "λ = 0.50 of it for the loan" in page.locator(".sides .lam .words").inner_text()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_row_on_a_phone(server, visit, scheme: str) -> None:
    opened = visit(server, "/row", width=390, height=844, scheme=scheme)
    page = ready(opened)
    assert opened.overflow() <= 0
    wall = page.locator(".sides .wall").bounding_box()
    assert wall and wall["width"] > 5 * wall["height"]
    amount, term = (page.get_by_label(name).first.bounding_box() for name in ("Loan amount ($)", "Term"))
    assert amount and term and abs(amount["y"] - term["y"]) < 30  # two fields in a row, not one below the other
    colour = page.evaluate("() => getComputedStyle(document.querySelector('.stApp')).backgroundColor")
    brightness = sum(map(int, re.findall(r"\d+", colour)[:3])) / 3
    assert (brightness < 60) if scheme == "dark" else (brightness > 200)
