"""``rlm audit``. With 1 − 1e-7 confidence where honesty is expected."""

from __future__ import annotations

import json
import runpy
import sys

import pytest

from rlm_core.audit import AuditResult
from rlm_core.audit import __main__ as command
from rlm_core.audit.broken import BROKEN
from rlm_core.registry import REGISTRY, Entry

FEW = ["--samples", "4000", "--confidence", "0.9999999"]


def test_json_has_the_agreed_fields(capsys: pytest.CaptureFixture[str]) -> None:
    code = command.main(["--mechanism", "k-RR", "--mechanism", "Duchi", "--epsilon", "1", "2.5", "--json", *FEW])
    results = json.loads(capsys.readouterr().out)
    assert code == 0
    assert [(r["mechanism"], r["epsilon"]) for r in results] == [
        ("k-RR", 1.0),
        ("k-RR", 2.5),
        ("Duchi", 1.0),
        ("Duchi", 2.5),
    ]
    for result in results:
        assert result["ok"] is True and 0.0 <= result["lower_bound"] <= result["epsilon"]
        assert result["samples"] == 4_000 and result["confidence"] == 0.9999999


def test_the_table_shows_claim_bound_and_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--mechanism", "k-RR", "--epsilon", "2", *FEW]) == 0
    header, row, footer = capsys.readouterr().out.splitlines()
    assert header.split()[:2] == ["mechanism", "claimed"] and row.split()[:2] == ["k-RR", "2"]
    assert " ok " in row and "4,000 outputs per input" in footer


def test_a_broken_mechanism_gives_exit_code_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(command, "REGISTRY", BROKEN)
    name = "BROKEN fixed seed"
    assert command.main(["--mechanism", name, "--epsilon", "1", "--json", *FEW]) == 1
    (result,) = json.loads(capsys.readouterr().out)
    assert result["ok"] is False and result["lower_bound"] > 1.0
    assert command.main(["--mechanism", name, "--epsilon", "1", *FEW]) == 1
    assert "BROKEN  " in capsys.readouterr().out


def test_the_confidence_is_that_of_the_whole_run(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []
    original = command.audit_registered

    def spy(entry: object, **options: float) -> object:
        asked.append(options["confidence"])
        return original(entry, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(command, "audit_registered", spy)
    command.main(["--mechanism", "k-RR", "--epsilon", "1", "2", "3", "4", "--samples", "100", "--confidence", "0.999"])
    assert asked == pytest.approx([1 - 0.001 / 4] * 4, rel=1e-12)


def test_infinity_is_written_as_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--mechanism", "k-RR", "--epsilon", "inf", "--json", *FEW]) == 0
    (result,) = json.loads(capsys.readouterr().out, parse_constant=lambda name: pytest.fail(name))
    assert result["epsilon"] == "inf"


def test_an_unknown_mechanism_is_refused_with_the_names_there_are(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        command.main(["--mechanism", "nonsense"])
    assert stopped.value.code == 2 and "k-RR" in capsys.readouterr().err


def test_all_mechanisms_and_five_epsilons_by_default(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def record(entry: Entry, *, epsilon: float, samples: int, confidence: float) -> AuditResult:
        asked.append((entry.name, epsilon, samples))
        return AuditResult(
            mechanism=entry.name,
            epsilon=epsilon,
            lower_bound=0.0,
            confidence=confidence,
            samples=samples,
            ok=True,
            event="none",
        )

    monkeypatch.setattr(command, "audit_registered", record)
    assert command.main([]) == 0
    assert asked == [(name, e, 100_000) for name in REGISTRY for e in (0.5, 1.0, 2.0, 4.0, 8.0)]


def test_it_runs_as_a_module(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys, "argv", ["audit", "--mechanism", "k-RR", "--epsilon", "1", *FEW])
    monkeypatch.delitem(sys.modules, "rlm_core.audit.__main__")
    with pytest.raises(SystemExit) as stopped:
        runpy.run_module("rlm_core.audit", run_name="__main__")
    assert stopped.value.code == 0 and "k-RR" in capsys.readouterr().out
