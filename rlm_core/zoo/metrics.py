"""How good are the representations themselves? The paper's classifier on clean z, without LDP."""

from __future__ import annotations

import math

import numpy as np

from rlm_core.catalogue import DATASETS
from rlm_core.collector.classifier import NoiseAwareClassifier
from rlm_core.collector.validation import Predict, PrivateAccuracy, private_accuracy
from rlm_core.training.presets import Preset
from rlm_core.types import FloatArray, IntArray
from rlm_core.zoo.model import Bundle

Sizes = tuple[int, ...]
Labelled = tuple[FloatArray, IntArray]


def clean_classifier(
    preset: Preset, classes: int, seed: int = 0, hidden: Sizes | None = None, *, raw: bool = False
) -> NoiseAwareClassifier:
    """The paper's classifier for clean inputs and labels, where there is nothing to marginalise.

    Logistic regression of representations takes larger steps than that of hundreds of ``raw`` features, which
    would overfit; with the small steps it had not converged (``docs/experiment-log.md``).
    """
    layers = DATASETS[preset.dataset].hidden if hidden is None else hidden
    return NoiseAwareClassifier(
        classes=classes,
        objective="naive",
        hidden=layers,
        epochs=40,
        learning_rate=1e-3 if layers or raw else 1e-2,
        batch_size=64,
        checks=20,
        seed=seed,
    )


def fit_clean(classifier: NoiseAwareClassifier, train: Labelled, valid: Labelled) -> NoiseAwareClassifier:
    """Fit, and keep the network of the epoch that was best on the validation rows."""

    def validate(predict: Predict) -> PrivateAccuracy:
        return private_accuracy(predict(valid[0]) == valid[1], epsilon=math.inf)  # no LDP: the bits are true

    return classifier.fit(*train, transition=np.eye(classifier.classes), validate=validate)


def clean_accuracy(bundle: Bundle, classes: int, preset: Preset) -> float:
    """Percent of the test rows classified rightly, trained on clean representations and labels."""
    classifier = clean_classifier(preset, classes)
    fit_clean(classifier, (bundle.train_z, bundle.train_y), (bundle.valid_z, bundle.valid_y))
    return round(100 * classifier.score(bundle.test_z, bundle.test_y), 2)
