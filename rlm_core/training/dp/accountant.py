"""How much central privacy a training by DP-Adam has spent, and how many steps a budget allows.

One step looks at a Poisson sample of the rows (each with probability q), sums gradients of
norm at most C, and adds Gaussian noise of standard deviation σC: the *sampled Gaussian
mechanism*. Its Rényi differential privacy adds up over steps and is turned into (ε, δ) at
the best order (Mironov, Talwar and Zhang 2019; conversion of Balle et al. 2020). The
arithmetic is that of Opacus' RDP accountant; the tests compare it with an independent one.

Neighbouring datasets differ by one row that is there or not. The paper says "identical in
all but one datapoint"; read as replacing a row (one leaves, one comes), the same training has at most
(2ε, (1 + e^ε)δ).

An RDP accountant is an upper bound: what was really spent may be less, never more.
"""

from __future__ import annotations

import warnings
from bisect import bisect_left, bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from importlib.metadata import version
from math import ceil
from typing import Any

ACCOUNTANT = f"Rényi DP of the sampled Gaussian mechanism (Opacus {version('opacus')}, RDPAccountant)"
_MOST = 10_000_000  # steps; no training here comes near
_LEAST_NOISE, _MOST_NOISE = 30, 1_000_000  # hundredths of σ; below 0.3 the bound is far too loose to be worth stating


def epsilon_spent(*, noise_multiplier: float, sample_rate: float, steps: int, delta: float) -> float:
    """ε of ``steps`` steps, at this δ. More steps or a larger sample cost more, more noise costs less.

    >>> round(epsilon_spent(noise_multiplier=1.1, sample_rate=64 / 45_000, steps=20_000, delta=1e-5), 2)
    0.98
    """
    if steps == 0:
        return 0.0
    return _curve(noise_multiplier, sample_rate, delta)(steps)


def steps_within(epsilon: float, *, noise_multiplier: float, sample_rate: float, delta: float) -> int:
    """The largest number of steps that spends at most ε; 0 if already the first is too much."""
    if not epsilon > 0:
        raise ValueError(f"Expected epsilon > 0, got epsilon={epsilon}.")
    spent = _curve(noise_multiplier, sample_rate, delta)
    too_many = 1
    while too_many < _MOST and spent(too_many) <= epsilon:
        too_many *= 2
    return bisect_right(range(1, too_many), epsilon, key=spent)  # spent grows with the steps


def noise_within(epsilon: float, *, sample_rate: float, steps: int, delta: float) -> float:
    """The smallest noise multiplier σ, in steps of 0.01, with which so many steps spend at most ε.

    >>> noise_within(5.0, sample_rate=256 / 45_000, steps=6 * (45_000 // 256), delta=1e-5)
    0.63
    """
    if not epsilon > 0:
        raise ValueError(f"Expected epsilon > 0, got epsilon={epsilon}.")

    def fits(hundredths: int) -> bool:
        spent = epsilon_spent(noise_multiplier=hundredths / 100, sample_rate=sample_rate, steps=steps, delta=delta)
        return spent <= epsilon

    enough = _LEAST_NOISE
    while not fits(enough):
        if enough > _MOST_NOISE:
            raise ValueError(
                f"Expected a budget for {steps} steps, got epsilon={epsilon:g}: by this accountant even a noise of "
                f"{enough // 100:,} times the gradients' norm spends more."
            )
        enough *= 2
    # More noise costs less, so there is one place where it begins to be enough.
    return bisect_left(range(enough), True, lo=_LEAST_NOISE, key=fits) / 100


