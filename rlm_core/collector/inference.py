"""What can the collector infer from a report? A Bayesian observer with a public prior.

The observer knows everything but the record: the mechanism, the decoder, and M public
records z′ₘ with their labels y′ₘ, any of which the sender might be. After a report,

    p(m | z̃, ỹ) ∝ p(z̃ | z′ₘ) · p(ỹ | y′ₘ),        p(y = k | z̃, ỹ) = Σ_{m: y′ₘ = k} p(m | z̃, ỹ).

Guarantee: for an ε-LDP report, the odds of any record against any other, and of any class
against any other, change by at most the factor e^ε. :attr:`Posterior.odds_factor` measures
the change, :func:`posterior_limit` gives the largest posterior that it allows.

The likelihoods are arguments: they come from the mechanism's ``log_density_pairs`` and from
the label channel's transition matrix, which the owner's side publishes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.types import FloatArray, IntArray, finite


@dataclass(frozen=True, kw_only=True, eq=False)
class Posterior:
    """The observer's belief before and after: ``prior`` and ``classes`` (K,), ``records`` (M,)."""

    prior: FloatArray
    classes: FloatArray
    records: FloatArray = field(repr=False)
    log_factors: FloatArray = field(repr=False)

    def rank(self, label: int) -> int:
        """1 if no class is more probable than ``label``, 2 if one is, and so on."""
        return int((self.classes > self.classes[label]).sum()) + 1

    @property
    def odds_factor(self) -> float:
        """The largest change of the odds between two classes: max posterior/prior over its min.

        Computed from logarithms: a class whose posterior underflows to 0 still counts.
        """
        present = self.log_factors[self.prior > 0]
        with np.errstate(invalid="ignore", over="ignore"):
            return float(np.exp(present.max() - present.min()))

    def nearest(self, count: int) -> IntArray:
        """Indices of the ``count`` most probable prior records, most probable first."""
        count = min(count, self.records.size)
        top = np.argpartition(-self.records, count - 1)[:count]
        return np.asarray(top[np.argsort(-self.records[top], kind="stable")], dtype=np.int64)


def infer(
    log_likelihood: ArrayLike,
    prior_y: ArrayLike,
    *,
    classes: int,
    log_label_likelihood: ArrayLike | None = None,
) -> Posterior:
    """The posterior over M public records, taken as equally likely beforehand, and their classes.

    Args:
        log_likelihood: (M,), log p(z̃ | z′ₘ). For several reports of one record, their sum.
            −∞ is allowed (a record that cannot have sent this), but not everywhere.
        prior_y: (M,) labels of the public records.
        classes: K.
        log_label_likelihood: (K,), log p(ỹ | y = k), if a label was reported.

    >>> infer([0.0, 0.0], [0, 1], classes=2, log_label_likelihood=np.log([0.9, 0.1])).classes
    array([0.9, 0.1])
    """
    log_weights, labels = np.array(log_likelihood, dtype=np.float64), np.asarray(prior_y)
    if log_weights.ndim != 1 or log_weights.shape != labels.shape or not log_weights.size:
        raise ValueError(
            "Expected one log-likelihood and one label per prior record, "
            f"got shapes {log_weights.shape} and {labels.shape}."
        )
    if labels.dtype.kind not in "iu" or not (0 <= labels.min() and labels.max() < classes):
        raise ValueError(f"Expected integer labels from 0 to {classes - 1} in prior_y.")
    if log_label_likelihood is not None:
        by_class = np.asarray(log_label_likelihood, dtype=np.float64)
        if by_class.shape != (classes,):
            raise ValueError(f"Expected {classes} label log-likelihoods, got shape {by_class.shape}.")
        log_weights += by_class[labels]
    largest = log_weights.max()
    if not math.isfinite(largest):
        raise ValueError("Expected a finite log-likelihood for at least one prior record.")
    log_weights -= largest
    weights = np.exp(log_weights)
    records: FloatArray = weights / weights.sum()
    counts = np.bincount(labels, minlength=classes)
    posterior = np.bincount(labels, weights=records, minlength=classes).astype(np.float64)
    log_factors = np.full(classes, -np.inf)
    for label in np.flatnonzero(counts):  # log mean likelihood of each class, without underflow
        of_class = log_weights[labels == label]
        peak = of_class.max()
        if math.isfinite(peak):
            log_factors[label] = peak + math.log(np.exp(of_class - peak).mean())
    return Posterior(prior=counts / counts.sum(), classes=posterior, records=records, log_factors=log_factors)


def label_log_likelihood(y_private: ArrayLike, transition_matrix: ArrayLike) -> FloatArray:
    """log p(ỹ₁, …, ỹₙ | y = k) for every class k, of n independent reports of one label: (K,).

    ``transition_matrix`` has the true label in rows and the reported one in columns.
    """
    reported, matrix = np.atleast_1d(np.asarray(y_private)), finite("transition_matrix", transition_matrix)
    with np.errstate(divide="ignore"):
        result: FloatArray = np.log(matrix[:, reported]).sum(axis=1)  # (K, n) to (K,)
    return result


def nearest_log_likelihood(z_private: ArrayLike, prior_z: ArrayLike) -> FloatArray:
    """The limit of log p(z̃ | z′ₘ), up to a constant, as the noise goes to zero: (M,).

    0 for the prior records that are nearest to z̃ in ℓ1, −∞ for all others. With ε = ∞ the
    density itself is zero everywhere, unless the sender is one of the prior records.

    >>> nearest_log_likelihood([1.0, 0.0], [[1.0, 0.5], [5.0, 0.0]])
    array([  0., -inf])
    """
    distance = np.abs(finite("prior_z", prior_z) - finite("z_private", z_private)).sum(axis=-1)
    return np.where(distance == distance.min(), 0.0, -np.inf)


def posterior_limit(prior: ArrayLike, epsilon: float) -> FloatArray:
    """The largest posterior probability that an ε-LDP report can give to a class of this prior.

    Odds p/(1−p) grow by at most e^ε: p·e^ε/(p·e^ε + 1 − p). For K equally likely classes this is
    e^ε/(e^ε + K − 1), the cap that k-ary randomised response attains.

    >>> posterior_limit(0.5, 0.0)
    array(0.5)
    """
    if not epsilon >= 0:
        raise ValueError(f"Expected epsilon >= 0, got epsilon={epsilon!r}.")
    p = finite("prior", prior)
    if not ((p >= 0) & (p <= 1)).all():
        raise ValueError("Expected prior probabilities in [0, 1].")
    return np.where(p > 0, p / np.where(p > 0, p + (1.0 - p) * math.exp(-epsilon), 1.0), 0.0)
