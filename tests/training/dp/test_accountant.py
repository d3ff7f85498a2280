"""The accountant against an independent one, and the plan of a training against its budget."""

from __future__ import annotations

import warnings

import pytest

from rlm_core.training.dp.accountant import CentralDP, epsilon_spent, noise_within, plan, steps_within
from rlm_core.training.dp.dp_settings import MOST_EPOCHS, OUR_DP_ADAM

with warnings.catch_warnings():
    warnings.simplefilter("ignore")  # third-party imports
    import dp_accounting
    from dp_accounting import pld, rdp

DELTA = 1e-5
# (rows, batch, noise multiplier, epochs): the paper's settings on MNIST and Lending Club, and some around them
SETTINGS = [
    (45_000, 64, 0.7, 100),
    (45_000, 64, 1.1, 29),
    (341_000, 128, 0.56, 80),
    (341_000, 128, 1.1, 125),
    (20_225, 128, 1.1, 3),
    (1_000, 100, 2.0, 10),
]


def event(rows: int, batch: int, noise_multiplier: float, epochs: int) -> tuple[dp_accounting.DpEvent, int]:
    steps = epochs * (rows // batch)
    gaussian = dp_accounting.GaussianDpEvent(noise_multiplier)
    sampled = dp_accounting.PoissonSampledDpEvent(batch / rows, gaussian)
    return dp_accounting.SelfComposedDpEvent(sampled, steps), steps


@pytest.mark.parametrize(("rows", "batch", "noise_multiplier", "epochs"), SETTINGS)
def test_agrees_with_an_independent_accountant(rows: int, batch: int, noise_multiplier: float, epochs: int) -> None:
    composed, steps = event(rows, batch, noise_multiplier, epochs)
    other = rdp.RdpAccountant().compose(composed).get_epsilon(DELTA)
    ours = epsilon_spent(noise_multiplier=noise_multiplier, sample_rate=batch / rows, steps=steps, delta=DELTA)
    assert ours == pytest.approx(other, rel=0.02)
    for wrong in (0.9, 1.1):  # the comparison would notice another noise
        changed = epsilon_spent(
            noise_multiplier=wrong * noise_multiplier, sample_rate=batch / rows, steps=steps, delta=DELTA
        )
        assert changed != pytest.approx(other, rel=0.02)


def test_is_an_upper_bound_of_a_tighter_accountant() -> None:
    """Privacy loss distributions are exact up to a grid, and slower."""
    composed, steps = event(1_000, 100, 2.0, 10)
    exact = pld.PLDAccountant().compose(composed).get_epsilon(DELTA)
    ours = epsilon_spent(noise_multiplier=2.0, sample_rate=0.1, steps=steps, delta=DELTA)
    assert exact <= ours <= 1.3 * exact


def test_steps_within_is_the_last_step_that_fits() -> None:
    settings = {"noise_multiplier": 1.1, "sample_rate": 64 / 45_000, "delta": DELTA}
    steps = steps_within(1.0, **settings)
    assert epsilon_spent(steps=steps, **settings) <= 1.0 < epsilon_spent(steps=steps + 1, **settings)
    assert epsilon_spent(steps=0, **settings) == 0.0
    assert steps_within(1e-4, **settings) == 0


@pytest.mark.parametrize(
    ("epsilon", "rows", "batch", "most"), [(5.0, 45_000, 64, 30), (1.0, 45_000, 64, 500), (1.0, 20_225, 128, 30)]
)
def test_a_plan_never_overspends_and_uses_what_it_can(epsilon: float, rows: int, batch: int, most: int) -> None:
    rate = batch / rows
    central = CentralDP(epsilon=epsilon, noise_multiplier=1.1)
    made = plan(central, rows=rows, batch_size=batch, sample_rate=rate, most_epochs=most)
    assert made.spent == epsilon_spent(noise_multiplier=1.1, sample_rate=rate, steps=made.steps, delta=DELTA) <= epsilon
    assert 1 <= made.epochs <= most and made.steps_per_epoch <= rows // batch
    allowed = steps_within(epsilon, noise_multiplier=1.1, sample_rate=rate, delta=DELTA)
    if made.epochs < most:
        assert allowed - made.epochs < made.steps <= allowed
    else:
        assert made.steps_per_epoch == rows // batch


def test_a_budget_below_one_step_is_refused() -> None:
    central = CentralDP(epsilon=0.01, noise_multiplier=0.5)
    with pytest.raises(ValueError, match=r"epsilon=0.01 with noise_multiplier=0.5: one step spends more"):
        plan(central, rows=1000, batch_size=100, sample_rate=0.1, most_epochs=1)


@pytest.mark.parametrize(
    ("name", "value"),
    [("noise_multiplier", 0.0), ("noise_multiplier", float("nan")), ("sample_rate", 1.5), ("delta", 0.0), ("delta", 2)],
)
def test_bad_settings(name: str, value: float) -> None:
    settings = {"noise_multiplier": 1.0, "sample_rate": 0.01, "delta": DELTA} | {name: value}
    with pytest.raises(ValueError, match=f"Expected {name} .* got {name}={value}"):
        epsilon_spent(steps=10, **settings)
    with pytest.raises(ValueError, match="Expected epsilon > 0, got epsilon=0"):
        steps_within(0.0, noise_multiplier=1.0, sample_rate=0.01, delta=DELTA)


@pytest.mark.parametrize(("dataset", "rows"), [("mnist", 45_000), ("lending_club", 20_225)])
@pytest.mark.parametrize("epsilon", [5.0, 1.0])
def test_the_noise_for_a_budget_is_the_smallest_that_keeps_it(dataset: str, rows: int, epsilon: float) -> None:
    """And about what our presets have, which were set by hand."""
    _, batch, by_hand = OUR_DP_ADAM[dataset, epsilon]
    settings = {"sample_rate": batch / rows, "steps": MOST_EPOCHS[dataset] * (rows // batch), "delta": DELTA}
    found = noise_within(epsilon, **settings)  # type: ignore[arg-type]
    assert epsilon_spent(noise_multiplier=found, **settings) <= epsilon  # type: ignore[arg-type]
    assert epsilon_spent(noise_multiplier=found - 0.01, **settings) > epsilon  # type: ignore[arg-type]
    assert found <= by_hand <= found + 0.0101


def test_a_budget_that_no_noise_keeps_is_refused() -> None:
    with pytest.raises(ValueError, match="Expected a budget for 10 steps, got epsilon=0.01"):
        noise_within(0.01, sample_rate=0.1, steps=10, delta=DELTA)