def _curve(noise_multiplier: float, sample_rate: float, delta: float) -> Callable[[int], float]:
    from opacus.accountants import RDPAccountant  # slow to import, and only training needs it
    from opacus.accountants.analysis import rdp

    for name, value in (("noise_multiplier", noise_multiplier), ("sample_rate", sample_rate), ("delta", delta)):
        if not value > 0:
            raise ValueError(f"Expected {name} > 0, got {name}={value}.")
    for name, value in (("sample_rate", sample_rate), ("delta", delta)):
        if not value <= 1:
            raise ValueError(f"Expected {name} <= 1, got {name}={value}.")
    orders = RDPAccountant.DEFAULT_ALPHAS
    one = rdp.compute_rdp(q=sample_rate, noise_multiplier=noise_multiplier, steps=1, orders=orders)

    def spent(steps: int) -> float:
        with warnings.catch_warnings():
            # The best order may be the first or last listed: others might bound ε more tightly, this one bounds it.
            warnings.filterwarnings("ignore", "Optimal order is the (smallest|largest) alpha")
            return float(rdp.get_privacy_spent(orders=orders, rdp=one * steps, delta=delta)[0])

    return spent


@dataclass(frozen=True, kw_only=True)
class CentralDP:
    """A central guarantee to be kept in training: (ε, δ), and the settings of DP-Adam.

    Args:
        epsilon: training stops before the accountant says more than this.
        noise_multiplier: σ, the noise's standard deviation in units of ``max_grad_norm``.
        delta: probability with which the bound may fail.
        max_grad_norm: C, to which each example's gradient is clipped.
    """

    epsilon: float
    noise_multiplier: float
    delta: float = 1e-5
    max_grad_norm: float = 1.0


def format_epsilon_up(epsilon: float) -> str:
    """A spent ε for reading, with two digits and never less than it is.

    >>> format_epsilon_up(4.951), format_epsilon_up(0.99)
    ('4.96', '0.99')
    """
    return f"{ceil(round(epsilon * 100, 6)) / 100:.2f}"


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How a budget is spent: equally long epochs of Poisson-sampled steps."""

    central: CentralDP
    rows: int
    sample_rate: float
    epochs: int
    steps_per_epoch: int
    spent: float

    @property
    def steps(self) -> int:
        """Steps in all."""
        return self.epochs * self.steps_per_epoch

    def statement(self, covers: str, not_covered: tuple[str, ...]) -> dict[str, Any]:
        """What the card says about the central guarantee."""
        return {
            "epsilon": ceil(round(self.spent * 1e4, 6)) / 1e4,  # never less than was spent
            "delta": self.central.delta,
            "target_epsilon": self.central.epsilon,
            "accountant": ACCOUNTANT,
            "neighbours": "datasets that differ by one row, present or absent",
            "noise_multiplier": self.central.noise_multiplier,
            "max_grad_norm": self.central.max_grad_norm,
            "sample_rate": self.sample_rate,
            "steps": self.steps,
            "rows": self.rows,
            "covers": covers,
            "not_covered": list(not_covered),
        }


def plan(central: CentralDP, *, rows: int, batch_size: int, sample_rate: float, most_epochs: int) -> Plan:
    """Epochs of at most rows / batch_size steps until the budget is spent, or ``most_epochs`` of them.

    An epoch may be a little shorter, so that the last one is as long as the others.
    """
    allowed = steps_within(
        central.epsilon,
        noise_multiplier=central.noise_multiplier,
        sample_rate=sample_rate,
        delta=central.delta,
    )
    if allowed == 0:
        raise ValueError(
            f"Expected a budget for at least one step, got epsilon={central.epsilon} with "
            f"noise_multiplier={central.noise_multiplier}: one step spends more."
        )
    whole = max(1, rows // batch_size)
    epochs = min(most_epochs, -(-allowed // whole))
    steps_per_epoch = min(whole, allowed // epochs)
    return Plan(
        central=central,
        rows=rows,
        sample_rate=sample_rate,
        epochs=epochs,
        steps_per_epoch=steps_per_epoch,
        spent=epsilon_spent(
            noise_multiplier=central.noise_multiplier,
            sample_rate=sample_rate,
            steps=epochs * steps_per_epoch,
            delta=central.delta,
        ),
    )
