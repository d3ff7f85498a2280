"""The rows of the frozen protocols as a section of the results page: all test people, and those nobody had tested.

Deviations between seeds and between draws of the channel stand apart: the first is about people and training, the
second about the noise alone.
"""

from __future__ import annotations

import math

from benchmarks import aims, summary
from benchmarks.protocols import PROTOCOLS, Protocol
from benchmarks.summary import Cell
from rlm_core.catalogue import DATASETS, EXPERIMENTS

INTRODUCTION = (
    "## The frozen protocols",
    "",
    "Measured as a page had fixed before: column `protocol` of the CSV files. A cell: mean over seeds of the mean over",
    "draws; standard deviation between seeds; between draws of the channel within a seed; below, the cell on the test",
    "people whom no seed had tested before the protocol. – where there is only one. The history shows that the",
    "pages of protocols 2, 4 and 5 came before their rows; that of protocol 3 was committed with them. Private",
    "inference of the V-RLM and C-RLM was added to protocol 2's command after its other rows; its page leaves both as",
    "in protocol 1.",
    "",
)


def section() -> list[str]:
    """Markdown lines; [] if nothing has been measured under a protocol yet."""
    lines = [line for protocol in PROTOCOLS.values() for line in _of_one(protocol)]
    return [*INTRODUCTION, *lines, *aims.section()] if lines else []


def _of_one(protocol: Protocol) -> list[str]:
    lines: list[str] = []
    titles = {name: facts.title for name, facts in EXPERIMENTS.items()} | {"own_data": "Own data"}
    for name, title in titles.items():
        cells = summary.cells(name, protocol=protocol.number)
        others = summary.cells(f"{name}_unseen", protocol=protocol.number)
        unseen = {(each.dataset, each.mechanism, each.epsilon): each for each in others}
        for dataset in dict.fromkeys(cell.dataset for cell in cells):
            chosen = [cell for cell in cells if cell.dataset == dataset]
            whose = DATASETS[dataset].title if dataset in DATASETS else dataset.replace("_", " ").title()
            lines += [f"#### {title}, {whose}", "", *_grid(chosen, unseen), ""]
    seeds = ", ".join(map(str, protocol.seeds))
    heading = [f"### Protocol {protocol.number}: seeds {seeds}", "", f"Fixed in `{protocol.page}`.", ""]
    return [*heading, *lines] if lines else []


def _grid(cells: list[Cell], unseen: dict[tuple[str, str, float], Cell]) -> list[str]:
    budgets = sorted({cell.epsilon for cell in cells})
    heads = ["no LDP" if math.isinf(epsilon) else f"ε = {epsilon:g}" for epsilon in budgets]
    lines = [f"| mechanism | seeds | {' | '.join(heads)} |", "|---|---" + "|---" * len(budgets) + "|"]
    for mechanism in dict.fromkeys(cell.mechanism for cell in cells):
        of_one = {cell.epsilon: cell for cell in cells if cell.mechanism == mechanism}
        seeds = "/".join(map(str, sorted({cell.seeds for cell in of_one.values()})))
        texts = [
            _text(of_one[epsilon], unseen.get((of_one[epsilon].dataset, mechanism, epsilon)))
            if epsilon in of_one
            else ""
            for epsilon in budgets
        ]
        lines.append(f"| {mechanism} | {seeds} | {' | '.join(texts)} |")
    return lines


def _text(cell: Cell, unseen: Cell | None) -> str:
    below = f"<br>{unseen.mean:.1f}" if unseen is not None else ""
    return f"**{cell.mean:.1f}** ± {_deviation(cell.std)} ± {_deviation(cell.draw_std)}{below}"


def _deviation(value: float) -> str:
    return "–" if math.isnan(value) else f"{value:.1f}"
