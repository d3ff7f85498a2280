"""The Laplace mechanism. Tests on the operating system's source fail by chance below 1e-6 each."""

from __future__ import annotations

import math
from fractions import Fraction
from inspect import signature

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from rlm_core.owner import laplace
from rlm_core.owner.clip import L1Clip
from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.owner.randomness import LOG2_SCALE

EPSILONS = st.one_of(st.floats(1e-6, 1e6), st.sampled_from([1e-6, 0.5, 1.0, 1 / 3, 4.0, 1e6]))
ALPHA = 1e-7


def make(epsilon: float = 2.0, radius: float = 5.0) -> LaplaceNoise:
    return LaplaceNoise(epsilon=epsilon, clip=L1Clip(radius=radius))


def fits(noise: np.ndarray, scale: float) -> bool:
    """Is the empirical distribution within Dvoretzky's and Massart's bound of Laplace(0, scale)? Wrongly no: 1e-7.

    With 200,000 draws the bound is 0.0065, while the distribution functions of scales 1 and
    0.9 (or 1.1) are at least 0.0175 apart: a wrong scale passes with probability below 1e-20.
    """
    ordered = np.sort(noise.ravel())
    expected = stats.laplace.cdf(ordered, scale=scale)
    steps = np.arange(ordered.size + 1) / ordered.size
    distance = max((steps[1:] - expected).max(), (expected - steps[:-1]).max())
    return bool(distance < math.sqrt(math.log(2 / ALPHA) / (2 * ordered.size)))


# --- what a release guarantees ---------------------------------------------------------------------------------


@settings(deadline=None, derandomize=True)
@given(epsilon=EPSILONS)
def test_a_release_spends_at_most_epsilon_exactly(epsilon: float) -> None:
    noise = make(epsilon)
    spent = Fraction(2 * noise.grid_radius, 2**LOG2_SCALE)
    assert spent <= Fraction(epsilon) < spent + Fraction(2, 2**LOG2_SCALE)  # and hardly less
    assert Fraction(noise.epsilon_release) == spent


@settings(deadline=None, derandomize=True, max_examples=80)
@given(epsilon=EPSILONS, d=st.sampled_from([1, 2, 3, 8, 100, 1000]), seed=st.integers(0, 2**32))
def test_rows_on_the_grid_lie_in_the_integer_ball(epsilon: float, d: int, seed: int) -> None:
    noise = make(epsilon, radius=0.7)
    generator = np.random.default_rng(seed)
    h = generator.laplace(size=(20, d)) * 10.0 ** generator.integers(-3, 4, (20, 1))
    h[0], h[1] = 0.0, 0.7 / d
    z = noise.clip(h)
    steps = noise._to_grid(z)
    assert steps.dtype == np.int64
    assert all(sum(abs(k) for k in row) <= noise.grid_radius for row in steps.tolist())  # Python's integers
    exact = z / 0.7 * noise.grid_radius
    assert (np.abs(steps) <= np.abs(exact) + 1e-6 + 1e-15 * noise.grid_radius).all()  # towards zero
    assert (np.abs(steps - exact) < 1.0 + 1e-15 * noise.grid_radius).all()  # by less than one step


def test_a_row_that_left_the_ball_is_pulled_back() -> None:
    noise = make(1.0, radius=1.0)
    outside = np.array([[0.75, -0.25 - 2.0**-20], [-0.5 - 2.0**-20, 0.5]])  # no clip would return these
    steps = noise._to_grid(outside)
    assert np.abs(steps).sum(axis=1).tolist() == [noise.grid_radius] * 2
    assert (np.sign(steps) == np.sign(outside)).all()


def test_a_release_is_the_grid_point_plus_integer_noise(monkeypatch: pytest.MonkeyPatch) -> None:
    noise = make(2.0, radius=5.0)
    step = 5.0 / noise.grid_radius
    monkeypatch.setattr(laplace, "discrete_laplace", lambda shape: np.zeros(shape, dtype=np.int64))
    z = noise.clip(np.random.default_rng(0).laplace(size=(50, 8)) * 3.0)
    assert np.abs(noise.privatise(z) - z).max() <= step
    integers = np.arange(16, dtype=np.int64).reshape(2, 8) * 10**9 - 7
    monkeypatch.setattr(laplace, "discrete_laplace", lambda shape: integers)
    released = noise.privatise(np.zeros((2, 8)))
    np.testing.assert_array_equal(np.rint(released / step).astype(np.int64), integers)


def test_a_release_clips_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laplace, "discrete_laplace", lambda shape: np.zeros(shape, dtype=np.int64))
    released = make(1.0, radius=1.0).privatise([[1e308, -1e308], [0.0, 0.0]])
    assert released[0] == pytest.approx([0.5, -0.5]) and released[1].tolist() == [0.0, 0.0]


def test_the_largest_epsilon_does_not_overflow() -> None:
    z = np.eye(4) * 5.0
    assert np.abs(make(1e6).privatise(z) - z).max() < 1e-3


