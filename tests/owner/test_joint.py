"""The joint report: what is sent, what it costs, and that a clip in the wrong place is found out.

Chance failures: below 1e-6 for each statistical test (5 standard errors, or an audit at 1 − 1e-7).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from itertools import combinations

import numpy as np
import pytest
from numpy.typing import ArrayLike

from rlm_core.audit import audit_pairs
from rlm_core.audit.registered import audit_registered, pairs_of
from rlm_core.joint_rows import JointLaplaceRows, JointSelectionRows
from rlm_core.owner import JointLaplace, JointSelection
from rlm_core.registry import REGISTRY

SURE = 1 - 1e-7
INF = float("inf")


def laplace(epsilon: float = 1.0) -> JointLaplace:
    return JointLaplace(epsilon=epsilon, radius=2.0, centre=(1.0, -0.5, 0.0), constant=0.25)


def selection(epsilon: float = 1.0, classes: int = 3) -> JointSelection:
    return JointSelection(epsilon=epsilon, classes=classes, low=(-1.0, 0.0, 5.0), high=(1.0, 4.0, 5.0))


# --- two classes -----------------------------------------------------------------------------------------------


def test_the_other_label_is_the_opposite_vector() -> None:
    h = np.random.default_rng(0).normal(size=(20, 3)) * 3
    joint = laplace(INF)
    v, opposite = joint.privatise(h, np.ones(20, dtype=int)), joint.privatise(h, np.zeros(20, dtype=int))
    assert (v == -opposite).all()
    assert (v[:, -1] > 0).all()  # the constant coordinate tells the sign


def test_the_clip_comes_last_on_the_whole_vector() -> None:
    """Records on the edge of the ball around 0 lie up to ‖μ‖₁ outside the ball around μ: still no row is too long."""
    h = np.random.default_rng(0).normal(size=(500, 3)) * 1000
    v = laplace(INF).privatise(h, np.random.default_rng(1).integers(2, size=500))
    assert np.abs(v).sum(axis=1).max() <= 2.0
    assert np.abs(v).sum(axis=1).min() == pytest.approx(2.0)  # all of these are far out
    near = laplace(INF).privatise([[1.25, -0.5, 0.0]], [1])
    assert near.tolist() == [[0.25, 0.0, 0.0, 0.25]]  # inside nothing is rescaled


def test_released_numbers_have_the_noise_of_all_of_epsilon() -> None:
    """30,000 releases of one pair: mean |noise| is b = 2l/ε within 5 standard errors; 0.95 b would be seen."""
    joint = laplace(4.0)
    sent = joint.privatise(np.tile([2.0, 0.0, 1.0], (30_000, 1)), np.ones(30_000, dtype=int))
    clean = joint.noise.clip(joint.signed([[2.0, 0.0, 1.0]], [1]))
    noise = np.abs(sent - clean)
    assert abs(noise.mean() - 1.0) < 5 / math.sqrt(noise.size)


@dataclass(frozen=True)
class ClippedFirst:
    """What must not be done: clip h, subtract μ, and add noise for a ball that v no longer lies in."""

    right: JointLaplaceRows
    name: str = "clipped first"

    @property
    def epsilon(self) -> float:
        return self.right.epsilon

    @property
    def input_dim(self) -> int:
        return self.right.input_dim

    @property
    def output_dim(self) -> int:
        return self.right.output_dim

    def represent(self, x: ArrayLike) -> np.ndarray:
        rows, joint = np.asarray(x, dtype=float), self.right.joint
        return joint.signed(joint.noise.clip(rows[:, :-1]), rows[:, -1].astype(int))

    def privatise(self, x: ArrayLike) -> np.ndarray:
        v = self.represent(x)
        return v + np.random.default_rng().laplace(0.0, self.right.joint.noise.scale, size=v.shape)

    def simulate(self, x: ArrayLike, *, generator: np.random.Generator) -> np.ndarray:
        raise NotImplementedError


def test_the_audit_accuses_a_clip_before_the_subtraction() -> None:
    entry = REGISTRY["joint Laplace"]
    mechanism = entry.make(1.0, entry.dimension)
    assert isinstance(mechanism, JointLaplaceRows)
    broken = ClippedFirst(mechanism)
    assert not audit_pairs(broken, pairs_of(entry, mechanism), samples=60_000, confidence=SURE).ok


# --- many classes ----------------------------------------------------------------------------------------------


def test_without_noise_the_set_is_the_label_and_a_bit_that_is_right_on_average() -> None:
    """20,000 releases: each coordinate's share of ones is t, 5 standard errors; the third is never drawn."""
    joint = selection(INF)
    coordinates, members = joint.privatise(np.tile([0.5, 1.0, 9.0], (20_000, 1)), np.full(20_000, 2))
    assert set(coordinates.tolist()) == {0, 1}
    assert abs((coordinates == 0).mean() - 0.5) < 5 * 0.5 / math.sqrt(20_000)
    symbols = members.argmax(axis=1)
    assert set(symbols.tolist()) == {4, 5}
    for j, t in ((0, 0.75), (1, 0.25)):
        bits = symbols[coordinates == j] == 5
        assert abs(bits.mean() - t) < 5 * math.sqrt(t * (1 - t) / len(bits))


