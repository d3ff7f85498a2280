"""Post-processing, exactly: what happens to the guarantee when a report is rounded, clamped or folded.

A report is z̃ = z + Laplace(0, b) for one number z in [−l, l]. A processing g sorts the reports into
outcomes, each a set of intervals, so their probabilities come from the Laplace distribution
function, without sampling. The privacy loss between two secrets,

    max over outcomes of |ln P(g(z̃) = o | z) − ln P(g(z̃) = o | z′)|,

can only fall: P(g(z̃) = o | z) is a sum over reports, each within the factor e^ε. A "processing" that
looks at the secret again is none, and has no such bound.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.owner.laplace import LaplaceNoise
from rlm_core.types import FloatArray, finite


@dataclass(frozen=True, kw_only=True)
class Processing:
    """A map of reports to outcomes, by its ``edges`` in units of l; the outer intervals are unbounded.

    Args:
        name: for a control.
        summary: what the collector does, in a sentence.
        edges: increasing; n edges make n + 1 outcomes.
        labels: one for each outcome.
        folded: z̃ and −z̃ are the same outcome (``edges`` then start at 0).
        cheats: it replaces the report by the outcome that the secret itself would have had.
    """

    name: str
    summary: str
    edges: tuple[float, ...]
    labels: tuple[str, ...]
    folded: bool = False
    cheats: bool = False

    def __post_init__(self) -> None:
        expected = len(self.edges) + 1
        if len(self.labels) != expected:
            raise ValueError(f"Expected {expected} labels for {len(self.edges)} edges, got {len(self.labels)}.")
        if not (np.diff(self.edges) > 0).all():
            raise ValueError(f"Expected increasing edges, got {self.edges}.")

    def probabilities(self, z: float, noise: LaplaceNoise) -> FloatArray:
        """P(outcome | z), (outcomes,)."""
        edges = np.array(self.edges) * noise.clip.radius
        if self.cheats:
            hit = np.searchsorted(edges, abs(z) if self.folded else z, side="right")
            certain: FloatArray = np.eye(len(self.labels))[hit]
            return certain
        total = interval_probabilities(edges, centre=z, scale=noise.scale)
        if self.folded:  # the first interval of |z̃| is [0, first edge)
            mirrored = interval_probabilities(edges, centre=-z, scale=noise.scale)
            zero = interval_probabilities(np.array([0.0]), centre=z, scale=noise.scale)
            total[0], mirrored[0] = total[0] - zero[0], mirrored[0] - zero[1]
            total = total + mirrored
        return total


def interval_probabilities(edges: ArrayLike, *, centre: float, scale: float) -> FloatArray:
    """P of each interval between increasing ``edges`` (and beyond them) under Laplace(centre, scale).

    >>> interval_probabilities([0.0], centre=0.0, scale=1.0)
    array([0.5, 0.5])
    """
    if not scale > 0:
        raise ValueError(f"Expected scale > 0, got scale={scale!r}.")
    at = (finite("edges", edges) - centre) / scale
    # F(t) = ½e^t below 0, 1 − ½e^−t above; differences of 1 − F on the right side keep their digits.
    below, above = 0.5 * np.exp(np.minimum(at, 0.0)), 0.5 * np.exp(-np.maximum(at, 0.0))
    low = np.where(at < 0, below, 1.0 - above)  # F
    high = np.where(at < 0, 1.0 - below, above)  # 1 − F
    left, right = np.concatenate([[0.0], low]), np.concatenate([low, [1.0]])
    left_tail, right_tail = np.concatenate([[1.0], high]), np.concatenate([high, [0.0]])
    on_the_right = np.concatenate([[False], at >= 0])
    result: FloatArray = np.where(on_the_right, left_tail - right_tail, right - left)
    return result


def privacy_loss(probabilities: ArrayLike, probabilities_other: ArrayLike) -> float:
    """max |ln p − ln p′| over the outcomes that can happen at all; ∞ if one can happen under one of them only.

    >>> round(privacy_loss([0.75, 0.25], [0.25, 0.75]), 6), privacy_loss([1.0, 0.0], [0.5, 0.5])  # ln 3
    (1.098612, inf)
    """
    p, q = finite("probabilities", probabilities), finite("probabilities_other", probabilities_other)
    possible = (p > 0) | (q > 0)
    with np.errstate(divide="ignore"):
        return float(np.abs(np.log(p[possible]) - np.log(q[possible])).max(initial=0.0))


def _bins(low: float, high: float, count: int) -> tuple[float, ...]:
    return tuple(np.linspace(low, high, count + 1).round(9).tolist())


def _centres(edges: tuple[float, ...]) -> tuple[str, ...]:
    inner = [f"{(a + b) / 2:+.2f}".replace("-", "−") for a, b in zip(edges, edges[1:], strict=False)]
    return ("less", *inner, "more")


_FINE, _INSIDE = _bins(-3.0, 3.0, 24), _bins(-1.0, 1.0, 8)
PROCESSINGS: dict[str, Processing] = {
    each.name: each
    for each in (
        Processing(
            name="keep it",
            summary="The report as it came, sorted into narrow bins for the picture.",
            edges=_FINE,
            labels=_centres(_FINE),
        ),
        Processing(
            name="clamp",
            summary="No secret lies beyond ±l, so a report beyond them is moved to the end of the range.",
            edges=_INSIDE,
            labels=("−l", *_centres(_INSIDE)[1:-1], "+l"),
        ),
        Processing(
            name="round",
            summary="To the nearest of −l, 0 and l.",
            edges=(-0.5, 0.5),
            labels=("−l", "0", "+l"),
        ),
        Processing(
            name="sign",
            summary="Only whether the report is negative or positive.",
            edges=(0.0,),
            labels=("negative", "positive"),
        ),
        Processing(
            name="drop the sign",
            summary="Only how large the report is: z̃ and −z̃ become the same.",
            edges=(0.5, 1.0, 1.5, 2.0, 3.0),
            labels=("< ½ l", "½ – 1 l", "1 – 1½ l", "1½ – 2 l", "2 – 3 l", "> 3 l"),
            folded=True,
        ),
        Processing(
            name="correct it with the secret",
            summary="Forbidden: whoever holds the secret looks again, and repairs a report whose sign came out wrong.",
            edges=(0.0,),
            labels=("negative", "positive"),
            cheats=True,
        ),
    )
}
"""What a collector may do with a report, and one thing that only the owner could do and must not."""
