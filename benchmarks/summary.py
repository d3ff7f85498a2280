"""Trials to cells: mean and deviation over the seeds, beside the paper's. Page and report read the same cells.

    cells("data_collection")            # what is measured, from benchmarks/results/data_collection.csv
    paper_curve("data_collection", "mnist", "V-RLM")          # {10.0: (86.1, 1.0), …, inf: (94.9, 0.2)}
    epsilon_needed(cells_of_one_mechanism, accuracy=80.0)

Nothing is typed in: ours comes from the CSV files, the paper's from ``paper_numbers.json``.
"""

from __future__ import annotations

import json
import math
import statistics
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from benchmarks import table
from rlm_core.catalogue import CLEAN_FEATURES

__all__ = [
    "CLEAN_FEATURES",
    "Cell",
    "cells",
    "current_cells",
    "epsilon_needed",
    "paper_cell",
    "paper_curve",
    "paper_mechanisms",
    "paper_tables",
    "shown_name",
]

PAPER_NUMBERS = Path(__file__).resolve().parent / "paper_numbers.json"


@dataclass(frozen=True, kw_only=True)
class Cell:
    """One mechanism on one dataset at one ε. Accuracies in percent; ``std`` is NaN for a single seed.

    A seed with several draws of the channel counts once, with their mean; ``std`` is between seeds, ``draw_std`` the
    deviation between draws within a seed (root of the mean variance; NaN for single draws). Where rows of a
    newer protocol exist, older rows of the cell are left out.

    ``lam`` to ``version`` are as in the rows, as text; seeds that differ in one are joined with " / ".
    ``paper_mean`` and ``paper_std`` are None where the paper has no such cell.
    """

    experiment: str
    dataset: str
    mechanism: str
    epsilon: float
    mean: float
    std: float
    seeds: int
    lam: str
    latent_dim: str
    radius: str
    epsilon_pretraining: str
    train_rows: str
    test_rows: str
    version: str
    paper_mean: float | None
    paper_std: float | None
    draw_std: float = math.nan
    protocol: int = 1

    @property
    def difference(self) -> float | None:
        """Ours less the paper's, in points."""
        return None if self.paper_mean is None else self.mean - self.paper_mean

    @property
    def within_two_std(self) -> bool | None:
        """Not more than two of the paper's standard deviations below its mean."""
        return self._not_below(2)

    @property
    def reaches(self) -> bool | None:
        """At or above the paper's mean less one of its standard deviations."""
        return self._not_below(1)

    def _not_below(self, deviations: int) -> bool | None:
        if self.paper_mean is None or self.paper_std is None:
            return None
        # Both sides are rounded to hundredths, as printed: 92.0 is not below 93.1 - 1.1 for a rounding error.
        return round(self.mean, 2) >= round(self.paper_mean - deviations * self.paper_std, 2)


def cells(
    experiment: str, folder: Path | None = None, *, protocol: int | None = None, seed: int | None = None
) -> list[Cell]:
    """All cells of an experiment, by dataset and mechanism (the paper's in its order, then ours), ε falling from ∞.

    With ``protocol`` those of its rows alone; without, each cell is of the newest protocol that it has. With ``seed``,
    of that seed's rows alone.
    """
    return list(_cells(experiment, folder, protocol, seed, table.stamp(experiment, folder)))


def current_cells(experiment: str) -> list[Cell]:
    """The same for tables and charts: without cells at ε = ∞ that are older than the others of their row.

    The frozen protocols leave out what has no ε (private inference): an older row without LDP is of another encoder.
    """
    found = cells(experiment)
    newest: dict[tuple[str, str], int] = {}
    for cell in found:
        key = cell.dataset, cell.mechanism
        newest[key] = max(cell.protocol, newest.get(key, 0))
    return [c for c in found if math.isfinite(c.epsilon) or c.protocol == newest[c.dataset, c.mechanism]]


@lru_cache(maxsize=64)
def _cells(
    experiment: str, folder: Path | None, protocol: int | None, seed: int | None, stamp: tuple[str, int, int]
) -> list[Cell]:
    groups: dict[tuple[str, str], dict[float, list[dict[str, str]]]] = {}
    for row in table.read(experiment, folder):
        if protocol not in (None, int(row["protocol"])) or seed not in (None, int(row["seed"])):
            continue
        by_epsilon = groups.setdefault((row["dataset"], row["mechanism"]), {})
        by_epsilon.setdefault(float(row["epsilon"]), []).append(row)

    def place(key: tuple[str, str]) -> tuple[int, int]:
        dataset, mechanism = key
        known = paper_mechanisms(experiment, dataset)
        return datasets.index(dataset), known.index(mechanism) if mechanism in known else len(known)

    datasets = list(dict.fromkeys(dataset for dataset, _ in groups))
    return [
        _cell(experiment, *key, epsilon, groups[key][epsilon])
        for key in sorted(groups, key=place)
        for epsilon in sorted(groups[key], reverse=True)
    ]


