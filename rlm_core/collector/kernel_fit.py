"""What a :class:`~rlm_core.collector.kernel_classifier.KernelClassifier` is fitted with."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import minimize
from scipy.special import softmax

from rlm_core.types import FloatArray, IntArray

LogDensity = Callable[[FloatArray, FloatArray], FloatArray]
"""(n, d), (m, d) to log p(z̃ₙ | zₘ), (n, m)."""

CENTRES = 64
MOST_PAIRS = 50_000_000
"""Of a report and a public record: 4 bytes each, and a copy in use. At least 200 records are taken, so beyond 250,000
reports memory grows with them, by 800 bytes each."""

FEWEST_PRIOR, MOST_PRIOR = 200, 2_000
BLOCK = 500
"""Reports whose densities are computed at a time."""

JITTER, TINY = 1e-6, 1e-30
MOST_STEPS, PRECISION = 100, 1e-7
"""L-BFGS stops where a step changes the mean log-likelihood by less than 1e-7 of itself: far below its noise."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Features:
    """φ(z) = k(z, c)·C^(−½) and a constant: g = φW has the process' prior where W is independent N(0, τ²)."""

    centres: FloatArray
    spread: float
    root: FloatArray

    @classmethod
    def of(cls, centres: FloatArray, spread: float) -> Features:
        values, vectors = np.linalg.eigh(kernel(centres, centres, spread))
        return cls(centres=centres, spread=spread, root=vectors / np.sqrt(np.maximum(values, 0.0) + JITTER))

    def __call__(self, z: FloatArray) -> FloatArray:
        near = kernel(z, self.centres, self.spread) @ self.root
        return np.concatenate([near, np.ones((len(z), 1))], axis=1)


def kernel(a: FloatArray, b: FloatArray, spread: float) -> FloatArray:
    squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2.0 * a @ b.T
    result: FloatArray = np.exp(-np.maximum(squares, 0.0) / (2.0 * spread**2))
    return result


def some_records(prior: FloatArray, reports: int, generator: np.random.Generator) -> FloatArray:
    """As many prior records as memory allows, at random."""
    most = min(MOST_PRIOR, max(FEWEST_PRIOR, MOST_PAIRS // reports))
    return prior if len(prior) <= most else prior[np.sort(generator.permutation(len(prior))[:most])]


def centres_of(points: FloatArray, seed: int) -> FloatArray:
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    different = np.unique(points, axis=0)
    if len(different) <= CENTRES:
        return different
    with warnings.catch_warnings():  # two of many points may be equal but for rounding
        warnings.simplefilter("ignore", ConvergenceWarning)
        found: FloatArray = KMeans(CENTRES, n_init=1, random_state=seed).fit(points).cluster_centers_
    return found


def posterior_weights(z: FloatArray, points: FloatArray, log_density: LogDensity) -> NDArray[np.float32]:
    """wₙₘ = p(z̃ₙ|z′ₘ) / Σₘ p(z̃ₙ|z′ₘ): (n, M)."""
    weights = np.empty((len(z), len(points)), dtype=np.float32)
    for start in range(0, len(z), BLOCK):
        weights[start : start + BLOCK] = softmax(log_density(z[start : start + BLOCK], points), axis=1)
    return weights


def by_label(weights: Any, y: IntArray, chosen: NDArray[np.bool_], classes: int) -> list[Any]:
    """The rows of the chosen reports, by what was reported: K arrays (n_k, M)."""
    return [weights[np.flatnonzero(chosen & (y == label))] for label in range(classes)]


def likelihood(
    reported: FloatArray, blocks: Sequence[Any], counts: Sequence[FloatArray] | None = None
) -> tuple[float, FloatArray]:
    """Σₙ cₙ log Σₘ wₙₘ p(ỹₙ|z′ₘ) and its gradient, for ``reported`` (M, K) = p(ỹ|z′); cₙ = 1 without ``counts``."""
    value, gradient = 0.0, np.zeros_like(reported)
    for label, block in enumerate(blocks):
        count: Any = 1.0 if counts is None else counts[label]
        likely = np.asarray(block @ reported[:, label].astype(block.dtype), dtype=np.float64)
        possible = likely > TINY  # below, the value stays as it is, and so its slope is none
        value += float((count * np.log(np.maximum(likely, TINY))).sum())
        gradient[:, label] = block.T @ np.where(possible, count / np.maximum(likely, TINY), 0.0).astype(block.dtype)
    return value, gradient


def maximum(
    phi: FloatArray,
    blocks: Sequence[Any],
    channel: FloatArray,
    tau: float,
    counts: Sequence[FloatArray] | None = None,
) -> FloatArray:
    """W (D, K) of the largest posterior; the last row is b. ``counts``: how often each report counts, as ``blocks``."""
    shape = phi.shape[1], len(channel)
    people = max(1, sum(block.shape[0] for block in blocks))
    precision = np.full((shape[0], 1), 1.0 / tau**2)
    precision[-1] = 1.0

    def objective(flat: FloatArray) -> tuple[float, FloatArray]:
        weights = flat.reshape(shape)
        clean = softmax(phi @ weights, axis=1)  # (M, K)
        value, towards = likelihood(clean @ channel, blocks, counts)
        towards = towards @ channel.T
        scores = clean * (towards - (clean * towards).sum(axis=1, keepdims=True))
        gradient = phi.T @ scores - precision * weights
        return -(value - 0.5 * float((precision * weights**2).sum())) / people, -gradient.ravel() / people

    found = minimize(
        objective,
        np.zeros(shape[0] * shape[1]),
        jac=True,
        method="L-BFGS-B",
        options={"maxiter": MOST_STEPS, "ftol": PRECISION},
    )
    best: FloatArray = found.x.reshape(shape)
    return best
