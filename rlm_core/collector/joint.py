"""Learning from joint reports: linear discriminants with the auxiliary data's covariance, shrunk by the known noise.

The reports give means of representations by class; how representations vary is public, from D₁. With
class means m_y (relative to the mean of all) and D₁'s covariance T, linear discriminant analysis says

    argmax_y  zᵀT⁻¹m_y − ½ m_yᵀT⁻¹m_y                                            (classes equally frequent)

The m̂_y that reports give have noise of a known variance σ². Class means vary as representations do,
m ~ N(0, τ²T), so the best guess is m = T(T + (σ²/τ²)I)⁻¹m̂, with τ² from how much larger the m̂ are than noise alone
(empirical Bayes; James and Stein 1961). Nothing is tuned, nothing is random, and no clean label is asked for.

Two classes, v = ±a with a = ν((h − μ, c)): E[v] = E[(2y − 1)·a] is all that least squares of 2y − 1 on a needs from
people; E[aaᵀ] is D₁'s. Its sign is that of LDA.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.types import FloatArray, IntArray, finite


@dataclass(kw_only=True)
class SignedDiscriminant:
    """The classifier for joint reports of two classes (``rlm_core.owner.joint.JointLaplace``).

    Args:
        variance: of the noise on one number of a report: 2b² for Laplace noise of scale b.
    """

    variance: float
    weights_: FloatArray = field(init=False, repr=False)

    def fit(self, reports: ArrayLike, auxiliary: ArrayLike) -> SignedDiscriminant:
        """Learn from reports.

        Args:
            reports: (n, d + 1) noisy v.
            auxiliary: (M, d + 1) the same vectors a of D₁'s records, clipped, without a sign.
        """
        sent, public = _table("reports", reports), _table("auxiliary", auxiliary)
        if sent.shape[1] != public.shape[1]:
            raise ValueError(f"Expected auxiliary of {sent.shape[1]} columns, got {public.shape[1]}.")
        moments = public.T @ public / len(public)  # (d + 1, d + 1)
        own = float(np.trace(moments)) / sent.shape[1]  # a mean of n people varies even without noise
        self.weights_ = shrunk(moments, sent.mean(axis=0)[:, None], (self.variance + own) / len(sent))[:, 0]
        return self

    def decision(self, centred: ArrayLike) -> FloatArray:
        """w·(h − μ, c); positive for class 1. The clip does not change its sign: (n, d + 1) to (n,)."""
        values: FloatArray = _table("centred", centred) @ self.weights_
        return values

    def predict(self, centred: ArrayLike) -> IntArray:
        """The label of each clean record: (n, d + 1) to (n,)."""
        return (self.decision(centred) > 0).astype(np.int64)

    def score(self, centred: ArrayLike, y: ArrayLike) -> float:
        """The share of records that are classified rightly."""
        return float((self.predict(centred) == np.asarray(y)).mean())


@dataclass(kw_only=True)
class CoordinateDiscriminant:
    """The classifier for joint reports of K classes (``rlm_core.owner.joint.JointSelection``).

    A report about coordinate j is a vector over the 2K symbols 2y + bit that is one-hot on average. Its mean over
    the reports about j estimates P(y, bit | j), and P(y, 1)·(1 − μⱼ) − P(y, 0)·μⱼ = E[(tⱼ − μⱼ)·1_y].

    Args:
        classes: K; taken as equally frequent.
        energy: E‖report − symbol‖² of the channel.
    """

    classes: int
    energy: float
    coordinates_: IntArray = field(init=False, repr=False)
    centre_: FloatArray = field(init=False, repr=False)
    weights_: FloatArray = field(init=False, repr=False)
    bias_: FloatArray = field(init=False, repr=False)

    def fit(self, coordinates: ArrayLike, reports: ArrayLike, auxiliary: ArrayLike) -> CoordinateDiscriminant:
        """Learn from reports.

        Args:
            coordinates: (n,) which coordinate each report is about.
            reports: (n, 2K) sets as vectors that are right on average (``SubsetSelection.vector``).
            auxiliary: (M, d) t of D₁'s records.
        """
        j, sent, public = np.asarray(coordinates), _table("reports", reports), _table("auxiliary", auxiliary)
        if sent.shape[1] != 2 * self.classes or j.shape != sent.shape[:1]:
            raise ValueError(
                f"Expected n coordinates and reports (n, {2 * self.classes}), got {j.shape} and {sent.shape}."
            )
        self.coordinates_, counts = np.unique(j, return_counts=True)
        if not self.coordinates_[-1] < public.shape[1]:
            raise ValueError(f"Expected coordinates below {public.shape[1]}, got {self.coordinates_[-1]}.")
        known = public[:, self.coordinates_]  # (M, d′): those that reports are about
        self.centre_ = known.mean(axis=0)
        covariance = np.cov(known, rowvar=False, bias=True).reshape(len(counts), len(counts))
        means = np.stack([sent[j == each].mean(axis=0) for each in self.coordinates_])  # (d′, 2K)
        zero, one = means.reshape(len(counts), self.classes, 2).transpose(2, 0, 1)  # (d′, K) each
        mu = self.centre_[:, None]
        found = self.classes * (one * (1.0 - mu) - zero * mu)  # (d′, K): class means less the mean of all
        # A symbol's own spread, 1 − 1/2K over all 2K of them, adds to the channel's.
        spread = (self.energy + 1.0 - 0.5 / self.classes) / (2 * self.classes)
        noise = self.classes**2 * spread * float((((1 - mu) ** 2 + mu**2)[:, 0] / counts).mean())
        self.weights_ = shrunk(covariance, found, noise)  # (d′, K): T⁻¹m
        self.bias_ = -0.5 * np.einsum("jk,jk->k", self.weights_, covariance @ self.weights_)
        return self

    def decision(self, t: ArrayLike) -> FloatArray:
        """zᵀT⁻¹m_y − ½ m_yᵀT⁻¹m_y: (n, d) to (n, K)."""
        values: FloatArray = (_table("t", t)[:, self.coordinates_] - self.centre_) @ self.weights_ + self.bias_
        return values

    def predict(self, t: ArrayLike) -> IntArray:
        """The label of each clean record: (n, d) to (n,)."""
        labels: IntArray = self.decision(t).argmax(axis=1)
        return labels

    def score(self, t: ArrayLike, y: ArrayLike) -> float:
        """The share of records that are classified rightly."""
        return float((self.predict(t) == np.asarray(y)).mean())


def shrunk(covariance: FloatArray, means: FloatArray, noise: float) -> FloatArray:
    """T⁻¹m = (T + (σ²/τ²)I)⁻¹m̂ for noisy means m̂ (d, K) with variance σ² = ``noise`` in each entry: (d, K).

    τ²: E‖m̂‖² = τ²·tr T + dσ². Where the means are no larger than noise, τ² is taken as 10⁻³: nearly all is shrunk.

    >>> shrunk(np.eye(2), np.array([[1.0], [1.0]]), 0.0).round(6)
    array([[1.],
           [1.]])
    """
    d, total = len(covariance), float(np.trace(covariance))
    if not total > 0:
        raise ValueError("Expected auxiliary records that differ, got a covariance of 0.")
    signal = float((means**2).sum(axis=0).mean()) - d * noise
    ridge = noise / max(signal / total, 1e-3)
    floor = 1e-9 * total / d  # a coordinate without any variance has no say
    return np.asarray(np.linalg.solve(covariance + (ridge + floor) * np.eye(d), means), dtype=np.float64)


def _table(name: str, values: ArrayLike) -> FloatArray:
    array = finite(name, values)
    if array.ndim != 2 or not array.size:
        raise ValueError(f"Expected {name} with two axes and at least one row, got shape {array.shape}.")
    return array
