"""What arrives from the browser: checked, counted once, and released by the library where a record was sent."""

from __future__ import annotations

import math

import pytest
from device_reports import sent

from rlm_core.data.samples import mnist_samples
from ui.record import inbox as module
from ui.record.inbox import Inbox, receive_record, receive_rehearsal, receive_report


@pytest.fixture
def box(monkeypatch: pytest.MonkeyPatch) -> Inbox:
    found = Inbox()
    monkeypatch.setattr(module, "session_value", lambda key, make: found)
    return found


def record(**changes: object) -> dict[str, object]:
    x = (mnist_samples().of_class(7)[3].reshape(-1) / 255.0).tolist()
    return {"id": "a", "mechanism": "mnist-vrlm-l5-eps7", "x": x, "label": 7, "epsilon": 4.0, "lam": 0.75} | changes


def test_a_report_is_kept_as_it_came_and_a_message_counts_once(box: Inbox) -> None:
    text = sent()
    for _ in range(2):
        receive_report("image", ("mnist",), {"id": "a", "report": text})
    assert [each.text for each in box.reports] == [text]
    assert (box.last, box.problem, box.size) == ("a", "", len(text.encode()))
    receive_report("image", ("mnist",), {"id": "b", "report": text})  # a set may well come twice
    assert len(box.reports) == 2
    receive_report("image", ("mnist",), {"id": "a", "report": text})  # sent again: its browser had no answer yet
    assert len(box.reports) == 2 and box.last == "a"


@pytest.mark.parametrize("message", [None, 7, "report", [], {}, {"id": 3}, {"id": None, "report": "x"}])
def test_what_is_no_message_changes_nothing(box: Inbox, message: object) -> None:
    receive_report("image", ("mnist",), message)
    receive_record("image", ("mnist",), message)
    assert box == Inbox()


@pytest.mark.parametrize("report", [None, 17, "", "{}", "[" * 100_000, '{"format":"rlm-report/2"}'])
def test_a_broken_report_is_answered_in_words(box: Inbox, report: object) -> None:
    receive_report("image", ("mnist",), {"id": "a", "report": report})
    assert not box.reports and box.last == "a" and "could not read" in box.problem


@pytest.mark.parametrize(
    ("changes", "kind"),
    [
        ({}, "numbers"),
        ({"mechanism": "mnist-qrlm-k96", "lam": None}, "members"),
        ({"mechanism": "mnist-qrlm-k42", "lam": None}, "members"),  # cut from the tree, as the rule has it at ε = 4
        ({"mechanism": "mnist-pixels"}, "numbers"),
    ],
)
def test_a_record_that_travelled_is_charged_and_released_by_the_library(box: Inbox, changes, kind) -> None:
    receive_record("image", ("mnist",), record(**changes))
    assert box.problem == "" and getattr(box.reports[0].report, kind) is not None
    (spent,) = box.ledger.releases
    assert spent.epsilon == pytest.approx(4.0) == box.reports[0].report.epsilon
    if "lam" not in changes:
        assert (spent.epsilon_x, spent.epsilon_y) == (3.0, 1.0)


@pytest.mark.parametrize(
    "changes",
    [
        {"epsilon": math.inf},
        {"epsilon": -1.0},
        {"epsilon": None},
        {"label": 10},
        {"label": "seven"},
        {"mechanism": "../x"},
        {"x": [1.0]},
        {"x": [math.nan] * 784},
        {"lam": 7},
        {"lam": None},
    ],
)
def test_a_record_that_does_not_fit_draws_nothing(box: Inbox, changes: dict[str, object]) -> None:
    receive_record("image", ("mnist",), record(**changes))
    assert not box.reports and box.problem and not box.ledger.releases


@pytest.mark.parametrize("mechanism", ["mnist-vrlm-l5-eps7", "mnist-qrlm-k42", "mnist-pixels"])
def test_a_record_that_travelled_is_rehearsed_by_the_library_and_nothing_is_kept(box: Inbox, mechanism: str) -> None:
    lam = None if "qrlm" in mechanism else 0.75
    receive_rehearsal("image", ("mnist",), record(mechanism=mechanism, lam=lam))
    draws = box.rehearsed["draws"]
    assert box.rehearsed["id"] == "a" and len(draws) == 8
    for draw in draws:
        assert len(draw["decoded"]) == len(draw["best"]) == 784 and sum(draw["classes"]) == pytest.approx(1.0)
    assert len({tuple(draw["classes"]) for draw in draws}) > 1  # eight draws, not one; alike by chance below 1e-6
    assert not box.reports and not box.ledger.releases and box.problem == ""


def test_a_rehearsal_that_cannot_be_is_answered_in_words(box: Inbox) -> None:
    receive_rehearsal("image", ("mnist",), record(epsilon=math.inf))
    assert "finite epsilon" in box.rehearsed["problem"]
    receive_rehearsal("image", ("mnist",), "nonsense")
    assert box.rehearsed["id"] == "a"


@pytest.mark.parametrize(
    "changes",
    [
        {"epsilon": 10**400},
        {"lam": 10**400},
        {"x": [10**400] * 784},
        {"x": [0.5] * 100_000, "mechanism": "mnist-pixels"},
        {"epsilon": [4.0] * 100_000},
    ],
)
def test_a_hostile_record_is_refused_in_words_and_costs_nothing(box: Inbox, changes: dict[str, object]) -> None:
    receive_record("image", ("mnist",), record(**changes))
    receive_rehearsal("image", ("mnist",), record(**changes))
    assert not box.reports and not box.ledger.releases
    assert "could not read" in box.problem and len(box.problem) < 300 and len(box.rehearsed["problem"]) < 300


def test_an_id_of_a_megabyte_is_not_kept(box: Inbox) -> None:
    receive_report("image", ("mnist",), {"id": "a" * 10**6, "report": sent()})
    assert box == Inbox()
