"""The row page with one loan, control by control: what each changes, and what it must not."""

from __future__ import annotations

import io
import math

import numpy as np
import pandas as pd
import pytest
from page_driver import Open, healthy, ledger, piece, words
from streamlit.testing.v1 import AppTest

from rlm_core import RandomisedResponse, Report
from rlm_core.data.samples import loan_examples
from rlm_core.data.schema import FEATURES
from ui.app import cache
from ui.kit.formats import percent
from ui.record import release
from ui.record.download import summary
from ui.record.inference import posterior
from ui.record.loan import level_of
from ui.record.release import Drawn
from ui.table.comparison import distances, moved_sentence
from ui.table.export import decoded_csv, decoded_values
from ui.table.form import EXAMPLES, subject_of

LOANS = loan_examples()
FIRST, SOLAR = LOANS.descriptions[EXAMPLES[0]], "Solar panels"
DATASET = "lending_club"
CSV_FILE = "A CSV file"


@pytest.fixture
def model():
    return cache.model(cache.chosen_mechanism(DATASET, 10.0))


def drawn(app: AppTest) -> list[Drawn]:
    return [each for draws in app.session_state["releases"].draws.values() for each in draws]


def pipeline_of(app: AppTest) -> str:
    (found,) = [each.value for each in app.main.get("html") if "rlm-pipeline" in each.value]
    return str(found)


def test_opens_with_an_example_one_release_and_every_stage(open_page: Open, model) -> None:
    app = open_page("row")
    assert [r.epsilon for r in ledger(app).releases] == [10.0]
    assert app.pills(key="loan").value == FIRST and FIRST in words(app)
    for letter in ("x", "h → z", "+", "z̃", "x̃", "y", "ỹ"):
        assert f'<span class="rlm-symbol">{letter}</span>' in pipeline_of(app)
    for name in model.preprocessor.columns:
        assert FEATURES[name].title in words(app)
        field = app.selectbox if FEATURES[name].is_category else app.number_input
        assert field(key=f"loan_{name}").value == LOANS.frame[name].iloc[EXAMPLES[0]]


def test_the_table_shows_what_the_decoder_says(open_page: Open) -> None:
    app = open_page("row", eps="4")
    (only,) = drawn(app)
    model = cache.model(only.report.mechanism)
    decoded = model.preprocessor.inverse(model.decode(only.z_private[None]))
    loan = {name: LOANS.frame[name].iloc[EXAMPLES[0]] for name in model.preprocessor.columns}
    moved = distances(loan, decoded, model.preprocessor)
    page = words(app)
    assert moved_sentence(moved) in page and "$12,000" in page
    by_name = {each.name: each for each in moved}
    for column in model.preprocessor.numbers:
        x = model.preprocessor.transform(loan)[0][[c.name for c in model.preprocessor.numbers].index(column.name)]
        x_decoded = (float(decoded.numbers[column.name].iloc[0]) - column.mean) / column.std
        assert by_name[column.name].distance == pytest.approx(abs(x - x_decoded), abs=1e-4)
        assert f"{by_name[column.name].distance:.2f} σ" in page
    for category in model.preprocessor.categories:
        chance = float(decoded.probabilities[category.name].iloc[0][level_of(category, loan[category.name])])
        assert f"{percent(chance)} left for yours" in page


def test_an_example_fills_the_form_and_is_another_record(open_page: Open) -> None:
    app = open_page("row")
    healthy(app.pills(key="loan").set_value(SOLAR).run())
    assert app.number_input(key="loan_loan_amnt").value == 24000.0
    assert app.selectbox(key="loan_purpose").value == "renewable_energy"
    assert len({r.record for r in ledger(app).releases}) == 2 and "1 report, ε = 10 in total" in words(app)
    healthy(app.pills(key="loan").set_value(FIRST).run())
    assert app.number_input(key="loan_loan_amnt").value == 12000.0 and len(ledger(app).releases) == 2


def test_own_values_count_when_they_are_submitted(open_page: Open) -> None:
    app = open_page("row")
    app.number_input(key="loan_annual_inc").set_value(61_000.0)
    app.selectbox(key="loan_term").set_value("60 months")
    healthy(app.button(key="loan_submit").click().run())
    assert len({r.record for r in ledger(app).releases}) == 2
    assert "$61,000" in words(app) and "Your own values" in words(app)
    assert app.pills(key="loan").value is None  # the address no longer claims the example
    healthy(app.select_slider(key="eps").set_value(3.0).run())
    assert app.number_input(key="loan_annual_inc").value == 61_000.0
    healthy(app.pills(key="loan").set_value(FIRST).run())  # the same example again
    assert app.number_input(key="loan_annual_inc").value == 58_000.0


