"""How good are the representations themselves? The paper's classifier on clean z, without LDP."""

from __future__ import annotations

import numpy as np

from rlm_core.collector.classifier import NoiseAwareClassifier
from rlm_core.training.presets import CRLMPreset, Preset
from rlm_core.zoo.model import Bundle

HIDDEN: dict[str, tuple[int, ...]] = {"mnist": (50,), "lending_club": (50,), "cifar10": ()}
"""Paper, appendix: one hidden layer of 50; logistic regression for CIFAR-10."""


def clean_classifier(
    preset: Preset, classes: int, seed: int = 0, hidden: tuple[int, ...] | None = None
) -> NoiseAwareClassifier:
    """The paper's classifier for clean inputs and labels, where there is nothing to marginalise."""
    return NoiseAwareClassifier(
        classes=classes,
        objective="naive",
        hidden=HIDDEN[preset.dataset] if hidden is None else hidden,
        epochs=60 if isinstance(preset, CRLMPreset) else 40,
        learning_rate=1e-3,
        batch_size=64,
        seed=seed,
    )


def clean_accuracy(bundle: Bundle, classes: int, preset: Preset) -> float:
    """Percent of the test rows classified rightly, trained on clean representations and labels."""
    classifier = clean_classifier(preset, classes)
    classifier.fit(bundle.train_z, bundle.train_y, transition=np.eye(classes))
    return round(100 * classifier.score(bundle.test_z, bundle.test_y), 2)
