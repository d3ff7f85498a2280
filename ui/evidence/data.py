"""What the benchmarks page shows for one experiment and dataset, from files alone. No Streamlit here."""

from __future__ import annotations

import csv
import html
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from benchmarks import shipped, summary
from benchmarks.summary import CLEAN_FEATURES, Cell
from rlm_core.catalogue import CODES, DATASETS, EXPERIMENTS
from rlm_core.registry import REGISTRY
from ui.evidence.text import ABOUT

PaperCurve = dict[float, tuple[float, float]]


class Level(NamedTuple):
    """A horizontal line: accuracy in percent, and whose it is."""

    accuracy: float
    mechanisms: tuple[str, ...]
    source: str


class Need(NamedTuple):
    """How much ε a mechanism needs; None if it is never enough. ``best`` is its highest accuracy at a finite ε."""

    mechanism: str
    source: str
    epsilon: float | None
    at_most: bool
    best: float
    best_epsilon: float

    @property
    def name(self) -> str:
        """The mechanism as people read it, as HTML."""
        return html.escape(summary.shown_name(self.mechanism))


@dataclass(frozen=True, kw_only=True)
class View:
    """One experiment on one dataset: our cells and the paper's curves by mechanism, in the order shown."""

    experiment: str
    dataset: str
    ours: dict[str, list[Cell]]
    paper: dict[str, PaperCurve]

    @property
    def mechanisms(self) -> list[str]:
        """The paper's order first, then what only we have; the data-join baseline is a line, not a mechanism."""
        return [name for name in dict.fromkeys([*self.paper, *self.ours]) if name != CLEAN_FEATURES]

    @property
    def cells(self) -> list[Cell]:
        """All of ours."""
        return [cell for cells in self.ours.values() for cell in cells]

    @property
    def chance(self) -> float:
        """What guessing gives, in percent: classes are balanced, and a novel class is told from the rest."""
        return 100 / (2 if self.experiment == "novel_class" else len(DATASETS[self.dataset].classes))

    @property
    def without_ldp(self) -> list[Level]:
        """Accuracies at ε = ∞, ours where measured, else the paper's; equal ones are one line, highest first."""
        levels: dict[tuple[float, str], list[str]] = {}
        for name in self.mechanisms:
            ours = [cell.mean for cell in self.ours.get(name, []) if math.isinf(cell.epsilon)]
            paper = self.paper.get(name, {}).get(math.inf)
            if ours:
                levels.setdefault((round(ours[0], 1), "ours"), []).append(name)
            elif paper:
                levels.setdefault((round(paper[0], 1), "paper"), []).append(name)
        found = [Level(accuracy, tuple(names), source) for (accuracy, source), names in levels.items()]
        return sorted(found, key=lambda level: -level.accuracy)

    @property
    def clean_features(self) -> Level | None:
        """The data-join baseline: the clean features alone; ours where measured."""
        ours = self.ours.get(CLEAN_FEATURES)
        if ours:
            return Level(ours[0].mean, (CLEAN_FEATURES,), "ours")
        paper = summary.paper_cell(self.experiment, self.dataset, CLEAN_FEATURES, math.inf)
        return None if paper is None else Level(paper[0], (CLEAN_FEATURES,), "paper")


def experiments() -> list[str]:
    """Experiments with anything to show, in the page's order."""
    return [name for name in ABOUT if datasets(name)]


def datasets(experiment: str) -> list[str]:
    """Datasets that were measured by us or by the paper."""
    ours = {cell.dataset for cell in summary.cells(experiment)}
    return [name for name in DATASETS if name in ours or summary.paper_mechanisms(experiment, name)]


def view(experiment: str, dataset: str) -> View:
    """Read the files."""
    ours: dict[str, list[Cell]] = {}
    for cell in summary.current_cells(experiment):
        if cell.dataset == dataset:
            ours.setdefault(cell.mechanism, []).append(cell)
    names = summary.paper_mechanisms(experiment, dataset)
    paper = {name: summary.paper_curve(experiment, dataset, name) for name in names}
    return View(experiment=experiment, dataset=dataset, ours=ours, paper=paper)


class Count(NamedTuple):
    """Cells that can be compared with the paper, and how many of them reach it."""

    compared: int
    reached: int
    within: int


def count(cells: Sequence[Cell]) -> Count:
    """The headline: how many cells reach the paper's mean less one (less two) of its standard deviations."""
    compared = [cell for cell in cells if cell.paper_mean is not None]
    return Count(
        len(compared), sum(cell.reaches is True for cell in compared), sum(bool(c.within_two_std) for c in compared)
    )


