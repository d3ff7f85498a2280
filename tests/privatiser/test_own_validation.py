"""A validation group: one bit a member and question through the release path, and what learn makes of the answers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from rlm_core import Ledger, PrivateAccuracy, private_accuracy
from rlm_core.privatiser import LocalPrivatiser
from rlm_core.privatiser.plan import VRLM
from rlm_core.privatiser.records import RowClassifier

LABEL = "ill"


@pytest.fixture(scope="module")
def fitted(easy: Any) -> LocalPrivatiser:
    return LocalPrivatiser(epsilon=4.0, reports=3_000).fit(easy.public, LABEL)


def asks(privatiser: LocalPrivatiser, group: Any) -> tuple[Any, list[PrivateAccuracy]]:
    """What learn is given to ask this group, and what they answered so far."""
    answers: list[PrivateAccuracy] = []

    def validate(predict: RowClassifier) -> PrivateAccuracy:
        sent = privatiser.answer(group, predict=predict)
        answers.append(private_accuracy(sent.payload.symbols, epsilon=sent.epsilon_x))  # type: ignore[arg-type]
        return answers[-1]

    return validate, answers


def test_other_kinds_ask_once(fitted: LocalPrivatiser, easy: Any) -> None:
    validate, answers = asks(fitted, easy.test)
    fitted.learn(fitted.privatise(easy.people), validate=validate)
    assert [fitted.validation_] == answers
    # 400 bits, of which 2 % are turned: within five deviations of the truth.
    assert abs(answers[0].estimate - fitted.score(easy.test)) < 5 * 0.5 / math.sqrt(400)
    fitted.learn(fitted.privatise(easy.people))
    assert fitted.validation_ is None


def test_a_v_rlm_asks_ten_times_and_keeps_the_best(easy: Any) -> None:
    with pytest.warns(UserWarning, match="few"):  # trained for a few epochs
        privatiser = LocalPrivatiser(epsilon=4.0, reports=3_000, kind=VRLM).fit(easy.public, LABEL)
    validate, answers = asks(privatiser, easy.test)
    with pytest.warns(UserWarning, match="few"):
        privatiser.learn(privatiser.privatise(easy.people), validate=validate)
    assert len(answers) == 10 and privatiser.validation_ is not None
    assert privatiser.validation_.estimate == max(each.estimate for each in answers)


def test_a_bit_is_turned_as_often_as_epsilon_says(easy: Any) -> None:
    """ε = 1: 3,600 bits are right with 0.731; five deviations are 0.037, so it fails once in 1.7 million runs."""
    privatiser = LocalPrivatiser(epsilon=1.0, reports=3_000).fit(easy.public, LABEL)
    sent = privatiser.answer(easy.people, predict=lambda rows: np.array(["no"] * len(rows)))  # type: ignore[arg-type]
    bits = np.asarray(sent.payload.symbols)
    expected = np.where(easy.people[LABEL] == "no", 1, 0)
    share = math.e / (1 + math.e)
    assert abs((bits == expected).mean() - share) < 5 * math.sqrt(share * (1 - share) / len(bits))
    assert (sent.epsilon_x, sent.epsilon_y, sent.y_private) == (1.0, 0.0, None)


def test_an_answer_is_charged_before_it_is_drawn(fitted: LocalPrivatiser, easy: Any) -> None:
    ledger = Ledger(limit=4.0)
    fitted.learn(fitted.privatise(easy.people))
    fitted.answer(easy.test, predict=fitted.predict, ledger=ledger, record="group")
    assert ledger.spent("group") == 4.0
    with pytest.raises(ValueError, match="Expected a total of at most 4"):
        fitted.answer(easy.test, predict=fitted.predict, ledger=ledger, record="group")


@pytest.mark.parametrize(
    ("people", "labels", "message"),
    [
        (lambda easy: easy.test.drop(columns=LABEL), {}, "Expected labels to compare"),
        (lambda easy: easy.test, {"labels": None}, "Expected labels to compare"),
        (lambda easy: easy.test.assign(ill="perhaps"), {}, "Expected a label in no, yes"),
    ],
)
def test_what_cannot_be_answered_costs_nothing(
    fitted: LocalPrivatiser, easy: Any, people: Any, labels: dict[str, Any], message: str
) -> None:
    ledger = Ledger(limit=4.0)
    with pytest.raises(ValueError, match=message):
        fitted.answer(people(easy), **labels, predict=lambda rows: np.array(["no"] * len(rows)), ledger=ledger)  # type: ignore[arg-type]
    assert ledger.spent("record") == 0.0


def test_an_answer_of_another_kind_is_an_error(fitted: LocalPrivatiser, easy: Any) -> None:
    with pytest.raises(TypeError, match="Expected a PrivateAccuracy from validate.*float"):
        fitted.learn(fitted.privatise(easy.people), validate=lambda predict: 0.9)  # type: ignore[arg-type,return-value]


def test_a_new_fit_forgets_what_the_group_said(easy: Any) -> None:
    privatiser = LocalPrivatiser(epsilon=4.0, reports=3_000).fit(easy.public, LABEL)
    validate, _ = asks(privatiser, easy.test)
    privatiser.learn(privatiser.privatise(easy.people), validate=validate)
    assert privatiser.validation_ is not None and privatiser.fit(easy.public, LABEL).validation_ is None
