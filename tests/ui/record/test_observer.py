"""What a collector makes of reports alone."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from device_reports import sent

from ui.record import observer
from ui.record.collector_view import collector_html, verdict

KINDS = ("mnist-vrlm-l5-eps7", "mnist-qrlm-k12", "mnist-pixels")


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("label", [7, None])
def test_every_kind_of_report_is_read_and_moves_the_odds_by_e_epsilon_at_most(name: str, label) -> None:
    for epsilon in (0.5, 4.0):
        each = observer.read(sent(name, epsilon, label), ("mnist",))
        assert (each.mechanism, each.dataset, each.report.epsilon) == (name, "mnist", pytest.approx(epsilon))
        found = observer.belief([each])
        assert found.odds_factor <= math.exp(epsilon) * (1 + 1e-9)
        assert found.classes.sum() == pytest.approx(1.0)
        best = observer.best_record(each, found)
        assert best.shape == (784,) and 0.0 <= best.min() and best.max() <= 1.0 + 1e-9
        x = observer.decoded(each)
        assert (x is None) == (name == "mnist-qrlm-k12") and (x is None or x.shape == (784,))
        assert observer.is_pair(each) == (name == "mnist-qrlm-k12" and label is not None)


@pytest.mark.parametrize("name", KINDS)
def test_with_much_budget_the_truth_is_found_and_the_best_picture_is_like_it(name: str) -> None:
    each = observer.read(sent(name, 60.0 if name != "mnist-pixels" else 600.0), ("mnist",))
    found = observer.belief([each])
    assert found.classes.argmax() == 7  # at ε = 60, the chance of another label or set is below 1e-6
    assert verdict(each, found).startswith("Best guess: <b>7</b>")


def test_reports_together_say_more_also_by_different_mechanisms() -> None:
    """Twelve reports of ε = 3 by two mechanisms: seven wins but with a chance below 1e-6."""
    reports = [observer.read(sent(name, 4.0), ("mnist",)) for name in KINDS[:2] for _ in range(10)]
    found = observer.belief(reports)
    assert found.classes.argmax() == 7 and found.classes[7] > observer.belief(reports[:1]).prior[7]
    assert found.odds_factor <= math.exp(80.0) * (1 + 1e-9)
    shown = collector_html(reports, record_name="picture", show_record=lambda each, found: "")
    assert "All 20 together" in shown and "20 reports" in shown and "ε = 80 spent in all" in shown


def test_a_best_picture_knows_little_at_small_epsilon() -> None:
    """Near the mean of all public pictures: a blur, where the decoder draws a sharp digit."""
    each = observer.read(sent(epsilon=0.01), ("mnist",))
    best = observer.best_record(each, observer.belief([each]))
    rows, records = observer.cache.prior_records(each.mechanism, observer.PICTURED)
    assert np.abs(best - records.mean(axis=0)).max() < 0.05


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"digest": "0" * 32}, "mechanism of this page"),
        ({"mechanism": "lending-qrlm-k4"}, "mechanism of this page"),
        ({"label": 10}, "below 10"),
        ({"numbers": [1.0]}, "Expected"),
        ({"epsilon_x": "inf"}, "finite epsilon"),
    ],
)
def test_reports_that_do_not_fit_are_refused_in_words(change: dict, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        observer.read(json.dumps(json.loads(sent()) | change), ("mnist",))


def test_everything_from_outside_is_escaped() -> None:
    each = observer.read(sent(), ("mnist",))
    shown = collector_html([each], record_name="picture", show_record=lambda each, found: "")
    assert each.text not in shown and "&quot;rlm-report/2&quot;" in shown
