"""Post-processing, local against central, and the curse of dimensionality: formulas against simulation."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rlm_core.baselines.duchi import Duchi
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.theory.dimension import duchi_deviation, per_feature_deviation, representation_deviation
from rlm_core.theory.local_central import YesNoSurvey
from rlm_core.theory.processing import PROCESSINGS, Processing, interval_probabilities, privacy_loss

HONEST = [name for name, each in PROCESSINGS.items() if not each.cheats]


def noise(epsilon: float) -> LaplaceNoise:
    return LaplaceNoise(epsilon=epsilon, clip=L1Clip(radius=2.0))


# --- post-processing -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [0.5, 2.0, 8.0])
@pytest.mark.parametrize("name", HONEST)
def test_processing_never_adds_to_the_loss(name: str, epsilon: float) -> None:
    chosen = PROCESSINGS[name]
    for z, z_other in ((2.0, -2.0), (1.0, 0.0), (-0.5, 1.7)):
        first, second = (chosen.probabilities(each, noise(epsilon)) for each in (z, z_other))
        assert first.sum() == pytest.approx(1.0) and (first >= 0).all()
        loss = privacy_loss(first, second)
        assert loss <= abs(z - z_other) / noise(epsilon).scale + 1e-9


def test_looking_at_the_secret_again_is_no_processing() -> None:
    chosen = PROCESSINGS["correct it with the secret"]
    assert math.isinf(privacy_loss(*(chosen.probabilities(z, noise(0.5)) for z in (2.0, -2.0))))


@pytest.mark.parametrize("name", HONEST)
def test_probabilities_are_those_of_simulated_reports(name: str) -> None:
    """200,000 reports: 6 standard deviations of a share are at most 0.0068."""
    chosen, z = PROCESSINGS[name], 0.7
    reports = noise(2.0).simulate(np.full((200_000, 1), z), generator=np.random.default_rng(8))[:, 0] / 2.0
    values = np.abs(reports) if chosen.folded else reports
    shares = np.bincount(np.searchsorted(chosen.edges, values), minlength=len(chosen.labels)) / len(values)
    np.testing.assert_allclose(chosen.probabilities(z, noise(2.0)), shares, atol=0.0068)


def test_sign_keeps_less_than_epsilon_and_dropping_it_forgets_opposites() -> None:
    sign = PROCESSINGS["sign"]
    loss = privacy_loss(*(sign.probabilities(z, noise(2.0)) for z in (2.0, -2.0)))
    assert loss == pytest.approx(math.log(2 * math.e - 1))  # ln((1 − ½e^{−1})/(½e^{−1}))
    size = PROCESSINGS["drop the sign"]
    assert privacy_loss(*(size.probabilities(z, noise(2.0)) for z in (2.0, -2.0))) == pytest.approx(0.0, abs=1e-9)


def test_far_intervals_keep_their_digits() -> None:
    probabilities = interval_probabilities([50.0, 51.0, 60.0], centre=0.0, scale=1.0)
    assert probabilities[1] == pytest.approx(0.5 * math.exp(-50) * (1 - math.exp(-1)), rel=1e-9)
    assert probabilities[3] == pytest.approx(0.5 * math.exp(-60), rel=1e-9)


def test_bad_processings_are_refused() -> None:
    with pytest.raises(ValueError, match="Expected 2 labels"):
        Processing(name="x", summary="", edges=(0.0,), labels=("a",))
    with pytest.raises(ValueError, match="increasing"):
        Processing(name="x", summary="", edges=(1.0, 0.0), labels=("a", "b", "c"))
    with pytest.raises(ValueError, match="scale > 0"):
        interval_probabilities([0.0], centre=0.0, scale=0.0)


# --- local and central -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(("people", "yes", "epsilon"), [(200, 60, 1.0), (2_000, 1_990, 0.5), (50, 0, 3.0)])
def test_deviations_are_those_of_simulated_surveys(people: int, yes: int, epsilon: float) -> None:
    """4,000 repeats: the spread is known to 1.1 % (2.5 % for Laplace noise), the mean to 1.6 % of the spread."""
    survey = YesNoSurvey(people=people, yes=yes, epsilon=epsilon)
    generator = np.random.default_rng(2)
    for draws, deviation in (
        (survey.simulate_central(4_000, generator=generator), survey.central_deviation),
        (survey.simulate_local(4_000, generator=generator), survey.local_deviation),
    ):
        assert draws.std() == pytest.approx(deviation, rel=0.09)
        assert draws.mean() == pytest.approx(survey.share, abs=0.09 * deviation)
        assert draws.std() != pytest.approx(1.2 * deviation, rel=0.09)


def test_local_needs_many_more_people() -> None:
    survey = YesNoSurvey(people=1_000, yes=300, epsilon=1.0)
    many = YesNoSurvey(people=round(survey.people_for_the_same_error), yes=0, epsilon=1.0)
    assert many.local_deviation == pytest.approx(survey.central_deviation, rel=1e-3)
    assert many.people > 100 * survey.people


@pytest.mark.parametrize("bad", [{"people": 0}, {"yes": 11}, {"yes": -1}, {"epsilon": 0.0}, {"epsilon": math.nan}])
def test_bad_surveys_are_refused(bad: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="Expected"):
        YesNoSurvey(**({"people": 10, "yes": 5, "epsilon": 1.0} | bad))  # type: ignore[arg-type]


# --- dimension -------------------------------------------------------------------------------------------------


def test_noise_grows_with_d_with_its_root_or_not_at_all() -> None:
    assert per_feature_deviation(100, 2.0) == pytest.approx(100 * per_feature_deviation(1, 2.0))
    assert duchi_deviation(1_001, 2.0) / duchi_deviation(11, 2.0) == pytest.approx(math.sqrt(91), rel=0.05)
    assert representation_deviation(noise(2.0)) == pytest.approx(math.sqrt(2) / 2.0)
    assert representation_deviation(noise(2.0)) == pytest.approx(per_feature_deviation(1, 2.0))


def test_duchis_deviation_is_that_of_its_reports() -> None:
    """A report is ±B, so its spread around 0 is B exactly."""
    draws = Duchi(epsilon=1.0, dimension=5).simulate(np.zeros((1_000, 5)), generator=np.random.default_rng(0))
    assert np.sqrt((draws**2).mean()) / 2 == pytest.approx(duchi_deviation(5, 1.0))
