"""A prior that lacks a class, completed from the reports themselves.

The denoising objective takes representations of the auxiliary data D₁ as its prior over clean ones.
If D₁ lacks a class that is being collected, this prior puts reports of that class down to the records
they are least unlike, and the classifier learns nonsense there. The paper then gives up denoising
(section "Novel-Class Classification"). The reports, however, tell what is missing. Give the prior two
kinds of points z′ₘ, records of D₁ and points in directions drawn evenly, and choose their shares s
by maximum likelihood,

    Σₙ log Σₘ sₘ p(z̃ₙ|z′ₘ),

which is concave in s (the nonparametric maximum likelihood of Kiefer and Wolfowitz 1956, on a fixed
support). Bayes' rule with this prior weighs z′ₘ by sₘ p(z̃|z′ₘ). No label is used and nothing new is
asked of anyone: it is post-processing of the reports.

Which points to add was compared on MNIST (``docs/experiment-log.md``).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from rlm_core.collector.classifier import BLOCK, LogDensity
from rlm_core.collector.codes import expectation_maximisation
from rlm_core.types import FloatArray, finite


@dataclass(frozen=True, kw_only=True, eq=False)
class CompletedPrior:
    """Points z′ₘ and their shares; ``log_joint`` takes the place of a mechanism's log density."""

    points: FloatArray = field(repr=False)
    shares: FloatArray = field(repr=False)
    log_density: LogDensity = field(repr=False)

    def log_joint(self, z_private: FloatArray, points: FloatArray) -> FloatArray:
        """log sₘ + log p(z̃ₙ|z′ₘ): (n, d) and all points (M, d) to (n, M)."""
        if len(points) != len(self.shares):
            raise ValueError(f"Expected all {len(self.shares)} points, which the shares belong to, got {len(points)}.")
        with np.errstate(divide="ignore"):
            joint: FloatArray = self.log_density(z_private, points) + np.log(self.shares)
        return joint


def complete(
    prior: ArrayLike, z_private: ArrayLike, log_density: LogDensity, *, steps: int = 50, seed: int = 0
) -> CompletedPrior:
    """Half of the prior's records and as many points in even directions, with shares fitted to the reports.

    A point z′ is as long as some record of the prior, in a direction drawn evenly from the L1 sphere.

    Args:
        prior: (M, d) clean representations of D₁.
        z_private: (n, d) reports, of whatever class.
        log_density: the mechanism's, as :class:`~rlm_core.collector.classifier.NoiseAwareClassifier` takes it.
        steps: at most so many pairs of steps of expectation maximisation.
        seed: of the choice of records and directions.
    """
    known, reports = finite("prior", prior), finite("z_private", z_private)
    if known.ndim != 2 or reports.ndim != 2 or known.shape[1] != reports.shape[1]:
        raise ValueError(f"Expected a prior (M, d) and reports (n, d), got {known.shape} and {reports.shape}.")
    if len(known) < 2 or len(reports) == 0:
        raise ValueError(f"Expected M >= 2 records and n >= 1 reports, got M={len(known)}, n={len(reports)}.")
    generator = np.random.default_rng(seed)
    records = known[generator.permutation(len(known))]
    half = len(records) // 2
    points = np.concatenate([records[:half], _even_directions(records[half:], generator)])
    fitted = expectation_maximisation(_Points.of(reports, points, log_density), [1.0], steps=steps, tolerance=1e-5)
    return CompletedPrior(points=points, shares=fitted.table[0], log_density=log_density)


def _even_directions(like: FloatArray, generator: np.random.Generator) -> FloatArray:
    """As many points as ``like`` has, each as long (in L1) as its counterpart."""
    drawn = generator.laplace(size=like.shape)  # Laplace vectors, scaled to length 1, are uniform on the L1 sphere
    lengths = np.abs(like).sum(1, keepdims=True)
    points: FloatArray = drawn / np.abs(drawn).sum(1, keepdims=True) * lengths
    return points


@dataclass(frozen=True, kw_only=True, eq=False)
class _Points:
    """p(z̃ₙ|z′ₘ) up to a factor per report, as the likelihood of one code with M 'labels'."""

    densities: NDArray[np.float32]
    codes: int = 1

    @classmethod
    def of(cls, reports: FloatArray, points: FloatArray, log_density: LogDensity) -> _Points:
        densities = np.empty((len(reports), len(points)), dtype=np.float32)
        for start in range(0, len(reports), BLOCK):
            block = log_density(reports[start : start + BLOCK], points)
            peak = block.max(1, keepdims=True)
            if not np.isfinite(peak).all():
                raise ValueError("Expected every report to be possible under at least one point: is there noise?")
            densities[start : start + BLOCK] = np.exp(block - peak)
        return cls(densities=densities)

    @property
    def classes(self) -> int:
        return int(self.densities.shape[1])

    def evidence(self, joint: FloatArray) -> FloatArray:
        """(1, M) to (n,)."""
        mixed: FloatArray = (self.densities @ joint[0].astype(np.float32)).astype(np.float64)
        return mixed

    def gather(self, weights: FloatArray) -> FloatArray:
        """(n,) to (1, M)."""
        sums: FloatArray = (weights.astype(np.float32) @ self.densities).astype(np.float64)[None]
        return sums
