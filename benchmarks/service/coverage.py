"""How often the 95 % interval of a campaign holds the truth: simulated campaigns of every kind, fixed seeds."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from collection.campaign import Campaign
from collection.questions import Digit, Number, OneOf
from rlm_core.baselines.scalar_dp import ScalarDP
from rlm_core.collector.tally import Tally
from rlm_core.types import FloatArray, IntArray

PEOPLE = (30, 300, 3000)
Draw = Callable[[int, np.random.Generator], IntArray]


def campaigns() -> dict[str, tuple[Campaign, Draw, FloatArray]]:
    """Kind to a campaign, how so many people's symbols are drawn, and the truth behind each of its lines."""
    yes_no = OneOf(text="?", answers=("no", "yes"))
    one_of = OneOf(text="?", answers=tuple("abcdefghij"))
    number = Number(text="?", low=0.0, high=1.0)
    digit = Digit(text="?", card="mnist-qrlm-k12")
    ramp = np.arange(1.0, 11.0) / 55.0
    levels = number.channel(2.0)

    def level(count: int, generator: np.random.Generator) -> IntArray:
        place = generator.beta(2.0, 5.0, count) * levels.k
        return (place + generator.random(count)).astype(np.int64)

    def pair(count: int, generator: np.random.Generator) -> IntArray:
        return generator.integers(digit.codes, size=count) * 10 + generator.choice(10, size=count, p=ramp)

    def asked(question: OneOf | Number | Digit, epsilon: float) -> Campaign:
        closes = int(time.time()) + 3600
        return Campaign(title="Simulated", question=question, epsilon=epsilon, people=30, closes=closes)

    share = np.array([0.7, 0.3])
    return {
        "yes or no": (asked(yes_no, 1.0), lambda n, g: g.choice(2, size=n, p=share), share),
        "one of ten": (asked(one_of, 1.0), lambda n, g: g.choice(10, size=n, p=ramp), ramp),
        "number": (asked(number, 2.0), level, np.array([2.0 / 7.0])),
        "digit": (asked(digit, 4.0), pair, ramp),
    }


def coverage(kind: str, people: int, rooms: int) -> FloatArray:
    """The share of rooms whose interval holds the truth, for every line of the campaign."""
    campaign, draw, truth = campaigns()[kind]
    generator = np.random.default_rng((people, len(kind)))
    hits = np.zeros(len(truth))
    for _ in range(rooms):
        lines = campaign.estimate(_tally(campaign, draw(people, generator), generator))
        hits += [line.low <= value <= line.high for line, value in zip(lines, truth, strict=True)]
    return hits / rooms


def _tally(campaign: Campaign, symbols: IntArray, generator: np.random.Generator) -> Tally:
    """What would be reported: simulated, never sent."""
    empty, channel = Tally.empty(campaign.mechanism.symbols), campaign.question.channel(campaign.epsilon)
    if isinstance(channel, ScalarDP):
        return empty.add(channel.response.simulate(symbols, generator=generator))
    return empty.add_sets(channel.simulate_symbols(symbols, generator=generator))
