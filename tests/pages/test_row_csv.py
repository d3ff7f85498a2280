"""The row page with a CSV file: what is read, what is refused, and what it costs."""

from __future__ import annotations

import csv
import io
import json
import tomllib
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from page_driver import Open, charts, healthy, ledger, piece, words
from streamlit.testing.v1 import AppTest

from ui.app import cache
from ui.image import files
from ui.table import batch
from ui.table.batch import TableRelease
from ui.table.batch_view import template
from ui.table.csv_file import MAX_BYTES

CSV_FILE = "A CSV file"


@pytest.fixture
def loans_csv() -> bytes:
    model = cache.model(cache.chosen_mechanism("lending_club", 10.0))
    return template(model.preprocessor, model.card.classes).encode()


def upload(app: AppTest, data: bytes, name: str = "loans.csv") -> AppTest:
    return healthy(app.file_uploader(key="upload_table").set_value((name, data, "text/csv")).run())


def tables(app: AppTest) -> list[TableRelease]:
    return list(app.session_state["table_releases"].values()) if "table_releases" in app.session_state else []


def privatise(app: AppTest) -> TableRelease:
    healthy(app.button(key="draw_table").click().run())
    return tables(app)[-1]


def with_cell(data: bytes, line: int, column: str, value: str) -> bytes:
    cells = list(csv.reader(io.StringIO(data.decode())))
    cells[line - 1][cells[0].index(column)] = value
    buffer = io.StringIO()
    csv.writer(buffer).writerows(cells)
    return buffer.getvalue().encode()


def test_the_page_says_nothing_about_a_file_that_is_true_of_one_row_only(open_page: Open) -> None:
    said = words(open_page("row", rows=CSV_FILE))
    assert "A file travels to this server" in said and "on your device. Nothing crosses" not in said
    assert "0 to 1,000,000 $" in said and "e+0" not in said
    assert "V-RLM: 8 numbers within" in said and "lending_club" not in said
    assert "on your device. Nothing crosses" in words(open_page("row"))


def test_before_a_file_is_chosen_the_mechanism_is_in_the_open_and_the_local_way_is_named(open_page: Open) -> None:
    app = open_page("row", rows=CSV_FILE)
    assert "Mechanism" in [each.label for each in app.selectbox]
    assert not [each for folded in app.expander for each in folded.selectbox if each.label == "Mechanism"]
    assert "rlm privatise loans.csv --model lending-qrlm-k96" in words(app)


def test_a_table_is_released_by_its_button_only(open_page: Open, loans_csv: bytes) -> None:
    app = open_page("row", rows=CSV_FILE)
    assert "Choose a CSV file above" in words(app) and "releases" not in app.session_state
    upload(app, loans_csv)
    assert "24 rows** read, with labels" in words(app) and not tables(app)
    assert "Each row is one person’s release at ε = 10" in words(app)
    assert "Privatise 24 rows (spends ε = 10 for each person)" in app.button(key="draw_table").label
    result = privatise(app)
    assert [(r.record, r.epsilon) for r in ledger(app).releases] == [(result.record, 10.0)]
    assert " again (spends" in app.button(key="draw_table").label


def test_the_privatised_table_holds_reports_and_nothing_of_the_rows(open_page: Open, loans_csv: bytes) -> None:
    app = upload(open_page("row", rows=CSV_FILE), loans_csv)
    result = privatise(app)
    model, table = cache.model(result.mechanism), result.table()
    z = [f"z_private_{i + 1}" for i in range(model.card.latent_dim)]
    assert list(table) == [*z, "y_private", *(f"x_decoded_{name}" for name in model.preprocessor.columns)]
    assert len(table) == 24 and set(table.y_private) <= set(model.card.classes)
    again = model.preprocessor.inverse(model.decode(result.z_private)).most_likely()
    assert np.allclose(again["int_rate"], table["x_decoded_int_rate"], atol=1e-3)
    assert again["grade"].tolist() == table["x_decoded_grade"].tolist()
    clean = model.mechanism(7.0).represent(model.preprocessor.transform(result.file.frame))
    assert (np.abs(clean - result.z_private) > 1e-9).mean() > 0.99  # every number got noise of its own


def test_the_column_distribution_moves_and_draws_nothing(open_page: Open, loans_csv: bytes) -> None:
    app = upload(open_page("row", rows=CSV_FILE), loans_csv)
    result = privatise(app)
    shown = set()
    for title in ("Loan amount", "Grade", "State", "Outcome (label)"):
        healthy(app.selectbox(key="column").set_value(title).run())
        shown.add(json.dumps(charts(app)[0]))
    assert len(shown) == 4 and tables(app)[-1] is result and len(ledger(app).releases) == 1


