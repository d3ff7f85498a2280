"""Learning from sets of codes: exact maximum likelihood of p(y | code) under the known channel.

A report tells how probable it is under every pair (code c, label y); the channel is public:

    one symbol (c, y) through subset selection:   L(report | c, y) ∝ e^ε if (c, y) ∈ S, 1 otherwise
    code by subset selection, label by k-RR:      L(report | c, y) ∝ L(S | c) · p(ỹ | y)

With the code frequencies π_c of the auxiliary data D₁, the log-likelihood of θ_cy = p(y | c),

    Σₙ log Σ_c π_c Σ_y θ_cy L(reportₙ | c, y),

is concave in θ. :func:`expectation_maximisation` climbs it: a step multiplies θ by its gradient
and normalises (Dempster, Laird and Rubin 1977), every second step leaps further along.

Nothing here draws randomness or sees a record: the reports and public numbers are all.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.optimize import linear_sum_assignment

from rlm_core.types import FloatArray, IntArray, finite, positive


class Likelihood(Protocol):
    """What n reports say about pairs (code, label), as two linear maps."""

    @property
    def codes(self) -> int:
        """k."""

    @property
    def classes(self) -> int:
        """K."""

    def evidence(self, joint: FloatArray) -> FloatArray:
        """Σ_cy joint_cy L(reportₙ | c, y): (k, K) to (n,)."""

    def gather(self, weights: FloatArray) -> FloatArray:
        """Σₙ weightsₙ L(reportₙ | c, y): (n,) to (k, K), the transpose of :meth:`evidence`."""


@dataclass(frozen=True, kw_only=True, eq=False)
class PairSets:
    """Sets of pairs (c, y), numbered c·K + y, from subset selection with ε on all k·K pairs.

    Args:
        members: (n, k·K) true for the pairs in each report's set.
        epsilon: of the channel.
        codes, classes: k and K.
    """

    members: NDArray[np.bool_] = field(repr=False)
    epsilon: float
    codes: int
    classes: int
    _dense: NDArray[np.float32] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", positive("epsilon", self.epsilon, allow_infinite=True))
        if self.members.ndim != 2 or self.members.shape[1] != self.codes * self.classes:
            raise ValueError(f"Expected sets of {self.codes * self.classes} pairs, got shape {self.members.shape}.")
        object.__setattr__(self, "_dense", self.members.astype(np.float32))

    @property
    def _outside(self) -> float:
        return math.exp(-self.epsilon)  # in units of the likelihood inside, so that nothing overflows

    def evidence(self, joint: FloatArray) -> FloatArray:
        """See :class:`Likelihood`."""
        inside = (self._dense @ joint.reshape(-1).astype(np.float32)).astype(np.float64)  # (n,)
        return inside + self._outside * np.maximum(float(joint.sum()) - inside, 0.0)

    def gather(self, weights: FloatArray) -> FloatArray:
        """See :class:`Likelihood`."""
        inside = (weights.astype(np.float32) @ self._dense).astype(np.float64)  # (k·K,)
        result = inside + self._outside * (float(weights.sum()) - inside)
        return result.reshape(self.codes, self.classes)


@dataclass(frozen=True, kw_only=True, eq=False)
class PairCounts:
    """What a tally tells of pairs: of ``counts`` (k·K,) members of sets, the one of each pair. n here is k·K.

    A member that is drawn at random from a report's set is the true pair with probability p/ω and any other one with
    q/ω. The product of these probabilities over all members is a *composite* likelihood (Lindsay 1988): where sets
    have one member (k-RR) it is the likelihood, otherwise which members came together is left out. Maximise
    it with ``weights = counts/ω``, so that n people weigh n.

    Args:
        outside: q/p, how probable any other pair is in a set, in units of the true one's.
        codes, classes: k and K.
    """

    outside: float
    codes: int
    classes: int

    def evidence(self, joint: FloatArray) -> FloatArray:
        """See :class:`Likelihood`."""
        inside = joint.reshape(-1)
        return inside + self.outside * np.maximum(float(joint.sum()) - inside, 0.0)

    def gather(self, weights: FloatArray) -> FloatArray:
        """See :class:`Likelihood`."""
        result: FloatArray = weights + self.outside * (float(weights.sum()) - weights)
        return result.reshape(self.codes, self.classes)


@dataclass(frozen=True, kw_only=True, eq=False)
class SeparateReports:
    """A set of codes and a label of its own: any mechanism on the code beside k-RR on the label.

    Args:
        log_likelihood: (n, k) log L(reportₙ | c) for every code, up to a constant per report.
        y_private: (n,) reported labels.
        transition: (K, K) p(ỹ | y), the true label in rows.
    """

    log_likelihood: FloatArray = field(repr=False)
    y_private: IntArray = field(repr=False)
    transition: FloatArray = field(repr=False)
    _likelihood: FloatArray = field(init=False, repr=False)

    def __post_init__(self) -> None:
        log = np.asarray(self.log_likelihood, dtype=np.float64)
        if log.ndim != 2 or log.shape[:1] != np.shape(self.y_private) or not log.size:
            raise ValueError(
                f"Expected log_likelihood (n, k) and n labels, got {log.shape} and {np.shape(self.y_private)}."
            )
        object.__setattr__(self, "_likelihood", np.exp(log - log.max(axis=1, keepdims=True)))

    @property
    def codes(self) -> int:
        """k."""
        return int(self._likelihood.shape[1])

    @property
    def classes(self) -> int:
        """K."""
        return len(self.transition)

    def evidence(self, joint: FloatArray) -> FloatArray:
        """See :class:`Likelihood`."""
        reported = joint @ self.transition  # (k, K): mass of (c, ỹ)
        evidence: FloatArray = np.einsum("nc,nc->n", self._likelihood, reported.T[self.y_private])
        return evidence

    def gather(self, weights: FloatArray) -> FloatArray:
        """See :class:`Likelihood`."""
        result = np.zeros((self.codes, self.classes))
        for label in range(self.classes):
            of_label = self.y_private == label
            result += np.outer(weights[of_label] @ self._likelihood[of_label], self.transition[:, label])
        return result


@dataclass(frozen=True, kw_only=True, eq=False)
class CodeClassifier:
    """p(y | code): ``table`` (k, K), rows add up to 1; ``log_likelihood`` per report, after each step."""

    table: FloatArray
    log_likelihood: tuple[float, ...] = field(repr=False, default=())

    def predict(self, codes: ArrayLike) -> IntArray:
        """The most likely label of each code: (n,) to (n,)."""
        labels: IntArray = self.table.argmax(axis=1)[np.asarray(codes)]
        return labels

    def score(self, codes: ArrayLike, y: ArrayLike) -> float:
        """The share of records whose label is predicted rightly from their code."""
        return float((self.predict(codes) == np.asarray(y)).mean())


def expectation_maximisation(
    reports: Likelihood,
    frequencies: ArrayLike,
    *,
    weights: ArrayLike | None = None,
    pseudo_count: float = 0.0,
    steps: int = 500,
    tolerance: float = 1e-7,
) -> CodeClassifier:
    """The maximum-likelihood p(y | code), given the frequencies of the codes.

    Args:
        reports: from :class:`PairSets` or :class:`SeparateReports`.
        frequencies: (k,) how often each code occurs in D₁; normalised here.
        weights: (n,) how many people each of the reports stands for; None for one each.
        pseudo_count: reports' worth of a uniform label added to every code: a Dirichlet prior
            that keeps rare codes from a certainty they have not earned. 0 is plain maximum likelihood.
        steps: at most so many pairs of steps.
        tolerance: stop when the log-likelihood per report rises by less.

    >>> sets = np.array([[True, False], [True, False], [False, True]])
    >>> reports = PairSets(members=sets, epsilon=float("inf"), codes=1, classes=2)
    >>> expectation_maximisation(reports, [1.0]).table.round(4)
    array([[0.6667, 0.3333]])
    """
    prior = finite("frequencies", frequencies)
    if prior.shape != (reports.codes,) or not (prior >= 0).all() or not prior.sum() > 0:
        raise ValueError(f"Expected {reports.codes} frequencies >= 0 that are not all 0, got shape {prior.shape}.")
    prior = prior / prior.sum()
    share = None if weights is None else finite("weights", weights)

    def step(table: FloatArray) -> tuple[FloatArray, float]:
        """One step of EM, and the log-likelihood (with the prior's part) per report before it."""
        joint = prior[:, None] * table  # (k, K)
        evidence = np.maximum(reports.evidence(joint), 1e-300)  # (n,)
        people = np.ones(len(evidence)) if share is None else share
        counts = (
            joint * reports.gather(people / evidence) + pseudo_count / reports.classes
        )  # expected reports of (c, y)
        total = counts.sum(axis=1, keepdims=True)
        prior_part = pseudo_count / reports.classes * float(np.log(np.maximum(table, 1e-300)).sum())
        total_people = float(people.sum())
        value = float(people @ np.log(evidence)) / total_people + (prior_part / total_people if pseudo_count else 0.0)
        return np.where(total > 0, counts / np.where(total > 0, total, 1.0), table), value

    table = np.full((reports.codes, reports.classes), 1.0 / reports.classes)
    best = (table, -math.inf)
    history: list[float] = []
    while len(history) < steps:
        first, value = step(table)
        if value < best[1]:  # the leap went too far: back to where plain EM stood
            table, best = best[0], (best[0], -math.inf)
            continue
        history.append(value)
        if len(history) > 1 and history[-1] - history[-2] < tolerance:
            break
        second, _ = step(first)
        best = (second, value)
        table = _leap(table, first, second)
    return CodeClassifier(table=best[0] if len(history) == steps else table, log_likelihood=tuple(history))


def _leap(table: FloatArray, first: FloatArray, second: FloatArray) -> FloatArray:
    """Where two steps of EM point to, further along (SQUAREM, Varadhan and Roland 2008, scheme S3)."""
    r, v = first - table, second - 2.0 * first + table
    length = float(np.linalg.norm(v))
    if length == 0.0:
        return second
    alpha = max(1.0, float(np.linalg.norm(r)) / length)
    leap = np.maximum(table + 2.0 * alpha * r + alpha**2 * v, 1e-12)
    result: FloatArray = leap / leap.sum(axis=1, keepdims=True)
    return result


def every_label_owns_a_code(reports: PairSets) -> CodeClassifier:
    """One code for every label and one label for every code (k = K): the pairing that most reports hold.

    Noise cannot give two codes the same label then. It is right only where codes follow the classes one to one; whether
    they do must be known beforehand (``rlm_core.training.codes.choice.one_to_one``), not from these reports.

    >>> sets = np.array([[True, False, False, False], [False, False, False, True], [True, False, False, False]])
    >>> every_label_owns_a_code(PairSets(members=sets, epsilon=1.0, codes=2, classes=2)).predict([0, 1])
    array([0, 1])
    """
    if reports.codes != reports.classes:
        raise ValueError(f"Expected as many codes as classes, got {reports.codes} and {reports.classes}.")
    held = reports.members.sum(axis=0).reshape(reports.codes, reports.classes)
    code, label = linear_sum_assignment(held, maximize=True)
    table = np.zeros((reports.codes, reports.classes))
    table[code, label] = 1.0
    return CodeClassifier(table=table)


def code_posterior(log_likelihood: ArrayLike, frequencies: ArrayLike) -> FloatArray:
    """p(c | report) ∝ π_c L(report | c): (n, k) and (k,) to (n, k)."""
    prior = finite("frequencies", frequencies)
    with np.errstate(divide="ignore"):
        log = np.asarray(log_likelihood, dtype=np.float64) + np.log(prior / prior.sum())
    peak = log.max(axis=1, keepdims=True)
    if not np.isfinite(peak).all():
        raise ValueError("Expected every report to be possible under at least one code.")
    weights = np.exp(log - peak)
    posterior: FloatArray = weights / weights.sum(axis=1, keepdims=True)
    return posterior
