"""Gain against risk, and the ε that an accuracy needs: what the pages say about choosing one. From committed results.

Gain: the accuracy of the model that data collection learns from everybody. Risk: how often Bayes' rule guesses one
sender's class from the same report (``benchmarks.experiments.gain_risk``).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from benchmarks import shipped, summary, table
from benchmarks.summary import Cell
from rlm_core.catalogue import CODES, DATASETS

EXPERIMENT = "data_collection"
PREFIX = f"{CODES} people="
"""Of the names in people_needed.csv; the factor follows."""


@dataclass(frozen=True, kw_only=True)
class Point:
    """One mechanism at one ε, all in percent: gain with its deviation between seeds, risk with that between draws."""

    epsilon: float
    gain: float
    gain_std: float
    risk: float
    risk_std: float
    cell: Cell


def points(dataset: str) -> dict[str, list[Point]]:
    """By mechanism, ε rising; only where both were measured. The risk of codes is that of the shipped encoder."""
    risks = {(cell.mechanism, cell.epsilon): cell for cell in shipped.cells("gain_risk", dataset, same_seed=True)}
    found: dict[str, list[Point]] = {}
    for cell in reversed(collected(dataset)):
        risk = risks.get((cell.mechanism, cell.epsilon))
        if risk is not None:
            point = Point(
                epsilon=cell.epsilon,
                gain=cell.mean,
                gain_std=cell.std,
                risk=risk.mean,
                risk_std=risk.draw_std,
                cell=cell,
            )
            found.setdefault(cell.mechanism, []).append(point)
    return {name: found[name] for name in dict.fromkeys(cell.mechanism for cell in collected(dataset)) if name in found}


def not_attacked(dataset: str) -> dict[str, Cell]:
    """Mechanisms whose gain was measured and whose risk was not, each with its best cell."""
    shown, best = points(dataset), dict[str, Cell]()
    for cell in collected(dataset):
        if cell.mechanism not in shown and (cell.mechanism not in best or cell.mean > best[cell.mechanism].mean):
            best[cell.mechanism] = cell
    return best


def collected(dataset: str) -> list[Cell]:
    """Our cells of data collection at finite ε, by mechanism, ε falling; codes of the shipped encoder's protocol."""
    return [cell for cell in shipped.cells(EXPERIMENT, dataset) if math.isfinite(cell.epsilon)]


def people_measured(dataset: str) -> int:
    """How many people sent a report in data collection: n₀."""
    return int(collected(dataset)[0].train_rows)


def equivalent_epsilon(epsilon: float, factor: float) -> float:
    """The ε₀ at which one person says as much as ``factor`` people at ε: sinh²(ε₀/2) = factor·sinh²(ε/2).

    The model of the rule for k (``benchmarks.experiments.people_needed``), for pairs of code and label.

    >>> round(equivalent_epsilon(2.0, 1.0), 6), equivalent_epsilon(1.0, 4.0) < 2.0
    (2.0, True)
    """
    return 2 * math.asinh(math.sqrt(factor) * math.sinh(epsilon / 2))


@dataclass(frozen=True, kw_only=True)
class Tried:
    """The Q-RLM with ``factor`` times the people: what was measured, and what the model says from n₀ people alone."""

    factor: float
    people: int
    epsilon: float
    measured: float
    std: float
    modelled: float | None


def tried(dataset: str) -> list[Tried]:
    """All trials of the shipped codes with fewer and more people, beside the model.

    ``modelled`` is None outside what n₀ people measured.
    """
    base = {cell.epsilon: cell.mean for cell in _of(collected(dataset), CODES)}
    found = []
    for cell in shipped.cells("people_needed", dataset, same_seed=True):
        factor = float(cell.mechanism.removeprefix(PREFIX))
        found.append(
            Tried(
                factor=factor,
                people=int(cell.train_rows),
                epsilon=cell.epsilon,
                measured=cell.mean,
                std=cell.draw_std,
                modelled=between(base, equivalent_epsilon(cell.epsilon, factor)),
            )
        )
    return found


