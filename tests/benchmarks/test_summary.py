"""Cells say what the rows and the paper's file say, and nothing between them."""

from __future__ import annotations

import json
import math
from pathlib import Path
from statistics import fmean

import pytest

from benchmarks import summary, table
from benchmarks.summary import Cell, cells, epsilon_needed, paper_cell, paper_curve, paper_mechanisms
from benchmarks.table import Row


def write(folder: Path, accuracies: dict[int, float], **changes: object) -> None:
    for seed, accuracy in accuracies.items():
        fields = {
            "experiment": "data_collection",
            "dataset": "mnist",
            "mechanism": "V-RLM",
            "epsilon": 10.0,
            "train_rows": 10,
            "test_rows": 5,
            "seconds": 1.0,
            "version": "0",
        }
        table.append(Row(**(fields | {"seed": seed, "accuracy": accuracy} | changes)), folder)  # type: ignore[arg-type]


def test_a_cell_is_mean_and_deviation_of_its_seeds_beside_the_papers(tmp_path: Path) -> None:
    assert cells("data_collection", tmp_path) == []
    write(tmp_path, {0: 84.0, 1: 85.0, 2: 89.0}, lam=0.7, latent_dim=8, radius=10.0, epsilon_pretraining=33)
    (cell,) = cells("data_collection", tmp_path)
    assert (cell.mean, cell.std, cell.seeds) == (86.0, pytest.approx(math.sqrt(7)), 3)
    assert (cell.lam, cell.latent_dim, cell.radius, cell.epsilon_pretraining) == ("0.7", "8", "10.0", "33")
    assert (cell.paper_mean, cell.paper_std) == (86.1, 1.0)
    assert cell.difference == pytest.approx(-0.1)


def test_order_groups_and_what_the_paper_does_not_have(tmp_path: Path) -> None:
    write(tmp_path, {0: 50.0}, mechanism="New", epsilon=2.0)
    write(tmp_path, {0: 60.0, 1: 61.0}, mechanism="New", epsilon=math.inf)
    write(tmp_path, {0: 70.0, 1: 72.0}, version="1")
    write(tmp_path, {2: 74.0}, version="2")
    found = cells("data_collection", tmp_path)
    assert [(c.mechanism, c.epsilon, c.seeds) for c in found] == [
        ("V-RLM", 10, 3),  # the paper's come first
        ("New", math.inf, 2),
        ("New", 2.0, 1),
    ]
    single = found[2]
    assert math.isnan(single.std)
    assert (single.paper_mean, single.difference, single.within_two_std, single.reaches) == (None,) * 4
    assert found[0].version == "1 / 2"


@pytest.mark.parametrize(
    ("mean", "reaches", "within"),
    [(85.1, True, True), (85.09, False, True), (84.1, False, True), (84.09, False, False)],
)
def test_one_and_two_deviations_below_the_paper(tmp_path: Path, mean: float, reaches: bool, within: bool) -> None:
    write(tmp_path, {0: mean, 1: mean})  # the paper: 86.1 ± 1.0
    (cell,) = cells("data_collection", tmp_path)
    assert (cell.reaches, cell.within_two_std) == (reaches, within)


def test_better_than_the_paper_counts_as_within(tmp_path: Path) -> None:
    write(tmp_path, {0: 99.0, 1: 99.0})
    (cell,) = cells("data_collection", tmp_path)
    assert cell.reaches and cell.within_two_std


def test_the_papers_numbers_are_those_of_its_file() -> None:
    tables = json.loads(summary.PAPER_NUMBERS.read_text())["tables"]
    assert paper_mechanisms("data_collection", "mnist") == ["V-RLM", "PrivUnit", "Duchi", "Laplace"]
    assert paper_curve("novel_class", "cifar10", "Duchi")[4.0] == tuple(tables["novel_class"]["cifar10"]["Duchi"]["4"])
    assert paper_curve("data_collection", "mnist", "V-RLM")[math.inf] == (94.9, 0.2)
    assert paper_cell("data_join", "lending_club", summary.CLEAN_FEATURES, 4.0) == (56.1, 0.5)
    assert paper_cell("data_collection", "mnist", summary.CLEAN_FEATURES, 4.0) is None
    assert paper_curve("data_collection", "imagenet", "V-RLM") == {} == paper_curve("nothing", "mnist", "V-RLM")