def test_beyond_the_range_the_bit_is_certain() -> None:
    joint = selection(INF)
    for value, bit in ((1e300, 1), (-1e300, 0)):
        _, members = joint.privatise(np.full((500, 3), value), np.zeros(500, dtype=int))
        assert (members.argmax(axis=1) == bit).all()


def test_any_two_pairs_are_epsilon_apart_and_no_more() -> None:
    """All outputs under a grid of records and labels, by the mechanism's own density: the proof, in numbers."""
    rows = JointSelectionRows(joint=selection(0.7))
    size, symbols = rows.joint.channel.size, 2 * rows.joint.classes
    sets = np.zeros((math.comb(symbols, size), symbols))
    for row, members in enumerate(combinations(range(symbols), size)):
        sets[row, list(members)] = 1.0
    outputs = np.concatenate([np.insert(sets, 0, j, axis=1) for j in rows.joint.drawn])
    records = np.array([[a, b, 5.0, y] for a in (-1, 0.3, 1) for b in (0, 4) for y in range(3)], dtype=float)
    log = rows.log_density_pairs(outputs, rows.represent(records))  # (outputs, records)
    assert np.exp(log).sum(axis=0) == pytest.approx(np.ones(len(records)))
    assert np.ptp(log, axis=1).max() == pytest.approx(0.7, abs=1e-9)


def test_release_and_density_agree() -> None:
    """Every output of 40,000 releases as often as its density says: 6 standard errors, 2·C(6, ω) outputs."""
    rows = JointSelectionRows(joint=selection(1.0))
    record = np.array([[0.4, 1.0, 5.0, 1.0]])
    sent = rows.privatise(np.repeat(record, 40_000, axis=0))
    kinds, counts = np.unique(sent, axis=0, return_counts=True)
    p = np.exp(rows.log_density_pairs(kinds, rows.represent(record))[:, 0])
    assert np.abs(counts / len(sent) - p).max() < 6 * math.sqrt(p.max() / len(sent))
    assert p.sum() == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize("name", ["joint Laplace", "joint selection"])
def test_the_audit_comes_close_and_stays_below(name: str) -> None:
    result = audit_registered(REGISTRY[name], epsilon=2.0, samples=60_000, confidence=SURE)
    assert result.ok and result.lower_bound > 1.7


# --- bad input -------------------------------------------------------------------------------------------------


def test_bad_input_is_named() -> None:
    with pytest.raises(ValueError, match="labels from 0 to 1, got 0 to 2"):
        laplace().privatise(np.zeros((2, 3)), [0, 2])
    with pytest.raises(ValueError, match=r"h of shape \(n, 3\), got shape \(2, 4\)"):
        laplace().privatise(np.zeros((2, 4)), [0, 1])
    with pytest.raises(ValueError, match="finite numbers in h"):
        selection().privatise([[math.nan, 0.0, 0.0]], [0])
    with pytest.raises(ValueError, match="as many labels as records, got 1 and 2"):
        selection().privatise(np.zeros((2, 3)), [0])
    with pytest.raises(TypeError, match="integer labels"):
        selection().privatise(np.zeros((1, 3)), [0.5])
    with pytest.raises(ValueError, match="at least one coordinate"):
        JointSelection(epsilon=1.0, classes=2, low=(1.0,), high=(1.0,))
    with pytest.raises(ValueError, match="low <= high"):
        JointSelection(epsilon=1.0, classes=2, low=(1.0,), high=(0.0,))
    with pytest.raises(ValueError, match="Expected constant > 0"):
        JointLaplace(epsilon=1.0, radius=1.0, centre=(0.0,), constant=0.0)
    with pytest.raises(ValueError, match="Expected epsilon > 0"):
        laplace(-1.0)


@pytest.mark.parametrize("h", [1.7e308, -1.7e308])
def test_no_record_is_so_large_that_it_ends_in_an_error(h: float) -> None:
    joint = JointLaplace(epsilon=1.0, radius=2.0, centre=(-1e300, 0.0), constant=1.0)
    assert np.isfinite(joint.privatise([[h, h]], [1])).all()
    with pytest.raises(ValueError, match="Expected a centre within"):
        JointLaplace(epsilon=1.0, radius=2.0, centre=(1e301,), constant=1.0)
