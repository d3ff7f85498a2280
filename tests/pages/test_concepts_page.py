"""The chapters of "What is LDP?": each opens, plays, asks; its numbers are the library's."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from page_driver import Open, healthy, words
from streamlit.testing.v1 import AppTest

from rlm_core import paper
from rlm_core.collector.averaging import running_average
from rlm_core.collector.inference import posterior_limit
from rlm_core.collector.survey import estimate_shares
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.theory.dimension import per_feature_deviation
from rlm_core.theory.local_central import YesNoSurvey
from rlm_core.theory.processing import PROCESSINGS, privacy_loss
from ui.kit.formats import number, percent, times
from ui.lessons.book import CHAPTERS

SHORT = [chapter.short for chapter in CHAPTERS]


def pictures(app: AppTest) -> list[str]:
    """Every drawing of the page, as sent."""
    return [each.proto.json for each in app.main.get("bidi_component") if "<svg" in each.proto.json]


def describing(app: AppTest) -> str:
    """The first drawing's description."""
    svg = json.loads(pictures(app)[0])
    return str(svg.split('aria-label="')[1].split('"')[0])


def test_there_are_eleven_and_their_keys_differ() -> None:
    assert len(CHAPTERS) == 11 == len(set(SHORT)) == len({chapter.key for chapter in CHAPTERS})
    for chapter in CHAPTERS:
        assert sum(answer.correct for answer in chapter.answers) == 1 and len(chapter.answers) >= 3
        assert chapter.sections and all(key in paper.SECTIONS for key in chapter.sections)
        assert all(answer.feedback for answer in chapter.answers)


def test_a_right_answer_gets_a_tick(open_page: Open) -> None:
    app = open_page("concepts")
    assert "0 of 11 chapters done" in words(app)
    right = next(answer for answer in CHAPTERS[0].answers if answer.correct)
    healthy(app.radio(key=f"quiz_{CHAPTERS[0].key}").set_value(right.text).run())
    assert "1 of 11 chapters done" in words(app) and "button:nth-of-type(1)::after" in words(app)
    wrong = next(answer for answer in CHAPTERS[0].answers if not answer.correct)
    healthy(app.radio(key=f"quiz_{CHAPTERS[0].key}").set_value(wrong.text).run())
    assert "0 of 11 chapters done" in words(app)


@pytest.mark.parametrize("short", SHORT)
def test_every_chapter_opens_from_a_link_with_a_picture_and_its_sections(open_page: Open, short: str) -> None:
    app = open_page("concepts", chapter=short)
    chapter = CHAPTERS[SHORT.index(short)]
    assert app.header[0].value == f"{SHORT.index(short) + 1}. {chapter.title}"
    assert pictures(app) and app.caption
    for key in chapter.sections:
        assert paper.SECTIONS[key] in words(app)
    assert paper.ADDRESS in words(app)
    assert "nothing is released" in words(app)  # a simulation or a computation, and it says so
    assert "releases" not in app.session_state


@pytest.mark.slow
@pytest.mark.parametrize("short", SHORT)
def test_every_answer_of_every_quiz_is_answered(open_page: Open, short: str) -> None:
    app = open_page("concepts", chapter=short)
    chapter = CHAPTERS[SHORT.index(short)]
    before = pictures(app)
    quiz = f"quiz_{chapter.key}"
    assert app.radio(key=quiz).value is None and not app.success
    for answer in chapter.answers:
        healthy(app.radio(key=quiz).set_value(answer.text).run())
        shown = app.success if answer.correct else app.warning
        assert answer.feedback in shown[0].value and bool(app.success) is answer.correct
    assert pictures(app) == before  # a quiz draws nothing


def test_turning_pages(open_page: Open) -> None:
    app = open_page("concepts")
    for index in range(1, len(CHAPTERS)):
        healthy(app.button(key="chapter_next").click().run())
        assert app.header[0].value.startswith(f"{index + 1}. ")
    assert not any(each.key == "chapter_next" for each in app.button)
    healthy(app.button(key="chapter_before").click().run())
    assert app.header[0].value.startswith(f"{len(CHAPTERS) - 1}. ")


def test_the_coin_survey_is_the_librarys(open_page: Open) -> None:
    app = open_page("concepts", chapter="Coin survey", coin_yes="40", coin_people="3,000", coin_eps="2")
    channel = RandomisedResponse(epsilon=2.0, classes=2)
    generator = np.random.default_rng(app.session_state["dice_coin"])
    answers = generator.permutation(np.repeat([1, 0], [1_200, 1_800]))
    reported = channel.simulate(answers, generator=generator)
    found = estimate_shares(np.bincount(reported), transition_matrix=channel.transition_matrix)
    assert percent(float(found.estimate[1])) in words(app) and percent(float(reported.mean())) in words(app)
    assert percent(float(channel.transition_matrix[0, 0])) in words(app)
    assert f"estimate {found.estimate[1]:.1%}" in describing(app)


