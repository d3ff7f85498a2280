"""What the frozen protocol was meant to reach, set before its runs, beside what it reached: for docs/results.md."""

from __future__ import annotations

import math
from dataclasses import dataclass

from benchmarks import summary
from benchmarks.frozen import PROTOCOL
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
    """Markdown lines: every aim with its cell, and private inference against its cap."""
    lines = [
        "### Aims",
        "",
        "Set before the runs. On people nobody had tested: the same cell on the test people of no earlier seed.",
        "",
        "| dataset | mechanism | ε | aim | reached | difference | between seeds | between draws | untested people |",
        "|---|---|---|---|---|---|---|---|---|",
    ]
    found, unseen = _cells("data_collection"), _cells("data_collection_unseen")
    for aim in AIMS:
        key = (aim.dataset, aim.mechanism, aim.epsilon)
        lines.append(_row(aim, found.get(key), unseen.get(key)))
    return [*lines, "", *_against_cap(found), ""]


def _cells(experiment: str) -> dict[tuple[str, str, float], Cell]:
    cells = (cell for cell in summary.cells(experiment) if cell.protocol == PROTOCOL)
    return {(cell.dataset, cell.mechanism, cell.epsilon): cell for cell in cells}


def _row(aim: Aim, cell: Cell | None, unseen: Cell | None) -> str:
    start = f"| {DATASETS[aim.dataset].title} | {aim.mechanism} | {aim.epsilon:g} | {aim.percent:g}"
    if cell is None:
        return f"{start} | not measured | | | | |"
    spread = [_within(cell.std, aim.std), _within(cell.draw_std, aim.draw_std)]
    other = "" if unseen is None else f"{unseen.mean:.1f}"
    return f"{start} | **{cell.mean:.1f}** | {cell.mean - aim.percent:+.1f} | {spread[0]} | {spread[1]} | {other} |"


def _within(value: float, most: float) -> str:
    if math.isinf(most):
        return f"{value:.1f}"
    return f"{value:.1f} (at most {most:g}{'' if value <= most else ': missed'})"


def _against_cap(found: dict[tuple[str, str, float], Cell]) -> list[str]:
    """Private inference of MNIST: the share of cap × purity, purity being what ten codes have at ε = 1."""
    few = found.get(("mnist", CODES, 1.0))
    cells = [
        cell for cell in _cells("private_inference").values() if (cell.dataset, cell.mechanism) == ("mnist", CODES)
    ]
    if few is None or not cells:
        return []
    shares = {
        cell.epsilon: cell.mean / (few.mean * krr_cap(TEST_SHARE * cell.epsilon, len(DATASETS["mnist"].classes)))
        for cell in sorted(cells, key=lambda cell: cell.epsilon)
    }
    told = ", ".join(f"{100 * share:.0f} % at ε = {epsilon:g}" for epsilon, share in shares.items())
    return [
        f"Private inference, MNIST: of the cap of k-RR at ε_test times the {few.mean:.1f} % of ten codes, the aim was",
        f"{100 * SHARE_OF_CAP:.0f} % in every column; reached are {told}.",
    ]
