"""What may be spent, and what has been."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from rlm_core.owner.budget import Budget, Ledger, Release


def entry(epsilon_x: float, epsilon_y: float = 0.0, record: str = "me") -> Release:
    return Release(record=record, mechanism="V-RLM", epsilon_x=epsilon_x, epsilon_y=epsilon_y)


@settings(deadline=None, derandomize=True, max_examples=500)
@given(
    epsilon=st.floats(min_value=0.0, exclude_min=True, allow_infinity=False, allow_nan=False),
    lam=st.floats(0.0, 1.0),
)
@example(epsilon=1.0, lam=0.1)
def test_the_parts_never_exceed_the_whole_exactly(epsilon: float, lam: float) -> None:
    budget = Budget(epsilon=epsilon, lam=lam)
    whole, parts = Fraction(epsilon), Fraction(budget.epsilon_x) + Fraction(budget.epsilon_y)
    assert parts <= whole
    assert whole - parts <= whole / 2**51 + Fraction(1, 2**1073)  # and nothing is wasted
    assert budget.epsilon_x >= 0.0 <= budget.epsilon_y


def test_plain_numbers() -> None:
    budget = Budget(epsilon=10.0, lam=0.75)
    assert (budget.epsilon_x, budget.epsilon_y) == (7.5, 2.5)
    assert Budget(epsilon=4, lam=1).epsilon_x == 4.0  # integers are numbers


@pytest.mark.parametrize("epsilon", [0.5, 7.0, math.inf])
def test_at_the_ends_of_lambda_one_side_gets_everything(epsilon: float) -> None:
    label_only, features_only = Budget(epsilon=epsilon, lam=0.0), Budget(epsilon=epsilon, lam=1.0)
    assert (label_only.epsilon_x, label_only.epsilon_y) == (0.0, epsilon)
    assert (features_only.epsilon_x, features_only.epsilon_y) == (epsilon, 0.0)


def test_an_infinite_budget_is_infinite_for_both() -> None:
    budget = Budget(epsilon=math.inf, lam=0.5)
    assert budget.epsilon_x == budget.epsilon_y == math.inf


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan])
def test_bad_epsilons_are_refused(epsilon: float) -> None:
    with pytest.raises(ValueError, match="Expected epsilon > 0, got epsilon="):
        Budget(epsilon=epsilon, lam=0.5)


@pytest.mark.parametrize("lam", [-0.1, 1.1, math.nan, math.inf])
def test_bad_lambdas_are_refused(lam: float) -> None:
    with pytest.raises(ValueError, match="Expected 0 <= lam <= 1, got lam="):
        Budget(epsilon=1.0, lam=lam)


@pytest.mark.parametrize("value", ["1", None, True])
def test_budgets_are_numbers(value: object) -> None:
    with pytest.raises(TypeError, match="lam"):
        Budget(epsilon=1.0, lam=value)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="epsilon"):
        Budget(epsilon=value, lam=0.5)  # type: ignore[arg-type]


# --- the ledger ------------------------------------------------------------------------------------------------


def test_releases_of_one_record_add_up_and_of_others_do_not() -> None:
    ledger = Ledger()
    ledger.spend(entry(1.0, 0.5))
    ledger.spend(entry(2.0, record="you"))
    ledger.spend(entry(1.0))
    assert ledger.spent("me") == 2.5 and ledger.spent("you") == 2.0 and ledger.spent("nobody") == 0.0
    assert [release.epsilon for release in ledger.of("me")] == [1.5, 1.0]


def test_many_small_releases_are_summed_without_drift() -> None:
    ledger = Ledger()
    for _ in range(1_000):
        ledger.spend(entry(0.1))
    assert ledger.spent("me") == math.fsum([0.1] * 1_000) == 100.0  # a running sum gives 99.9999999999986


def test_a_release_beyond_the_limit_is_refused_and_not_entered() -> None:
    ledger = Ledger(limit=2.0)
    ledger.spend(entry(1.0, 0.5))
    with pytest.raises(ValueError, match="at most 2 for the record 'me'; this release would bring it to 2.6"):
        ledger.spend(entry(1.1))
    assert ledger.spent("me") == 1.5 and len(ledger.releases) == 1
    ledger.spend(entry(0.5))  # exactly the limit is fine
    ledger.spend(entry(2.0, record="you"))  # the limit is per record
    assert ledger.spent("me") == ledger.spent("you") == 2.0


def test_infinite_releases_are_counted_and_refused_under_a_limit() -> None:
    ledger = Ledger()
    ledger.spend(entry(math.inf, math.inf))
    ledger.spend(entry(1.0))
    assert ledger.spent("me") == math.inf
    with pytest.raises(ValueError, match="would bring it to inf"):
        Ledger(limit=100.0).spend(entry(math.inf))


def test_two_ledgers_share_nothing() -> None:
    first, second = Ledger(), Ledger()
    first.spend(entry(1.0))
    assert second.spent("me") == 0.0


@pytest.mark.parametrize("limit", [0.0, -1.0, math.nan])
def test_bad_limits_are_refused(limit: float) -> None:
    with pytest.raises(ValueError, match="Expected limit > 0"):
        Ledger(limit=limit)


@pytest.mark.parametrize("bad", [-1.0, math.nan])
def test_a_release_cannot_cost_less_than_nothing(bad: float) -> None:
    with pytest.raises(ValueError, match="Expected epsilon_x >= 0"):
        entry(bad)
    with pytest.raises(ValueError, match="Expected epsilon_y >= 0"):
        entry(1.0, bad)