def _cell(experiment: str, dataset: str, mechanism: str, epsilon: float, rows: list[dict[str, str]]) -> Cell:
    protocol = max(int(row["protocol"]) for row in rows)
    rows = [row for row in rows if int(row["protocol"]) == protocol]
    draws: dict[str, list[float]] = {}
    for row in rows:
        draws.setdefault(row["seed"], []).append(float(row["accuracy"]))
    accuracies = [statistics.fmean(each) for each in draws.values()]
    variances = [statistics.variance(each) for each in draws.values() if len(each) > 1]
    paper_mean, paper_std = paper_cell(experiment, dataset, mechanism, epsilon) or (None, None)
    names = ("lam", "latent_dim", "radius", "epsilon_pretraining", "train_rows", "test_rows", "version")
    return Cell(
        experiment=experiment,
        dataset=dataset,
        mechanism=mechanism,
        epsilon=epsilon,
        mean=statistics.fmean(accuracies),
        std=statistics.stdev(accuracies) if len(accuracies) > 1 else math.nan,
        seeds=len(draws),
        draw_std=math.sqrt(statistics.fmean(variances)) if variances else math.nan,
        protocol=protocol,
        paper_mean=paper_mean,
        paper_std=paper_std,
        **{name: " / ".join(dict.fromkeys(row[name] for row in rows)) for name in names},
    )


def shown_name(mechanism: str) -> str:
    """A mechanism as people read it; files have plain letters.

    >>> shown_name("V-RLM eta=0.50"), shown_name("V-RLM eps_cdp=5"), shown_name("V-RLM eps_cdp=inf"), shown_name("PCA")
    ('V-RLM (η = 0.5)', 'V-RLM (ε_CDP = 5)', 'V-RLM (no central DP)', 'PCA')
    """
    name, _, setting = mechanism.partition(" ")
    what, _, value = setting.partition("=")
    symbol = {"eta": "η", "eps_cdp": "ε_CDP"}.get(what)
    if symbol is None:
        return mechanism
    return f"{name} ({symbol} = {float(value):g})" if math.isfinite(float(value)) else f"{name} (no central DP)"


@cache
def paper_tables() -> dict[str, Any]:
    """The paper's tables as they are in the file: experiment, dataset, mechanism, ε, [mean, std]."""
    tables: dict[str, Any] = json.loads(PAPER_NUMBERS.read_text(encoding="utf-8"))["tables"]
    return tables


def paper_mechanisms(experiment: str, dataset: str) -> list[str]:
    """Mechanisms in the paper's table of an experiment, in its order; [] where it has none."""
    return list(paper_tables().get(experiment, {}).get(dataset, {}))


def paper_curve(experiment: str, dataset: str, mechanism: str) -> dict[float, tuple[float, float]]:
    """The paper's mean and standard deviation by ε, inf for no LDP; {} where it has none."""
    found = paper_tables().get(experiment, {}).get(dataset, {}).get(mechanism, {})
    return {float(epsilon): (float(mean), float(std)) for epsilon, (mean, std) in found.items()}


def paper_cell(experiment: str, dataset: str, mechanism: str, epsilon: float) -> tuple[float, float] | None:
    """One cell of the paper; its clean-features-only number stands for every ε."""
    if mechanism == CLEAN_FEATURES:
        baseline = paper_tables().get(experiment, {}).get("clean_features_only")
        return None if baseline is None else (float(baseline[0]), float(baseline[1]))
    return paper_curve(experiment, dataset, mechanism).get(epsilon)


def epsilon_needed(curve: Iterable[Cell] | Mapping[float, float], accuracy: float) -> float | None:
    """The smallest ε from which on a mechanism keeps this accuracy, between the measured ε by straight lines.

    From which *on*: where a curve falls below the accuracy again at a larger ε, the larger ε counts, so
    one lucky cell promises nothing.

    Args:
        curve: Cells of one mechanism on one dataset, or mean accuracies by ε; ε = inf is ignored.
        accuracy: Wanted, in the unit of the curve.

    Returns:
        ε, or None if the accuracy is missed at the largest ε that was measured. The smallest measured ε
        where that already reaches it: nothing is extrapolated.

    Examples:
        >>> epsilon_needed({2.0: 40.0, 4.0: 60.0, 6.0: 90.0}, 50.0)
        3.0
        >>> epsilon_needed({2.0: 40.0, 4.0: 60.0}, 61.0) is None
        True
        >>> epsilon_needed({2.0: 80.0, 4.0: 70.0, 6.0: 90.0}, 75.0)
        4.5
        >>> epsilon_needed({2.0: 40.0, 4.0: 60.0}, 10.0)
        2.0
    """
    means = dict(curve) if isinstance(curve, Mapping) else {cell.epsilon: cell.mean for cell in curve}
    points = sorted((epsilon, mean) for epsilon, mean in means.items() if math.isfinite(epsilon))
    if not points or not points[-1][1] >= accuracy:
        return None
    for (low, below), (high, above) in reversed(list(zip(points, points[1:], strict=False))):
        if below < accuracy:
            return float(low + (high - low) * (accuracy - below) / (above - below))
    return points[0][0]
