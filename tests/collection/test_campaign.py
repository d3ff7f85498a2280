"""Questions and campaigns: the mechanism they choose, what they promise, which reports they take."""

from __future__ import annotations

import json
import math
import time
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from room import QUESTIONS, campaign, envelope

from collection.campaign import Campaign
from collection.questions import Digit, Number, OneOf, question_fields, question_of
from rlm_core.baselines.scalar_dp import ScalarDP
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.subset_selection import SubsetSelection
from rlm_core.report import Report


@pytest.mark.parametrize("epsilon", [0.1, 0.5, 1.0, 2.0, 3.0, 6.0])
@pytest.mark.parametrize("answers", [2, 3, 10, 50])
def test_one_of_k_takes_the_smaller_variance(epsilon: float, answers: int) -> None:
    """k-RR's n·Var summed over the answers, from its own matrix; subset selection's never is above it."""
    question = OneOf(text="?", answers=tuple(map(str, range(answers))))
    p, q = RandomisedResponse(epsilon=epsilon, classes=answers).transition_matrix[0, :2]
    krr = (p * (1 - p) + (answers - 1) * q * (1 - q)) / (p - q) ** 2
    chosen = question.mechanism(epsilon)
    assert question.channel(epsilon).energy <= krr * (1 + 1e-9)
    assert (chosen.name == "k-RR") == (chosen.payload == "symbol") == (chosen.subset == 1)
    if chosen.name == "k-RR":
        assert question.channel(epsilon).energy == pytest.approx(krr)
    assert len(chosen.digest) == 32


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_a_campaign_survives_the_store_and_describes_itself(name: str, epsilon: float) -> None:
    made = campaign(name, epsilon=epsilon)
    assert Campaign.from_json(made.to_json()) == made
    assert question_of(question_fields(made.question)) == made.question
    public = json.loads(json.dumps(made.public()))
    assert public["epsilon"] == epsilon and public["mechanism"] == made.mechanism.name
    # what was promised for so many people is ± 5 points
    assert replace(made, people=made.people_needed).promised <= 0.05
    assert made.people_needed == 1 or replace(made, people=made.people_needed - 1).promised > 0.05


@pytest.mark.parametrize("name", QUESTIONS)
@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
def test_reports_are_kept_in_a_compact_form_and_come_back(name: str, epsilon: float) -> None:
    made = campaign(name, epsilon=epsilon)
    sent = [Report.from_json(json.dumps(envelope(made, answer)["report"])) for answer in (0, 1, 1)]
    bodies = [made.check(report) for report in sent]
    assert [made.report(body) for body in bodies] == sent
    symbols = made.mechanism.symbols
    assert {len(body) for body in bodies} == {2 if made.mechanism.payload == "symbol" else math.ceil(symbols / 8)}
    tally = made.count(bodies)
    assert tally.people == 3 and tally.counts.sum() == 3 * made.mechanism.subset
    assert made.count([]).people == 0 and made.estimate(made.count([])) == []
    lines = made.estimate(tally)
    assert all(line.low <= line.estimate <= line.high for line in lines)
    assert name == "number" or sum(line.estimate for line in lines) == pytest.approx(1.0)


@pytest.mark.parametrize("name", QUESTIONS)
def test_what_real_releases_tell(name: str) -> None:
    """20,000 exact releases: within 6 standard deviations of the truth."""
    made = campaign(name, epsilon=3.0)
    people, question = 20_000, made.question
    generator = np.random.default_rng(2)
    if isinstance(question, Number):
        hours = generator.uniform(4.0, 10.0, size=people)
        channel = question.channel(3.0)
        below, share = channel._place(hours - question.low)
        levels = below + (generator.random(people) < share)
        bodies = [int(v).to_bytes(2, "big") for v in channel.response.privatise(levels)]
        truth, unit = {"mean": float(hours.mean())}, question.high - question.low
    else:
        names = question.answers if isinstance(question, OneOf) else question.classes
        labels = generator.choice(len(names), size=people, p=_weights(len(names)))
        symbols = (
            labels if isinstance(question, OneOf) else generator.integers(question.codes, size=people) * 10 + labels
        )
        sets = question.channel(3.0).privatise_symbols(symbols)
        packed = np.packbits(sets, axis=1)
        plain = made.mechanism.payload == "symbol"
        bodies = [
            int(row.argmax()).to_bytes(2, "big") if plain else line.tobytes()
            for row, line in zip(sets, packed, strict=True)
        ]
        truth, unit = {key: float((labels == i).mean()) for i, key in enumerate(names)}, 1.0
    slack = 6 * unit * question.deviation(3.0) / math.sqrt(people)
    assert slack < 0.15 * unit
    for line in made.estimate(made.count(bodies)):
        assert line.estimate == pytest.approx(truth[line.name], abs=slack)
        assert line.high - line.low < slack