@pytest.mark.parametrize("path", sorted(table.RESULTS.glob("*.csv")), ids=lambda path: path.stem)
def test_every_committed_trial_is_in_exactly_one_cell(path: Path) -> None:
    """Of the newest protocol that a cell has; draws of the channel count once, as their seed."""
    newest: dict[tuple[str, str, float], int] = {}
    accuracies: dict[tuple[tuple[str, str, float], int, str], list[float]] = {}
    for row in table.read(path.stem):
        key, protocol = (row["dataset"], row["mechanism"], float(row["epsilon"])), int(row["protocol"])
        newest[key] = max(protocol, newest.get(key, 0))
        accuracies.setdefault((key, protocol, row["seed"]), []).append(float(row["accuracy"]))
    counted = [fmean(values) for (key, protocol, _), values in accuracies.items() if protocol == newest[key]]
    found = cells(path.stem)
    assert {(cell.dataset, cell.mechanism, cell.epsilon): cell.protocol for cell in found} == newest
    assert sum(cell.seeds for cell in found) == len(counted)
    assert sum(cell.mean * cell.seeds for cell in found) == pytest.approx(sum(counted))


def test_draws_count_once_with_their_seed_and_the_frozen_protocol_comes_first(tmp_path: Path) -> None:
    write(tmp_path, {0: 10.0, 1: 20.0})
    for draw, accuracy in enumerate((80.0, 84.0)):
        write(tmp_path, {10: accuracy, 11: accuracy + 6}, draw=draw, protocol=2)
    (cell,) = cells("data_collection", tmp_path)
    assert (cell.mean, cell.seeds, cell.protocol) == (85.0, 2, 2)
    assert cell.std == pytest.approx(math.sqrt(18)) and cell.draw_std == pytest.approx(math.sqrt(8))


def test_epsilon_needed_reads_cells_and_leaves_out_infinity(tmp_path: Path) -> None:
    for epsilon, accuracy in ((2.0, 30.0), (6.0, 70.0), (math.inf, 95.0)):
        write(tmp_path, {0: accuracy}, epsilon=epsilon)
    found = cells("data_collection", tmp_path)
    assert epsilon_needed(found, 50.0) == pytest.approx(4.0)
    assert epsilon_needed(found, 70.0) == 6.0
    assert epsilon_needed(found, 80.0) is None  # only without LDP
    assert epsilon_needed([], 50.0) is None
    assert epsilon_needed([cell for cell in found if math.isinf(cell.epsilon)], 50.0) is None


def test_epsilon_needed_goes_through_its_own_points() -> None:
    curve = {1.0: 16.9, 2.0: 35.3, 4.0: 61.3, 6.0: 72.8, 8.0: 82.1, 10.0: 86.1}
    for epsilon, accuracy in curve.items():
        assert epsilon_needed(curve, accuracy) == pytest.approx(epsilon)
    assert epsilon_needed(curve, 80.0) == pytest.approx(6 + 2 * (80 - 72.8) / (82.1 - 72.8))


def test_a_lucky_cell_promises_nothing() -> None:
    assert epsilon_needed({1.0: 56.0, 2.0: 49.0, 4.0: 50.0}, 55.0) is None
    assert epsilon_needed({1.0: 10.0, 2.0: 60.0, 4.0: 40.0, 6.0: 80.0}, 50.0) == pytest.approx(4.5)


def test_cells_cannot_be_changed(tmp_path: Path) -> None:
    write(tmp_path, {0: 50.0})
    (cell,) = cells("data_collection", tmp_path)
    assert isinstance(cell, Cell)
    with pytest.raises(AttributeError):
        cell.mean = 99.0  # type: ignore[misc]
