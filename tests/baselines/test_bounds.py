"""Public bounds and the map to the cube."""

from __future__ import annotations

import math

import numpy as np
import pytest

from rlm_core.baselines import Bounds, Duchi, Rescaled

BOUNDS = Bounds(low=np.array([0.0, -2.0, 7.0]), high=[1.0, 6.0, 7.0])


def test_bounds_are_kept_as_tuples_and_compare_by_value() -> None:
    assert BOUNDS == Bounds(low=(0.0, -2.0, 7.0), high=(1.0, 6.0, 7.0))
    assert hash(BOUNDS) == hash(Bounds(low=(0.0, -2.0, 7.0), high=(1.0, 6.0, 7.0)))


def test_to_cube_maps_the_bounds_to_the_faces_and_clips() -> None:
    cube = BOUNDS.to_cube([[0.0, -2.0, 7.0], [1.0, 6.0, 7.0], [9.0, -9.0, 0.0], [0.25, 2.0, 9.0]])
    np.testing.assert_allclose(cube, [[-1, -1, 0], [1, 1, 0], [1, -1, 0], [-0.5, 0, 0]])


def test_from_cube_is_the_inverse_and_does_not_clip() -> None:
    x = np.array([[0.3, 5.0, 7.0], [0.0, -2.0, 7.0]])
    np.testing.assert_allclose(BOUNDS.from_cube(BOUNDS.to_cube(x)), x)
    np.testing.assert_allclose(BOUNDS.from_cube([[3.0, -3.0, 5.0]]), [[2.0, -10.0, 7.0]])


@pytest.mark.parametrize(
    ("low", "high", "message"),
    [
        ([1.0], [0.0], "Expected low <= high, got low=1, high=0 for feature 0"),
        ([0.0, 0.0], [1.0], "as many low as high, got 2 and 1"),
        ([math.nan], [1.0], "finite numbers in low"),
        ([0.0], [math.inf], "finite numbers in high"),
        ([[0.0]], [[1.0]], "one number a feature"),
        ([0.0], [1e200], "<= 1e100"),
    ],
)
def test_bad_bounds_raise(low: list[float], high: list[float], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Bounds(low=low, high=high)


def test_rescaled_reports_in_the_units_of_the_bounds() -> None:
    bounds = Bounds(low=(0.0, 10.0), high=(1.0, 30.0))
    duchi = Duchi(epsilon=2.0, dimension=2)
    rescaled = Rescaled(mechanism=duchi, bounds=bounds)
    assert (rescaled.name, rescaled.epsilon, rescaled.input_dim, rescaled.output_dim) == ("Duchi", 2.0, 2, 2)
    x = np.array([[0.5, 100.0], [-1.0, 20.0]])
    np.testing.assert_array_equal(rescaled.represent(x), [[0.5, 30.0], [0.0, 20.0]])
    reported = rescaled.privatise(x)
    half = duchi.magnitude * np.array([0.5, 10.0])
    np.testing.assert_allclose(np.abs(reported - [0.5, 20.0]), np.broadcast_to(half, (2, 2)))
    unlimited = Rescaled(mechanism=Duchi(epsilon=math.inf, dimension=2), bounds=bounds)
    np.testing.assert_allclose(unlimited.privatise(x), unlimited.represent(x))


def test_rescaled_needs_bounds_for_every_feature() -> None:
    with pytest.raises(ValueError, match="Expected bounds for 2 features, got 3"):
        Rescaled(mechanism=Duchi(epsilon=1.0, dimension=2), bounds=BOUNDS)
