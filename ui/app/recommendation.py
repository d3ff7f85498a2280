"""Which mechanism suits an experiment at ε: the zoo's choice, or our own private search's where there was one."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator
from contextlib import suppress

from benchmarks import table
from rlm_core import zoo

SEARCH = {"private_inference": "private_grid"}
"""Purposes with a private grid search of ours, and the results that hold its estimates."""

BUDGETS = (1.0, 2.0, 4.0, 6.0, 8.0, 10.0)


def suited_mechanism(dataset: str, epsilon: float, purpose: str, names: tuple[str, ...]) -> str:
    """Of ``names``, the one recommended for a purpose at the budget nearest to ε.

    The zoo recommends the paper's choice; for private inference it is our own private search's (with the
    first seed, as the shipped mechanisms are).
    """
    budgets = sorted(BUDGETS, key=lambda each: abs(math.log(each / min(epsilon, 1e6))))
    for budget in [*([epsilon] if math.isinf(epsilon) else []), *budgets]:
        for name in _recommended(dataset, budget, purpose, names):
            if name in names:
                return name
    return names[0]


def _recommended(dataset: str, budget: float, purpose: str, names: Collection[str]) -> Iterator[str]:
    """Our search's best first, then the paper's choice for the purpose, then the one for data collection."""
    paper = []
    for each in (purpose, "data_collection"):
        with suppress(ValueError):  # the paper has no such table
            paper.append(zoo.choose(dataset, budget, each))
    found = _estimates(purpose, dataset, budget)
    compared = [name for name in found if name in names]
    if compared:
        yield max(compared, key=lambda name: (found[name], name in paper[:1]))
    yield from paper


def _estimates(purpose: str, dataset: str, budget: float) -> dict[str, float]:
    """The private validation's estimates of our search with the first seed; {} where there was none."""
    if purpose not in SEARCH:
        return {}
    rows = (table.parse(each) for each in table.read(SEARCH[purpose]))
    wanted = (dataset, budget, 0)
    return {row.mechanism: row.accuracy for row in rows if (row.dataset, row.epsilon, row.seed) == wanted}
