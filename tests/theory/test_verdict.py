"""What an ε is worth, in words: the numbers, and where the words change."""

from __future__ import annotations

import math

import pytest

from rlm_core.theory.verdict import suspicion_after, verdict


@pytest.mark.parametrize(("epsilon", "before"), [(0.5, 0.1), (1.0, 0.01), (4.0, 0.5), (8.0, 0.9)])
def test_suspicion_is_bayes_rule_with_odds_times_e_to_epsilon(epsilon: float, before: float) -> None:
    odds = before / (1 - before) * math.exp(epsilon)
    assert suspicion_after(epsilon, before) == pytest.approx(odds / (1 + odds))


def test_limits_of_suspicion() -> None:
    assert suspicion_after(1e-12, 0.1) == pytest.approx(0.1)
    assert suspicion_after(math.inf, 0.1) == 1.0
    assert suspicion_after(5.0, 0.0) == 0.0 and suspicion_after(5.0, 1.0) == 1.0
    assert suspicion_after(1000.0, 0.1) == 1.0  # nothing overflows


@pytest.mark.parametrize(
    ("epsilon", "strength", "most"),
    [
        (0.5, "strong", "15 %"),
        (1.0, "strong", "23 %"),
        (1.0001, "moderate", "23 %"),
        (2.0, "moderate", "45 %"),
        (2.5, "weak", "58 %"),
        (4.0, "weak", "86 %"),
        (7.999, "weak", "99.7 %"),
        (8.0, "hardly any", "99.7 %"),
        (10.0, "hardly any", "99.96 %"),
    ],
)
def test_words_and_numbers(epsilon: float, strength: str, most: str) -> None:
    found = verdict(epsilon)
    assert found.strength == strength
    assert found.sentence.startswith(f"A suspicion of 10 % can become at most {most}.")
    assert found.warning == (epsilon >= 8) == ("Hardly anything is protected." in found.sentence)


def test_no_noise_is_no_promise() -> None:
    found = verdict(math.inf)
    assert found.strength == "none" and found.warning and "at most" not in found.sentence


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan])
def test_bad_epsilon(epsilon: float) -> None:
    with pytest.raises(ValueError, match="Expected epsilon > 0, got epsilon="):
        verdict(epsilon)


@pytest.mark.parametrize("before", [-0.1, 1.1, math.nan])
def test_bad_suspicion(before: float) -> None:
    with pytest.raises(ValueError, match="Expected 0 <= before <= 1"):
        suspicion_after(1.0, before)
