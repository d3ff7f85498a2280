"""When software should say that it will not do, and what would."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from rlm_core.privatiser.plan import epsilon_needed
from rlm_core.types import FloatArray

DRIFT_DEVIATIONS = 6.0
"""Reports differ from the public rows if some average is so many deviations off (one of 100 by chance: 2e-7)."""

PEOPLE = 8e9
"""More reports than that cannot be asked for."""

FEWEST_ROWS, SMALLEST_SHARE = 3, 0.001
"""A class with fewer public rows, or a smaller share of them, may be a slip of the pen."""

RARE = 0.1
"""Such a class is rare only if it has at most so much of the rows that a class has on average."""

END_OF_WORD = ".,;:!?"
"""Signs that may slip in behind a label. Others, as in "A+" and "A-", tell classes apart."""

MOST_NAMED = 5

UNRELATED = 0.01
"""Reports show that records tell the label if chance alone would show as much less often than this."""


class UtilityWarning(UserWarning):
    """The guarantee holds, but what the collector learns is not worth much."""


def too_few(epsilon: float, reports: int, classes: int, needed: Callable[[float, int], float]) -> str | None:
    """What to say if n is too small for ε, or None; ``needed`` says how many would do at some ε, for K classes."""
    enough = needed(epsilon, classes)
    if reports >= enough:
        return None
    other = epsilon_needed(reports, classes, needed)
    expected = f"at least {enough:,.0f} reports" if enough <= PEOPLE else "more than there are people"
    instead = "" if other is None else f", or epsilon of at least {other:g}"
    return f"{reports:,} reports are few for epsilon={epsilon:g} and {classes} classes: expected {expected}{instead}."


def one_answer(shares: FloatArray, classes: tuple[str, ...]) -> str | None:
    """What to say if the classifier gives (nearly) all public rows the same class, or None."""
    best = int(np.argmax(shares))
    if shares[best] < 0.999:
        return None
    return (
        f"The classifier says {classes[best]!r} to {shares[best]:.1%} of the public rows: it is no better than the "
        "majority. More reports or a larger epsilon may help."
    )


def unrelated(chance: float | None) -> str | None:
    """What to say if reports do not show that records tell the label, or None (so too where nothing is known)."""
    if chance is None or chance < UNRELATED:
        return None
    return (
        f"The reports do not show that records tell the label (p = {chance:.2g}): the classifier may be no better than "
        "always saying the commonest class. More reports or a larger epsilon may help, if anything does."
    )


def not_better(right: NDArray[np.bool_], commonest: NDArray[np.bool_]) -> str | None:
    """What to say if a test finds no gain over the commonest class that could not be chance, or None.

    Args:
        right: (n,) whether the classifier is right about each test row.
        commonest: (n,) whether the commonest class would be. Where they differ, either is right as often by chance
            (McNemar); two standard deviations of that are asked for.
    """
    gained, lost = int((right & ~commonest).sum()), int((~right & commonest).sum())
    if gained - lost > 2.0 * (gained + lost) ** 0.5:
        return None
    rows = f", as far as {len(right):,} test rows can tell" if right.mean() > commonest.mean() else ""
    return (
        f"The accuracy {right.mean():.1%} is no better than always saying the commonest class, "
        f"{commonest.mean():.1%}{rows}."
    )


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


def label_among_features(names: Sequence[str]) -> str | None:
    """What to say of features whose values are exactly the classes, or None: a record with its label says it twice."""
    if not names:
        return None
    more = f" and {len(names) - MOST_NAMED} more" if len(names) > MOST_NAMED else ""
    listed = ", ".join(repr(name[:40]) for name in names[:MOST_NAMED]) + more
    features = f"The feature {listed} has" if len(names) == 1 else f"The features {listed} have"
    return (
        f"{features} exactly the classes as values. If that is the label, every record has the answer in it, and the "
        f"classifier is of no use: say which column is the label, fit(public, {names[0][:40]!r}), on the command line "
        "--label, or leave it out of the table. If it is none, all is well."
    )


def doubtful_classes(rows: Mapping[str, int]) -> str | None:
    """What to say of classes that were found in public labels and look mistyped, or None.

    Two that differ only by case, white space around them or a sign behind them; and one with very few rows: fewer than
    3 or 0.1 % of them, and at most a tenth of what a class has on average.

    Args:
        rows: the public rows of every class.
    """
    alike: dict[str, list[str]] = defaultdict(list)
    for name in rows:
        alike[name.strip().rstrip(f"{END_OF_WORD} ").casefold() or name].append(name)
    twins = [group for group in alike.values() if len(group) > 1]
    total = sum(rows.values())
    few, average = max(FEWEST_ROWS, SMALLEST_SHARE * total), total / max(1, len(rows))
    rare = [name for name, count in rows.items() if count < few and count <= RARE * average]
    rare = [name for name in rare if not any(name in group for group in twins)]
    parts = [f"{_named(group, rows)} differ only by case, white space or a sign at the end" for group in twins]
    parts[MOST_NAMED:] = [f"so do {len(parts) - MOST_NAMED} more groups"] if len(parts) > MOST_NAMED else []
    if rare:
        parts.append(f"{_named(rare, rows)} {'is' if len(rare) == 1 else 'are'} very rare")
    if not parts:
        return None
    return (
        f"Each different label of {total:,} public rows is a class of its own, but {'; '.join(parts)}. If this is a "
        "slip, correct the rows, or say which classes there are: classes=[…], on the command line --classes."
    )


def _named(names: list[str], rows: Mapping[str, int]) -> str:
    """Classes and how many rows each has, the first few of many."""
    shown = [f"{name[:40]!r} ({rows[name]:,} row{'' if rows[name] == 1 else 's'})" for name in names[:MOST_NAMED]]
    more = [f"{len(names) - MOST_NAMED} more"] if len(names) > MOST_NAMED else []
    *most, last = [*shown, *more]
    return f"{', '.join(most)} and {last}" if most else last
