"""How often the 95 % interval of a campaign holds the truth: simulated campaigns of every kind, fixed seeds."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import numpy as np

from collection.campaign import Campaign
from collection.own_row import BITS, CODES, Row
from collection.questions import Digit, Number, OneOf, Question
from rlm_core.baselines.scalar_dp import ScalarDP
from rlm_core.collector.tally import Tally
from rlm_core.owner.joint_bits import JointBits
from rlm_core.owner.pairs import PairSelection
from rlm_core.types import FloatArray, IntArray

PEOPLE = (30, 300, 3000)
Draw = Callable[[int, np.random.Generator], IntArray]

RAMP = np.arange(1.0, 11.0) / 55.0
HALF_AND_LESS = np.array([0.7, 0.3])
THREE = np.array([0.5, 0.3, 0.2])
CODES_OF_DIGITS, NUMBERS_OF_ROWS, CODES_OF_ROWS = 12, 3, 4


def campaigns() -> dict[str, tuple[Campaign, Draw, FloatArray]]:
    """Kind to a campaign, how so many people's answers are drawn, and the truth behind each of its lines."""
    yes_no = OneOf(text="?", answers=("no", "yes"))
    one_of = OneOf(text="?", answers=tuple("abcdefghij"))
    number = Number(text="?", low=0.0, high=1.0)
    digit = Digit(text="?", card=f"mnist-qrlm-k{CODES_OF_DIGITS}")
    fitted: dict[str, Any] = {"text": "?", "target": "y", "reach": 1.5, "fitted": "0" * 32}
    bits = Row(classes=("no", "yes"), report=BITS, size=NUMBERS_OF_ROWS, **fitted)
    codes = Row(classes=("a", "b", "c"), report=CODES, size=CODES_OF_ROWS, **fitted)
    levels = number.channel(2.0).k

    def level(count: int, generator: np.random.Generator) -> IntArray:
        place = generator.beta(2.0, 5.0, count) * levels
        return (place + generator.random(count)).astype(np.int64)

    def pairs(codes: int, shares: FloatArray) -> Draw:
        def draw(count: int, generator: np.random.Generator) -> IntArray:
            labels = generator.choice(len(shares), size=count, p=shares)
            return generator.integers(codes, size=count) * len(shares) + labels

        return draw

    def plain(shares: FloatArray) -> Draw:
        return lambda count, generator: generator.choice(len(shares), size=count, p=shares)

    return {
        "yes or no": (_campaign(yes_no, 1.0), plain(HALF_AND_LESS), HALF_AND_LESS),
        "one of ten": (_campaign(one_of, 1.0), plain(RAMP), RAMP),
        "number": (_campaign(number, 2.0), level, np.array([2.0 / 7.0])),
        "digit": (_campaign(digit, 4.0), pairs(CODES_OF_DIGITS, RAMP), RAMP),
        "row, two classes": (_campaign(bits, 2.0), plain(HALF_AND_LESS), HALF_AND_LESS),
        "row, three classes": (_campaign(codes, 2.0), pairs(CODES_OF_ROWS, THREE), THREE),
    }


def coverage(kind: str, people: int, rooms: int) -> FloatArray:
    """The share of rooms whose interval holds the truth, for every line of the campaign.

    A room whose reports say nothing about a line (no bit of a row is about its label) has no interval, and no hit.
    """
    campaign, draw, truth = campaigns()[kind]
    generator = np.random.default_rng((people, len(kind)))
    hits = np.zeros(len(truth))
    for _ in range(rooms):
        lines = campaign.estimate(_tally(campaign, draw(people, generator), generator))
        if lines:
            hits += [line.low <= value <= line.high for line, value in zip(lines, truth, strict=True)]
    return hits / rooms


def _campaign(question: Question, epsilon: float) -> Campaign:
    return Campaign(title="Simulated", question=question, epsilon=epsilon, people=30, closes=int(time.time()) + 3600)


def _tally(campaign: Campaign, answers: IntArray, generator: np.random.Generator) -> Tally:
    """What would be reported: simulated, never sent."""
    empty, channel = Tally.empty(campaign.mechanism.cells), campaign.question.channel(campaign.epsilon)
    if isinstance(channel, ScalarDP):
        return empty.add(channel.response.simulate(answers, generator=generator))
    if isinstance(channel, JointBits):  # rows whose numbers tell nothing; their labels are the answers
        numbers = generator.normal(size=(len(answers), len(channel.low)))
        sent = channel.simulate(numbers, answers, generator=generator)
        return empty.add(np.asarray(sent.coordinates) * campaign.mechanism.symbols + np.asarray(sent.symbols))
    sets = channel.channel if isinstance(channel, PairSelection) else channel
    return empty.add_sets(sets.simulate_symbols(answers, generator=generator))
