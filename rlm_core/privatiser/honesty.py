"""When software should say that it will not do, and what would."""

from __future__ import annotations

import numpy as np

from rlm_core.privatiser.plan import epsilon_needed, reports_needed
from rlm_core.types import FloatArray

DRIFT_DEVIATIONS = 6.0
"""Reports differ from the public rows if some average is so many deviations off (one of 100 by chance: 2e-7)."""


class UtilityWarning(UserWarning):
    """The guarantee holds, but what the collector learns is not worth much."""


def too_few(epsilon: float, reports: int, classes: int) -> str | None:
    """What to say if n is too small for ε, or None."""
    needed = reports_needed(epsilon, classes)
    if reports >= needed:
        return None
    other = epsilon_needed(reports, classes)
    instead = "" if other is None else f", or epsilon of at least {other:g}"
    return (
        f"{reports:,} reports are few for epsilon={epsilon:g} and {classes} classes: "
        f"expected at least {needed:,} reports{instead}."
    )


def one_answer(shares: FloatArray, classes: tuple[str, ...]) -> str | None:
    """What to say if the classifier gives (nearly) all public rows the same class, or None."""
    best = int(np.argmax(shares))
    if shares[best] < 0.999:
        return None
    return (
        f"The classifier says {classes[best]!r} to {shares[best]:.1%} of the public rows: it is no better than the "
        "majority. More reports or a larger epsilon may help."
    )


def not_better(accuracy: float, majority: float) -> str | None:
    """What to say if a test finds no gain over the commonest class, or None."""
    if accuracy > majority:
        return None
    return f"The accuracy {accuracy:.1%} is no better than always saying the commonest class, {majority:.1%}."


def drift(observed: FloatArray, expected: FloatArray, deviation: FloatArray) -> str | None:
    """What to say if averages of the reports are not those of the public rows, or None."""
    distance = np.abs(observed - expected) / np.maximum(deviation, 1e-12)
    worst = int(np.argmax(distance))
    if not distance[worst] > DRIFT_DEVIATIONS:
        return None
    return (
        f"The people do not look like the public rows: average {worst} of their reports is {observed[worst]:.3g}, "
        f"expected {expected[worst]:.3g} ± {deviation[worst]:.2g}. What was learnt may not fit either of them."
    )