def between(curve: Mapping[float, float], epsilon: float) -> float | None:
    """A curve's value at ε by straight lines; None outside what was measured.

    >>> between({1.0: 10.0, 2.0: 20.0}, 1.5), between({1.0: 10.0}, 3.0) is None
    (15.0, True)
    """
    known = sorted(curve)
    if not known or not known[0] <= epsilon <= known[-1]:
        return None
    for low, high in zip(known, known[1:], strict=False):
        if low <= epsilon <= high:
            return curve[low] + (curve[high] - curve[low]) * (epsilon - low) / (high - low)
    return curve[known[0]]


@dataclass(frozen=True, kw_only=True)
class Need:
    """The ε that a mechanism needs; None where it is never enough, up to the largest ε measured.

    ``low`` and ``high``: where the curve one standard deviation (between seeds) above and below crosses; ``high`` is
    None if it never does. ``at_most``: the smallest ε measured is enough. ``modelled``: the answer lies beyond what
    that number of people measured.
    """

    mechanism: str
    epsilon: float | None
    low: float | None
    high: float | None
    at_most: bool
    best: float
    modelled: bool


def needs(dataset: str, accuracy: float, factor: float = 1.0) -> list[Need]:
    """For every mechanism of data collection with ``factor`` times the people measured; the smallest ε first.

    Of two that need the same ε, the one that tells an attacker less comes first. Other numbers of people were
    measured, and beyond that are modelled, for codes alone; other mechanisms are left out then.
    """
    cells = collected(dataset)
    found = []
    for name in dict.fromkeys(cell.mechanism for cell in cells):
        if factor != 1.0 and name != CODES:
            continue
        curves = [_curve(dataset, _of(cells, name), factor, side) for side in (0, 1, -1)]
        epsilon, low, high = (summary.epsilon_needed(curve, accuracy) for curve in curves)
        known = max((each.epsilon for each in tried(dataset) if each.factor == factor), default=0.0)
        found.append(
            Need(
                mechanism=name,
                epsilon=epsilon,
                low=low,
                high=high,
                at_most=epsilon is not None and epsilon == min(curves[0]),
                best=max(curves[0].values()),
                modelled=factor != 1.0 and (epsilon is None or epsilon > known),
            )
        )

    def order(need: Need) -> tuple[bool, float, float]:
        if need.epsilon is None:
            return True, -need.best, 0.0
        risk = risk_at(dataset, need.mechanism, need.epsilon)
        return False, need.epsilon, math.inf if risk is None else risk

    return sorted(found, key=order)


def _curve(dataset: str, mine: Sequence[Cell], factor: float, side: int) -> dict[float, float]:
    """Accuracy by ε, ``side`` deviations aside.

    For other numbers of people codes were measured too, with one encoder; beyond these ε comes the model. Fewer
    people are not given a smaller ε than data collection has, where several encoders were measured.
    """
    cells = {cell.epsilon: cell.mean + side * _spread(cell) for cell in mine}
    if factor == 1.0:
        return cells
    known = {
        each.epsilon: each.measured + side * each.std
        for each in tried(dataset)
        if each.factor == factor and (factor > 1.0 or each.epsilon >= min(cells))
    }
    model = {equivalent_epsilon(epsilon, 1 / factor): value for epsilon, value in cells.items()}
    return known | {epsilon: value for epsilon, value in model.items() if epsilon > max(known, default=0.0)}


def risk_at(dataset: str, mechanism: str, epsilon: float) -> float | None:
    """How often the attacker guesses right, between the measured ε by straight lines; in percent."""
    mine = points(dataset).get(mechanism, [])
    return between({0.0: chance(dataset)} | {point.epsilon: point.risk for point in mine}, epsilon) if mine else None


def gain_at(dataset: str, mechanism: str, epsilon: float, factor: float = 1.0) -> float | None:
    """The model's accuracy, between the measured ε by straight lines; in percent."""
    return between(_curve(dataset, _of(collected(dataset), mechanism), factor, 0), epsilon)


def chance(dataset: str) -> float:
    """What guessing gives without any report, in percent: classes are equally frequent."""
    return 100 / len(DATASETS[dataset].classes)


def datasets() -> list[str]:
    """Datasets with committed data collection."""
    measured = {row["dataset"] for row in table.read(EXPERIMENT)}
    return [name for name in DATASETS if name in measured]


def _of(cells: Sequence[Cell], mechanism: str) -> list[Cell]:
    return [cell for cell in cells if cell.mechanism == mechanism]


def _spread(cell: Cell) -> float:
    return 0.0 if math.isnan(cell.std) else cell.std
