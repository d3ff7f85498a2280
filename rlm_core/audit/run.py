"""The audit of one mechanism: choose a rule on one part of the samples, count its guesses on the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.audit.bound import log_odds_low
from rlm_core.audit.rules import best_rule, scores
from rlm_core.mechanism import Mechanism, rows
from rlm_core.owner.randomness import uniform_below
from rlm_core.types import FloatArray

Pair = tuple[ArrayLike, ArrayLike]
CONFIDENCE = 0.999
SAMPLES = 100_000


@dataclass(frozen=True, kw_only=True)
class AuditResult:
    """What was claimed, and what the samples prove about it.

    Guarantee: for independent outputs, P(``lower_bound`` > the true ε) ≤ 1 − ``confidence``.
    ``ok`` only says that nothing was found; it never proves that the claim holds.
    """

    mechanism: str
    epsilon: float
    lower_bound: float
    confidence: float
    samples: int
    ok: bool
    event: str


@dataclass(frozen=True, kw_only=True)
class Progress:
    """Outputs drawn so far, of how many, and the bound as it stands (None while choosing).

    The bound on the way is for the eye: only the final one has the stated confidence, since
    the best of many looks would be too good.
    """

    drawn: int
    total: int
    lower_bound: float | None


Callback = Callable[[Progress], None]


def audit(
    mechanism: Mechanism,
    x: ArrayLike,
    x_other: ArrayLike,
    *,
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
    progress: Callback | None = None,
) -> AuditResult:
    """A lower bound on the ε of ``mechanism`` from ``samples`` releases of x and about as many of x′.

    >>> from rlm_core.owner import L1Clip, LaplaceNoise
    >>> from rlm_core.mechanism import RLM
    >>> noise = LaplaceNoise(epsilon=1.0, clip=L1Clip(radius=5.0))
    >>> rlm = RLM(name="V-RLM", encoder=lambda x: x, noise=noise, input_dim=1, output_dim=1)
    >>> audit(rlm, [5.0], [-5.0], samples=1_000, confidence=1 - 1e-9).ok
    True
    """
    return audit_pairs(mechanism, [(x, x_other)], samples=samples, confidence=confidence, progress=progress)


def audit_pairs(
    mechanism: Mechanism,
    pairs: Sequence[Pair],
    *,
    samples: int = SAMPLES,
    confidence: float = CONFIDENCE,
    progress: Callback | None = None,
) -> AuditResult:
    """The same with several pairs of inputs to choose from.

    A tenth of the samples of each pair teaches the scores, another tenth chooses one rule
    for one pair, and the bound comes from its guesses on the remaining eight tenths, fresh
    ones. So only one rule is ever confirmed, and nothing is lost to multiple tests. A fair
    coin decides for each counted output which input it is drawn for (see ``bound.py``).
    """
    if not samples >= 100:
        raise ValueError(f"Expected samples >= 100, got samples={samples!r}.")
    if not pairs:
        raise ValueError("Expected at least one pair of inputs, got none.")
    tenth = samples // 10
    count = samples - 2 * tenth
    total = 2 * (2 * tenth * len(pairs) + count)
    drawn = 0

    width = max(mechanism.input_dim, mechanism.output_dim)

    def whole(x: FloatArray, wanted: int) -> FloatArray:
        nonlocal drawn
        sizes = _batches(wanted, tenth, width)
        result = np.concatenate([mechanism.privatise(np.repeat(x, size, axis=0)) for size in sizes])
        drawn += wanted
        if progress is not None:
            progress(Progress(drawn=drawn, total=total, lower_bound=None))
        return result

    choices = []
    for pair in pairs:
        x, x_other = (rows("x", np.atleast_2d(np.asarray(each)), mechanism.input_dim)[:1] for each in pair)
        z, z_other = mechanism.represent(x)[0], mechanism.represent(x_other)[0]
        learnt = scores(mechanism, z, z_other, whole(x, tenth), whole(x_other, tenth))
        rule, gain = best_rule(learnt, whole(x, tenth), whole(x_other, tenth), confidence=confidence)
        choices.append((gain, rule, x, x_other))
    _, rule, x, x_other = max(choices, key=lambda choice: choice[0])

    right = wrong = 0
    bound = 0.0
    for size in _batches(count, tenth, width):
        heads = int(uniform_below(2, 2 * size).sum())
        for record, times, truth in ((x, heads, 1), (x_other, 2 * size - heads, -1)):
            if times:
                guesses = rule.guess(mechanism.privatise(np.repeat(record, times, axis=0)))
                right += int((guesses == truth).sum())
                wrong += int((guesses == -truth).sum())
        drawn += 2 * size
        if progress is not None or drawn == total:
            bound = max(0.0, float(log_odds_low(right, wrong, confidence=confidence)))
        if progress is not None:
            progress(Progress(drawn=drawn, total=total, lower_bound=bound))
    return AuditResult(
        mechanism=mechanism.name,
        epsilon=mechanism.epsilon,
        lower_bound=bound,
        confidence=confidence,
        samples=samples,
        ok=bound <= mechanism.epsilon,
        event=str(rule),
    )


def _batches(wanted: int, tenth: int, width: int) -> Iterator[int]:
    """Sizes of the calls: bounded memory, and several calls per part, so that noise that repeats is noticed."""
    size = max(1, min(tenth // 4, 2**20 // width))
    for start in range(0, wanted, size):
        yield min(size, wanted - start)
