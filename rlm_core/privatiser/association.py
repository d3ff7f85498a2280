"""Do reports show at all that records tell the label? Chi-square statistics against independence, from them alone.

    joint reports    Σⱼ Σ_k (E[φⱼ·1(y = k)] − E[φⱼ]·P(y = k))² / varⱼ        (K − 1)·d degrees of freedom
    codes            Σ_c Σ_k (P(c, k) − P(c)·P(k))² / var(c, k)              (K − 1)·(k − 1)
    V-RLM            n·Σ_k p_k·(m_k − m)ᵀ Σ⁻¹ (m_k − m)                      (K − 1)·d

The averages are those that a classifier is fitted to, var the variance of their noise. m_k is the mean of z̃ of those
who report label k, Σ its covariance (Lawley and Hotelling): k-RR only mixes the groups, so where z tells nothing of y
their means are equal too. Asymptotic; ``tests/privatiser/test_association.py`` has how often each is wrong.
"""

from __future__ import annotations

import numpy as np
from scipy.stats import chi2

from rlm_core.collector.moments import Moments
from rlm_core.owner.pairs import PairSelection
from rlm_core.owner.payload import Payload
from rlm_core.privatiser.method import Method
from rlm_core.privatiser.plan import SELECTION
from rlm_core.privatiser.vrlm.reports import SplitReports
from rlm_core.types import FloatArray


def chance(method: Method, sent: Payload, epsilon: float, classes: int) -> float:
    """How often averages at least as far apart would be seen if the label had nothing to do with the record."""
    together = method.together(epsilon, classes)
    if isinstance(together, PairSelection):
        assert sent.members is not None
        return of_pairs(sent.members.mean(axis=0), len(sent), together)
    symbols = 2 * classes if method.plan.kind == SELECTION else 0
    return of_moments(method.moments(sent, epsilon, classes), method.prior_features, symbols=symbols)


def of_moments(moments: Moments, prior: FloatArray, *, symbols: int = 0) -> float:
    """The same of averages of φ, whose last feature is constant; ``prior`` (m, d + 1) has φ of public rows.

    ``symbols``: of a channel of sets, whose entries are alike and so correlated by −1/(symbols − 1).
    """
    mean = prior.mean(axis=0)
    shares = moments.values[:, -1:] / mean[-1]  # (K, 1)
    apart = moments.values[:, :-1] - shares * mean[:-1]
    variance = moments.variance[:-1] + (mean[:-1] / mean[-1]) ** 2 * moments.variance[-1]
    statistic = (apart**2 / np.maximum(variance, 1e-300)).sum() / _contrast(symbols)
    return float(chi2.sf(statistic, (len(shares) - 1) * apart.shape[1]))


def of_pairs(frequencies: FloatArray, people: int, pairs: PairSelection) -> float:
    """The same of how often each (code, label) was in a report's set, (k·K,)."""
    channel = pairs.channel
    gap = channel.inside - channel.outside
    table = ((frequencies - channel.outside) / gap).reshape(pairs.codes, pairs.classes)
    apart = np.maximum(table.sum(axis=1, keepdims=True), 0.0) * np.maximum(table.sum(axis=0, keepdims=True), 0.0)
    seen = channel.outside + gap * apart  # how often, if they are independent
    variance = np.maximum(seen * (1.0 - seen), 0.5 / people) / (people * gap**2)
    statistic = ((table - apart) ** 2 / variance).sum() / _contrast(table.size)
    return float(chi2.sf(statistic, (pairs.codes - 1) * (pairs.classes - 1)))


def _contrast(symbols: int) -> float:
    """By how much a difference of two entries varies more than two independent ones."""
    return symbols / (symbols - 1) if symbols else 1.0


def of_split(sent: SplitReports, classes: int) -> float:
    """The same of record and label apart."""
    n, d = sent.z.shape
    if n <= d + classes:
        return 1.0
    centred = sent.z - sent.z.mean(axis=0)
    whitening = np.linalg.pinv(centred.T @ centred / n, hermitian=True)
    statistic, seen = 0.0, 0
    for label in range(classes):
        group = centred[sent.y == label]
        if len(group):
            mean, seen = group.mean(axis=0), seen + 1
            statistic += len(group) * float(mean @ whitening @ mean)
    return float(chi2.sf(statistic, max(seen - 1, 1) * d))