def _weights(count: int) -> np.ndarray:
    weights = np.arange(1.0, count + 1)
    return weights / weights.sum()


def test_the_channels_are_the_librarys() -> None:
    assert isinstance(QUESTIONS["digit"].channel(1.0), SubsetSelection)
    assert isinstance(QUESTIONS["number"].channel(1.0), ScalarDP)
    inside, outside = QUESTIONS["yes or no"].odds(math.log(3.0))
    assert (inside, outside) == pytest.approx((0.75, 0.25))
    for question in QUESTIONS.values():
        inside, outside = question.odds(1.0)
        assert 0 < outside < inside < 1


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"mechanism": "k-RS"}, "Expected mechanism k-RR"),
        ({"digest": "0" * 32}, "Expected digest"),
        ({"epsilon_x": 1.0000001}, "Expected epsilon 1.0"),
        ({"epsilon_x": 0.5, "epsilon_y": 0.5, "label": 1}, "Expected epsilon"),
        ({"label": 1}, "Expected label none"),
        ({"coordinate": 3}, "Expected coordinate none"),
        ({"of": 3}, "Expected of 2, got 3"),
        ({"symbol": None, "members": b"\x80"}, "Expected a symbol"),
        ({"symbol": None, "of": None, "numbers": (1.0,)}, "Expected of 2, got none"),
    ],
)
def test_reports_of_other_campaigns_are_refused(change: dict[str, Any], message: str) -> None:
    made = campaign()
    report = made.report(b"\0\1")
    with pytest.raises(ValueError, match=message):
        made.check(replace(report, **change))


def test_sets_must_have_the_size_of_the_mechanism() -> None:
    made = campaign("one of ten")
    assert made.mechanism.subset == 3
    report = made.report(np.packbits([1, 1, 1, 0, 0, 0, 0, 0, 0, 0]).tobytes())
    made.check(report)
    with pytest.raises(ValueError, match="set of 3 symbols, got 4"):
        made.check(replace(report, members=np.packbits([1, 1, 1, 1, 0, 0, 0, 0, 0, 0]).tobytes()))
    with pytest.raises(ValueError, match="Expected a set"):
        made.check(replace(report, members=None, symbol=3))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: OneOf(text="?", answers=("yes",)), "2 to 100 answers"),
        (lambda: OneOf(text="?", answers=("yes", "yes")), "differ"),
        (lambda: OneOf(text=" ", answers=("no", "yes")), "question"),
        (lambda: OneOf(text="a\nb", answers=("no", "yes")), "printable"),
        (lambda: Number(text="?", low=2, high=2), "low < high"),
        (lambda: Number(text="?", low=0, high=math.inf), "high"),
        (lambda: Digit(text="?", card="cifar10-qrlm-k10"), "mnist"),
        (lambda: campaign(epsilon=math.inf), "finite"),
        (lambda: campaign(epsilon=0.0), "epsilon > 0"),
        (lambda: campaign(epsilon=21.0), "epsilon <= 20"),
        (lambda: campaign(people=0), "people"),
        (lambda: campaign(reports_per_device=0), "reports_per_device"),
        (lambda: campaign(title="x" * 121), "title"),
        (lambda: question_of({"kind": "essay"}), "kind of question"),
        (lambda: question_of({"kind": "one-of", "text": "?"}), "fields"),
    ],
)
def test_bad_settings_are_refused(make: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        make()


def test_it_ends_when_it_says() -> None:
    made = campaign(lasts=60)
    assert not made.is_over() and made.is_over(time.time() + 61)