def test_only_the_same_choice_shows_the_kept_table(open_page: Open, loans_csv: bytes) -> None:
    app = upload(open_page("row", rows=CSV_FILE), loans_csv)
    result = privatise(app)
    healthy(app.select_slider(key="eps").set_value(2.0).run())
    assert "Privatise 24 rows (spends ε = 2" in app.button(key="draw_table").label
    assert not charts(app) and len(ledger(app).releases) == 1
    healthy(app.select_slider(key="eps").set_value(10.0).run())
    assert tables(app) == [result] and charts(app)
    other = privatise(app)  # draw again
    assert not np.array_equal(other.z_private, result.z_private)
    assert [r.epsilon for r in ledger(app).releases] == [10.0, 10.0]
    assert "<strong>ε = 20</strong><span>each person, over 2 releases" in words(app)


def test_the_same_table_in_another_file_is_the_same_people(open_page: Open, loans_csv: bytes) -> None:
    app = upload(open_page("row", rows=CSV_FILE), loans_csv)
    privatise(app)
    upload(app, loans_csv + b"\n", "again.csv")
    assert "Privatise 24 rows" in app.button(key="draw_table").label
    privatise(app)
    assert len({release.record for release in ledger(app).releases}) == 1
    assert "<strong>ε = 20</strong><span>each person, over 2 releases" in words(app)


def test_one_limit_is_said_and_none_is_smaller(open_page: Open) -> None:
    """Streamlit's own limit answers with a bare error: it must not be below the one that we say."""
    uploader = open_page("row", rows=CSV_FILE).file_uploader(key="upload_table")
    assert f"{MAX_BYTES // 2**20} MB" in uploader.label and uploader.proto.max_upload_size_mb == MAX_BYTES // 2**20
    settings = tomllib.loads((Path(__file__).parents[2] / ".streamlit" / "config.toml").read_text())
    assert settings["server"]["maxUploadSize"] >= max(MAX_BYTES, files.MAX_BYTES) / 2**20


def test_without_labels_only_the_features_are_spent(open_page: Open, loans_csv: bytes) -> None:
    frame = pd.read_csv(io.BytesIO(loans_csv), keep_default_na=False).drop(columns="outcome")
    app = upload(open_page("row", rows=CSV_FILE), frame.to_csv(index=False).encode())
    assert "spends ε = 7 for each person" in app.button(key="draw_table").label
    result = privatise(app)
    assert result.y_private is None and "y_private" not in result.table() and ledger(app).releases[0].epsilon == 7.0
    assert "Outcome (label)" not in app.selectbox(key="column").options


def test_bad_rows_are_listed_and_left_out_only_with_consent(open_page: Open, loans_csv: bytes) -> None:
    app = upload(open_page("row", rows=CSV_FILE), with_cell(loans_csv, 4, "grade", "<b>Z</b>"))
    listed = piece(app, 'rlm-scroll"><table class="rlm-ledger rlm-problems')
    assert "<td>4</td><td><code>grade</code></td>" in listed and "&lt;b&gt;Z" in listed and "<b>Z" not in listed
    assert "1 of 24 rows have a problem" in app.warning[0].value and "releases" not in app.session_state
    with pytest.raises(KeyError):
        app.button(key="draw_table")
    healthy(app.checkbox[0].check().run())
    assert len(privatise(app).z_private) == 23


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "empty"),
        (b"PK\x03\x04" + bytes(30), "Excel workbook"),
        (b"loan_amnt,term\n1,36 months\n", "This column is missing"),
        ("term,caf\u00e9\n".encode("latin-1"), "UTF-8"),
        (b"hello\n", "None of the"),
        (b",,,\n", "no header"),
        (b'""', "no header"),
    ],
)
def test_bad_files_are_explained_and_nothing_is_lost(
    open_page: Open, loans_csv: bytes, data: bytes, message: str
) -> None:
    app = upload(open_page("row", rows=CSV_FILE, eps="4"), loans_csv)
    result = privatise(app)
    upload(app, data, "other.csv")
    assert "cannot be used yet" in app.warning[0].value and message in words(app)
    assert tables(app) == [result] and "Still here" in words(app) and charts(app)
    assert app.select_slider(key="eps").value == 4.0 and len(ledger(app).releases) == 1


def test_a_header_alone_and_too_many_rows(open_page: Open, loans_csv: bytes) -> None:
    app = upload(open_page("row", rows=CSV_FILE), loans_csv.splitlines()[0])
    assert "no rows" in app.warning[0].value
    assert "50,000 rows" in app.file_uploader(key="upload_table").label
    head, *body = loans_csv.splitlines(keepends=True)
    upload(app, head + b"".join(body * 2084), "long.csv")
    assert "at most 50,000 rows" in words(app) and "releases" not in app.session_state


def test_a_failed_table_is_not_kept_and_has_been_charged_before_anything_was_drawn(
    open_page: Open, loans_csv: bytes, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = upload(open_page("row", rows=CSV_FILE), loans_csv)

    def broken(*args: object, **kwargs: object) -> None:
        raise RuntimeError("secret detail")

    monkeypatch.setattr(batch, "TableRelease", broken)
    app.button(key="draw_table").click().run()
    assert not app.exception and "went wrong on our side" in app.error[0].value
    assert not tables(app) and len(ledger(app).releases) == 1
    monkeypatch.undo()
    healthy(app.run())
    assert not tables(app) and len(ledger(app).releases) == 1
