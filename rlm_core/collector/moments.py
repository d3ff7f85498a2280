"""Logistic regression from averages: what joint reports tell, and the features of public rows.

The likelihood of multinomial logistic regression needs the labelled data only through averages,

    Σ_k E[φ·1(y = k)]·w_k − E[log Σ_k exp(w_k·φ)]:

the first come from the reports (with noise of known variance), the second from public rows D₁ without
labels. It is concave in w. Nothing here draws randomness or sees a record.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from rlm_core.types import FloatArray, IntArray, finite

PRIOR_ROWS = 4_000
"""So many public rows are enough for the second average."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Moments:
    """E[φ·1(y = k)] for every class, (K, d), and the variance of the noise in each column, (d,).

    The last feature is constant: its column tells how frequent the classes are, and is not shrunk.
    """

    values: FloatArray = field(repr=False)
    variance: FloatArray = field(repr=False)

    def __post_init__(self) -> None:
        values, variance = finite("values", self.values), finite("variance", self.variance)
        if values.ndim != 2 or len(values) < 2 or variance.shape != values.shape[1:] or not (variance >= 0).all():
            raise ValueError(f"Expected moments (K, d) and d variances, got {values.shape} and {variance.shape}.")

    @classmethod
    def of_two(cls, signed: ArrayLike, variance: ArrayLike, prior: ArrayLike) -> Moments:
        """From E[φ·(2y − 1)] (d,): with the mean of φ in D₁ (``prior``, (m, d)) each class has its half."""
        signed, mean = finite("signed", signed), finite("prior", prior).mean(axis=0)
        return cls(values=np.stack([mean - signed, mean + signed]) / 2, variance=finite("variance", variance) / 2)


@dataclass(frozen=True, kw_only=True, eq=False)
class MomentClassifier:
    """p(y | φ) = softmax(W φ): ``weights`` (K, d)."""

    weights: FloatArray

    @classmethod
    def fit(cls, moments: Moments, prior: ArrayLike) -> MomentClassifier:
        """The maximum of the likelihood above less a ridge penalty of one deviation of the noise a column.

        Where the noise of a column is large its weight stays near 0, so that what is not known is not used.

        >>> phi = np.array([[1.0, 1.0], [-1.0, 1.0]] * 50)
        >>> moments = Moments.of_two([0.8, 0.0], [0.0, 0.0], phi)
        >>> MomentClassifier.fit(moments, phi).predict(phi[:2])
        array([1, 0])
        """
        phi = finite("prior", prior)[:PRIOR_ROWS]  # (m, d)
        values = moments.values
        if phi.ndim != 2 or phi.shape[1] != values.shape[1]:
            raise ValueError(f"Expected features (m, {values.shape[1]}) of public rows, got shape {phi.shape}.")
        penalty = np.sqrt(moments.variance)
        penalty[-1] = 0.0
        penalty = np.maximum(penalty, 1e-6)  # keeps the maximum finite where classes could be told apart exactly

        def objective(flat: FloatArray) -> tuple[float, FloatArray]:
            weights = flat.reshape(values.shape)
            scores = phi @ weights.T  # (m, K)
            value = (values * weights).sum() - logsumexp(scores, axis=1).mean() - 0.5 * (penalty * weights**2).sum()
            gradient = values - softmax(scores, axis=1).T @ phi / len(phi) - penalty * weights
            return -float(value), -gradient.ravel()

        found = minimize(objective, np.zeros(values.size), jac=True, method="L-BFGS-B", options={"maxiter": 500})
        return cls(weights=found.x.reshape(values.shape))

    def predict_proba(self, features: ArrayLike) -> FloatArray:
        """p(y | φ): (n, d) to (n, K)."""
        probabilities: FloatArray = softmax(finite("features", features) @ self.weights.T, axis=1)
        return probabilities

    def predict(self, features: ArrayLike) -> IntArray:
        """The most likely label: (n, d) to (n,)."""
        labels: IntArray = (finite("features", features) @ self.weights.T).argmax(axis=1)
        return labels
