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
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse
from scipy.special import softmax

from rlm_core.collector.kernel_fit import (
    Features,
    LogDensity,
    by_label,
    centres_of,
    kernel,
    likelihood,
    maximum,
    posterior_weights,
    some_records,
)
from rlm_core.collector.label_shares import label_shares, with_shares
from rlm_core.types import FloatArray, IntArray, finite

SMOOTHNESS = ((2.0, 3.0), (0.5, 1.0), (0.5, 3.0), (0.2, 3.0))
"""(s² as a share of the prior's total variance, τ), the smoothest first."""

FOLDS = 3
BETTER = math.log(10)
"""Of two, the smoother is taken unless held-out reports are ten times as likely under the other."""


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
        """A maximum of the posterior above, then b such that public records have the shares that the labels tell.

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
        points = some_records(finite("prior", prior), len(z), generator)
        # The likelihood is a mixture over public points; without noise each report is a point by itself.
        weights, where = (
            (sparse.identity(len(z), format="csr"), z)
            if log_density is None
            else (posterior_weights(z, points, log_density), points)
        )
        centres = centres_of(points, seed)
        folds = generator.permutation(len(z)) % FOLDS
        total = max(float(points.var(axis=0).sum()), 1e-12)

        def features(share: float) -> tuple[Features, FloatArray]:
            made = Features.of(centres, float(np.sqrt(share * total)))
            return made, made(where)

        known = {share: features(share) for share, _ in SMOOTHNESS}

        def held_out(share: float, tau: float) -> float:
            phi, found = known[share][1], 0.0
            for fold in range(FOLDS):
                learnt = maximum(phi, by_label(weights, y, folds != fold, len(channel)), channel, tau)
                test = by_label(weights, y, folds == fold, len(channel))
                found += likelihood(softmax(phi @ learnt, axis=1) @ channel, test)[0]
            return found

        share, tau = SMOOTHNESS[0]
        if len(z) >= 10 * FOLDS:
            found = {each: held_out(*each) for each in SMOOTHNESS}
            share, tau = next(each for each in SMOOTHNESS if found[each] >= max(found.values()) - BETTER)
        made, phi = known[share]
        learnt = maximum(phi, by_label(weights, y, np.ones(len(z), dtype=np.bool_), len(channel)), channel, tau)
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
        if (
            centres.ndim != 2
            or weights.shape != (len(centres), intercept.size)
            or spread.shape != (1,)
            or not spread[0] > 0
        ):
            raise ValueError(
                f"Expected a weight for each centre and class, got shapes {centres.shape}, {weights.shape}."
            )
        return cls(centres=centres, weights=weights, intercept=intercept, spread=float(spread[0]))

    def predict_proba(self, z: ArrayLike) -> FloatArray:
        """p(y | z) of clean z: (n, d) to (n, K)."""
        near = kernel(finite("z", z), self.centres, self.spread)
        shares: FloatArray = softmax(near @ self.weights + self.intercept, axis=1)
        return shares

    def predict(self, z: ArrayLike) -> IntArray:
        """The most likely label: (n, d) to (n,)."""
        labels: IntArray = self.predict_proba(z).argmax(axis=1)
        return labels