def needs(view: View, accuracy: float) -> list[Need]:
    """The ε that each mechanism needs, ours and the paper's; the smallest first, the unable last."""
    found = []
    for name in view.mechanisms:
        curves = {
            "ours": {cell.epsilon: cell.mean for cell in view.ours.get(name, [])},
            "paper": {epsilon: mean for epsilon, (mean, _) in view.paper.get(name, {}).items()},
        }
        for source, curve in curves.items():
            finite = {epsilon: mean for epsilon, mean in curve.items() if math.isfinite(epsilon)}
            if finite:
                epsilon = summary.epsilon_needed(finite, accuracy)
                best = max(finite, key=lambda each: (finite[each], -each))
                at_most = epsilon is not None and epsilon == min(finite)
                found.append(Need(name, source, epsilon, at_most, finite[best], best))
    return sorted(found, key=lambda need: (need.epsilon is None, need.epsilon or -need.best))


COLUMNS = (
    "experiment dataset mechanism epsilon mean std seeds draw_std protocol paper_mean paper_std "
    "difference reaches within_two_std lam latent_dim radius epsilon_pretraining train_rows test_rows version"
).split()


def cells_csv(view: View) -> str:
    """What the table shows, as CSV; cells that only the paper has are there with our columns empty."""
    buffer = io.StringIO()
    writer = csv.writer(buffer, lineterminator="\n")
    writer.writerow(COLUMNS)
    for cell in view.cells:
        writer.writerow(_plain(getattr(cell, name)) for name in COLUMNS)
    measured = {(cell.mechanism, cell.epsilon) for cell in view.cells}
    for name, curve in view.paper.items():
        for epsilon, (mean, std) in curve.items():
            if (name, epsilon) not in measured:
                known = {"experiment": view.experiment, "dataset": view.dataset, "mechanism": name}
                known |= {"epsilon": _plain(epsilon), "paper_mean": _plain(mean), "paper_std": _plain(std)}
                writer.writerow(known.get(column, "") for column in COLUMNS)
    return buffer.getvalue()


def _plain(value: object) -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def other_codes(view: View) -> tuple[int, int] | None:
    """The protocol of the codes shown and that of the shipped ones, where these differ."""
    shown = {cell.protocol for cell in view.ours.get(CODES, []) if math.isfinite(cell.epsilon)}
    newer = shipped.newer_protocol(view.experiment, view.dataset)
    return (newer, shipped.origin(view.dataset).protocol) if newer in shown else None


OWN_TABLES = {
    "joint Laplace": "joint Laplace",
    "joint selection": "joint selection",
    "joint bits": "joint bits",
    "k-RR": "k-RR of the label alone",
}
"""Mechanisms by what they are called where own tables were measured."""


def measured_in() -> dict[str, list[str]]:
    """Every mechanism of the registry to the experiments (with datasets) that have trials of it."""
    found: dict[str, list[str]] = {name: [] for name in REGISTRY}
    for experiment in ABOUT:
        cells = summary.cells(experiment)
        for name in REGISTRY:
            where = [key for key in DATASETS if any(_is(name, cell, key) for cell in cells)]
            if where:
                found[name].append(
                    f"{EXPERIMENTS[experiment].title} ({', '.join(DATASETS[key].title for key in where)})"
                )
    own = summary.cells("own_data")
    for name, called in OWN_TABLES.items():
        tables = dict.fromkeys(cell.dataset for cell in own if cell.mechanism == called)
        if tables:
            found[name].append(f"Own data ({', '.join(map(_table_title, tables))})")
    return found


def _table_title(name: str) -> str:
    """ "Census Income" of census_income."""
    return DATASETS[name].title if name in DATASETS else name.replace("_", " ").title()


def _is(name: str, cell: Cell, dataset: str) -> bool:
    """Results call a table's mechanism by its plain name; variants ("V-RLM eta=0.50") belong to theirs.

    "joint V-RLM" is one release of representation and label: with two classes joint Laplace, with more joint selection.
    "joint Q-RLM" sends joint bits of what the codes' encoder sees.
    """
    if cell.mechanism.startswith("joint "):
        release = "joint Laplace" if len(DATASETS[cell.dataset].classes) == 2 else "joint selection"
        return cell.dataset == dataset and name == ("joint bits" if cell.mechanism == "joint Q-RLM" else release)
    plain = name.removesuffix(" table")
    if cell.dataset != dataset or cell.mechanism.split(" ")[0] != plain:
        return False
    has_table = f"{plain} table" in REGISTRY
    return not has_table or (dataset == "lending_club") == name.endswith(" table")
