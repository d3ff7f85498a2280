"""Ours against the paper, cell by cell, from the committed CSV files alone: nothing is typed in.

python -m benchmarks report                        a summary
python -m benchmarks report --json                 every cell as an object, and the counts
python -m benchmarks report --markdown > docs/results.md
"""

from __future__ import annotations

import argparse
import json
import math
from dataclasses import asdict
from typing import Any

from benchmarks import frozen_tables, report_text, speed, summary, table
from benchmarks.summary import Cell, shown_name
from rlm_core.catalogue import DATASETS, EXPERIMENTS, TEST_SHARE
from rlm_core.theory import krr_cap, vertex_accuracy


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The command line."""
    style = parser.add_mutually_exclusive_group()
    style.add_argument("--json", action="store_true", help="all cells and counts as one object")
    style.add_argument("--markdown", action="store_true", help="the page docs/results.md")


def main(options: argparse.Namespace) -> int:
    """Print the report."""
    if options.json:
        print(json.dumps(as_json(), indent=1))
    elif options.markdown:
        print(page(), end="")
    else:
        print("\n".join(headline()))
    return 0


def measured() -> dict[str, list[Cell]]:
    """The cells of every experiment that has been run."""
    found = {experiment: summary.current_cells(experiment) for experiment in EXPERIMENTS}
    return {experiment: cells for experiment, cells in found.items() if cells}


def count(cells: list[Cell]) -> tuple[int, int, int]:
    """How many cells reach the paper's mean − 1 std, its mean − 2 std (or better), and how many there are."""
    compared = [cell for cell in cells if cell.paper_mean is not None]
    return sum(bool(c.reaches) for c in compared), sum(bool(c.within_two_std) for c in compared), len(compared)


def learnt(cells: list[Cell]) -> list[Cell]:
    """Those of the paper's own mechanisms."""
    return [cell for cell in cells if "RLM" in cell.mechanism]


def as_json() -> dict[str, Any]:
    """Counts and cells; an unknown number is null, ∞ the string "inf"."""
    found = measured()
    every = [cell for cells in found.values() for cell in cells]
    return {
        "headline": dict(zip(("reaches", "within_two_std", "cells"), count(every), strict=True)),
        "cells": [
            {key: _plain(value) for key, value in asdict(cell).items()}
            | {
                "difference": None if cell.difference is None else round(cell.difference, 3),
                "reaches": cell.reaches,
                "within_two_std": cell.within_two_std,
            }
            for cell in every
        ],
    }


def _plain(value: Any) -> Any:
    if not isinstance(value, float):
        return value
    if math.isinf(value):
        return "inf"
    return None if math.isnan(value) else round(value, 3)


def headline() -> list[str]:
    """The counts: all cells, the paper's own mechanisms, and each experiment."""
    found = measured()
    every = [cell for cells in found.values() for cell in cells]
    lines = [_counted("all cells", every), _counted("V-RLM and C-RLM", learnt(every))]
    return lines + [_counted(EXPERIMENTS[name].heading, cells) for name, cells in found.items() if count(cells)[2]]


def _counted(name: str, cells: list[Cell]) -> str:
    reaches, within, total = count(cells)
    return f"{name}: {reaches} of {total} cells at or above the paper's mean - 1 std, {within} within 2 std or better"


def page() -> str:
    """The results as Markdown."""
    lines = [*report_text.OPENING, "", *(f"- {line}" for line in headline()), "", *frozen_tables.section()]
    for experiment, cells in measured().items():
        lines += [f"## {EXPERIMENTS[experiment].heading}", "", *report_text.ABOUT[experiment], ""]
        lines += [_older(cells), ""]
        for dataset in dict.fromkeys(cell.dataset for cell in cells):
            chosen = [cell for cell in cells if cell.dataset == dataset]
            lines += [f"### {DATASETS[dataset].title}", "", *_grid(chosen), ""]
            if experiment == "private_inference":
                lines += [*_limits(chosen), ""]
    lines += [*report_text.READING, "", *_representations(), "", *_audited(), "", *_speed(), "", *_scale(), ""]
    return "\n".join(lines)


def _grid(cells: list[Cell]) -> list[str]:
    """Mechanisms in rows, budgets in columns: ours, and below it the paper's and the difference."""
    budgets = sorted({cell.epsilon for cell in cells}, reverse=True)
    budgets = [b for b in budgets if math.isfinite(b)] + [b for b in budgets if math.isinf(b)]
    lines = [
        "| mechanism | protocol | " + " | ".join("no LDP" if math.isinf(b) else f"ε = {b:g}" for b in budgets) + " |",
        "|---" * (len(budgets) + 2) + "|",
    ]
    for mechanism in dict.fromkeys(cell.mechanism for cell in cells):
        by_budget = {cell.epsilon: cell for cell in cells if cell.mechanism == mechanism}
        found = [_cell(by_budget.get(budget)) for budget in budgets]
        protocols = "/".join(map(str, sorted({cell.protocol for cell in by_budget.values()})))
        lines.append(f"| {shown_name(mechanism)} | {protocols} | " + " | ".join(found) + " |")
    return lines


