"""What would be learnt if features and label were sent each by itself? A rehearsal's baselines, in their best form.

All get the estimator of the joint reports, logistic regression from averages, and the same principal components.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rlm_core.baselines.table import DuchiTable, LaplaceTable, TableMechanism
from rlm_core.collector.moments import PRIOR_ROWS, MomentClassifier, Moments
from rlm_core.owner.budget import Budget
from rlm_core.owner.labels import RandomisedResponse
from rlm_core.privatiser.plan import MOST_NUMBERS, bearable_numbers
from rlm_core.types import FloatArray, IntArray

if TYPE_CHECKING:
    from rlm_core.privatiser.compare import Rehearsal

LABEL_ALONE = "k-RR of the label alone"
"""Features go in the clear: it protects the label and nothing else."""

FEATURES: dict[str, type[TableMechanism]] = {"Laplace": LaplaceTable, "Duchi": DuchiTable}
"""Every feature by itself (Laplace), or all numbers at once (Duchi), categories by k-RR, the label by k-RR."""

LABEL_SHARE = 0.5
"""1 − λ of the baselines: half of ε for the label, half for the features."""

TAIL = 0.005
"""Of a number's public values, so many on either side lie outside the bounds of the baselines."""


def predict_from_separate(
    rehearsal: Rehearsal,
    mechanism: str,
    epsilon: float,
    x: NDArray[np.float32],
    y: IntArray,
    generator: np.random.Generator,
) -> IntArray:
    """The classes of the test rows, by what was learnt from people x (n, p) with labels y.

    Features and label are sent each by itself: averages of their products, since their noise is independent.
    """
    if mechanism == LABEL_ALONE:
        labels = RandomisedResponse(epsilon=epsilon, classes=rehearsal.classes)
        sent, d = x.astype(np.float64), MOST_NUMBERS
    else:
        budget = Budget(epsilon=epsilon, lam=1.0 - LABEL_SHARE)
        labels = RandomisedResponse(epsilon=budget.epsilon_y, classes=rehearsal.classes)
        sent = _sent_features(rehearsal, FEATURES[mechanism], budget.epsilon_x, x, generator)
        d = max(2, round(bearable_numbers(epsilon, len(x), 1)))
    encoder = rehearsal.components(d)
    phi = _with_constant(encoder(sent))  # (n, d + 1), right on average
    one_hot = _unbiased(np.eye(rehearsal.classes)[labels.simulate(y, generator=generator)], labels)  # (n, K)
    products = phi[:, None, :] * one_hot[:, :, None]  # (n, K, d + 1)
    moments = Moments(values=products.mean(axis=0), variance=products.var(axis=0).mean(axis=0) / len(x))
    # Where the people's own features are in the clear, they are what the classifier is fitted with.
    prior = phi if mechanism == LABEL_ALONE else _with_constant(encoder(rehearsal.public[:PRIOR_ROWS]))
    return MomentClassifier.fit(moments, prior).predict(_with_constant(encoder(rehearsal.test)))


def _sent_features(
    rehearsal: Rehearsal,
    kind: type[TableMechanism],
    epsilon: float,
    x: NDArray[np.float32],
    generator: np.random.Generator,
) -> FloatArray:
    """Rows as a baseline sends them, made right on average."""
    public, blocks = rehearsal.public, rehearsal.categories
    numbers = min((start for start, _ in blocks), default=x.shape[1])  # a table's numbers come first
    low, high = np.quantile(public[:, :numbers], [TAIL, 1 - TAIL], axis=0) if numbers else ((), ())
    high = np.maximum(high, np.asarray(low) + 1e-6)
    table = kind(epsilon=epsilon, low=tuple(low), high=tuple(high), categories=tuple(blocks))
    sent = table.simulate(x, generator=generator)
    for (start, stop), response in zip(blocks, table.responses, strict=True):
        if response.response is not None:
            sent[:, start:stop] = _unbiased(sent[:, start:stop], response.response)
    return sent


def _unbiased(one_hot: FloatArray, response: RandomisedResponse) -> FloatArray:
    """(1_said − q)/(p − q): right on average."""
    p = float(response.truth_probability)
    q = (1.0 - p) / (response.classes - 1)
    vectors: FloatArray = (one_hot - q) / (p - q)
    return vectors


def _with_constant(h: FloatArray) -> FloatArray:
    return np.concatenate([h, np.ones((len(h), 1))], axis=1)
