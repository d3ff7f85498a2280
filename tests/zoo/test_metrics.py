"""The classifier that measures representations is the paper's, and gives the accuracy on the card."""

from __future__ import annotations

import pytest

from rlm_core import zoo
from rlm_core.training.presets import PRESETS
from rlm_core.zoo.metrics import clean_accuracy, clean_classifier


def test_architectures_are_the_papers() -> None:
    assert clean_classifier(PRESETS["mnist-vrlm-l10-eps33"], 10).hidden == (50,)
    assert clean_classifier(PRESETS["cifar10-crlm-none"], 10).hidden == ()


@pytest.mark.slow
def test_the_cards_accuracy_can_be_measured_again() -> None:
    # The smallest bundle. The stored numbers are float16, so the fit differs a little from the card's.
    name = "lending-vrlm-l5-eps15"
    model = zoo.load(name, device="cpu")
    measured = clean_accuracy(model.bundle, 2, PRESETS[name])
    assert measured == pytest.approx(model.card.metrics["clean_accuracy_percent"], abs=1.5)
