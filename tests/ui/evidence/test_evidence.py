"""The benchmarks page's parts: what is drawn, told and downloaded is what the files say."""

from __future__ import annotations

import csv
import io
import json
import math
from pathlib import Path

import pytest

from benchmarks import shipped, summary, table
from benchmarks.summary import CLEAN_FEATURES
from benchmarks.table import Row
from rlm_core.registry import REGISTRY
from rlm_core.theory import krr_cap, vertex_accuracy
from ui.evidence import data
from ui.evidence.data import count, datasets, experiments, measured_in, needs, view
from ui.evidence.figures import accuracy_chart, cells_table, needs_list, settings
from ui.evidence.text import ABOUT
from ui.evidence.view import answer, details, headline


def add(
    mechanism: str, epsilon: float, *accuracies: float, experiment: str = "data_collection", **changes: object
) -> None:
    for seed, accuracy in enumerate(accuracies):
        fields = {
            "dataset": "mnist",
            "lam": 0.7,
            "latent_dim": 8,
            "radius": 10.0,
            "epsilon_pretraining": 33,
            "train_rows": 13500,
            "test_rows": 2500,
            "seconds": 1.0,
            "version": "0.1.0",
        } | changes
        table.append(
            Row(  # type: ignore[arg-type]
                experiment=experiment, mechanism=mechanism, epsilon=epsilon, seed=seed, accuracy=accuracy, **fields
            ),
            table.RESULTS,
        )


