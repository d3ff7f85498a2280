"""The audit of one mechanism: choose a rule on one part of the samples, count its guesses on the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from rlm_core.audit.bound import log_odds_low
from rlm_core.audit.rules import Rule, promising_rules, scores
from rlm_core.mechanism import Mechanism, rows
from rlm_core.owner.randomness import uniform_below
from rlm_core.types import FloatArray

Pair = tuple[ArrayLike, ArrayLike]
CONFIDENCE = 0.999
SAMPLES = 100_000
RULES = 8
"""How many rules are confirmed at most; the error probability is divided by their number."""


@dataclass(frozen=True, kw_only=True)
class CountedEvent:
    """A rule that was confirmed on fresh outputs: guesses right and wrong, and the ε that they prove."""

    event: str
    correct: int
    wrong: int
    lower_bound: float


@dataclass(frozen=True, kw_only=True)
class AuditResult:
    """What was claimed, and what the samples prove about it.

    Guarantee: for independent outputs, P(``lower_bound`` > the true ε) ≤ 1 − ``confidence``.
    ``ok`` only says that nothing was found; it never proves that the claim holds. ``pair`` is the number of the
    pair of inputs that was counted, ``events`` all rules that were.
    """

    mechanism: str
    epsilon: float
    lower_bound: float
    confidence: float
    samples: int
    ok: bool
    event: str
    pair: int = 0
    events: tuple[CountedEvent, ...] = ()


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

    A tenth (at most) of the samples of each pair teaches the scores, another tenth chooses the
    pair and a few rules, and the bound comes from their guesses on the remaining, fresh
    ones: the best rule counts, with the error probability divided by the number of rules. A
    fair coin decides for each counted output which input it is drawn for (see ``bound.py``).
    """
    if not samples >= 100:
        raise ValueError(f"Expected samples >= 100, got samples={samples!r}.")
    if not pairs:
        raise ValueError("Expected at least one pair of inputs, got none.")
    width = max(mechanism.input_dim, mechanism.output_dim)
    tenth = _tenth(samples, width)
    count = samples - 2 * tenth
    total = 2 * (2 * tenth * len(pairs) + count)
    drawn = 0

    def whole(x: FloatArray, wanted: int) -> FloatArray:
        nonlocal drawn
        sizes = _batches(wanted, tenth, width)
        result = np.concatenate([mechanism.privatise(np.repeat(x, size, axis=0)) for size in sizes])
        drawn += wanted
        if progress is not None:
            progress(Progress(drawn=drawn, total=total, lower_bound=None))
        return result

    choices = []
    for number, pair in enumerate(pairs):
        x, x_other = (rows("x", np.atleast_2d(np.asarray(each)), mechanism.input_dim)[:1] for each in pair)
        z, z_other = mechanism.represent(x)[0], mechanism.represent(x_other)[0]
        learnt = scores(mechanism, z, z_other, whole(x, tenth), whole(x_other, tenth))
        found = promising_rules(learnt, whole(x, tenth), whole(x_other, tenth), confidence=confidence)
        choices.append((max(found, key=_promise), found, number, x, x_other))
    _, found, chosen, x, x_other = max(choices, key=lambda choice: choice[0][0])
    rules = [rule for _, rule in sorted(found, key=_promise)[-RULES:]]
    needed = {rule.score.name: rule.score for rule in rules}  # two rules may share a score
    each = 1.0 - (1.0 - confidence) / len(rules)

    correct, wrong = np.zeros((2, len(rules)))
    bounds = np.zeros(len(rules))
    for size in _batches(count, tenth, width):
        heads = int(uniform_below(2, 2 * size).sum())
        for record, times, truth in ((x, heads, 1), (x_other, 2 * size - heads, -1)):
            if times:
                released = mechanism.privatise(np.repeat(record, times, axis=0))
                values = {name: score.of(released) for name, score in needed.items()}
                guesses = np.stack([rule.guess(values[rule.score.name]) for rule in rules])  # (rules, times)
                correct += (guesses == truth).sum(axis=1)
                wrong += (guesses == -truth).sum(axis=1)
        drawn += 2 * size
        if progress is not None or drawn == total:
            bounds = np.maximum(log_odds_low(correct, wrong, confidence=each), 0.0)
        if progress is not None:
            progress(Progress(drawn=drawn, total=total, lower_bound=float(bounds.max())))
    return AuditResult(
        mechanism=mechanism.name,
        epsilon=mechanism.epsilon,
        lower_bound=float(bounds.max()),
        confidence=confidence,
        samples=samples,
        ok=bool(bounds.max() <= mechanism.epsilon),
        event=str(rules[int(bounds.argmax())]),
        pair=chosen,
        events=tuple(
            CountedEvent(event=str(rule), correct=int(correct[at]), wrong=int(wrong[at]), lower_bound=float(bounds[at]))
            for at, rule in enumerate(rules)
        ),
    )


def _promise(choice: tuple[float, Rule]) -> float:
    return choice[0]


def _batches(wanted: int, tenth: int, width: int) -> Iterator[int]:
    """Sizes of the calls: bounded memory, and several calls per part, so that noise that repeats is noticed."""
    size = max(1, min(tenth // 4, 2**20 // width))
    for start in range(0, wanted, size):
        yield min(size, wanted - start)


def most_provable(samples: int, *, width: int = 1, confidence: float = CONFIDENCE) -> float:
    """The largest bound that an audit of this size can give: every counted guess is made, and right.

    ``width`` is the larger of input and output dimension; it only matters above some thousands.

    Nothing above it can be shown, however broken the mechanism; and an ε claimed above it cannot be refuted.

    >>> round(most_provable(100_000), 1)
    10.1
    """
    return float(log_odds_low(2 * (samples - 2 * _tenth(samples, width)), 0, confidence=confidence))


def _tenth(samples: int, width: int) -> int:
    """Outputs per part before the counting; held in memory, so not more than 64 MiB."""
    return min(samples // 10, max(10, 2**23 // width))
