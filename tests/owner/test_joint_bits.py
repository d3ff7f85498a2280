"""The joint report as bits: its exact probabilities, that a release has them, and what a collector averages.

Chance failures: below 1e-6 for each statistical test (6 standard errors).
"""

from __future__ import annotations

import math
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest

from rlm_core.collector.moments import signed_bits
from rlm_core.joint_rows import JointBitsRows
from rlm_core.owner.joint_bits import JointBits, best_bits, worth
from rlm_core.owner.payload import Payload

INF = float("inf")


def joint(epsilon: float = 1.0, bits: int | None = 2, d: int = 2) -> JointBits:
    return JointBits(epsilon=epsilon, low=(-1.0,) * d, high=(1.0,) * d, bits=bits)


def exact(mechanism: JointBits, h: list[float], y: int) -> np.ndarray:
    """P(j, symbol | h, y), written out from the definition: (d + 1, 2ᵐ)."""
    t = [min(max((value + 1) / 2, 0.0), 1.0) for value in h] + [1.0]
    m, keep = mechanism.width, float(mechanism.response.keep_probability)
    table = np.zeros((len(t), 2**m))
    for j in range(len(t)):
        for agrees in product((0, 1), repeat=m):
            probability = 1.0
            for i, agree in enumerate(agrees):
                one = t[(j + i) % len(t)]
                agrees_with_one = one if y == 1 else 1 - one
                probability *= agrees_with_one if agree else 1 - agrees_with_one
            table[j, sum(agree << i for i, agree in enumerate(agrees))] = probability
    return (keep * table + (1 - keep) / 2**m) / len(t)


@pytest.mark.parametrize("epsilon", [0.3, 1.0, 4.0])
@pytest.mark.parametrize("bits", [1, 2, 3])
def test_no_two_pairs_differ_by_more_than_epsilon_and_some_by_all_of_it(epsilon: float, bits: int) -> None:
    mechanism = joint(epsilon, bits)
    tables = [exact(mechanism, [a, b], y) for a, b in product((-2.0, -0.3, 0.0, 1.0), repeat=2) for y in (0, 1)]
    worst = max(float(np.log(one / other).max()) for one in tables for other in tables)
    assert epsilon - 1e-9 <= worst <= epsilon + 1e-12


def test_a_release_has_the_exact_probabilities() -> None:
    """60,000 releases of one pair; a keep probability 5 % off would be seen in the commonest cells."""
    mechanism, h, y, n = joint(2.0, 2), [0.4, -3.0], 1, 60_000
    sent = mechanism.send(np.tile(h, (n, 1)), np.full(n, y))
    assert sent.symbols is not None and sent.coordinates is not None and sent.of == 4
    counts = np.zeros((3, 4))
    np.add.at(counts, (sent.coordinates, sent.symbols), 1)
    expected = exact(mechanism, h, y)
    assert (np.abs(counts / n - expected) < 6 * np.sqrt(expected * (1 - expected) / n)).all()
    wrong = exact(joint(2.0 * 1.1, 2), h, y)
    assert (np.abs(wrong - expected) > 6 * np.sqrt(expected * (1 - expected) / n)).any()  # power


def test_the_simulation_has_the_same() -> None:
    mechanism, n = joint(2.0, 2), 60_000
    sent = mechanism.simulate(np.tile([0.4, -3.0], (n, 1)), np.ones(n, dtype=int), generator=np.random.default_rng(0))
    counts = np.zeros((3, 4))
    np.add.at(counts, (sent.coordinates, sent.symbols), 1)
    expected = exact(mechanism, [0.4, -3.0], 1)
    assert (np.abs(counts / n - expected) < 6 * np.sqrt(expected * (1 - expected) / n)).all()


