"""Classifying people of whom some columns are known and the others arrive as reports.

The data join: the collector has clean features x₁ and the label, another party sends a report
z̃₂ of its own features of the same people. What is learnt is p_ψ(y | x₁, z̃₂), and new people
are classified from the same combination. Source: Mansbridge et al., section "Data Joining".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.collector.classifier import NoiseAwareClassifier
from rlm_core.collector.validation import Validate
from rlm_core.learning.loop import Progress
from rlm_core.types import FloatArray, IntArray, finite


@dataclass(kw_only=True)
class JoinedClassifier:
    """p_ψ(y | x₁, z̃₂): clean columns and privatised ones side by side into one network.

    Args:
        network: the classifier of the joined columns; its objective is "naive" for clean labels
            or "label-noise" for reported ones ("denoising" needs a prior over one space).

    >>> network = NoiseAwareClassifier(classes=2, objective="naive", hidden=(), epochs=50, learning_rate=0.1)
    >>> clean, reports = np.array([[0.0], [0.0], [1.0], [1.0]]), np.zeros((4, 1))
    >>> JoinedClassifier(network=network).fit(clean, reports, [0, 0, 1, 1]).predict(clean, reports)
    array([0, 0, 1, 1])
    """

    network: NoiseAwareClassifier
    clean_dim_: int = field(init=False, default=0)

    def __post_init__(self) -> None:
        if self.network.objective == "denoising":
            raise ValueError("Expected objective 'naive' or 'label-noise' for joined columns, got 'denoising'.")

    def fit(
        self,
        clean: ArrayLike,
        z_private: ArrayLike,
        y: ArrayLike,
        *,
        transition: ArrayLike | None = None,
        validate: Validate | None = None,
        progress: Callable[[Progress, NoiseAwareClassifier], None] | None = None,
    ) -> JoinedClassifier:
        """Train on joined rows.

        Args:
            clean: (n, p), the collector's own columns.
            z_private: (n, d), the other party's reports of the same people.
            y: (n,) labels.
            transition: (K, K), p(ỹ | y) if the labels were reported; by default they are clean.
            validate: as in :meth:`NoiseAwareClassifier.fit`; its predictor takes joined rows.
            progress: as there.
        """
        self.clean_dim_ = finite("clean", clean).shape[1]
        known = np.eye(self.network.classes) if transition is None else transition
        self.network.fit(joined(clean, z_private), y, transition=known, validate=validate, progress=progress)
        return self

    def predict_proba(self, clean: ArrayLike, z_private: ArrayLike) -> FloatArray:
        """p_ψ(y | x₁, z̃₂): (n, K)."""
        return self.network.predict_proba(joined(clean, z_private))

    def predict(self, clean: ArrayLike, z_private: ArrayLike) -> IntArray:
        """The most likely label: (n,)."""
        return self.network.predict(joined(clean, z_private))

    def score(self, clean: ArrayLike, z_private: ArrayLike, y: ArrayLike) -> float:
        """The share of rows whose label is predicted rightly."""
        return float((self.predict(clean, z_private) == np.asarray(y)).mean())


def joined(clean: ArrayLike, z_private: ArrayLike) -> FloatArray:
    """x₁ and z̃₂ of the same people side by side: (n, p) and (n, d) to (n, p + d).

    >>> joined([[1.0]], [[2.0, 3.0]])
    array([[1., 2., 3.]])
    """
    left, right = finite("clean", clean), finite("z_private", z_private)
    if left.ndim != 2 or right.ndim != 2 or len(left) != len(right):
        raise ValueError(f"Expected the same people in both, got shapes {left.shape} and {right.shape}.")
    return np.hstack([left, right])
