"""A classifier of clean z from reports (z̃, ỹ): smooth scores, the largest posterior, no network and nobody asked twice.

    p(y | z) = softmax(f₁(z), …, f_K(z)),    f_k = g_k + b_k,    g_k ~ GP(0, τ²·exp(−‖z − z′‖²/2s²)),    b_k ~ N(0, 1)

    log posterior = Σₙ log Σₘ wₙₘ Σ_y p(ỹₙ|y) p(y|z′ₘ) − ½ Σ_k ‖g_k‖²/τ² − ½ Σ_k b_k²,    wₙₘ ∝ p(z̃ₙ|z′ₘ)

The likelihood is the denoising objective of Mansbridge et al. ("clean objective"): z′₁ … z′_M are clean representations
of public records. Their network is replaced by a Gaussian process on at most 64 centres, whose maximum is found by
L-BFGS: few noisy reports are met with smooth scores instead of a stopping time, which the paper asks a validation
group for. How smooth is chosen by reports that are held out. At the end b is set anew, so that public records have the
shares of classes that the labels tell (:mod:`~rlm_core.collector.label_shares`): b is then not the posterior's.

Who has a validation group may ask it (``validate``) about nine more maxima. In each the logarithm of report n counts cₙ
times, cₙ exponential with mean 1: about a draw from the posterior (weighted likelihood bootstrap, Newton and Raftery
1994). The one that is said to be right most often is kept. Where reports tell little the draws differ much, and a group
tells more than the reports; where they tell enough all ten are nearly one.
Post-processing: only reports, answers and public rows are read.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
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
from rlm_core.collector.validation import PrivateAccuracy, Validate
from rlm_core.types import FloatArray, IntArray, finite

SMOOTHNESS = ((2.0, 3.0), (0.5, 1.0), (0.5, 3.0), (0.2, 3.0))
"""(s² as a share of the prior's total variance, τ), the smoothest first."""

FOLDS = 3
CLEARLY_LIKELIER = math.log(10)
"""Of two, the smoother is taken unless held-out reports are ten times as likely under the other."""

QUESTIONS = 10
"""Classifiers that a validation group is asked about, as many as of the experiments' networks."""


@dataclass(frozen=True, kw_only=True, eq=False)
class KernelClassifier:
    """f(z) = Σⱼ vⱼ exp(−‖z − cⱼ‖²/2s²) + b.

    Args:
        centres: (m, d) cⱼ, among public representations.
        weights: (m, K) vⱼ.
        intercept: (K,) b.
        spread: s.
        validation: what the group said of it, the best of :data:`QUESTIONS` answers and so rather too high; None if
            nobody was asked. It is not stored.
    """

    centres: FloatArray = field(repr=False)
    weights: FloatArray = field(repr=False)
    intercept: FloatArray = field(repr=False)
    spread: float
    validation: PrivateAccuracy | None = None

    @classmethod
    def fit(
        cls,
        z_private: ArrayLike,
        y_private: ArrayLike,
        *,
        transition: ArrayLike,
        prior: ArrayLike,
        log_density: LogDensity | None = None,
        validate: Validate | None = None,
        seed: int = 0,
    ) -> KernelClassifier:
        """A maximum of the posterior above, then b such that public records have the shares that the labels tell.

        Args:
            z_private: (n, d).
            y_private: (n,) reported labels.
            transition: (K, K), p(ỹ | y) with the true label in rows; it must have an inverse.
            prior: (M, d) clean representations of public records.
            log_density: of the mechanism; None where z̃ is z, without noise.
            validate: asks a group about :data:`QUESTIONS` classifiers; each costs every member one more ε.
            seed: of the choice of prior records, the centres, the folds, and how often reports count.
        """
        z, y, channel = finite("z_private", z_private), np.asarray(y_private), finite("transition", transition)
        known_records = finite("prior", prior)
        _check(z, y, channel, known_records)
        generator = np.random.default_rng(seed)
        points = some_records(known_records, len(z), generator)
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
            share, tau = next(each for each in SMOOTHNESS if found[each] >= max(found.values()) - CLEARLY_LIKELIER)
        made, phi = known[share]
        blocks = by_label(weights, y, np.ones(len(z), dtype=np.bool_), len(channel))

        def fitted(counts: FloatArray | None = None) -> KernelClassifier:
            of_labels = None if counts is None else [counts[y == label] for label in range(len(channel))]
            learnt = maximum(phi, blocks, channel, tau, of_labels)
            shares = label_shares(np.bincount(y, weights=counts, minlength=len(channel)), channel)
            slopes = learnt[:-1]
            return cls(
                centres=centres,
                weights=made.root @ slopes,
                intercept=with_shares(made(points)[:, :-1] @ slopes, learnt[-1], shares),
                spread=made.spread,
            )

        most_likely = fitted()
        if validate is None:
            return most_likely
        others = (fitted(generator.exponential(size=len(z))) for _ in range(QUESTIONS - 1))
        asked = [replace(each, validation=validate(each.predict)) for each in (most_likely, *others)]
        return max(asked, key=KernelClassifier._answer)  # of equals, the first

    def _answer(self) -> float:
        return -math.inf if self.validation is None else self.validation.estimate

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
                "Expected a weight for each centre and class, an intercept for each class and a spread above 0, got "
                f"shapes {centres.shape}, {weights.shape}, {intercept.shape} and spread={spread.tolist()}."
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


def _check(z: FloatArray, y: NDArray[Any], channel: FloatArray, prior: FloatArray) -> None:
    """Raise for reports, labels, a channel or public records that do not fit together."""
    if z.ndim != 2 or y.shape != z.shape[:1] or not len(y):
        raise ValueError(f"Expected z_private (n, d) and n labels, got shapes {z.shape} and {y.shape}.")
    if channel.ndim != 2 or len(channel) < 2 or channel.shape[0] != channel.shape[1]:
        raise ValueError(f"Expected transition (K, K) with K >= 2, got shape {channel.shape}.")
    if np.linalg.matrix_rank(channel) < len(channel):
        raise ValueError("Expected transition to have an inverse, got one that makes labels indistinguishable.")
    if not np.issubdtype(y.dtype, np.integer):
        raise TypeError(f"Expected whole numbers in y_private, got {y.dtype}.")
    if not (0 <= y.min() and y.max() < len(channel)):
        raise ValueError(f"Expected y_private in 0..{len(channel) - 1}, got {y.min()} to {y.max()}.")
    if prior.ndim != 2 or prior.shape[1] != z.shape[1] or not len(prior):
        raise ValueError(f"Expected prior (M, {z.shape[1]}) with M >= 1, got shape {prior.shape}.")
