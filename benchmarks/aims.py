"""What the frozen protocols were meant to reach, set before their runs, beside what they reached: docs/results.md."""

from __future__ import annotations

import math
from dataclasses import dataclass

from benchmarks import summary
from benchmarks.protocols import PROTOCOLS
from benchmarks.summary import Cell
from rlm_core.catalogue import CODES, DATASETS, TEST_SHARE
from rlm_core.theory import krr_cap

SHARE_OF_CAP = 0.95
"""Private inference: of the cap of k-RR times the purity of the codes."""


@dataclass(frozen=True, kw_only=True)
class Aim:
    """At least ``percent`` right at ε, with deviations of at most ``std`` and ``draw_std`` where they are set."""

    dataset: str
    mechanism: str
    epsilon: float
    percent: float
    std: float = math.inf
    draw_std: float = math.inf


AIMS = (
    Aim(dataset="mnist", mechanism=CODES, epsilon=1.0, percent=96.5),
    *(Aim(dataset="mnist", mechanism=CODES, epsilon=epsilon, percent=97.0) for epsilon in (4.0, 6.0, 8.0, 10.0)),
    Aim(dataset="cifar10", mechanism=CODES, epsilon=1.0, percent=77.0, draw_std=2.0),
    Aim(dataset="cifar10", mechanism=CODES, epsilon=2.0, percent=79.0),
    Aim(dataset="cifar10", mechanism=CODES, epsilon=4.0, percent=82.0),
    Aim(dataset="cifar10", mechanism=CODES, epsilon=10.0, percent=84.0),
    Aim(dataset="lending_club", mechanism=CODES, epsilon=1.0, percent=61.5, std=1.5, draw_std=1.5),
    Aim(dataset="mnist", mechanism="joint V-RLM", epsilon=2.0, percent=60.0),
    Aim(dataset="mnist", mechanism="joint V-RLM", epsilon=4.0, percent=75.0),
)
"""Of data collection, clean test records, the mean over the seeds."""


def section() -> list[str]:
    """Markdown lines: every aim with its cell under each protocol that measured it, and private inference's cap."""
    lines = [
        "### Aims",
        "",
        "Set before the runs. Draws: the deviation between draws of the channel. Untested: the same cell on the test",
        "people of no earlier seed.",
        "",
        "| dataset | mechanism | ε | aim | protocol | reached | difference | between seeds | draws | untested |",
        "|---|---|---|---|---|---|---|---|---|---|",
    ]
    found = {number: _cells("data_collection", number) for number in PROTOCOLS}
    unseen = {number: _cells("data_collection_unseen", number) for number in PROTOCOLS}
    for aim in AIMS:
        key = (aim.dataset, aim.mechanism, aim.epsilon)
        rows = [_row(aim, found[each][key], unseen[each].get(key)) for each in PROTOCOLS if key in found[each]]
        lines += rows or [f"{_start(aim)} | – | not measured | | | | |"]
    return [*lines, "", *_against_cap(), ""]


def _cells(experiment: str, protocol: int) -> dict[tuple[str, str, float], Cell]:
    cells = summary.cells(experiment, protocol=protocol)
    return {(cell.dataset, cell.mechanism, cell.epsilon): cell for cell in cells}


def _start(aim: Aim) -> str:
    return f"| {DATASETS[aim.dataset].title} | {aim.mechanism} | {aim.epsilon:g} | {aim.percent:g}"


def _row(aim: Aim, cell: Cell, unseen: Cell | None) -> str:
    spread = f"{_within(cell.std, aim.std)} | {_within(cell.draw_std, aim.draw_std)}"
    other = "" if unseen is None else f"{unseen.mean:.1f}"
    reached = f"**{cell.mean:.1f}** | {cell.mean - aim.percent:+.1f}"
    return f"{_start(aim)} | {cell.protocol} | {reached} | {spread} | {other} |"


def _within(value: float, most: float) -> str:
    if math.isinf(most):
        return f"{value:.1f}"
    return f"{value:.1f} (at most {most:g}{'' if value <= most else ': missed'})"


def _against_cap() -> list[str]:
    """Private inference: the share of cap × purity, purity being what as many codes as classes have at ε = 1."""
    lines = []
    for number in PROTOCOLS:
        collected, classified = _cells("data_collection", number), _cells("private_inference", number)
        for dataset in dict.fromkeys(name for name, mechanism, _ in classified if mechanism == CODES):
            few = collected.get((dataset, CODES, 1.0))
            if few is not None:
                lines.append(_shares(dataset, number, few, classified))
    if not lines:
        return []
    aim = f"The aim was {100 * SHARE_OF_CAP:.0f} % in every column for MNIST."
    return [
        f"Private inference, against the cap of k-RR at ε_test times what ten codes reach at ε = 1. {aim}",
        "",
        *lines,
    ]


def _shares(dataset: str, protocol: int, few: Cell, classified: dict[tuple[str, str, float], Cell]) -> str:
    cells = [cell for (name, mechanism, _), cell in classified.items() if (name, mechanism) == (dataset, CODES)]
    classes = len(DATASETS[dataset].classes)
    shares = ", ".join(
        f"{100 * cell.mean / (few.mean * krr_cap(TEST_SHARE * cell.epsilon, classes)):.0f} % at ε = {cell.epsilon:g}"
        for cell in sorted(cells, key=lambda cell: cell.epsilon)
    )
    return f"- {DATASETS[dataset].title}, protocol {protocol}, of {few.mean:.1f} %: {shares}."
