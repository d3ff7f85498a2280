"""The audit page: the dial is the library's, the broken are caught, and nothing is measured twice unasked."""

from __future__ import annotations

import json
import threading
from pathlib import Path

import pytest
from page_driver import Open, healthy, words
from streamlit.testing.v1 import AppTest

from rlm_core.audit import AuditResult
from rlm_core.audit.audit_mechanism import most_provable
from rlm_core.audit.broken import BROKEN
from rlm_core.registry import REGISTRY
from ui.audit import run, text
from ui.audit.run import Question
from ui.audit.view import _event

ROOT = Path(__file__).resolve().parents[2]


def runs(app: AppTest) -> dict[Question, AuditResult]:
    found: dict[Question, AuditResult] = app.session_state["audit_runs"]
    return found


def last(app: AppTest) -> AuditResult:
    return list(runs(app).values())[-1]


def dial(app: AppTest) -> str:
    (found,) = [each.value for each in app.main.get("html") if "rlm-dial" in each.value]
    return str(found)


def picture(app: AppTest) -> str:
    (found,) = [each.proto.json for each in app.main.get("bidi_component") if "<svg" in each.proto.json]
    return str(found)


def test_opens_with_a_measured_dial_and_honest_words(open_page: Open) -> None:
    app = open_page("audit")
    (question, result), *others = runs(app).items()
    assert not others and (question.name, question.epsilon, question.samples) == ("V-RLM", 1.0, 20_000)
    assert f"claimed 1, measured at least {result.lower_bound:.2f}" in dial(app)
    assert f"<strong>{result.lower_bound:.2f}</strong>" in words(app) and "99.9 % confidence" in words(app)
    assert "no proof of privacy" in words(app) and "two records are made up" in words(app)
    assert "releases" not in app.session_state  # made-up records: no ledger is charged


@pytest.mark.parametrize("name", list(BROKEN))
def test_every_switch_breaks_it_and_the_dial_passes_the_claim(open_page: Open, name: str) -> None:
    title, explanation, line = text.BREAKS[name]
    app = open_page("audit", claim="0.5", **{"break": title})
    result = last(app)
    assert result.mechanism == name and result.lower_bound > 0.5 and not result.ok
    assert "rlm-over" in dial(app) and "refuted" in words(app) and app.info[0].value == explanation
    assert line in words(app) and "BROKEN" not in words(app) and 'role="status"' in words(app)
    assert app.selectbox(key="audited").disabled


def test_the_proof_is_open_and_thresholds_are_short(open_page: Open) -> None:
    assert [each.proto.expanded for each in open_page("audit").expander][0]
    assert _event("projection on z - z_other >= 39.123 or <= -0.937348").endswith("≥ 39.1 or ≤ −0.937")


def test_a_switch_is_there_for_every_broken_mechanism() -> None:
    assert list(text.BREAKS) == list(BROKEN) and len(BROKEN) == 5


@pytest.mark.slow
@pytest.mark.parametrize("name", ["k-RR", "Duchi", "PrivUnit", "Laplace table"])
def test_other_mechanisms(open_page: Open, name: str) -> None:
    app = open_page("audit", audited=f"{name}: {REGISTRY[name].title}", claim="2")
    assert last(app).mechanism == name and last(app).epsilon == 2.0
    assert f"{last(app).lower_bound:.2f}" in dial(app) and "log of the likelihood ratio" in picture(app)
    assert ("δ = 2 × 10⁻⁸" in words(app)) == (name == "PrivUnit")  # the only one that does not draw exactly


def test_nothing_is_measured_because_something_else_moved(open_page: Open) -> None:
    app = open_page("audit")
    first, shown = last(app), picture(app)
    healthy(app.toggle(key="bits").set_value(True).run())
    assert list(runs(app).values()) == [first] and picture(app) != shown
    healthy(app.toggle(key="bits").set_value(False).run())
    assert picture(app) == shown  # the same outputs
    healthy(app.select_slider(key="claim").set_value(2.0).run())
    assert len(runs(app)) == 2
    healthy(app.select_slider(key="claim").set_value(1.0).run())
    assert len(runs(app)) == 2 and f"{first.lower_bound:.2f}" in dial(app) and picture(app) == shown
    assert "Measured in this visit" in words(app)