@pytest.fixture(autouse=True)
def results(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder of results."""
    monkeypatch.setattr(table, "RESULTS", tmp_path)
    return tmp_path


def traces(figure: dict) -> dict[str, dict]:
    return {each["name"]: each for each in figure["data"]}


def test_without_results_the_papers_are_shown() -> None:
    assert experiments() == list(ABOUT)
    assert datasets("data_collection") == ["mnist", "cifar10", "lending_club"]
    assert datasets("data_join") == ["lending_club"] and datasets("pca") == ["mnist"]
    for experiment in experiments():
        for dataset in datasets(experiment):
            shown = view(experiment, dataset)
            figure = accuracy_chart(shown, with_paper=True)
            json.dumps(figure)
            assert shown.cells == [] and not any(", ours" in name for name in traces(figure))
            for name, curve in shown.paper.items():
                line = traces(figure)[f"{summary.shown_name(name)}, paper"]
                assert dict(zip(line["x"], line["y"], strict=True)) == {
                    e: m for e, (m, _) in curve.items() if math.isfinite(e)
                }
            assert f"paper {next(iter(shown.paper.values()))[10.0][0]:.1f}" in cells_table(shown)


def test_ours_is_solid_and_the_papers_dashed_in_one_colour() -> None:
    add("V-RLM", 10.0, 85.0, 86.0, 87.0)
    add("V-RLM", 2.0, 30.0)
    add("V-RLM", math.inf, 95.0)
    add("Q-RLM", 10.0, 90.0)
    shown = view("data_collection", "mnist")
    figure = accuracy_chart(shown, with_paper=True)
    mine, theirs = traces(figure)["V-RLM, ours"], traces(figure)["V-RLM, paper"]
    assert (mine["x"], mine["y"], mine["error_y"]["array"]) == ([2.0, 10.0], [30.0, 86.0], [0.0, 1.0])
    assert mine["line"]["color"] == theirs["line"]["color"] and mine["legendgroup"] == theirs["legendgroup"]
    assert "dash" not in mine["line"] and theirs["line"]["dash"] == "dash"
    assert traces(figure)["Q-RLM, ours"]["line"]["color"] != mine["line"]["color"]
    for words in ("86.0 ± 1.0 %", "3 seeds", "λ = 0.7", "l = 10", "ε_pre = 33", "version 0.1.0"):
        assert words in mine["customdata"][1]
    assert not any(
        ", paper" in name for name in traces(accuracy_chart(shown, with_paper=False)) if "no LDP" not in name
    )
    assert set(traces(figure)["chance"]["y"]) == {10.0}
    assert set(traces(figure)["no LDP: V-RLM (ours)"]["y"]) == {95.0}  # ours instead of the paper's 94.9
    assert set(traces(figure)["no LDP: PrivUnit, Duchi, Laplace (paper)"]["y"]) == {96.0}


def test_chance_depends_on_the_question() -> None:
    assert view("data_collection", "mnist").chance == 10.0
    assert view("novel_class", "mnist").chance == 50.0 == view("data_join", "lending_club").chance


def test_clean_features_are_a_line_ours_where_measured() -> None:
    name = "clean features only (paper)"
    assert set(traces(accuracy_chart(view("data_join", "lending_club"), with_paper=True))[name]["y"]) == {56.1}
    add(CLEAN_FEATURES, math.inf, 57.0, 58.0, experiment="data_join", dataset="lending_club")
    shown = view("data_join", "lending_club")
    assert CLEAN_FEATURES not in shown.mechanisms
    lines = traces(accuracy_chart(shown, with_paper=True))
    assert set(lines["clean features only (ours)"]["y"]) == {57.5} and name not in lines
    assert "57.5 ± 0.7" in cells_table(shown) and "paper 56.1 ± 0.5" in cells_table(shown)


def test_private_inference_carries_the_theory() -> None:
    lines = traces(accuracy_chart(view("private_inference", "cifar10"), with_paper=True))
    bound, cap = lines["theory: Laplace, classes on vertices"], lines["theory: cap of any ε-LDP report"]
    assert (bound["x"][-1], cap["x"][-1]) == (10.0, 10.0)
    assert bound["y"][-1] == pytest.approx(100 * vertex_accuracy(7.0, 10), abs=1e-3)
    assert cap["y"][-1] == pytest.approx(100 * krr_cap(7.0, 10), abs=1e-3)


def test_the_table_marks_what_reaches_the_paper() -> None:
    add("V-RLM", 10.0, 85.3, 85.5)  # the paper: 86.1 ± 1.0
    add("V-RLM", 8.0, 79.0, 79.4)  # 82.1 ± 1.6
    add("V-RLM", 6.0, 60.0, 60.2)  # 72.8 ± 3.2
    add("New <b>", 6.0, 61.0, 61.0)
    shown = view("data_collection", "mnist")
    text = cells_table(shown)
    for words in ("● −0.7", "◐ −2.9", "○ −12.7", "85.4 ± 0.1", "New &lt;b&gt;", "no LDP"):
        assert words in text
    assert "New <b>" not in text
    assert count(shown.cells) == (3, 1, 2)
    assert "1 of 3" in headline(shown) and "2 of 3" in headline(shown)
    assert details(shown)["difference"].tolist()[:3] == pytest.approx([-0.7, -2.9, -12.7])


def test_the_answer_is_interpolated() -> None:
    add("V-RLM", 10.0, 90.0)
    add("V-RLM", 8.0, 80.0)
    add("PrivUnit", 10.0, 40.0)
    shown = view("data_collection", "mnist")
    found = {(need.mechanism, need.source): need for need in needs(shown, 85.0)}
    assert found["V-RLM", "ours"].epsilon == pytest.approx(9.0)
    paper = {e: m for e, (m, _) in summary.paper_curve("data_collection", "mnist", "V-RLM").items()}
    assert found["V-RLM", "paper"].epsilon == summary.epsilon_needed(paper, 85.0) == pytest.approx(9.45)
    assert found["PrivUnit", "ours"].epsilon is None and found["PrivUnit", "ours"].best == 40.0
    everyone = needs(shown, 85.0)
    assert [need.epsilon is None for need in everyone] == sorted(need.epsilon is None for need in everyone)
    words = answer(everyone, shown, 85.0)
    assert "<b>V-RLM</b> needs about <b>ε = 9.0</b>" in words and "PrivUnit does not get there" in words
    bars = needs_list(everyone, 85.0)
    assert "width:90.0%" in bars and "never: best 40.0 % at ε = 10" in bars
    assert "at most <b>ε = 8.0</b>" in answer(needs(shown, 70.0), shown, 70.0)
    assert "No mechanism reaches 99 %" in answer(needs(shown, 99.0), shown, 99.0)


def test_the_answer_without_results_is_the_papers() -> None:
    shown = view("data_collection", "mnist")
    words = answer(needs(shown, 80.0), shown, 80.0)
    curve = {e: m for e, (m, _) in summary.paper_curve("data_collection", "mnist", "V-RLM").items()}
    needed = math.ceil(10 * summary.epsilon_needed(curve, 80.0)) / 10  # upwards: less would not do
    assert f"ε = {needed:.1f}</b> in the paper" in words


def test_the_csv_has_every_cell_once() -> None:
    add("V-RLM", 10.0, 85.0, 86.0)
    shown = view("data_collection", "mnist")
    rows = list(csv.DictReader(io.StringIO(data.cells_csv(shown))))
    keys = [(row["mechanism"], float(row["epsilon"])) for row in rows]
    assert len(keys) == len(set(keys)) == sum(len(curve) for curve in shown.paper.values())
    assert rows[0]["mean"] == "85.5" and rows[0]["seeds"] == "2" and float(rows[0]["difference"]) == pytest.approx(-0.6)
    assert rows[1]["mean"] == "" and rows[1]["paper_mean"] != ""


def test_every_registered_mechanism_is_listed_with_its_experiments() -> None:
    add("V-RLM eta=0.50", 10.0, 80.0, experiment="auxiliary_size")
    add("Duchi", 10.0, 50.0, dataset="lending_club")
    add("Duchi", 10.0, 50.0, dataset="cifar10")
    found = measured_in()
    assert set(found) == set(REGISTRY)
    assert found["V-RLM"] == ["Less public data (MNIST)"] and found["C-RLM"] == []
    assert found["Duchi"] == ["Data collection (CIFAR-10)"]
    assert found["Duchi table"] == ["Data collection (Lending Club)"]


def test_joint_reports_are_measured_where_their_releases_were() -> None:
    assert measured_in()["joint Laplace"] == measured_in()["joint bits"] == []
    add("joint V-RLM", 2.0, 62.0, dataset="lending_club")
    add("joint V-RLM", 2.0, 62.0)
    add("joint C-RLM", 2.0, 60.0, dataset="cifar10")
    add("joint bits", 2.0, 60.0, experiment="own_data", dataset="census_income")
    add("k-RR of the label alone", 2.0, 60.0, experiment="own_data", dataset="lending_club")
    found = measured_in()
    assert found["joint Laplace"] == ["Data collection (Lending Club)"]
    assert found["joint selection"] == ["Data collection (MNIST, CIFAR-10)"]
    assert found["joint bits"] == ["Own data (Census Income)"] and found["k-RR"] == ["Own data (Lending Club)"]
    assert found["V-RLM"] == found["C-RLM"] == []


def test_every_cell_says_its_protocol_and_the_deviation_between_draws() -> None:
    for draw, accuracies in enumerate(((80.0, 86.0), (84.0, 90.0))):
        add("Q-RLM", 4.0, *accuracies, draw=draw, protocol=2)
    add("Q-RLM", math.inf, 95.0)  # older, without LDP: of other codes
    shown = view("data_collection", "mnist")
    (cell,) = shown.ours["Q-RLM"]
    assert "± 2.8 between draws" in settings(cell) and "protocol 2, version" in settings(cell)
    assert "2 seeds, protocol 2" in cells_table(shown)
    assert details(shown)["protocol"].tolist() == [2] and details(shown)["std of draws"].tolist() == [2.83]
    (row,) = [each for each in csv.DictReader(io.StringIO(data.cells_csv(shown))) if each["mechanism"] == "Q-RLM"]
    assert row["protocol"] == "2" and float(row["draw_std"]) == pytest.approx(math.sqrt(8), abs=1e-3)


def test_codes_of_another_protocol_than_the_shipped_are_named() -> None:
    about = shipped.origin("cifar10")
    add("Q-RLM", 4.0, 80.0, dataset="cifar10", protocol=about.protocol)
    assert data.other_codes(view("data_collection", "cifar10")) is None
    add("Q-RLM", 4.0, 85.0, dataset="cifar10", protocol=about.protocol + 1)
    assert data.other_codes(view("data_collection", "cifar10")) == (about.protocol + 1, about.protocol)


def test_settings_say_only_what_is_known() -> None:
    add("Laplace", 4.0, 10.0, lam="", latent_dim="", radius="", epsilon_pretraining="")
    ((cell,),) = view("data_collection", "mnist").ours.values()
    words = settings(cell)
    assert "1 seed<br>" in words and "λ" not in words and "ε_pre" not in words and "±" not in words
