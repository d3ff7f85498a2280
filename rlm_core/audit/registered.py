"""The audit of a registered mechanism: its worst pair of inputs, and one more for the low bits."""

from __future__ import annotations

import numpy as np

from rlm_core.audit.audit_mechanism import CONFIDENCE, SAMPLES, AuditResult, Callback, Pair, audit_pairs
from rlm_core.mechanism import Mechanism
from rlm_core.registry import Entry
from rlm_core.types import FloatArray


def audit_registered(
    entry: Entry,
    *,
    epsilon: float,
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
    progress: Callback | None = None,
) -> AuditResult:
    """Build the mechanism of an entry for this ε and audit it on its pairs."""
    mechanism = entry.make(epsilon, entry.dimension)
    pairs = pairs_of(entry, mechanism)
    return audit_pairs(mechanism, pairs, samples=samples, confidence=confidence, progress=progress)


def pairs_of(entry: Entry, mechanism: Mechanism) -> list[Pair]:
    """The entry's worst pair (x, x′), (half-way, x) where half-way lies a record, and its other pairs.

    For the Laplace mechanism these are (l·e₁, −l·e₁), where the densities differ most, and
    (0, l·e₁), where the spacing of the floating-point numbers differs most.
    """
    x, x_other = (np.asarray(each, dtype=np.float64) for each in entry.worst_pair(mechanism))
    half_way = (x + x_other) / 2.0
    more = [(half_way, x)] if _accepts(mechanism, half_way) else []
    return [(x, x_other), *more, *entry.other_pairs(mechanism)]


def records_between(entry: Entry, mechanism: Mechanism, *, count: int = 9) -> list[FloatArray]:
    """``count`` records evenly from x′ to x, the two hardest to hide from each other.

    Where nothing lies between them (labels, table rows with categories), just these two.
    """
    x, x_other = (np.asarray(each, dtype=np.float64) for each in entry.worst_pair(mechanism))
    line = [x_other + (x - x_other) * share for share in np.linspace(0.0, 1.0, count)]
    return line if all(_accepts(mechanism, each) for each in line) else [x_other, x]


def _accepts(mechanism: Mechanism, x: FloatArray) -> bool:
    try:
        mechanism.represent(np.atleast_2d(x))
    except (TypeError, ValueError):  # a category has no half-way
        return False
    return True
