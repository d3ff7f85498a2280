"""The numbers of the bound page: curves against ε by formula or simulation, and what was measured.

No Streamlit here. Simulations have fixed seeds, so a curve is a function of its arguments; they
release nothing.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Literal

import numpy as np

from benchmarks import summary
from rlm_core.catalogue import DATASETS, EXPERIMENTS, TEST_SHARE
from rlm_core.theory import (
    Estimate,
    krr_cap,
    l1_voronoi,
    monte_carlo_accuracy,
    vertex_accuracy,
    vertex_accuracy_odd,
    vertices,
)
from rlm_core.types import FloatArray

Kind = Literal["formula", "odd", "simulated"]
EPSILON_GRID = np.linspace(0.0, 10.0, 101)
SIMULATED_GRID = np.arange(0.5, 10.01, 0.5)
CURVE_SAMPLES = 20_000
SAMPLES = 100_000
CLASSES_OF = {name: len(DATASETS[name].classes) for name in EXPERIMENTS["private_inference"].datasets}
"""Classes of the datasets whose test points were privatised."""


def kind_of(classes: int, dimension: int | None) -> Kind:
    """How the curve is computed; ``dimension`` None means enough for every class to have a vertex.

    >>> kind_of(10, None), kind_of(7, None), kind_of(6, 3), kind_of(6, 2)
    ('formula', 'odd', 'formula', 'simulated')
    """
    if dimension is not None and classes > 2 * dimension:
        return "simulated"
    return "odd" if classes % 2 else "formula"


def vertices_formula(epsilon: float, classes: int) -> float:
    """The accuracy with every class on a vertex of its own, K even or odd."""
    return vertex_accuracy(epsilon, classes) if classes % 2 == 0 else vertex_accuracy_odd(epsilon, classes)


@lru_cache(maxsize=64)
def spread(classes: int, dimension: int) -> FloatArray:
    """More classes than vertices: the vertices, then always the point of the ball farthest (ℓ1) from all so far.

    Ties go to the point nearest to the centre. A placement, not the best one.

    >>> spread(5, 2)[4]
    array([0., 0.])
    """
    places = vertices(min(classes, 2 * dimension), dimension)
    axis = np.linspace(-1.0, 1.0, 21)
    grid = np.stack(np.meshgrid(*[axis] * dimension, indexing="ij"), axis=-1).reshape(-1, dimension)  # (n, d)
    grid = grid[np.abs(grid).sum(axis=1) <= 1 + 1e-9]
    grid = grid / np.maximum(1.0, np.abs(grid).sum(axis=1, keepdims=True)) + 0.0
    grid = grid[np.argsort((grid**2).sum(axis=1), kind="stable")]  # the first of equals is the innermost
    while len(places) < classes:
        gap = np.abs(grid[:, None] - places).sum(axis=2).min(axis=1)  # (n,)
        places = np.concatenate([places, grid[[int(np.argmax(gap.round(9)))]]])
    return places


@dataclass(frozen=True, kw_only=True, eq=False)
class Curve:
    """The accuracy against ε. ``dots`` are simulated: ε, accuracy, standard error, each (n,)."""

    kind: Kind
    epsilon: FloatArray
    accuracy: FloatArray
    cap: FloatArray
    dots: tuple[FloatArray, FloatArray, FloatArray] | None


@lru_cache(maxsize=64)
def curve(classes: int, dimension: int | None) -> Curve:
    """K even: the formula. K odd: our formula and a simulation beside it. Too few vertices: simulation alone."""
    kind = kind_of(classes, dimension)
    cap = krr_cap(EPSILON_GRID, classes)
    if kind == "formula":
        line = vertex_accuracy(EPSILON_GRID, classes)
        return Curve(kind=kind, epsilon=EPSILON_GRID, accuracy=line, cap=cap, dots=None)
    if kind == "odd":
        dots = _along(vertices(classes, (classes + 1) // 2))
        line = vertex_accuracy_odd(EPSILON_GRID, classes)
        return Curve(kind=kind, epsilon=EPSILON_GRID, accuracy=line, cap=cap, dots=dots)
    assert dimension is not None
    dots = _along(spread(classes, dimension))
    return Curve(kind=kind, epsilon=dots[0], accuracy=dots[1], cap=cap, dots=dots)


def _along(places: FloatArray) -> tuple[FloatArray, FloatArray, FloatArray]:
    generator = np.random.default_rng(2026)
    found = [
        monte_carlo_accuracy(places, epsilon, samples=CURVE_SAMPLES, generator=generator) for epsilon in SIMULATED_GRID
    ]
    return (
        SIMULATED_GRID,
        np.array([each.accuracy for each in found]),
        np.array([each.standard_error for each in found]),
    )


@dataclass(frozen=True, kw_only=True)
class Measured:
    """One private accuracy (as a share) at the budget of a test point; the paper's have no seeds."""

    dataset: str
    mechanism: str
    epsilon: float
    epsilon_train: float
    accuracy: float
    std: float
    seeds: int | None


