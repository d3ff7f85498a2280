"""The rows of the frozen protocol as a section of the results page: all test people, and those nobody had tested.

Deviations between seeds and between draws of the channel stand apart: the first is about people and training, the
second about the noise alone.
"""

from __future__ import annotations

import math

from benchmarks import aims, summary
from benchmarks.frozen import PROTOCOL, SEEDS
from benchmarks.summary import Cell
from rlm_core.catalogue import DATASETS, EXPERIMENTS

INTRODUCTION = (
    "## The frozen protocol",
    "",
    f"Seeds {', '.join(map(str, SEEDS))}, measured as `docs/protocol.md` had fixed before (`protocol` {PROTOCOL} of",
    "the CSV files). A cell: mean over seeds of the mean over draws; standard deviation between seeds; between draws",
    "of the channel within a seed; below, the cell on the test people whom no earlier seed had tested.",
    "– where there is only one.",
    "",
)


def section() -> list[str]:
    """Markdown lines; [] if nothing has been measured under the protocol yet."""
    lines: list[str] = []
    for name, facts in EXPERIMENTS.items():
        cells = [cell for cell in summary.cells(name) if cell.protocol == PROTOCOL]
        unseen = {(each.dataset, each.mechanism, each.epsilon): each for each in summary.cells(f"{name}_unseen")}
        for dataset in dict.fromkeys(cell.dataset for cell in cells):
            chosen = [cell for cell in cells if cell.dataset == dataset]
            lines += [f"### {facts.title}, {DATASETS[dataset].title}", "", *_grid(chosen, unseen), ""]
    return [*INTRODUCTION, *lines, *aims.section()] if lines else []


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
