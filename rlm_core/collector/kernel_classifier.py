"""A classifier of clean z from reports (z̃, ỹ): smooth scores, the largest posterior, no network and nobody asked twice.

    p(y | z) = softmax(f₁(z), …, f_K(z)),    f_k = g_k + b_k,    g_k ~ GP(0, τ²·exp(−‖z − z′‖²/2s²)),    b_k ~ N(0, 1)

    log posterior = Σₙ log Σₘ wₙₘ Σ_y p(ỹₙ|y) p(y|z′ₘ) − ½ Σ_k ‖g_k‖²/τ² − ½ Σ_k b_k²,    wₙₘ ∝ p(z̃ₙ|z′ₘ)

The likelihood is the denoising objective of Mansbridge et al. ("clean objective"): z′₁ … z′_M are clean representations
of public records. Their network is replaced by a Gaussian process on at most 64 centres, whose maximum is found by
L-BFGS: few noisy reports are met with smooth scores instead of a stopping time, which the paper asks a validation
group for. How smooth is chosen by reports that are held out. Post-processing: only reports and public rows are read.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import sparse
from scipy.optimize import minimize
from scipy.special import softmax

from rlm_core.collector.label_shares import label_shares, with_shares
from rlm_core.types import FloatArray, IntArray, finite

LogDensity = Callable[[FloatArray, FloatArray], FloatArray]
"""(n, d), (m, d) to log p(z̃ₙ | zₘ), (n, m)."""

CENTRES = 64
SMOOTHNESS = ((2.0, 3.0), (0.5, 1.0), (0.5, 3.0), (0.2, 3.0))
"""(s² as a share of the prior's total variance, τ), the smoothest first."""

FOLDS = 3
BETTER = math.log(10)
"""Of two, the smoother is taken unless held-out reports are ten times as likely under the other."""

MOST_PAIRS = 50_000_000
"""Of a report and a public record; each takes 4 bytes of memory."""

FEWEST_PRIOR, MOST_PRIOR = 200, 2_000
BLOCK = 500
"""Reports whose densities are computed at a time."""

JITTER = 1e-6
MOST_STEPS, PRECISION = 100, 1e-7
"""Of L-BFGS: of a mean over thousands of reports, less than 1e-7 of it is noise."""


@dataclass(frozen=True, kw_only=True, eq=False)
class KernelClassifier:
    """f(z) = Σⱼ vⱼ exp(−‖z − cⱼ‖²/2s²) + b.

    Args:
        centres: (m, d) cⱼ, among public representations.
        weights: (m, K) vⱼ.
        intercept: (K,) b.
        spread: s.
    """

    centres: FloatArray = field(repr=False)
    weights: FloatArray = field(repr=False)
    intercept: FloatArray = field(repr=False)
    spread: float

    @classmethod
    def fit(
        cls,
        z_private: ArrayLike,
        y_private: ArrayLike,
        *,
        transition: ArrayLike,
        prior: ArrayLike,
        log_density: LogDensity | None = None,
        seed: int = 0,
    ) -> KernelClassifier:
        """The maximum of the posterior above.

        Args:
            z_private: (n, d).
            y_private: (n,) reported labels.
            transition: (K, K), p(ỹ | y) with the true label in rows.
            prior: (M, d) clean representations of public records.
            log_density: of the mechanism; None where z̃ is z, without noise.
            seed: of the choice of prior records, the centres and the folds.
        """
        z, y, channel = finite("z_private", z_private), np.asarray(y_private), finite("transition", transition)
        if z.ndim != 2 or y.shape != z.shape[:1] or not len(y):
            raise ValueError(f"Expected z_private (n, d) and n labels, got shapes {z.shape} and {y.shape}.")
        generator = np.random.default_rng(seed)
        points = _some(finite("prior", prior), len(z), generator)
        # The likelihood is a mixture over public points; without noise each report is a point by itself.
        weights, where = (
            (sparse.identity(len(z), format="csr"), z)
            if log_density is None
            else (_weights(z, points, log_density), points)
        )
        centres = _centres(points, seed)
        folds = generator.permutation(len(z)) % FOLDS
        total = max(float(points.var(axis=0).sum()), 1e-12)

        def features(share: float) -> tuple[_Features, FloatArray]:
            made = _Features.of(centres, float(np.sqrt(share * total)))
            return made, made(where)

        known = {share: features(share) for share, _ in SMOOTHNESS}

        def held_out(share: float, tau: float) -> float:
            phi, found = known[share][1], 0.0
            for fold in range(FOLDS):
                learnt = _maximum(phi, _by_label(weights, y, folds != fold, len(channel)), channel, tau)
                test = _by_label(weights, y, folds == fold, len(channel))
                found += _likelihood(softmax(phi @ learnt, axis=1) @ channel, test)[0]
            return found

        share, tau = SMOOTHNESS[0]
        if len(z) >= 10 * FOLDS:
            found = {each: held_out(*each) for each in SMOOTHNESS}
            share, tau = next(each for each in SMOOTHNESS if found[each] >= max(found.values()) - BETTER)
        made, phi = known[share]
        learnt = _maximum(phi, _by_label(weights, y, np.ones(len(z), dtype=np.bool_), len(channel)), channel, tau)
        shares = label_shares(np.bincount(y, minlength=len(channel)), channel)
        slopes = learnt[:-1]
        return cls(
            centres=centres,
            weights=made.root @ slopes,
            intercept=with_shares(made(points)[:, :-1] @ slopes, learnt[-1], shares),
            spread=made.spread,
        )

    def tensors(self) -> dict[str, FloatArray]:
        """The numbers by name, as they are stored."""
        return {
            "centres": self.centres,
            "kernel_weights": self.weights,
            "intercept": self.intercept,
            "spread": np.array([self.spread]),
        }

    @classmethod
    def of_tensors(cls, tensors: dict[str, Any]) -> KernelClassifier:
        """From what :meth:`tensors` gave."""
        centres, weights, intercept, spread = (
            finite(name, tensors[name]) for name in ("centres", "kernel_weights", "intercept", "spread")
        )
        if centres.ndim != 2 or weights.shape != (len(centres), intercept.size) or spread.shape != (1,):
            raise ValueError(
                f"Expected a weight for each centre and class, got shapes {centres.shape}, {weights.shape}."
            )
        return cls(centres=centres, weights=weights, intercept=intercept, spread=float(spread[0]))

    def predict_proba(self, z: ArrayLike) -> FloatArray:
        """p(y | z) of clean z: (n, d) to (n, K)."""
        near = _kernel(finite("z", z), self.centres, self.spread)
        shares: FloatArray = softmax(near @ self.weights + self.intercept, axis=1)
        return shares

    def predict(self, z: ArrayLike) -> IntArray:
        """The most likely label: (n, d) to (n,)."""
        labels: IntArray = self.predict_proba(z).argmax(axis=1)
        return labels


@dataclass(frozen=True, kw_only=True, eq=False)
class _Features:
    """φ(z) = k(z, c)·C^(−½) and a constant: g = φW has the process' prior where W is independent N(0, τ²)."""

    centres: FloatArray
    spread: float
    root: FloatArray

    @classmethod
    def of(cls, centres: FloatArray, spread: float) -> _Features:
        values, vectors = np.linalg.eigh(_kernel(centres, centres, spread))
        return cls(centres=centres, spread=spread, root=vectors / np.sqrt(np.maximum(values, 0.0) + JITTER))

    def __call__(self, z: FloatArray) -> FloatArray:
        near = _kernel(z, self.centres, self.spread) @ self.root
        return np.concatenate([near, np.ones((len(z), 1))], axis=1)


def _kernel(a: FloatArray, b: FloatArray, spread: float) -> FloatArray:
    squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2.0 * a @ b.T
    result: FloatArray = np.exp(-np.maximum(squares, 0.0) / (2.0 * spread**2))
    return result


def _some(prior: FloatArray, reports: int, generator: np.random.Generator) -> FloatArray:
    """As many prior records as memory allows, at random."""
    most = min(MOST_PRIOR, max(FEWEST_PRIOR, MOST_PAIRS // reports))
    return prior if len(prior) <= most else prior[np.sort(generator.permutation(len(prior))[:most])]


def _centres(points: FloatArray, seed: int) -> FloatArray:
    from sklearn.cluster import KMeans
    from sklearn.exceptions import ConvergenceWarning

    different = np.unique(points, axis=0)
    if len(different) <= CENTRES:
        return different
    with warnings.catch_warnings():  # two of many points may be equal but for rounding
        warnings.simplefilter("ignore", ConvergenceWarning)
        found: FloatArray = KMeans(CENTRES, n_init=1, random_state=seed).fit(points).cluster_centers_
    return found


def _weights(z: FloatArray, points: FloatArray, log_density: LogDensity) -> NDArray[np.float32]:
    """wₙₘ = p(z̃ₙ|z′ₘ) / Σₘ p(z̃ₙ|z′ₘ): (n, M)."""
    weights = np.empty((len(z), len(points)), dtype=np.float32)
    for start in range(0, len(z), BLOCK):
        weights[start : start + BLOCK] = softmax(log_density(z[start : start + BLOCK], points), axis=1)
    return weights


def _by_label(weights: Any, y: IntArray, chosen: NDArray[np.bool_], classes: int) -> list[Any]:
    """The rows of the chosen reports, by what was reported: K arrays (n_k, M)."""
    return [weights[np.flatnonzero(chosen & (y == label))] for label in range(classes)]


def _likelihood(reported: FloatArray, blocks: Sequence[Any]) -> tuple[float, FloatArray]:
    """Σₙ log Σₘ wₙₘ p(ỹₙ|z′ₘ) and its gradient, for ``reported`` (M, K) = p(ỹ|z′)."""
    value, gradient = 0.0, np.zeros_like(reported)
    for label, block in enumerate(blocks):
        likely = np.maximum(block @ reported[:, label].astype(block.dtype), 1e-30).astype(np.float64)
        value += float(np.log(likely).sum())
        gradient[:, label] = block.T @ (1.0 / likely).astype(block.dtype)
    return value, gradient


def _maximum(phi: FloatArray, blocks: Sequence[Any], channel: FloatArray, tau: float) -> FloatArray:
    """W (D, K) of the largest posterior; the last row is b."""
    shape = phi.shape[1], len(channel)
    people = max(1, sum(block.shape[0] for block in blocks))
    precision = np.full((shape[0], 1), 1.0 / tau**2)
    precision[-1] = 1.0

    def objective(flat: FloatArray) -> tuple[float, FloatArray]:
        weights = flat.reshape(shape)
        clean = softmax(phi @ weights, axis=1)  # (M, K)
        value, towards = _likelihood(clean @ channel, blocks)
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