# --- the distribution ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("epsilon", [1e-6, 0.5, 2.0, 8.0])
def test_release_has_the_scale_it_states(epsilon: float) -> None:
    noise = make(epsilon)
    z = np.zeros((50_000, 4))
    draws = noise.privatise(z) * (noise.epsilon_release / noise.epsilon)  # the grid's scale is 2l/ε′
    assert fits(draws, noise.scale)
    assert not fits(draws, 0.9 * noise.scale) and not fits(draws, 1.1 * noise.scale)


def test_release_is_centred_on_z_in_every_coordinate() -> None:
    noise = make(2.0)
    z = noise.clip([1.0, -2.0, 0.0, 1.5])
    draws = noise.privatise(np.tile(z, (100_000, 1)))
    spread = noise.scale * math.sqrt(2 / len(draws))
    assert (np.abs(draws.mean(axis=0) - z) < 5.7 * spread).all()  # 4 x 1.2e-8
    noises = (draws - z) / noise.scale
    correlation = np.corrcoef(np.sign(noises).T) - np.eye(4)
    assert np.abs(correlation).max() < 5.7 / math.sqrt(len(draws))  # coordinates do not share their noise


def test_simulation_has_the_same_distribution_and_repeats() -> None:
    noise = make(2.0)
    z = np.zeros((50_000, 4))
    first, second = (noise.simulate(z, generator=np.random.default_rng(3)) for _ in range(2))
    assert first.tobytes() == second.tobytes()
    assert fits(first, noise.scale)
    assert not fits(first, 0.9 * noise.scale) and not fits(first, 1.1 * noise.scale)


def test_two_releases_differ() -> None:
    z = np.zeros((10, 8))
    assert not (make().privatise(z) == make().privatise(z)).any()  # equal in one place: below 1e-7


def test_release_takes_no_seed() -> None:
    assert list(signature(LaplaceNoise.privatise).parameters) == ["self", "z"]
    with pytest.raises(TypeError):
        make().privatise([0.0], generator=np.random.default_rng(0))  # type: ignore[call-arg]


# --- densities -------------------------------------------------------------------------------------------------


def test_log_density_is_the_product_of_laplace_densities() -> None:
    noise = make(3.0, radius=2.0)
    generator = np.random.default_rng(0)
    z_private, z = generator.normal(size=(6, 5)), noise.clip(generator.normal(size=(4, 5)))
    naive = stats.laplace.logpdf(z_private[:, None], loc=z[None], scale=noise.scale).sum(axis=-1)
    np.testing.assert_allclose(noise.log_density_pairs(z_private, z), naive, rtol=1e-12)
    np.testing.assert_allclose(noise.log_density(z_private[:, None], z[None]), naive, rtol=1e-12)
    assert noise.log_density(z_private[0], z[0]).shape == ()


def test_log_ratio_never_exceeds_epsilon_and_reaches_it() -> None:
    noise = make(1.5, radius=5.0)
    generator = np.random.default_rng(0)
    z = noise.clip(generator.laplace(size=(40, 6)) * 9.0)
    log_p = noise.log_density_pairs(generator.laplace(size=(500, 6)) * 9.0, z)
    assert (log_p.max(axis=1) - log_p.min(axis=1)).max() <= 1.5 + 1e-9
    far, corners = [[99.0, 0.0]], [[5.0, 0.0], [-5.0, 0.0]]
    assert np.ptp(noise.log_density_pairs(far, corners)) == pytest.approx(1.5)


# --- limits and errors -----------------------------------------------------------------------------------------


def test_infinite_epsilon_returns_the_clipped_input() -> None:
    noise = make(math.inf, radius=1.0)
    h = np.array([[3.0, -1.0], [0.25, 0.5]])
    z = noise.clip(h)
    assert noise.scale == 0.0 and noise.epsilon_release == math.inf
    assert noise.privatise(h).tobytes() == z.tobytes()
    assert noise.simulate(h, generator=np.random.default_rng(0)).tobytes() == z.tobytes()
    assert noise.log_density_pairs(z, z).tolist() == [[0.0, -math.inf], [-math.inf, 0.0]]


def test_no_rows_and_one_number() -> None:
    assert make().privatise(np.zeros((0, 8))).shape == (0, 8)
    assert make().privatise([1.0]).shape == (1,)


@pytest.mark.parametrize("epsilon", [0.0, -1.0, math.nan, 1e-7, 1e7])
def test_bad_epsilons_are_refused(epsilon: float) -> None:
    with pytest.raises(ValueError, match="epsilon"):
        make(epsilon)


@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_non_finite_input_is_refused_before_anything_is_drawn(bad: float, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(laplace, "discrete_laplace", lambda shape: pytest.fail("drew noise"))
    with pytest.raises(ValueError, match="finite"):
        make().privatise([[0.0, bad]])


def test_the_value_is_frozen() -> None:
    with pytest.raises(AttributeError):
        make().epsilon = 9.0  # type: ignore[misc]