def test_submitting_an_unchanged_example_releases_nothing(open_page: Open) -> None:
    app = open_page("row")
    healthy(app.button(key="loan_submit").click().run())
    assert len(ledger(app).releases) == 1 and app.pills(key="loan").value == FIRST


def other_value(name: str, value: object, model) -> object:
    """Another allowed value of a feature."""
    feature = FEATURES[name]
    if feature.is_category:
        return next(choice for choice in model.preprocessor.choices(name) if choice != value)
    assert feature.low is not None and feature.high is not None
    middle = (feature.low + feature.high) / 2
    return int(middle) if feature.kind == "integer" else float(round(middle))


def test_every_field_of_the_form_is_used(open_page: Open, model) -> None:
    app = open_page("row", eps="∞")
    loan = {}
    for name in model.preprocessor.columns:
        field = (app.selectbox if FEATURES[name].is_category else app.number_input)(key=f"loan_{name}")
        loan[name] = other_value(name, field.value, model)
        field.set_value(loan[name])
    healthy(app.button(key="loan_submit").click().run())
    used = cache.model(ledger(app).releases[-1].mechanism)
    subject = subject_of(loan, label=0, title="", preprocessor=used.preprocessor, classes=used.card.classes)
    assert ledger(app).releases[-1].record == subject.record
    expected = used.mechanism(math.inf).represent(subject.x[None])[0]
    assert np.allclose(drawn(app)[-1].z, expected)


def test_each_field_is_part_of_the_record(open_page: Open, model) -> None:
    loan = {name: LOANS.frame[name].iloc[0] for name in model.preprocessor.columns}

    def subject(values: dict[str, object]) -> release.Subject:
        return subject_of(values, label=0, title="", preprocessor=model.preprocessor, classes=model.card.classes)

    for name in loan:
        other = subject(loan | {name: other_value(name, loan[name], model)})
        assert other.record != subject(loan).record and not np.array_equal(other.x, subject(loan).x), name


def test_the_label_is_privatised_and_its_own_release(open_page: Open) -> None:
    app = open_page("row", lam="0.5", eps="4")
    truth = RandomisedResponse(epsilon=2.0, classes=2).transition_matrix[0, 0]
    assert f"truthfully with probability {percent(truth)}, and as the other with" in pipeline_of(app)
    app.selectbox(key="loan_label").set_value("charged off")
    healthy(app.button(key="loan_submit").click().run())
    assert '<div class="rlm-chip rlm-owner">charged off</div>' in pipeline_of(app)
    assert len(ledger(app).releases) == 2 and len({r.record for r in ledger(app).releases}) == 1


def test_contradicting_values_get_a_hint(open_page: Open) -> None:
    app = open_page("row")
    app.selectbox(key="loan_grade").set_value("F")
    healthy(app.button(key="loan_submit").click().run())
    assert "Sub-grade B2 belongs to grade B, not F" in words(app)


def test_epsilon_is_a_new_release_and_going_back_is_not(open_page: Open) -> None:
    app = open_page("row")
    first = pipeline_of(app)
    healthy(app.select_slider(key="eps").set_value(2.0).run())
    assert pipeline_of(app) != first and [r.epsilon for r in ledger(app).releases] == [10.0, 2.0]
    assert ledger(app).releases[-1].mechanism == cache.chosen_mechanism(DATASET, 2.0)
    healthy(app.select_slider(key="eps").set_value(10.0).run())
    assert pipeline_of(app) == first and len(ledger(app).releases) == 2


def test_lambda_divides_the_budget_and_one_sends_no_label(open_page: Open) -> None:
    app = open_page("row")
    healthy(app.slider(key="lam").set_value(0.25).run())
    last = ledger(app).releases[-1]
    assert (last.epsilon_x, last.epsilon_y) == (2.5, 7.5) and "ε<sub>x</sub> = 2.5 for the loan" in words(app)
    healthy(app.slider(key="lam").set_value(1.0).run())
    assert drawn(app)[-1].report.label is None and "the label is not sent" in pipeline_of(app)


def test_infinity_adds_no_noise_and_says_so(open_page: Open) -> None:
    app = open_page("row", eps="∞")
    (only,) = drawn(app)
    assert np.array_equal(only.z, only.z_private) and only.report.label == LOANS.target[EXAMPLES[0]]
    assert "there is no promise" in words(app) and math.isinf(ledger(app).releases[0].epsilon)


