"""ν: inside the ball in exact arithmetic, for every finite input. Nothing here is random but the examples."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import torch
from hypothesis import example, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from rlm_core.owner.clip import L1Clip

RADII = st.sampled_from([1e-100, 1e-9, 0.1, 1.0, 5.0, 1 / 3, 1e100])
DTYPES = st.sampled_from([np.float32, np.float64])
SMALLEST = 1074  # every float64 is a multiple of 2**-1074


def exact_norm(row: np.ndarray) -> Fraction:
    """Σ|rowᵢ| without any rounding."""
    total = 0
    for value in np.abs(row).tolist():
        numerator, denominator = value.as_integer_ratio()
        total += numerator << (SMALLEST - denominator.bit_length() + 1)
    return Fraction(total, 1 << SMALLEST)


def check(clip: L1Clip, h: np.ndarray) -> None:
    """All that is promised about one row."""
    z = clip(h)
    radius, norm = Fraction(clip.radius), exact_norm(h)
    assert z.shape == h.shape and z.dtype == np.float64
    assert exact_norm(z) <= radius  # the guarantee
    assert clip(z).tobytes() == z.tobytes()  # idempotent
    slack = Fraction(8 * (h.size + 8), 2**52)
    if norm <= radius * (1 - slack):
        assert z.tobytes() == h.astype(np.float64).tobytes()  # safely inside: unchanged, to the bit
        return
    factor = min(Fraction(1), radius / norm)
    for before, after in zip(h.tolist(), z.tolist(), strict=True):  # the direction is kept
        wanted = Fraction(before) * factor  # to a relative error, or to 1e-322 of the radius: numbers underflow
        assert abs(Fraction(after) - wanted) <= slack * abs(wanted) + (1 + radius) / 2**1070


@settings(deadline=None, derandomize=True, max_examples=150)
@given(data=st.data(), dtype=DTYPES, radius=RADII)
def test_any_finite_row(data: st.DataObject, dtype: type, radius: float) -> None:
    elements = hnp.from_dtype(np.dtype(dtype), allow_nan=False, allow_infinity=False)
    check(L1Clip(radius=radius), data.draw(hnp.arrays(dtype, st.integers(1, 12), elements=elements)))


@settings(deadline=None, derandomize=True, max_examples=60)
@given(
    d=st.sampled_from([1, 2, 3, 8, 127, 128, 129, 784, 4096]),
    seed=st.integers(0, 2**32),
    low=st.floats(-320, 300),
    span=st.sampled_from([0.0, 1.0, 20.0, 300.0]),
    dtype=DTYPES,
    radius=RADII,
)
@example(d=4096, seed=0, low=307.0, span=0.5, dtype=np.float64, radius=1.0)  # the plain norm overflows
@example(d=4096, seed=0, low=37.0, span=0.5, dtype=np.float32, radius=1.0)
@example(d=4096, seed=0, low=-323.0, span=0.0, dtype=np.float64, radius=1e-100)
def test_long_rows_of_any_magnitude(d: int, seed: int, low: float, span: float, dtype: type, radius: float) -> None:
    generator = np.random.default_rng(seed)
    magnitude = 10.0 ** np.clip(generator.uniform(low, low + span, d), -323.0, 308.0)
    largest = float(np.finfo(dtype).max)
    row = np.clip(generator.choice([-1.0, 1.0], d) * magnitude, -largest, largest)
    check(L1Clip(radius=radius), row.astype(dtype))


@settings(deadline=None, derandomize=True, max_examples=80)
@given(d=st.integers(1, 300), seed=st.integers(0, 2**32), radius=RADII)
def test_rows_on_the_surface(d: int, seed: int, radius: float) -> None:
    """Where rounding matters: rows that were scaled to norm l by the plain formula, give or take a unit."""
    h = np.random.default_rng(seed).laplace(size=d)
    plain = h * (radius / np.abs(h).sum())
    for row in (plain, np.nextafter(plain, np.inf), np.nextafter(plain, 0.0)):
        check(L1Clip(radius=radius), row)


def test_the_plain_formula_does_leave_the_ball() -> None:
    """So the tests above have something to find."""
    h = np.random.default_rng(0).laplace(size=(200, 8))
    plain = h * np.minimum(1.0, 1.0 / np.abs(h).sum(axis=1, keepdims=True))
    assert sum(exact_norm(row) > 1 for row in plain) > 20
    assert not any(exact_norm(row) > 1 for row in L1Clip(radius=1.0)(h))


@pytest.mark.parametrize("value", [1e38, -1e38, 1e308, -np.finfo(np.float64).max, 5e-324, 1e-310])
@pytest.mark.parametrize("d", [1, 4, 4096])
def test_extreme_values(value: float, d: int) -> None:
    check(L1Clip(radius=5.0), np.full(d, value))


def test_rows_are_clipped_one_by_one() -> None:
    h = np.random.default_rng(0).laplace(size=(2, 3, 5)) * 3.0
    clip = L1Clip(radius=2.0)
    together = clip(h)
    for index in np.ndindex(2, 3):
        assert together[index].tobytes() == clip(h[index]).tobytes()


def test_zero_rows_stay_zero_and_do_not_warn() -> None:
    z = L1Clip(radius=1.0)([[0.0, 0.0], [3.0, -1.0]])
    assert z[0].tolist() == [0.0, 0.0] and z[1] == pytest.approx([0.75, -0.25])
    assert L1Clip(radius=1.0)(np.zeros((0, 3))).shape == (0, 3)


def test_integers_are_numbers_too() -> None:
    assert L1Clip(radius=1.0)([1, -1]) == pytest.approx([0.5, -0.5])


def test_sensitivity_is_twice_the_radius() -> None:
    clip = L1Clip(radius=1.5)
    assert clip.l1_sensitivity == 3.0
    left, right = clip([9.0, 0.0]), clip([-9.0, 0.0])
    assert np.abs(left - right).sum() == pytest.approx(3.0)


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_non_finite_input_is_refused(bad: float) -> None:
    with pytest.raises(ValueError, match="finite numbers in h, got 1 NaN or infinite of 2"):
        L1Clip(radius=1.0)([bad, 0.0])


def test_input_that_is_no_row_of_numbers_is_refused() -> None:
    with pytest.raises(ValueError, match="single number"):
        L1Clip(radius=1.0)(3.0)
    with pytest.raises(TypeError, match="numbers in h"):
        L1Clip(radius=1.0)(["a"])


@pytest.mark.parametrize("radius", [0.0, -1.0, math.nan, math.inf, 1e101, 1e-101])
def test_bad_radii_are_refused(radius: float) -> None:
    with pytest.raises(ValueError, match="radius"):
        L1Clip(radius=radius)


@pytest.mark.parametrize("radius", ["1", None, True])
def test_a_radius_is_a_number(radius: object) -> None:
    with pytest.raises(TypeError, match="radius"):
        L1Clip(radius=radius)  # type: ignore[arg-type]


def test_the_differentiable_copy_agrees_and_has_a_gradient_everywhere() -> None:
    h = torch.tensor([[3.0, -1.0, 0.5], [0.1, 0.2, -0.3], [0.0, 0.0, 0.0]], dtype=torch.float64, requires_grad=True)
    clip = L1Clip(radius=1.0)
    z = clip.differentiable(h)
    np.testing.assert_allclose(z.detach().numpy(), clip(h.detach().numpy()), rtol=1e-12)
    z.square().sum().backward()
    assert h.grad is not None and torch.isfinite(h.grad).all()