def measured(dataset: str, folder: Path | None = None) -> tuple[list[Measured], list[Measured]]:
    """Private accuracies on a dataset: ours from the committed results, and the paper's."""
    ours = [
        Measured(
            dataset=cell.dataset,
            mechanism=cell.mechanism,
            epsilon=_share(cell.lam) * cell.epsilon,
            epsilon_train=cell.epsilon,
            accuracy=cell.mean / 100,
            std=cell.std / 100,
            seeds=cell.seeds,
        )
        for cell in summary.cells("private_inference", folder)
        if cell.dataset == dataset and np.isfinite(cell.epsilon)
    ]
    paper = [
        Measured(
            dataset=dataset,
            mechanism=mechanism,
            epsilon=TEST_SHARE * epsilon,
            epsilon_train=epsilon,
            accuracy=mean / 100,
            std=std / 100,
            seeds=None,
        )
        for mechanism in summary.paper_mechanisms("private_inference", dataset)
        for epsilon, (mean, std) in summary.paper_curve("private_inference", dataset, mechanism).items()
        if np.isfinite(epsilon)
    ]
    return ours, paper


def _share(lam: str) -> float:
    """λ of a cell; the paper's where the rows do not give exactly one.

    >>> _share("0.95"), _share(""), _share("0.7 / 0.95")
    (0.95, 0.7, 0.7)
    """
    try:
        return float(lam)
    except ValueError:
        return TEST_SHARE


@lru_cache(maxsize=64)
def _simulate(places: tuple[tuple[float, ...], ...], epsilon: float, seed: int) -> Estimate:
    generator = np.random.default_rng(seed)
    return monte_carlo_accuracy(np.array(places), epsilon, samples=SAMPLES, generator=generator)


def simulate(places: FloatArray, epsilon: float, *, seed: int) -> Estimate:
    """The accuracy of a placement by simulation; the same seed gives the same number."""
    return _simulate(tuple(tuple(float(v) for v in row) for row in places), epsilon, seed)


@dataclass(frozen=True, kw_only=True, eq=False)
class Throw:
    """Noised points for a picture: (n, d) positions, true class (n,), and whether the nearest class is the true one."""

    points: FloatArray
    classes: np.ndarray
    correct: np.ndarray


def throw(places: FloatArray, epsilon: float, *, count: int, seed: int) -> Throw:
    """``count`` points (rounded down to the same number for every class) around their classes' places."""
    truth = np.repeat(np.arange(len(places)), count // len(places))  # (n,)
    noise = np.random.default_rng(seed).laplace(size=(len(truth), places.shape[1]))
    points = places[truth] + (2.0 / epsilon) * noise  # (n, d); 2/inf = 0: no noise
    return Throw(points=points, classes=truth, correct=l1_voronoi(points, places).nearest == truth)
