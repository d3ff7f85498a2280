"""A class that no public record has: who is it, from reports of its members and public records of everybody else.

The members' reports tell the average of features, E₁[φ], with noise of a known variance; how the others' features are
distributed is public, from D₁. Of all distributions with that average, the one nearest to the others' (in relative
entropy) is theirs tilted,

    p₁(φ) = p₀(φ)·exp(w·φ − log E₀[e^{w·φ}]),       w maximises  w·E₁[φ] − log E₀[e^{w·φ}],

which is concave in w (maximum entropy: Jaynes 1957; as a ratio of densities: Sugiyama et al. 2008, KLIEP). A record is
taken for one of the new class where w·φ − log E₀[e^{w·φ}] > 0: where it is more likely under p₁ than under p₀. A ridge
penalty, in deviations of the noise a column, keeps out what is not known. Nothing here draws randomness or sees a
record, and the others send nothing. So whoever sends is known to be of the new class, as in the paper's experiment:
reports protect the record, not that.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike
from scipy.optimize import minimize
from scipy.special import logsumexp, softmax

from rlm_core.types import FloatArray, IntArray, finite

RIDGE = 1.0
"""The penalty, in deviations of the noise, as for own tables (``moments``). docs/protocol-4.md has what others gave."""


@dataclass(frozen=True, kw_only=True, eq=False)
class NewClassDetector:
    """log p₁(φ)/p₀(φ) = ``weights``·φ − ``offset``; both classes are taken as equally likely."""

    weights: FloatArray = field(repr=False)
    offset: float

    @classmethod
    def fit(cls, mean: ArrayLike, variance: ArrayLike, public: ArrayLike, *, ridge: float = RIDGE) -> NewClassDetector:
        """From what reports tell of the new class.

        Args:
            mean: (d,) E₁[φ] as estimated from its members' reports.
            variance: (d,) of the estimate's noise.
            public: (m, d) φ of public records, none of the new class.
            ridge: the penalty, in deviations of the noise.

        >>> others = np.array([[-1.0], [-0.5], [0.0], [0.5]])
        >>> NewClassDetector.fit([0.4], [0.0], others).predict([[-1.0], [1.0]])
        array([0, 1])
        """
        target, noise, phi = finite("mean", mean), finite("variance", variance), finite("public", public)
        if phi.ndim != 2 or not len(phi) or target.shape != phi.shape[1:] or noise.shape != target.shape:
            raise ValueError(
                f"Expected public (m, d), mean (d,) and variance (d,), got {phi.shape}, {target.shape}, {noise.shape}."
            )
        if not (noise >= 0).all() or not ridge >= 0:
            raise ValueError(f"Expected variances and ridge >= 0, got ridge={ridge!r}.")
        penalty = np.maximum(ridge * np.sqrt(noise), 1e-6)  # a little keeps the maximum finite

        def objective(weights: FloatArray) -> tuple[float, FloatArray]:
            scores = phi @ weights  # (m,)
            value = weights @ target - logsumexp(scores) - 0.5 * (penalty * weights**2).sum()
            gradient = target - softmax(scores) @ phi - penalty * weights
            return -float(value), -gradient

        found = minimize(objective, np.zeros(len(target)), jac=True, method="L-BFGS-B", options={"maxiter": 500})
        return cls(weights=found.x, offset=float(logsumexp(phi @ found.x) - np.log(len(phi))))

    def log_ratio(self, features: ArrayLike) -> FloatArray:
        """log p₁/p₀ of clean records: (n, d) to (n,)."""
        values: FloatArray = finite("features", features) @ self.weights - self.offset
        return values

    def predict(self, features: ArrayLike) -> IntArray:
        """1 for a record of the new class, else 0: (n, d) to (n,)."""
        return (self.log_ratio(features) > 0).astype(np.int64)
