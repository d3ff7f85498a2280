"""What advice says and shows: the rule and the mean, colours by name, words that stay apart, and the paper's V-RLM."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rlm_core.cli import main
from rlm_core.data import adult_sample
from rlm_core.privatiser.advice import Advice, Point, advise
from rlm_core.privatiser.advice_page import APART, COLOURS, HEIGHT, TITLES, apart, curve, entries, page
from rlm_core.privatiser.compare import MECHANISMS, NETWORK_CODES, RULE
from rlm_core.privatiser.compare_baselines import LABEL_ALONE
from rlm_core.privatiser.plan import VRLM
from rlm_core.tables import TableError

LABEL = "ill"
FACTS: dict[str, Any] = {"table": "t", "label": LABEL, "rows": 100, "people": 9, "majority": 0.94, "clean": 0.95}


def points(name: str, **accuracies: tuple[float, ...]) -> tuple[Point, ...]:
    return tuple(
        Point(mechanism=name, epsilon=float(key.removeprefix("at_")), accuracies=each)
        for key, each in accuracies.items()
    )


ADVICE = Advice(
    **FACTS,
    wish=0.8,
    points=points(RULE, at_1=(0.7, 0.95, 0.95), at_2=(0.9, 0.9, 0.9))
    + points(LABEL_ALONE, at_1=(0.9,) * 3, at_2=(0.9,) * 3),
)


def test_a_mean_above_the_wish_is_no_contradiction() -> None:
    said = " ".join(ADVICE.sentences())
    assert (
        "epsilon = 2 is the smallest of the grid that reaches it: in 3 of 3 simulated collections (nine of ten" in said
    )
    assert "Smaller ones reach it on average, but not as surely: epsilon = 1 in 2 of 3." in said
    assert "on average, but" not in " ".join(replace(ADVICE, wish=0.88).sentences())


def test_advice_says_what_epsilon_means_and_what_the_label_alone_would_need() -> None:
    said = " ".join(ADVICE.sentences())
    assert "epsilon = 2: a report multiplies the odds of any guess about its sender by 7.4 at most" in said
    assert "the label alone went through randomised response, epsilon = 1 would do (90.0 %)" in said
    assert "it would protect nothing but the label" in said
    more = " ".join(replace(ADVICE, wish=0.93).sentences())
    assert "93.0 % is not reached at any epsilon up to 2 " in more and "multiplies the odds" not in more
    assert "Randomised response of the label alone, with features in the clear, would not reach it either." in more
    assert "either" not in " ".join(replace(ADVICE, wish=0.895).sentences())


def test_a_kind_that_the_rule_did_not_choose_is_named_where_it_is_better_by_more_than_chance() -> None:
    weak = points(RULE, at_1=(0.5,) * 9, at_2=(0.55,) * 9, at_4=(0.9,) * 9)
    better = points("joint selection", at_1=(0.6,) * 9, at_2=(0.85,) * 9, at_4=(0.9,) * 9)
    advice = replace(ADVICE, rows=5_000, majority=0.4, points=weak + better)
    assert advice.chosen is not None and (advice.chosen.epsilon, advice.other) == (4.0, better[1])
    assert "joint selection, reaches it at epsilon = 2: in 9 of 9 collections, with 85.0 %" in " ".join(advice.answer())
    assert replace(advice, rows=10).other is None  # chance
    assert replace(advice, wish=0.87).other is None and replace(advice, wish=0.5).other is None  # the rule's does it
    near = points("joint selection", at_1=(0.5,) * 9, at_2=(0.56,) * 9, at_4=(0.9,) * 9)
    assert replace(advice, wish=0.56, points=weak + near).other is None
    never = replace(advice, wish=0.85, points=weak[:2] + better)
    assert never.chosen is None and never.other == better[1]
    assert "reaches it" not in " ".join(replace(ADVICE, wish=0.3).answer()).partition("For ")[0]


def test_private_learning_above_clean_rows_is_explained() -> None:
    said = " ".join(replace(ADVICE, clean=0.85).sentences())
    assert "logistic regression, fitted once to the 40 rows that play the people" in said
    assert "logistic regression" not in " ".join(ADVICE.sentences())


def test_what_the_rule_chose_is_one_curve_under_two_names() -> None:
    """Simulated with other draws, the rule seemed to choose badly."""
    frame = adult_sample()[:600]
    found = advise(frame, "income-per-year", people=900, accuracy=0.7, epsilons=(1.0, 4.0), splits=2, draws=2)
    assert [each.accuracies for each in found.of(RULE)] == [each.accuracies for each in found.of("joint bits")]
    assert len(found.of(RULE)[0].accuracies) == 4 and len(set(found.of(RULE)[0].accuracies)) > 1


def test_a_colour_belongs_to_a_name() -> None:
    few, all_of_them = ADVICE, replace(ADVICE, points=ADVICE.points + points("codes", at_1=(0.5,), at_2=(0.6,)))
    assert set(entries(few)) < set(entries(all_of_them))
    assert set(COLOURS) == {*MECHANISMS, NETWORK_CODES, VRLM} and len(set(COLOURS.values())) == len(COLOURS)
    assert entries(few)[0][1] == TITLES[RULE] and RULE not in curve(few)


@pytest.mark.parametrize("wish", [0.5, 0.93, 0.94, 0.945, 0.95, 0.99])
def test_words_in_the_curve_stay_apart(wish: float) -> None:
    drawn = curve(replace(ADVICE, wish=wish))
    places = sorted(float(at) for at in re.findall(r'y="([\d.]+)" class="level"', drawn))
    assert len(places) == 3 and all(0 < at < HEIGHT for at in places)
    assert all(after - before >= APART - 0.1 for before, after in zip(places, places[1:], strict=False))
    assert apart([1.0, 2.0], 16.0, 100.0) == [16.0, 16.0 + APART]


def test_the_page_is_for_a_phone_too() -> None:
    text = page(ADVICE)
    assert text.count("<svg") == 2 and "max-width" in text and 'class="scrolls" tabindex="0"' in text


def test_the_papers_v_rlm_is_simulated_beside_the_others(easy: Any) -> None:
    told: list[tuple[int, int]] = []
    found = advise(
        easy.public,
        LABEL,
        people=300,
        accuracy=0.6,
        epsilons=(2.0, 8.0),
        mechanisms=(RULE,),
        splits=1,
        draws=1,
        vrlm=True,
        progress=lambda done, total: told.append((done, total)),
    )
    assert [(each.mechanism, each.epsilon) for each in found.points] == [(RULE, 2), (RULE, 8), (VRLM, 2), (VRLM, 8)]
    assert told == [(0, 4), (1, 4), (2, 4), (3, 4), (4, 4)]
    assert all(0 <= each.mean <= 1 for each in found.of(VRLM))
    assert any("V-RLM, which sends record and label apart" in each for each in found.sentences())
    assert page(found).count(">V-RLM<") >= 2 and COLOURS[VRLM] in curve(found)


def test_too_few_rows_for_a_v_rlm_are_said_before_anything_runs(
    easy: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def never(done: int, total: int) -> None:
        raise AssertionError("something was simulated")

    with pytest.raises(TableError, match="at least 250 public rows .* for a V-RLM, of which 100 .*, got 249"):
        advise(easy.public[:249], LABEL, people=300, accuracy=0.6, vrlm=True, progress=never)
    easy.public[:249].to_csv(tmp_path / "few.csv", index=False)
    call = ["advise", str(tmp_path / "few.csv"), "--label", LABEL, "--people", "300", "--accuracy", "0.6"]
    assert main([*call, "--vrlm"]) == 2 and "at least 250 public rows" in capsys.readouterr().err
    call[1] = str(tmp_path / "enough.csv")
    easy.public[:300].to_csv(call[1], index=False)
    main([*call, "--vrlm", "--json", "--epsilon", "4", "--draws", "1", "--splits", "1"])
    names = {each["mechanism"] for each in json.loads(capsys.readouterr().out)["points"]}
    assert VRLM in names and RULE in names
    with pytest.raises(SystemExit):
        main(["advise", "--help"])
    assert "minutes" in capsys.readouterr().out
