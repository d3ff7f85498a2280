"""Joined columns: the same people side by side, and what the classifier refuses."""

from __future__ import annotations

import numpy as np
import pytest

from rlm_core.collector.classifier import NoiseAwareClassifier
from rlm_core.collector.join import JoinedClassifier, joined


def _xor(count: int, generator: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A label that neither side knows alone."""
    clean, other = generator.integers(0, 2, (2, count, 1)).astype(float)
    return clean, other + generator.laplace(0.0, 0.1, other.shape), (clean[:, 0] != other[:, 0]).astype(np.int64)


def _network(**changes: object) -> NoiseAwareClassifier:
    settings = {"classes": 2, "objective": "naive", "hidden": (32,), "epochs": 30, "learning_rate": 1e-2}
    return NoiseAwareClassifier(**(settings | changes))  # type: ignore[arg-type]


def test_what_neither_side_knows_alone_is_learnt_from_both() -> None:
    generator = np.random.default_rng(0)
    clean, other, y = _xor(2000, generator)
    model = JoinedClassifier(network=_network()).fit(clean, other, y)
    clean, other, y = _xor(1000, generator)
    assert model.score(clean, other, y) > 0.95
    assert 0.4 < model.score(clean, np.full_like(other, 0.5), y) < 0.6
    probabilities = model.predict_proba(clean, other)
    np.testing.assert_allclose(probabilities.sum(1), 1.0)
    np.testing.assert_array_equal(probabilities.argmax(1), model.predict(clean, other))


def test_reported_labels_are_unmixed() -> None:
    """A third of the labels flipped, with a known probability: the classifier still finds the rule."""
    generator = np.random.default_rng(1)
    clean, other, y = _xor(4000, generator)
    flipped = np.where(generator.random(len(y)) < 0.3, 1 - y, y)
    network = _network(objective="label-noise")
    model = JoinedClassifier(network=network).fit(clean, other, flipped, transition=[[0.7, 0.3], [0.3, 0.7]])
    assert model.score(clean, other, y) > 0.95


def test_denoising_and_strangers_are_refused() -> None:
    with pytest.raises(ValueError, match="denoising"):
        JoinedClassifier(network=_network(objective="denoising"))
    with pytest.raises(ValueError, match="same people"):
        joined(np.zeros((3, 1)), np.zeros((2, 1)))
    with pytest.raises(ValueError, match="clean"):
        joined([[np.nan]], [[1.0]])