def _older(cells: list[Cell]) -> str:
    """Which rows of an experiment are older than the frozen protocols, in a sentence."""
    rows = {(cell.dataset, cell.mechanism): cell.protocol for cell in cells}
    older = {key for key, protocol in rows.items() if protocol == 1}
    if len(older) == len(rows):
        return "All rows are of protocol 1."
    if not older:
        return "No row is of protocol 1."
    names = [name for name in dict.fromkeys(name for _, name in rows) if any(name == each for _, each in older)]
    return f"Of protocol 1: {', '.join(map(shown_name, names))}."


def _cell(cell: Cell | None) -> str:
    if cell is None:
        return ""
    spread = "" if math.isnan(cell.std) else f" ± {cell.std:.1f}"
    few = "" if cell.seeds >= 3 else f" ({cell.seeds} seed{'s' if cell.seeds > 1 else ''})"
    ours = f"**{cell.mean:.1f}**{spread}{few}"
    if cell.paper_mean is None or cell.difference is None:
        return ours
    mark = "" if cell.reaches else (" ○" if cell.within_two_std else " ▽")
    return f"{ours}<br>{cell.paper_mean} ± {cell.paper_std}<br>{cell.difference:+.1f}{mark}"


def _limits(cells: list[Cell]) -> list[str]:
    """What the Laplace mechanism can reach with ten classes on vertices, and any ε-LDP report at all."""
    budgets = sorted({cell.epsilon for cell in cells if math.isfinite(cell.epsilon)}, reverse=True)
    test = [TEST_SHARE * budget for budget in budgets]
    return [
        "| limit, in % | " + " | ".join(f"ε_test = {epsilon:g}" for epsilon in test) + " |",
        "|---" * (len(budgets) + 1) + "|",
        "| Laplace, classes on vertices | " + " | ".join(f"{100 * vertex_accuracy(e, 10):.1f}" for e in test) + " |",
        "| any ε-LDP report (k-RR) | " + " | ".join(f"{100 * krr_cap(e, 10):.1f}" for e in test) + " |",
    ]


def _representations() -> list[str]:
    """Without LDP: what the representations keep of the raw features."""
    lines = [*report_text.REPRESENTATIONS, "", "| dataset | features | ours | paper | difference |", "|---" * 5 + "|"]
    for cell in summary.cells("representations"):
        name = "Laplace" if cell.mechanism == "raw features" else cell.mechanism
        paper = summary.paper_cell("data_collection", cell.dataset, name, math.inf)
        assert paper is not None
        lines.append(
            f"| {DATASETS[cell.dataset].title} | {cell.mechanism} | {cell.mean:.1f} ± {cell.std:.1f} | "
            f"{paper[0]} ± {paper[1]} | {cell.mean - paper[0]:+.1f} |"
        )
    return lines


def _audited() -> list[str]:
    """The committed run of the audit: a lower bound on ε for every registered mechanism."""
    results = json.loads((table.RESULTS / "audit.json").read_text(encoding="utf-8"))
    budgets = sorted({each["epsilon"] for each in results})
    lines = [
        "## Claimed ε against a measured lower bound",
        "",
        f"`rlm audit --json`, {results[0]['samples']:,} samples, confidence "
        f"{results[0]['confidence']:.1%} for all cells together. A bound above the claim would be a proof of a flaw.",
        "",
        "| mechanism | " + " | ".join(f"ε = {epsilon:g}" for epsilon in budgets) + " |",
        "|---" * (len(budgets) + 1) + "|",
    ]
    for mechanism in dict.fromkeys(each["mechanism"] for each in results):
        bounds = {each["epsilon"]: each["lower_bound"] for each in results if each["mechanism"] == mechanism}
        lines.append(f"| {mechanism} | " + " | ".join(f"{bounds[epsilon]:.2f}" for epsilon in budgets) + " |")
    return lines


def _speed() -> list[str]:
    """The committed run of the speed benchmark."""
    figures = json.loads((table.RESULTS / "speed.json").read_text(encoding="utf-8"))
    lines = ["## Speed", "", "`python -m benchmarks speed --json`: medians of processor time on one core.", ""]
    shown = {name: "not measured" if value is None else f"{value:.3g}" for name, value in figures.items()}
    return lines + [f"- {speed.MEANING[name]}: {value}" for name, value in shown.items()]


def _scale() -> list[str]:
    """The committed run of the scale benchmark, and a billion people on paper."""
    figures = json.loads((table.RESULTS / "scale.json").read_text(encoding="utf-8"))
    figures |= {f"billion_{name}": value for name, value in figures.pop("billion").items()}
    figures["billion_dollars"] = round(figures["billion_core_hours"] * report_text.DOLLARS_A_CORE_HOUR, 2)
    lines = ["## Scale", "", *report_text.SCALE_INTRODUCTION, ""]
    return lines + [f"- {meaning}: {figures[name]:,}" for name, meaning in report_text.SCALE.items()]
