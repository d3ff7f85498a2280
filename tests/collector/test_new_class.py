"""A class that no public record has, told by the averages of its members' features."""

from __future__ import annotations

import numpy as np
import pytest

from rlm_core.collector.new_class import NewClassDetector


def test_of_two_normals_the_ratio_is_that_of_their_densities() -> None:
    """p₀ = N(0, 1), E₁ = 1: the tilted p₁ is N(1, 1), so w = 1, and the border lies at ½.

    Of 200,000 draws the average of e^{w·φ} deviates by 0.003 (one deviation): 0.03 is ten of them.
    """
    public = np.random.default_rng(0).normal(size=(200_000, 1))
    fitted = NewClassDetector.fit([1.0], [0.0], public)
    assert fitted.weights == pytest.approx([1.0], abs=0.03)
    assert fitted.offset / fitted.weights[0] == pytest.approx(0.5, abs=0.03)
    assert fitted.predict([[0.4], [0.6]]).tolist() == [0, 1]


def test_its_average_is_the_one_asked_for() -> None:
    """The gradient at the maximum is E₁[φ] less the tilted average: a naive copy of it vanishes."""
    rng = np.random.default_rng(1)
    public, mean = rng.uniform(-1, 1, size=(500, 3)), np.array([0.3, -0.2, 0.0])
    fitted = NewClassDetector.fit(mean, np.zeros(3), public)
    weights = np.exp(public @ fitted.weights)
    assert (weights @ public / weights.sum()) == pytest.approx(mean, abs=1e-3)


def test_what_is_noise_is_not_used() -> None:
    public = np.random.default_rng(2).normal(size=(5_000, 2))
    fitted = NewClassDetector.fit([1.0, 1.0], [0.0, 1e6], public)
    assert abs(fitted.weights[1]) < 0.01 < 0.5 < fitted.weights[0]


@pytest.mark.parametrize(
    ("mean", "variance", "ridge"),
    [([0.0, 0.0], [0.0], 1.0), ([0.0], [-1.0], 1.0), ([0.0], [0.0], -1.0), ([np.nan], [0.0], 1.0)],
)
def test_refused(mean: list[float], variance: list[float], ridge: float) -> None:
    with pytest.raises(ValueError, match="Expected"):
        NewClassDetector.fit(mean, variance, np.zeros((4, 1)), ridge=ridge)
