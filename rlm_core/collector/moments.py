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

from rlm_core.collector.tally_coordinates import CoordinateTally
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
        phi = finite("prior", prior)  # (m, d)
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


def signed_bits(
    coordinates: ArrayLike, symbols: ArrayLike, *, bits: int, keep: float, features: int
) -> tuple[FloatArray, FloatArray]:
    """E[φ(2y − 1)] (d,) and the variance of its noise, from reports of :class:`rlm_core.owner.joint_bits.JointBits`.

    Bit i of a symbol is about coordinate j + i (after the last comes the first), and ±1 on average κ·E[φ(2y − 1)].

    Args:
        coordinates: (n,) j.
        symbols: (n,) whole numbers below 2ᵐ.
        bits: m.
        keep: κ.
        features: d, the constant one included.
    """
    return signed_of_tally(tally_of_bits(coordinates, symbols, bits=bits, features=features), keep)


def tally_of_bits(coordinates: ArrayLike, symbols: ArrayLike, *, bits: int, features: int) -> CoordinateTally:
    """All that :func:`signed_bits` needs of such reports: how often bit i was set where j came first."""
    set_bits = (np.asarray(symbols)[:, None] >> np.arange(bits)) & 1  # (n, m)
    return CoordinateTally.empty(features, bits).add(coordinates, set_bits.astype(np.bool_))


def signed_of_tally(tally: CoordinateTally, keep: float) -> tuple[FloatArray, FloatArray]:
    """:func:`signed_bits` from a tally of the reports' bits."""
    features, bits = tally.counts.shape
    about = (np.arange(features)[:, None] + np.arange(bits)) % features  # (d, m)
    counts, sums = np.zeros(features), np.zeros(features)
    np.add.at(counts, about, tally.people[:, None].astype(np.float64))
    np.add.at(sums, about, 2.0 * tally.counts - tally.people[:, None])
    # A coordinate that no report is about tells nothing: its average is 0, with the variance of one report.
    counts = np.maximum(counts, 1.0)
    return sums / counts / keep, 1.0 / (keep**2 * counts)


def moments_of_numbers(numbers: ArrayLike, scale: float, prior: ArrayLike) -> Moments:
    """From reports of :class:`rlm_core.owner.joint.JointLaplace`: (n, d + 1) with noise of that scale."""
    sent = finite("numbers", numbers)
    return moments_of_mean(sent.mean(axis=0), len(sent), scale, prior)


def moments_of_mean(mean: ArrayLike, people: int, scale: float, prior: ArrayLike) -> Moments:
    """The same from the mean of the reports, (d + 1,): all that it needs of them."""
    return Moments.of_two(mean, (2.0 * scale**2 + finite("prior", prior).var(axis=0)) / people, prior)


def moments_of_sets(coordinates: ArrayLike, vectors: ArrayLike, energy: float, prior: ArrayLike) -> Moments:
    """From reports of :class:`rlm_core.owner.joint.JointSelection`.

    Args:
        coordinates: (n,) which coordinate each report is about.
        vectors: (n, 2K) sets as vectors that are one-hot on average, symbol 2y + bit.
        energy: E‖vector − symbol‖² of the channel.
        prior: (m, d + 1) φ of public rows, φ = (2t − 1, 1).
    """
    j, sent, d = np.asarray(coordinates), finite("vectors", vectors), finite("prior", prior).shape[1] - 1
    counts = np.bincount(j, minlength=d)[:d]
    averages = np.zeros((d, sent.shape[1]))
    for each in np.flatnonzero(counts):
        averages[each] = sent[j == each].mean(axis=0)
    return moments_of_averages(averages, counts, energy, prior)


def moments_of_averages(averages: ArrayLike, counts: ArrayLike, energy: float, prior: ArrayLike) -> Moments:
    """The same from the average vector of the reports about each coordinate, (d, 2K), and how many they are, (d,)."""
    found, people, phi = finite("averages", averages), np.asarray(counts), finite("prior", prior)
    d, classes = len(found), found.shape[1] // 2
    pairs = found.reshape(d, classes, 2)
    values = np.zeros((classes, d + 1))
    values[:, :d] = (pairs[:, :, 1] - pairs[:, :, 0]).T
    total = max(int(people.sum()), 1)
    values[:, d] = np.maximum(people @ pairs.sum(axis=2) / total, 1e-6)
    values[:, d] /= values[:, d].sum()
    # The classes' averages add up to that of all, which is public: what is over is noise.
    values += (phi.mean(axis=0) - values.sum(axis=0)) / classes
    spread = 2.0 * (energy + 1.0) / (2 * classes)  # of the difference of two entries
    return Moments(values=values, variance=np.append(spread / np.maximum(people, 1), spread / total))