def test_the_same_dice_until_they_are_thrown_again(open_page: Open) -> None:
    app = open_page("concepts")
    first, seed = pictures(app), app.session_state["dice_coin"]
    healthy(app.select_slider(key="coin_eps").set_value(3.0).run())
    assert pictures(app) != first and app.session_state["dice_coin"] == seed
    healthy(app.select_slider(key="coin_eps").set_value(1.0).run())
    assert pictures(app) == first
    healthy(app.button(key="throw_coin").click().run())
    assert pictures(app) != first and app.session_state["dice_coin"] != seed
    other = open_page("concepts")
    assert other.session_state["dice_coin"] not in (seed, app.session_state["dice_coin"])


def test_many_answers(open_page: Open) -> None:
    app = open_page("concepts", chapter="Many answers", krr_k="10", krr_eps="2")
    truth = RandomisedResponse(epsilon=2.0, classes=10).transition_matrix[0, 0]
    assert percent(float(truth)) == "45.1 %" and "45.1 %" in words(app)
    healthy(app.select_slider(key="krr_k").set_value(2).run())
    assert "88.1 %" in words(app)


def test_the_clip_keeps_the_promise(open_page: Open) -> None:
    app = open_page("concepts", chapter="Laplace noise", laplace_a="3", laplace_b="-3", laplace_eps="2")
    noise = LaplaceNoise(epsilon=2.0, clip=L1Clip(radius=1.0))
    assert f"b = {number(noise.scale)}" in words(app)
    assert "<strong>2.00</strong>" in words(app) and "<strong>kept</strong>" in words(app)
    healthy(app.toggle(key="laplace_clip").set_value(False).run())
    assert "<strong>6.00</strong>" in words(app) and "<strong>broken</strong>" in words(app)


def test_asking_again_spends_and_closes_in(open_page: Open) -> None:
    app = open_page("concepts", chapter="Ask twice", again_n="1,000", again_eps="0.5")
    noise = LaplaceNoise(epsilon=0.5, clip=L1Clip(radius=1.0))
    draws = noise.simulate(np.full((1_000, 1), 0.6), generator=np.random.default_rng(app.session_state["dice_again"]))
    average = running_average(draws[:, 0], scale=noise.scale)
    assert "ε = 500" in words(app) and f"± {average.deviation[-1]:.2f}" in words(app)
    assert f"their average is {average.mean[-1]:.2f}" in describing(app)
    healthy(app.select_slider(key="again_n").set_value(2).run())
    assert "ε = 1</strong>" in words(app) and f"× {times(math.e)}" in words(app)
    assert f"their average is {average.mean[1]:.2f}" in describing(app)  # the same reports, fewer of them


@pytest.mark.parametrize("name", list(PROCESSINGS))
def test_processing_on_the_page_is_the_librarys(open_page: Open, name: str) -> None:
    app = open_page("concepts", chapter="Afterwards", after_do=name, after_eps="3")
    noise = LaplaceNoise(epsilon=3.0, clip=L1Clip(radius=1.0))
    loss = privacy_loss(*(PROCESSINGS[name].probabilities(z, noise) for z in (1.0, -1.0)))
    assert f"<strong>{'∞' if math.isinf(loss) else f'{loss:.2f}'}</strong>" in words(app)
    assert ("<strong>broken</strong>" in words(app)) is PROCESSINGS[name].cheats


def test_many_numbers(open_page: Open) -> None:
    app = open_page("concepts", chapter="Many numbers", dim_side="14", dim_eps="4")
    assert f"<strong>{number(per_feature_deviation(196, 4.0))}</strong>" in words(app)
    assert "<strong>0.3536</strong>" in words(app)  # √2/4, on each learnt number
    assert words(app).count("rlm-pixels") == 3


def test_local_and_central(open_page: Open) -> None:
    app = open_page("concepts", chapter="Local or central", trust_people="10,000", trust_eps="0.5")
    survey = YesNoSurvey(people=10_000, yes=3_000, epsilon=0.5)
    assert f"± {100 * survey.local_deviation:.3g} %" in words(app)
    assert f"± {100 * survey.central_deviation:.2g} %" in words(app)
    assert "central* differential privacy" in words(app)  # the shared encoder can be trained so
    assert len(pictures(app)) == 2


def test_odds(open_page: Open) -> None:
    app = open_page("concepts", chapter="What ε means", odds_before="25", odds_eps="2")
    high = float(posterior_limit(0.25, 2.0))
    low = 1 - float(posterior_limit(0.75, 2.0))
    assert f"<strong>{percent(high)}</strong>" in words(app) and f"<strong>{percent(low)}</strong>" in words(app)
    assert f"between {low:.1%} and {high:.1%}" in describing(app)


BROKEN = [{"chapter": "Ninth"}, {"coin_eps": "-1"}, {"coin_people": "7"}, {"coin_yes": "900"}]


@pytest.mark.parametrize("address", BROKEN)
def test_a_broken_link_still_opens(open_page: Open, address: dict[str, str]) -> None:
    app = open_page("concepts", **address)
    assert app.header[0].value.startswith("1. ") and app.select_slider(key="coin_eps").value == 1.0