def test_measure_again_draws_new_samples(open_page: Open) -> None:
    app = open_page("audit")
    before = last(app)
    healthy(app.button(key="measure_again").click().run())
    assert len(runs(app)) == 1 and last(app).lower_bound != before.lower_bound


def test_more_samples(open_page: Open) -> None:
    app = open_page("audit", amount="good")
    assert last(app).samples == 100_000 and "100,000 outputs of each record" in words(app)


def test_too_few_samples_for_a_large_epsilon_are_admitted(open_page: Open, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.audit.view.SAMPLES", {"quick": 1_000})
    app = open_page("audit", claim="8")
    assert f"could never have shown more than {most_provable(1_000):.2f}" in words(app)


def test_records_can_be_chosen(open_page: Open) -> None:
    app = open_page("audit", first="0.5", second="0", claim="4")
    assert app.slider(key="first").value == 0.5 and "(2.5, 0, 0, 0, 0, 0, …)" in words(app)
    pairs = app.session_state["audit_pairs"]
    (comparison,) = pairs.values()
    assert f"<b>{comparison.values.lower_bound:.2f}</b>" in words(app)
    # A quarter of the distance is a quarter of ε. For 68 or more outputs to favour a bin as much: below 1e-8.
    assert comparison.values.lower_bound < 2.0


def test_the_low_bits_show_the_float_noise(open_page: Open) -> None:
    app = open_page("audit", second="0", bits="true", **{"break": "Floating-point noise"})
    (comparison,) = app.session_state["audit_pairs"].values()
    assert comparison.low_bits.lower_bound > 1.0
    assert "2⁻" in json.loads(picture(app))
    assert "last binary digit" in words(app)


def test_the_committed_table_is_shown(open_page: Open) -> None:
    app = open_page("audit")
    (table,) = [each.value for each in app.main.get("html") if "<th>ε = 0.5</th>" in each.value]
    rows = json.loads((ROOT / "benchmarks" / "results" / "audit.json").read_text())
    assert {row["mechanism"] for row in rows} == set(REGISTRY)
    for row in rows:
        assert f"<td>{row['mechanism']}</td>" in table and f"<td>{row['lower_bound']:.2f}</td>" in table


def test_audits_wait_for_each_other(monkeypatch: pytest.MonkeyPatch) -> None:
    kept: dict[Question, AuditResult] = {}
    monkeypatch.setattr(run, "_runs", lambda: kept)
    shown: list[object] = []
    run._ONE_AT_A_TIME.acquire()
    threading.Timer(0.5, run._ONE_AT_A_TIME.release).start()
    question = Question(name="k-RR", epsilon=1.0, samples=1_000)
    result = run.measure(question, shown.append)
    assert shown[0] is None and kept == {question: result}
    assert run._ONE_AT_A_TIME.acquire(blocking=False)  # and it was given back
    run._ONE_AT_A_TIME.release()


def test_an_audit_that_fails_or_is_left_gives_the_turn_back(monkeypatch: pytest.MonkeyPatch) -> None:
    def stop(progress: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(run, "EVERY", 0.0)
    with pytest.raises(KeyboardInterrupt):
        run.measure(Question(name="k-RR", epsilon=1.0, samples=1_000), stop)
    assert run._ONE_AT_A_TIME.acquire(blocking=False)
    run._ONE_AT_A_TIME.release()


BROKEN_LINKS = [{"claim": "-1"}, {"audited": "nobody"}, {"amount": "all"}, {"break": "everything"}, {"first": "9"}]


@pytest.mark.parametrize("address", BROKEN_LINKS)
def test_a_broken_link_still_opens(open_page: Open, address: dict[str, str]) -> None:
    app = open_page("audit", **address)
    assert last(app).mechanism == "V-RLM" and last(app).epsilon == 1.0