def test_the_collectors_averages_are_right() -> None:
    generator = np.random.default_rng(1)
    n, mechanism = 40_000, joint(3.0, 3, d=4)
    h, y = generator.uniform(-1.5, 1.5, size=(n, 4)), generator.integers(2, size=n)
    sent = mechanism.send(h, y)
    found, variance = signed_bits(sent.coordinates, sent.symbols, bits=3, keep=mechanism.keep, features=5)
    phi = np.concatenate([np.clip(h, -1, 1), np.ones((n, 1))], axis=1)
    assert (np.abs(found - (phi * (2 * y - 1)[:, None]).mean(axis=0)) < 6 * np.sqrt(variance)).all()
    assert variance == pytest.approx(5 / (3 * mechanism.keep**2 * n), rel=0.1)


def test_without_noise_the_bits_themselves() -> None:
    mechanism = joint(INF, 3)
    sent = mechanism.send(np.array([[9.0, -9.0]] * 50), np.ones(50, dtype=int))
    for j, symbol in zip(sent.coordinates, sent.symbols, strict=True):  # type: ignore[arg-type]
        agrees = [1, 0, 1]  # h₀ high, h₁ low, the constant
        assert symbol == sum(agrees[(j + i) % 3] << i for i in range(3))


def test_the_number_of_bits_follows_epsilon() -> None:
    assert [best_bits(epsilon) for epsilon in (0.1, 1.0, 2.0, 4.0, 8.0, 50.0)] == [1, 1, 2, 4, 8, 12]
    assert worth(1.0, 1) == pytest.approx(math.tanh(0.5) ** 2)
    assert joint(8.0, None).width == 3  # there are only three coordinates


@pytest.mark.parametrize(
    ("given", "error", "message"),
    [
        ({"epsilon": 0.0}, ValueError, "epsilon > 0"),
        ({"bits": 0}, ValueError, "1 <= bits <= 3"),
        ({"bits": 4}, ValueError, "1 <= bits <= 3"),
        ({"bits": 1.5}, TypeError, "an integer for bits"),
        ({"high": (1.0, -1.0)}, ValueError, "low < high"),
        ({"low": (1.0,)}, ValueError, "as many low as high"),
    ],
)
def test_bad_numbers_are_named(given: dict[str, object], error: type[Exception], message: str) -> None:
    fields: dict[str, object] = {"epsilon": 1.0, "low": (-1.0, -1.0), "high": (1.0, 1.0), "bits": 1}
    with pytest.raises(error, match=message):
        JointBits(**(fields | given))  # type: ignore[arg-type]


def test_labels_and_mechanisms_are_checked() -> None:
    mechanism = joint()
    fits = SimpleNamespace(noise=None, output_dim=2)
    assert mechanism.check(fits, [0, 1]).tolist() == [0, 1]
    with pytest.raises(ValueError, match="labels from 0 to 1"):
        mechanism.check(fits, [0, 2])
    with pytest.raises(ValueError, match="a mechanism of 2 numbers, got one of 3"):
        mechanism.check(SimpleNamespace(noise=None, output_dim=3), [0])
    with pytest.raises(ValueError, match="finite"):
        mechanism.send(np.array([[np.nan, 0.0]]), np.array([0]))
    assert mechanism.digest("a") != joint(bits=1).digest("a") != joint(bits=1).digest("b")
    assert mechanism.digest("a") == joint(3.0).digest("a")  # ε stands in every report


@pytest.mark.parametrize("bits", [1, 2, 3])
def test_as_a_mechanism_of_rows_it_has_the_same_probabilities(bits: int) -> None:
    """Every report as a vector, and back: bits as many as coordinates included."""
    mechanism, h, y = joint(1.5, bits), [0.4, -0.2], 1
    rows = JointBitsRows(joint=mechanism)
    every = [(j, symbol) for j in range(3) for symbol in range(2**bits)]
    sent = Payload(
        symbols=np.array([symbol for _, symbol in every]), of=2**bits, coordinates=np.array([j for j, _ in every])
    )
    vectors = rows.written(sent)
    assert len(np.unique(vectors, axis=0)) == len(every)
    found = np.exp(rows.log_density_pairs(vectors, rows.represent([[*h, y]])))[:, 0]
    np.testing.assert_allclose(found, exact(mechanism, h, y).reshape(-1), rtol=1e-9)