def test_another_mechanism_is_another_release_of_the_same_record(open_page: Open) -> None:
    app = open_page("row")
    names = cache.mechanism_names(DATASET)
    assert len(names) > 1 and all(name.startswith(("lending-vrlm", "lending-qrlm")) for name in names)
    other = next(name for name in names if name != cache.chosen_mechanism(DATASET, 10.0))
    healthy(app.selectbox(key="mech").set_value(other).run())
    assert ledger(app).releases[-1].mechanism == other and len({r.record for r in ledger(app).releases}) == 1


def test_draw_again_spends_and_shows_what_the_average_gives_away(open_page: Open) -> None:
    app = open_page("row")
    before = pipeline_of(app)
    for _ in range(2):
        healthy(app.button(key="draw_again").click().run())
    assert pipeline_of(app) != before and "3 reports, ε = 30 in total" in words(app)
    draws = drawn(app)
    assert f"{release.mean_error(release.average(draws), draws[0]):.2f}" in words(app)
    assert "average of 3 reports" in words(app)


def test_inference_on_the_page_is_the_librarys(open_page: Open) -> None:
    app = open_page("row", eps="3")
    (only,) = drawn(app)
    belief = posterior([only], cache.model(only.report.mechanism), classes=2)
    assert belief.odds_factor <= math.exp(3.0) * (1 + 1e-9)
    bars = piece(app, "rlm-shares")
    for value in belief.classes:
        assert f"width:{100 * value:.2f}%" in bars
    assert "public loans that most likely sent this report" in words(app)


def test_downloads_hold_the_report_and_what_follows_from_it(open_page: Open) -> None:
    app = open_page("row")
    (only,) = drawn(app)
    model = cache.model(only.report.mechanism)
    assert {each.key for each in app.main.get("download_button")} == {
        "download_report",
        "download_csv",
        "download_summary",
    }
    assert Report.from_json(only.report.to_json()) == only.report
    x_decoded = model.decode(only.z_private[None])
    decoded = model.preprocessor.inverse(x_decoded)
    table = pd.read_csv(io.StringIO(decoded_csv(decoded)), keep_default_na=False)
    assert len(table) == model.preprocessor.output_dim
    assert table[table.feature == "grade"].value.sum() == pytest.approx(1.0, abs=1e-4)
    loan = {name: LOANS.frame[name].iloc[EXAMPLES[0]] for name in model.preprocessor.columns}
    subject = subject_of(loan, label=0, title="t", preprocessor=model.preprocessor, classes=model.card.classes)
    page = summary(subject, model, only, decoded_values=decoded_values(decoded))
    assert "Loan amount" in page and "$12,000" not in page and "58,000" not in page  # nothing of x


def test_a_link_opens_the_same_view(open_page: Open) -> None:
    name = cache.mechanism_names(DATASET)[0]
    app = open_page("row", eps="2.5", lam="0.4", loan=SOLAR, mech=name)
    assert app.select_slider(key="eps").value == 2.5 and app.slider(key="lam").value == 0.4
    assert app.number_input(key="loan_loan_amnt").value == 24000.0
    last = ledger(app).releases[-1]
    assert (last.mechanism, last.epsilon_x, len(ledger(app).releases)) == (name, 1.0, 1)


@pytest.mark.parametrize(
    "address", [{"eps": "-3"}, {"lam": "7"}, {"loan": "Nobody"}, {"mech": "../x"}, {"rows": "Fax"}, {"column": "?"}]
)
def test_a_broken_link_still_opens(open_page: Open, address: dict[str, str]) -> None:
    app = open_page("row", **address)
    assert app.select_slider(key="eps").value == 10.0 and len(ledger(app).releases) == 1
    assert app.number_input(key="loan_loan_amnt").value == 12000.0


def test_the_form_survives_a_look_at_the_other_tab(open_page: Open) -> None:
    app = open_page("row")
    app.number_input(key="loan_annual_inc").set_value(61_000.0)
    healthy(app.button(key="loan_submit").click().run())
    healthy(app.segmented_control(key="rows").set_value(CSV_FILE).run())
    healthy(app.segmented_control(key="rows").set_value("One loan").run())
    assert app.number_input(key="loan_annual_inc").value == 61_000.0 and len(ledger(app).releases) == 2


def test_a_mechanism_of_codes_works_like_any_other(open_page: Open) -> None:
    app = open_page("row", mech="lending-qrlm-k4", eps="2")
    (one,) = drawn(app)
    assert one.set_size is not None and f"code {one.z.argmax() + 1} of 4" in words(app)
    healthy(app.button(key="draw_again").click().run())
    assert [each.epsilon for each in ledger(app).releases] == [2.0, 2.0]
    healthy(app.select_slider(key="eps").set_value(math.inf).run())
    assert "The code itself: at ε = ∞ nothing is hidden." in words(app)
