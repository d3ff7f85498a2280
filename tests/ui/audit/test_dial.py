"""The audit's dial and its verdict."""

from __future__ import annotations

import pytest

from ui.audit.dial import dial, scale_top, verdict


def test_the_dial_turns_with_the_bound() -> None:
    low, high = dial(1.0, 0.5), dial(1.0, 1.5)
    assert "rlm-under" in low and "rlm-over" in high
    assert "rotate(-45.0deg)" in low and "rotate(45.0deg)" in high  # a quarter and three quarters of 0 to 2
    assert "–" in dial(2.0, None, running="starting …") and "starting …" in dial(2.0, None, running="starting …")
    assert scale_top(8.0) == pytest.approx(16.0)


def test_the_scale_is_fixed_by_the_claim_alone() -> None:
    beyond = dial(1.0, 5.9)
    assert "rotate(90.0deg)" in beyond and "2 and beyond" in beyond  # the needle at the very end
    assert "and beyond" not in dial(1.0, 1.5)
    assert dial(1.0, 0.2).split("rlm-needle")[0] == dial(1.0, 0.9).split("rlm-needle")[0].replace("0.90", "0.20")


def test_a_verdict_claims_no_more_than_was_measured() -> None:
    from rlm_core.audit import AuditResult

    def result(bound: float, epsilon: float) -> AuditResult:
        ok = bound <= epsilon
        return AuditResult(
            mechanism="m", epsilon=epsilon, lower_bound=bound, confidence=0.999, samples=1000, ok=ok, event=""
        )

    assert "Nothing found" in verdict(result(0.9, 1.0), 5.0) and "refuted" not in verdict(result(0.9, 1.0), 5.0)
    assert "refuted" in verdict(result(1.2, 1.0), 5.0)
    assert "could never have shown more than 5.00" in verdict(result(4.0, 8.0), 5.0)
