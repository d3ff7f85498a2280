"""Pictures from sets of pairs: the posterior by its definition."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rlm_core.collector.pair_decoder import pair_pictures


def test_it_is_the_posterior_mean() -> None:
    """By brute force: every code and label, weighted by π/K and e^ε for pairs in the set."""
    generator = np.random.default_rng(0)
    codes, classes, epsilon = 3, 4, 1.3
    sets = generator.random((5, codes * classes)) < 0.3
    prior, means = np.array([0.5, 0.3, 0.2]), generator.random((codes, 6))
    found = pair_pictures(sets, epsilon=epsilon, frequencies=prior, prototypes=means)
    for row, picture in zip(sets, found, strict=True):
        likelihood = np.where(row, math.exp(epsilon), 1.0).reshape(codes, classes).mean(axis=1)
        posterior = prior * likelihood / (prior @ likelihood)
        np.testing.assert_allclose(picture, posterior @ means)


def test_bad_shapes_are_refused() -> None:
    with pytest.raises(ValueError, match="sets of pairs"):
        pair_pictures(np.zeros((1, 7), dtype=bool), epsilon=1.0, frequencies=[0.5, 0.5], prototypes=[[0.0], [1.0]])
